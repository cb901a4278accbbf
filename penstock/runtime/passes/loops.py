"""Loops and branches do no more than is needed: unused results are left out, and what does not change moves out.

    unused results    a loop variable, a stack or a result of a branch that nothing reads, and what only it needs
    unchanged values  what the body of a loop computes from captures alone is computed once, before the loop
    unboxed stacks    what a loop keeps in boxes for its gradient is kept as it is: see `unboxed_stacks`
    arrays as rows    TensorArrays in loops become rows and stacks: see `arrays_as_rows`
    whole rows        a loop that computes rows element by element computes all at once: see `whole_rows`

Only operations that have no effect and cannot fail move out: the loop may have no iteration. A value that is larger
than what it is computed from, such as a broadcast, stays where it is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import prod

from ...graph.building.may_fail import must_run
from ...graph.declare.effects import effects_of
from ...graph.model.append import append_placeholder
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.dimension import Dim
from ...ops.control.if_op import if_op
from ...ops.control.while_op import while_op
from ..ir.body_stages import body_of, stage_of
from ..ir.stage import Notes, Rebuild, Stage, free_name, with_tensors
from .arrays_as_rows import with_arrays_as_rows
from .needed_results import without_unused_results
from .unboxed_stacks import with_unboxed_stacks
from .whole_rows import with_whole_rows

_HOLDERS = (if_op, while_op)


class Loops:
    """Leave out unused results of loops and branches; move what does not change out of loops."""

    name = "loops"

    def run(self, stage: Stage, notes: Notes) -> Stage:
        """The stage with smaller bodies."""
        if not any(op.opdef in _HOLDERS for op in stage.operations):
            return stage
        small = _moved_out(without_unused_results(stage, notes), notes)
        small = without_unused_results(small, notes)  # what only moved values needed
        in_rows = with_arrays_as_rows(with_unboxed_stacks(small, notes), notes)
        if in_rows is not small:
            # The arrays go, and the counters that only their reads and writes needed.
            small = without_unused_results(in_rows, notes)
        return with_whole_rows(small, notes)


def _moved_out(stage: Stage, notes: Notes) -> Stage:
    """The stage in which values that do not change stand before their loop."""
    plans = {op: found for op in stage.operations if op.opdef is while_op and (found := _unchanged(op))}
    if not plans:
        return stage
    copy = Rebuild(stage)
    names = {op.name for op in stage.operations}
    for op in stage.operations:
        if op not in plans:
            copy.copy(op)
            continue
        limit, operands, *_ = op.args
        new_operands = [copy.new(t) for t in operands]
        bodies = []
        moved: list[Tensor] = []
        for body, unchanged in zip(op.args[2:4], plans[op], strict=True):
            outside = _outside(copy, body, unchanged, new_operands, names)
            bodies.append((body, outside, len(moved)))
            moved += outside.values()
            for inner in outside:
                notes.applied("UnchangedInLoop", inner.op.name)
        made = [_fed(copy, body, outside, moved, start) for body, outside, start in bodies]
        args = (copy.argument(limit), (*new_operands, *moved), *made, *op.args[4:])
        outputs = copy.emit(while_op, args, (op,), op.name, [(t.dtype, t.shape) for t in op.outputs])
        copy.settle(op, outputs, outputs[0].op)
    return copy.finish()


def _unchanged(op: Operation) -> list[list[Operation]] | None:
    """For condition and body the operations that can move out, in order; None if there is none."""
    first = op.args[4] + op.args[5]
    found = [_from_captures(body, set(body.inputs[first:])) for body in op.args[2:4]]
    return found if any(found) else None


def _from_captures(body: SubGraph, captured: set[Tensor]) -> list[Operation]:
    known = set(captured)
    constants: set[Tensor] = set()
    found = []
    for op in body.operations:
        if op.opdef.facts.is_constant:
            if not op.control_inputs:  # what it waits for stays inside
                constants.update(op.outputs)
        elif op.inputs and all(t in known or t in constants for t in op.inputs) and _may_move(op):
            found.append(op)
            known.update(op.outputs)
    return found


def _may_move(op: Operation) -> bool:
    if op.opdef.bodies or op.control_inputs or op.opdef.facts.must_feed or not effects_of(op).may_rewrite:
        return False
    return not must_run(op) and not _is_spread(op)


def _is_spread(op: Operation) -> bool:
    """Whether a result is larger than the operands that it repeats: it would be kept in memory instead of fused."""
    if not (op.opdef.facts.elementwise or op.opdef.facts.moves):
        return False
    shapes = [t.shape.raw for t in op.inputs]
    return any(not _is_no_larger(out.shape.raw, shapes) for out in op.outputs)


def _is_no_larger(dims: tuple[Dim, ...] | None, others: Sequence[tuple[Dim, ...] | None]) -> bool:
    if dims is None:
        return False
    size = _size(dims)
    for other in others:
        if other is not None and (Counter(other) == Counter(dims) or (size or 2) <= (_size(other) or 0)):
            return True
    return not dims


def _size(dims: Sequence[Dim]) -> int | None:
    """The number of elements, None if that is not known."""
    sizes = [dim for dim in dims if isinstance(dim, int)]
    return prod(sizes) if len(sizes) == len(dims) else None


def _outside(
    copy: Rebuild, body: SubGraph, unchanged: Sequence[Operation], given: Sequence[Tensor], names: set[str]
) -> dict[Tensor, Tensor]:
    """The unchanged operations in the stage around; (inner tensor -> outer tensor) for those that the body reads."""
    outer = dict(zip(body.inputs, given, strict=True))
    moved = set(unchanged)

    def emitted(op: Operation) -> None:
        name = free_name(names, op.name, ".")
        args = [with_tensors(arg, outer_tensor) for arg in op.args]
        outputs = copy.emit(op.opdef, args, (op,), name, [(t.dtype, t.shape) for t in op.outputs])
        outer.update(zip(op.outputs, outputs, strict=True))

    def outer_tensor(tensor: Tensor) -> Tensor:
        if tensor not in outer:  # a constant
            emitted(tensor.op)
        return outer[tensor]

    for op in unchanged:
        emitted(op)
    read = {t for op in body.operations if op not in moved for t in op.inputs} | {*body.outputs, *body.pinned}
    return {t: outer[t] for op in unchanged for t in op.outputs if t in read}


def _fed(copy: Rebuild, body: SubGraph, outside: dict[Tensor, Tensor], moved: Sequence[Tensor], start: int) -> SubGraph:
    """The body with inputs for all that was moved; its own follow one another from number `start` on."""
    inner = Rebuild(stage_of(body))
    given = [append_placeholder(inner.graph, t.dtype, t.shape, f"{body.name}/moved_{i}", t.op.origins)
             for i, t in enumerate(moved)]  # fmt: skip
    for old, new in zip(outside, given[start:], strict=False):
        inner.replace(old, new, for_good=True)
    for op in body.operations:
        inner.copy(op)
    stage = inner.finish()
    return body_of(replace(stage, feeds=(*stage.feeds, *given)), body)
