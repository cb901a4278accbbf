"""Watched runs: the first NaN or infinity of a run ends it with a `NonFiniteError`.

A watched run executes the graph as it was written, without passes, so that every node has its own name and line. Each
result is examined before the next step. The error says which node made the bad value, at which index, and what its
inputs hold there. Fed values are examined too; constants are not, since the program wrote them. Runs without a watch
pay nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import NonFiniteError
from ...graph.diagnostics.error_report import operands_of
from ...graph.model.nodes import Operation
from ...graph.shapes.dtypes import DType, of_numpy
from ..backends import backend_of
from ..base.watch import Watch
from ..execution.run_errors import FindOp
from ..execution.step_listener import EachBodyAlone
from ..planning.plan import Plan


class WatchListener(EachBodyAlone):
    """A listener that ends the run at the first bad value."""

    calls_user_code = False

    def __init__(self, watch: Watch, plan: Plan, find_op: FindOp) -> None:
        self._watch = watch
        self._plan = plan
        self._find_op = find_op
        self._slots: Sequence[Any] = ()

    def begin(self, slots: Sequence[Any]) -> None:
        """Examine the fed values."""
        self._slots = slots
        for name, slot in self._plan.feeds:
            node = name.rpartition(":")[0]
            if not self._watch.passes_over(node):
                self._look(name, self._find_op(node), slots[slot], self._plan.slots[slot].dtype, None)

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """Examine the results of a step."""
        step = self._plan.steps[position]
        if self._watch.passes_over(step.node):
            return
        for index, (result, dtype) in enumerate(zip(results, step.dtypes, strict=True)):
            if dtype.is_floating or dtype.is_complex:
                self._look(f"{step.node}:{index}", self._find_op(step.node), result, dtype, position)

    def _look(self, name: str, op: Operation | None, value: Any, dtype: DType, position: int | None) -> None:
        slots = () if position is None else self._plan.steps[position].inputs
        error = non_finite(self._watch, name, op, value, dtype, [self._slots[slot] for slot in slots], position is None)
        if error is not None:
            raise error


def non_finite(
    watch: Watch, name: str, op: Operation | None, value: Any, dtype: DType, inputs: Sequence[Any], is_fed: bool
) -> NonFiniteError | None:
    """The error of a value that a watch does not let pass, None if it does.

    Args:
        watch: the watch.
        name: the name of the tensor.
        op: the operation that makes it.
        value: the value.
        dtype: its dtype.
        inputs: the values of the inputs of the operation.
        is_fed: whether the value was fed.
    """
    if not (dtype.is_floating or dtype.is_complex):
        return None
    array = on_host(value)
    bad = watch.bad(array)
    if bad is None:
        return None
    place = np.unravel_index(int(np.argmax(bad)), array.shape) if array.ndim else ()
    index = tuple(int(i) for i in place)
    return _error(name, op, array, dtype, index, [on_host(each) for each in inputs], is_fed)


def may_be_bad(value: Any) -> bool:
    """Whether the elements of a host array can be NaN or infinite."""
    dtype = None if value.dtype.hasobject else of_numpy(value.dtype)
    return dtype is not None and (dtype.is_floating or dtype.is_complex)


def on_host(value: Any) -> Any:
    """An array of any backend as a NumPy array."""
    return value if isinstance(value, np.ndarray) else backend_of(value).to_host(value)


def _error(
    name: str,
    op: Operation | None,
    array: Any,
    dtype: DType,
    index: tuple[int, ...],
    inputs: Sequence[Any],
    is_fed: bool,
) -> NonFiniteError:
    shape = list(array.shape)
    nans, infs = int(np.count_nonzero(np.isnan(array))), int(np.count_nonzero(np.isinf(array)))
    # TensorFlow's words for the kinds, as `tf.debugging.check_numerics` has them.
    kinds = "Inf and NaN" if nans and infs else "NaN" if nans else "Inf"
    count = ", ".join(f"{n} {kind}" for n, kind in ((nans, "NaN"), (infs, "Inf")) if n)
    value = array[index].item()
    had = "was fed" if is_fed else "had"
    lines = [
        f"watch: {name} {dtype.name} {shape} {had} {kinds} values: {count} among {array.size} "
        f"element{'' if array.size == 1 else 's'}, the first at {list(index)}: {value}"
    ]
    error = NonFiniteError(op=op, node_def=op, message=lines[0])
    error.tensor, error.index, error.value = name, index, value
    if op is not None:
        lines.append(f'  in node "{op.name}" ({op.type})  {op.origin.place}  {op.origin.code}'.rstrip())
        for (_, parameter, tensor), held in zip(operands_of(op.opdef, op.args), inputs, strict=False):
            error.inputs[parameter], described = input_at(op, held, array.shape, index)
            made = f"{tensor.op.origin.place}  {tensor.op.origin.code}".rstrip()
            lines.append(f'    {parameter}  "{tensor.name}" {tensor.dtype.name} {list(held.shape)}{described}  {made}')
    node = name.rpartition(":")[0]
    lines.append(f"  A watched run ends at the first such value. To allow them here: Watch(exclude=[{node!r}]).")
    error.replace_text("\n".join(lines))
    return error


def input_at(op: Operation, held: Any, shape: tuple[int, ...], index: tuple[int, ...]) -> tuple[Any, str]:
    """The input element that belongs to the bad result, as a value (None if it is not one element) and in words."""
    if held.ndim == 0:
        return _plain(held[()]), f": {_plain(held[()])}"
    if op.opdef.facts.elementwise and held.ndim <= len(shape):
        aligned = zip(index[len(index) - held.ndim :], held.shape, strict=True)
        spots = tuple(0 if size == 1 else i for i, size in aligned)
        value = _plain(held[spots])
        return value, f", at {list(spots)}: {value}"
    if held.dtype.kind in "biu" or held.dtype.hasobject or not held.size:
        return None, ""
    bad = ~np.isfinite(held)
    if bad.any():
        spots = tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), held.shape))
        return None, f", bad itself at {list(spots)}: {_plain(held[spots])}"
    numbers = held if held.dtype.kind != "V" else held.astype(np.float32)
    if numbers.dtype.kind == "c":
        return None, ", all finite"
    return None, f", all finite, {numbers.min():.6g} to {numbers.max():.6g}"


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
