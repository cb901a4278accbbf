"""`Why`: why a tensor of a debugged run has its value, is NaN, has an unknown shape, was not run, or took long.

A bad value is followed backwards: from the tensor to an operand that is bad itself, and on, up to the step that made it
of finite values. Where that is a loop or branch, the run inside of it is looked through for the first bad value. A
gradient that is all zeros is followed towards the loss, up to the operation whose derivative has made it so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...graph.common.source_location import GradientOrigin
from ...graph.diagnostics.error_report import operands_of
from ...graph.diagnostics.unknown_dims import why_unknown
from ...graph.inspect.text_table import folded
from ...graph.model.nodes import Operation, Tensor
from ..base.watch import Watch
from ..observe.nan_watch import input_at, may_be_bad, on_host
from ..observe.run_record import time_text
from .where_report import line_of, value_text

_LONGEST = 40
"""The most operations of a chain."""
_SHOWN = 12
_STOPS = 4
"""The most operations that are told to have stopped a gradient."""
_BAD = Watch()


@dataclass(frozen=True, slots=True)
class Why:
    """The answer of `Debugger.why`; it prints as text.

    Attributes:
        name: the name of the tensor.
        lines: the answer.
        origin: the name of the tensor that is bad first, where a value is NaN or infinite; of the first gradient that
            is all zeros, where a gradient is; "" otherwise.
    """

    name: str
    lines: tuple[str, ...]
    origin: str = ""

    def __str__(self) -> str:
        return "\n".join(folded(list(self.lines)))

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class InsideFound:
    """The first bad value inside a loop or branch.

    Attributes:
        place: where, such as "steps[2]".
        name: the name of its tensor.
        value: the value.
        inputs: the values of the operands of its step; None for one that is not there any more.
        op: the operation that made it; None if a pass has made it.
    """

    place: str
    name: str
    value: Any
    inputs: Sequence[Any]
    op: Operation | None


Find = Callable[[str], Any]
"""Name of a tensor -> its value in the run; None if it is not there."""
LookInside = Callable[[str], InsideFound | None]
"""Name of a tensor that an op with graphs makes -> the first bad value inside of it."""


def why_value(tensor: Tensor, find: Find, look_inside: LookInside, spent: Sequence[tuple[str, float, int]]) -> Why:
    """Why a tensor has its value.

    Args:
        tensor: the tensor.
        find: gives values of the run.
        look_inside: looks through loops and branches.
        spent: (node, seconds, number of runs) of the steps that have run.
    """
    value = on_host(find(tensor.name))
    lines = [_told(tensor, value), *_shape_lines(tensor, value)]
    origin = ""
    if _is_bad(value):
        chain = list(_to_the_origin(tensor, find))
        shown = chain if len(chain) <= _SHOWN else [*chain[: _SHOWN - 3], *chain[-3:]]
        for i, each in enumerate(shown[1:], 1):
            if len(chain) > _SHOWN and i == _SHOWN - 3:
                lines.append(f"  ... {len(chain) - _SHOWN} more")
            lines.append(f"  from {_told(each, on_host(find(each.name)))}")
        origin = chain[-1].name
        lines += _origin_lines(chain[-1], find, look_inside)
    elif isinstance(tensor.op.origin, GradientOrigin) and _is_zero(tensor, value):
        stops = _where_stopped(tensor, find)
        origin = stops[0][0].name
        for zero, reaching in stops[:_STOPS]:
            lines += _stop_lines(tensor, zero, reaching, find)
    else:
        lines += [f"  {row}" for row in (*_operand_rows(tensor.op, find), *_broadcast_rows(tensor, find))]
    return Why(tensor.name, (*lines, *_time_lines(tensor.op.name, spent)), origin)


def _to_the_origin(tensor: Tensor, find: Find) -> Iterator[Tensor]:
    """The tensors from a bad one back to the first that is bad."""
    for _ in range(_LONGEST):
        yield tensor
        worse = next((t for t in tensor.op.inputs if (v := find(t.name)) is not None and _is_bad(on_host(v))), None)
        if worse is None:
            return
        tensor = worse


def _origin_lines(tensor: Tensor, find: Find, look_inside: LookInside) -> Iterator[str]:
    value = on_host(find(tensor.name))
    op = tensor.op
    if not op.inputs and op.opdef.facts.must_feed:
        yield f"  it was fed so: {_count(value)}"
        return
    inside = look_inside(tensor.name) if op.opdef.bodies else None
    if inside is not None:
        yield f"  it begins in {inside.place}: {inside.name} has {_count(inside.value)}"
        if inside.op is not None:
            yield f"    {inside.op.type}  {line_of(inside.op)}"
            yield from _cause_rows(inside.op, inside.inputs, inside.value)
        return
    yield f"  it begins here: {_count(value)}; the operands are finite"
    yield from _cause_rows(op, [find(given.name) for given in op.inputs], value)


def _cause_rows(op: Operation, inputs: Sequence[Any], value: Any) -> Iterator[str]:
    """A line for each operand, with the element that belongs to the first bad one."""
    index = _first(value)
    for (_, parameter, given), held in zip(operands_of(op.opdef, op.args), inputs, strict=False):
        if held is not None:
            words = input_at(op, on_host(held), value.shape, index)[1]
            what = f'    {parameter}  "{given.name}" {given.dtype.name} {list(held.shape)}{words}'
            yield f"{what}  {line_of(given.op)}".rstrip()


def _operand_rows(op: Operation, find: Find) -> Iterator[str]:
    for _, parameter, given in operands_of(op.opdef, op.args):
        held = find(given.name)
        text = "not there any more" if held is None else value_text(held)
        shape = f" {list(held.shape)}" if held is not None and held.ndim else ""
        yield f'{parameter}  "{given.name}" {given.dtype.name}{shape} = {text}  {line_of(given.op)}'.rstrip()


def _broadcast_rows(tensor: Tensor, find: Find) -> Iterator[str]:
    """That operands of an elementwise op were stretched along different axes, which is seldom meant."""
    values = [(name, find(given.name)) for _, name, given in operands_of(tensor.op.opdef, tensor.op.args)]
    shapes = {name: list(held.shape) for name, held in values if held is not None and held.ndim}
    shape = list(find(tensor.name).shape)
    if tensor.op.opdef.facts.elementwise and len(shapes) > 1 and shape not in shapes.values():
        told = " and ".join(f"{name} {each}" for name, each in shapes.items())
        yield f"{told} are broadcast to {shape}: each of them is repeated along an axis of the other"


def _is_zero(tensor: Tensor, value: Any) -> bool:
    may_be = value is not None and (tensor.dtype.is_floating or tensor.dtype.is_complex)
    return may_be and value.size > 0 and not on_host(value).any()


def _where_stopped(tensor: Tensor, find: Find) -> list[tuple[Tensor, list[Tensor]]]:
    """The first gradients that are all zeros on the ways from a loss to `tensor`, and what reaches their operations."""
    stops, seen, waiting = [], {tensor}, [tensor]
    while waiting:
        zero = waiting.pop(0)
        reaching = _reaching(zero)
        if reaching and all(_is_zero(each, find(each.name)) for each in reaching):
            waiting += [each for each in reaching if each not in seen]
            seen.update(reaching)
        else:
            stops.append((zero, reaching))
    return stops


def _reaching(gradient: Tensor) -> list[Tensor]:
    """The gradients of other operations of which that of an operation is computed."""
    origin = gradient.op.origin
    assert isinstance(origin, GradientOrigin)  # the callers follow only those
    call = gradient.op.name.partition(f"{origin.of}_grad/")[0]
    reaching: list[Tensor] = []
    seen, waiting = {gradient}, [gradient]
    while waiting:
        for each in waiting.pop().op.inputs:
            if each in seen or not isinstance(each.op.origin, GradientOrigin) or not each.op.name.startswith(call):
                continue
            seen.add(each)
            (waiting if each.op.origin == origin else reaching).append(each)
    return reaching


def _stop_lines(tensor: Tensor, zero: Tensor, reaching: Sequence[Tensor], find: Find) -> Iterator[str]:
    """Which operation stopped a gradient, with its values and the words of its derivative."""
    origin = zero.op.origin
    assert isinstance(origin, GradientOrigin)  # the callers follow only those
    op = tensor.graph.get_operation_by_name(origin.of)
    if f"{op.name}_grad/" not in zero.op.name:
        yield f"  no gradient reaches {op.name}; tf.explain_gradient(y, x) says where the path from y is cut"
        return
    if zero is not tensor:
        yield f"  {zero.name} is all 0 already"
    words, rule = op.opdef.gradient_words, zero.op.opdef
    if f"{rule.__name__}(" in words:  # an op for this gradient: what it computes
        words = ", ".join([words, *(rule.__doc__ or "").splitlines()[:1]])
    yield f"  it is stopped by {op.name} ({op.type}), whose gradient is {words.rstrip('.')}  {line_of(op)}"
    for each in reaching:
        held = find(each.name)
        yield f"    it is reached by {each.name} = {'not there any more' if held is None else value_text(held)}"
    yield from (f"    {row}" for row in _operand_rows(op, find))
    for out in op.outputs:
        held = find(out.name)
        if held is not None:
            yield f'    out  "{out.name}" = {value_text(held)}'


def _shape_lines(tensor: Tensor, value: Any) -> Iterator[str]:
    """What of the shape is not known before the run, and why."""
    if tensor.shape.is_fully_defined():
        return
    found = why_unknown(tensor)
    if len(found):
        yield f"  before the run its shape is {tensor.shape}; here it is {list(value.shape)}"
        yield from (f"  {line}" for line in str(found).splitlines())


def _time_lines(node: str, spent: Sequence[tuple[str, float, int]]) -> Iterator[str]:
    total = sum(seconds for _, seconds, _ in spent)
    own = next(((seconds, runs) for name, seconds, runs in spent if name == node), None)
    if own is None or not total:
        return
    seconds, runs = own
    often = f" in {runs} runs" if runs > 1 else ""
    yield f"  {node} took {time_text(seconds)}{often}, {seconds / total:.0%} of the steps so far ({time_text(total)})"


def _told(tensor: Tensor, value: Any) -> str:
    return f"{tensor.name} {tensor.dtype.name} {list(value.shape)} = {value_text(value)}  {line_of(tensor.op)}".rstrip()


def bad_in(values: Sequence[Any]) -> bool:
    """Whether one of some values has a NaN or an infinity."""
    return any(_is_bad(on_host(value)) for value in values)


def _is_bad(value: Any) -> bool:
    return may_be_bad(value) and _BAD.bad(value) is not None


def _first(value: Any) -> tuple[int, ...]:
    bad = _BAD.bad(value)
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), value.shape)) if value.ndim else ()


def _count(value: Any) -> str:
    array = on_host(value)
    nans, infs = int(np.count_nonzero(np.isnan(array))), int(np.count_nonzero(np.isinf(array)))
    count = ", ".join(f"{n} {kind}" for n, kind in ((nans, "NaN"), (infs, "Inf")) if n)
    return f"{count} of {array.size}, the first at {list(_first(array))}"
