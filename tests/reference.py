"""A reference executor for tests. It shares no code with planner, passes, memory plan and executor.

`reference(fetches, feeds)` walks the needed operations in the order of their creation, calls one plain kernel for each
(`opdef.kernels`, with NumPy as the array module), and keeps a private, row-major, read-only copy of every result.
Nothing is shared, given away, written over or reordered, and nothing is skipped but what no needed result needs
(`needed_parts`): outside, and in branches and loops too, whose other results are stand-ins that nothing reads. A kernel
that fails does not end the walk: what needs its result, or comes after it, is left out, and everything that failed is
told, so that a run may name any of them.
Effects happen in the order of creation; after one that is left out none happens that meets it, so the effects of a
run that fails are the first of those seen here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np

import penstock as tf
from penstock.config import jit
from penstock.graph.declare.effects import Effects, effects_of
from penstock.graph.model.nodes import Operation, Tensor
from penstock.graph.model.subgraph import SubGraph

from .needed_parts import Inside, Part, part_of, place_in_copy

HALVES = (tf.float16, tf.bfloat16)
_HALVES = tuple(dtype.np for dtype in HALVES)


@dataclass(frozen=True, slots=True)
class Failure:
    """An operation whose kernel failed: its node, and the class of the error that a run raises for it."""

    node: str
    kind: type[tf.errors.OpError]


@dataclass
class Run:
    """What a graph gives: the value of every needed tensor, and the operations that failed, in order of creation."""

    values: dict[Tensor, Any] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    def of(self, fetches: Sequence[Tensor]) -> list[Any]:
        """The values of `fetches` as a session returns them: of rank 0 NumPy scalars and bytes."""
        return [self.values[tensor][()] for tensor in fetches]


class TooLarge(Exception):
    """A value has more bytes than the caller wants to see."""


def reference(
    fetches: Sequence[Tensor | Operation], feeds: Mapping[Tensor, Any] | None = None, most: float = float("inf")
) -> Run:
    """Run what `fetches` need of their graph if `feeds` are fed; TooLarge if a value has more than `most` bytes."""
    run = Run({tensor: _private(array, tensor) for tensor, array in (feeds or {}).items()})
    pinned = set(fetches[0].graph.pinned) if fetches else set()
    mode = jit.mode
    jit.mode = "off"  # kernels that move elements are asked for their plain form
    try:
        with np.errstate(all="ignore"):
            run.failures += _walk(*needed_part(fetches, run.values), run.values, pinned, most)
    finally:
        jit.mode = mode
    return run


def _walk(
    operations: Sequence[Operation],
    part: Part,
    values: dict[Tensor, Any],
    pinned: Collection[Tensor],
    most: float = float("inf"),
) -> list[Failure]:
    """Add the values of all that can be computed; what failed."""
    failures: list[Failure] = []
    missing: set[Operation] = set()
    missing_effects: list[Effects] = []
    for op in operations:
        effects = effects_of(op)
        inside = part.insides.get(op)
        if _is_blocked(op, inside, missing, values) or any(effects.conflicts_with(each) for each in missing_effects):
            missing.add(op)
        elif failed := _failures(op, values, pinned, None if inside is None else (inside, part.places[op])):
            failures += failed
            missing.add(op)
        for old in part.extended.get(op, ()):
            pairs = [(t, op.outputs[place_in_copy(old, i, op)]) for i, t in enumerate(old.outputs)]
            values.update({t: values[same] for t, same in pairs if same in values and t not in values})
        if any(values[t].nbytes > most for t in op.outputs if t in values):
            raise TooLarge(op.name)
        if op in missing:
            missing.update(part.extended.get(op, ()))
            missing_effects.append(effects)
    return failures


def _is_blocked(
    op: Operation, inside: Inside | None, missing: set[Operation], values: Mapping[Tensor, Any]
) -> bool:
    inputs: Sequence[Tensor] = op.inputs
    if inside is not None:
        inputs = [t for t in op.args[:1] if isinstance(t, Tensor)] + [op.args[1][i] for i in inside.operands]
    return not missing.isdisjoint(op.control_inputs) or any(t not in values for t in inputs)


def expected(fetches: Sequence[Tensor], feeds: Mapping[Tensor, Any] | None = None) -> list[Any]:
    """The values of `fetches` where nothing fails."""
    run = reference(fetches, feeds)
    assert not run.failures, run.failures
    return run.of(fetches)


def needed(fetches: Sequence[Tensor | Operation], fed: Mapping[Tensor, Any]) -> list[Operation]:
    """The operations behind `fetches`, in order of creation; a fed tensor needs none."""
    return needed_part(fetches, fed)[0]


def needed_part(
    fetches: Sequence[Tensor | Operation], fed: Mapping[Tensor, Any]
) -> tuple[list[Operation], Part]:
    """The operations behind `fetches`, in order of creation, and which results of branches and loops they need."""
    part = part_of(
        [f for f in fetches if isinstance(f, Tensor)], [f for f in fetches if isinstance(f, Operation)], fed
    )
    every = part.operations.union(*part.extended.values())
    return part.in_order_of(sorted(every, key=attrgetter("index"))), part


class FailedInside(Exception):
    """What failed in a graph inside an op, in order of creation."""

    def __init__(self, failures: list[Failure]) -> None:
        super().__init__(failures)
        self.failures = failures


class _Function:
    """A graph inside an op as a function of arrays: one operation after the other, nothing shared.

    Its results are private copies, stand-ins for those that are not needed; what fails inside is told as the failures
    of the operations inside.
    """

    def __init__(self, body: SubGraph, part: Part | None = None) -> None:
        self._body = body
        self._part = part_of(body.outputs, body.targets, body.inputs) if part is None else part

    def __call__(self, *arrays: Any) -> list[Any]:
        body = self._body
        values = {tensor: _private(array, tensor) for tensor, array in zip(body.inputs, arrays, strict=True)}
        failures = _walk(self._part.in_order_of(body.operations), self._part, values, body.pinned)
        if failures:
            raise FailedInside(failures)
        return [values[t].copy() if t in values else _stand_in(t) for t in body.outputs]

    def results(self, arrays: Sequence[Any]) -> list[tuple[Any, tuple[int, ...]]]:
        """(dtype, shape) of each result, for a loop that runs no iteration; an unknown size counts as 0."""
        sizes: dict[Any, int] = {}
        for tensor, array in zip(self._body.inputs, arrays, strict=True):
            for dim, size in zip(tensor.shape.raw or (), array.shape, strict=False):
                if not isinstance(dim, int) and len(dim.terms) == 1 and not dim.const:
                    sizes[dim.terms[0][0]] = size // dim.terms[0][1]
        dims = [[d if isinstance(d, int) else d.at(sizes) or 0 for d in t.shape.raw or ()] for t in self._body.outputs]
        return [(t.dtype.np, tuple(each)) for t, each in zip(self._body.outputs, dims, strict=True)]


Asked: TypeAlias = tuple[Inside, Collection[int]]
"""What a branch or loop does, and the places of the results for which it does that."""


def _failures(
    op: Operation, values: dict[Tensor, Any], pinned: Collection[Tensor], asked: Asked | None
) -> list[Failure]:
    """Add the values of the outputs of `op`; or what failed, `op` or operations inside it."""
    try:
        kind = run_operation(op, values, pinned, asked)
    except FailedInside as error:
        return error.failures
    return [] if kind is None else [Failure(op.name, kind)]


def run_operation(
    op: Operation, values: dict[Tensor, Any], pinned: Collection[Tensor] = (), asked: Asked | None = None
) -> type[tf.errors.OpError] | None:
    """Add the values of the outputs of `op` and give None; or the class of the error it fails with.

    asked: for a branch or a loop: what it does; None for all of it.
    """
    if op.opdef.facts.must_feed:
        return None if op.outputs[0] in values else tf.errors.InvalidArgumentError
    if op.type == "Const":
        results: Any = [op.args[0]]
    else:
        kernel = op.opdef.kernels.get("numpy") or op.opdef.kernels["*"]
        arguments = _arguments(op, values, None if asked is None else asked[0])
        results, error = _called(kernel, _widened(arguments) if _is_computed_in_float32(op) else arguments)
        if error is not None:
            return _kind(error, op, values)
        if op.opdef.returns not in ("list", "tuple"):
            results = [results]
    for tensor, result in zip(op.outputs, results if op.outputs else (), strict=True):
        if tensor in values:  # a fed output keeps the value of its feed
            continue
        if asked is not None and tensor.value_index not in asked[1]:
            continue
        values[tensor] = made = _private(result, tensor)
        if tensor in pinned and not tensor.shape.is_compatible_with(made.shape):
            return tf.errors.InvalidArgumentError
    return None


def _called(kernel: Callable[..., Any], arguments: list[Any]) -> tuple[Any, Exception | None]:
    try:
        return kernel(np, *arguments), None
    except FailedInside:
        raise
    except Exception as error:
        return None, error.with_traceback(None)


def _arguments(op: Operation, values: Mapping[Tensor, Any], inside: Inside | None) -> list[Any]:
    """The bound arguments of a call, with arrays in the place of tensors."""
    arguments = list(op.args)
    for position, _, operand in op.opdef.operands:
        arg = arguments[position]
        if arg is not None:
            if operand.many:
                arguments[position] = [values[t] for t in arg] if inside is None else _operands(op, values, inside)
            else:
                arguments[position] = values[arg]
    for i, position in enumerate(op.opdef.bodies):
        arguments[position] = _Function(arguments[position], None if inside is None else inside.parts[i])
    return arguments


def _operands(op: Operation, values: Mapping[Tensor, Any], inside: Inside) -> list[Any]:
    """The operands of a branch or loop. Those that it does not need are stand-ins, with the right number of rows."""
    found = [values[t] if i in inside.operands else _stand_in(t) for i, t in enumerate(op.args[1])]
    if op.type == "While":
        first, rows = op.args[4:6]
        by_rows = range(first, first + rows)
        sizes = [len(found[i]) for i in by_rows if i in inside.operands]
        sizes += [t.shape.raw[0] for t in op.args[1][first : first + rows] if not sizes and t.shape.raw]
        for i in by_rows:
            if i not in inside.operands:
                found[i] = np.zeros(sizes[0], found[i].dtype)
    return found


def _stand_in(tensor: Tensor) -> Any:
    """An array in the place of a value that nothing reads."""
    return np.zeros((), object if tensor.dtype.is_string else tensor.dtype.np)


def _is_computed_in_float32(op: Operation) -> bool:
    """The law for 16-bit floats: one function per operation, computed in float32 and rounded once."""
    opdef = op.opdef
    if not opdef.facts.elementwise or not any(t.dtype in HALVES for t in op.inputs):
        return False
    return opdef.facts.ufunc is not None and opdef.is_plain and "numpy" not in opdef.kernels


def _widened(arguments: Sequence[Any]) -> list[Any]:
    return [a.astype(np.float32) if isinstance(a, np.ndarray) and a.dtype in _HALVES else a for a in arguments]


def _kind(error: Exception, op: Operation, values: Mapping[Tensor, Any]) -> type[tf.errors.OpError]:
    """The class that a run raises: the kernel's own, or that of operands that cannot be broadcast; else internal."""
    if isinstance(error, tf.errors.OpError):
        return type(error)
    if isinstance(error, MemoryError):
        return tf.errors.ResourceExhaustedError
    if op.opdef.facts.elementwise:
        try:
            np.broadcast_shapes(*[values[t].shape for t in op.inputs])
        except ValueError:
            return tf.errors.InvalidArgumentError
    return tf.errors.InternalError


def _private(value: Any, tensor: Tensor) -> Any:
    """A copy of `value` that nothing else holds, row-major and read-only, of the dtype of `tensor`."""
    is_string, dtype = tensor.dtype.is_string, tensor.dtype.np
    if isinstance(value, np.ndarray):
        rounded = tensor.dtype in HALVES and value.dtype == np.float32  # see _is_computed_in_float32
        assert value.dtype == dtype or is_string or rounded, f"{tensor.name} is {value.dtype}, declared {dtype}"
        copy = np.array(value.tolist() if value.dtype.kind == "S" else value, dtype, order="C", copy=True)
        copy = copy.reshape(value.shape)
    else:
        copy = np.empty(() if is_string else np.shape(value), dtype)
        copy[...] = value
    copy.flags.writeable = False
    return copy
