"""Joint steps: consecutive steps of a plan that one call may compute, because one of them only moves elements.

    t2 = Fused([t0])          joint: writes into its part of t4         concat([f(x), g(y)], 0)
    t3 = Fused([t1])          joint: writes into its part of t4
    t4 = Concat(0, [t2, t3])

    t2 = Pad(t0, ...)         joint: what reads it reads t0 instead     f(pad(x))
    t3 = Fused([t2])

The op says which part of its result each operand is (`graph.boxes`). What computes an operand writes it there at once,
or what reads the result computes box by box, from the operands. Either way one pass over memory is saved.

This module chooses such steps, for sizes that are known, and puts them next to each other. The steps of a plan remain:
records, traces, the debugger and runs with a timeout execute them one by one. `execution.joint_calls` makes the call.

Law: nothing else reads the values in between, none of the steps can fail, and the operands of all are live until the
last one (`planning.aliasing` asks `Step.joint`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import prod
from typing import Final

from ...graph.boxes import Box, boxes_of
from ...graph.constant_evaluation import known_value
from ...graph.effects import effects_of
from ...graph.may_fail import why_it_may_fail
from ...graph.nodes import Operation, Tensor
from ...graph.op_facts import combines_rows
from ..ir.fused_ir import LARGEST, fused
from ..ir.stage import Stage

FEWEST: Final = 1 << 17
"""The fewest bytes of a result: below, the pass that is saved stays in the second cache."""
SHORTEST: Final = 256
"""The fewest bytes of a row of a box: code is called for each row."""


def joints_of(stage: Stage) -> tuple[Sequence[Operation], Mapping[Operation, Operation]]:
    """The operations, those of a joint next to each other, and for each but the last one of a joint that last one."""
    if not any(op.opdef.boxes_rule is not None and _is_large(op) for op in stage.operations):
        return stage.operations, {}
    readers = _Readers(stage)
    last: dict[Operation, Operation] = {}
    for place, op in enumerate(stage.operations):
        if op in last or op in last.values() or not _is_move(op) or not _is_alone(op, readers.held):
            continue
        boxes = boxes_in(op)
        if boxes is None or not _are_long(boxes, op.outputs[0]):
            continue
        operands = [op.inputs[box.operand] for box in boxes if box.operand is not None]
        ends = set(last.values())
        before = [t.op for t in dict.fromkeys(operands)
                  if readers.is_only(t, op) and t.op not in ends and _computes(t.op, readers.held)]  # fmt: skip
        takes_rows = any(box.rows is not None for box in boxes)
        if takes_rows:  # it may fail, so it stays where it is
            before = []
        reader = readers.only(op.outputs[0])
        if reader is not None and (reader in last or reader in ends or not _reads(reader, op, readers)):
            reader = None
        if takes_rows and reader is not _next(stage.operations, place):
            reader = None
        if before and reader is not None and (len(operands) > len(set(operands)) or not _have_room(before, reader)):
            reader = None
        if before or reader is not None:
            end = reader or op
            last.update(dict.fromkeys([*before, op] if reader is not None else before, end))
    return (_ordered(stage.operations, last), last) if last else (stage.operations, last)


def _next(operations: Sequence[Operation], place: int) -> Operation | None:
    """The next operation that is no constant."""
    return next((op for op in operations[place + 1 :] if not op.opdef.facts.is_constant), None)


def _have_room(before: Sequence[Operation], reader: Operation) -> bool:
    """Whether each of `before` and the reader may be one group."""
    return max(map(_count, before)) + _count(reader) <= LARGEST


def _count(op: Operation) -> int:
    return len(op.args[1].operations) if op.opdef is fused else 1


def boxes_in(op: Operation) -> Sequence[Box] | None:
    """The boxes of an operation whose sizes are known; None if they are not, or it has none."""
    args = list(op.args)
    for place, _, operand in op.opdef.operands:
        if operand.host:
            args[place] = known_value(args[place])
            if args[place] is None:
                return None
        else:
            tensors = args[place] if operand.many else (args[place],)
            sizes = [sizes_of(t) for t in tensors]
            if None in sizes:
                return None
            args[place] = sizes if operand.many else sizes[0]
    return boxes_of(op.opdef, args)


def sizes_of(tensor: Tensor) -> tuple[int, ...] | None:
    """The sizes of a tensor if all are known."""
    dims = tensor.shape.raw
    return dims if dims is not None and all(d.__class__ is int for d in dims) else None  # type: ignore[return-value]


class _Readers:
    """Which operation reads a tensor, and which operations something else than an operand needs."""

    def __init__(self, stage: Stage) -> None:
        self._readers: dict[Tensor, Operation | None] = {}
        for op in stage.operations:
            for tensor in op.inputs:
                self._readers[tensor] = None if tensor in self._readers else op
        for tensor in (*stage.fetches, *stage.pinned, *stage.feeds):
            self._readers[tensor] = None
        self.held: set[Operation] = {*stage.targets, *[c for op in stage.operations for c in op.control_inputs]}

    def only(self, tensor: Tensor) -> Operation | None:
        """What reads the tensor, if nothing else needs it and it is read once."""
        return self._readers.get(tensor)

    def is_only(self, tensor: Tensor, op: Operation) -> bool:
        """Whether `op` alone reads the tensor, once."""
        return self._readers.get(tensor) is op


def _is_large(op: Operation) -> bool:
    sizes = sizes_of(op.outputs[0])
    return sizes is not None and prod(sizes) * op.outputs[0].dtype.size >= FEWEST


def _is_move(op: Operation) -> bool:
    """Whether an operation only moves many elements, and cannot fail but for numbers of rows."""
    if op.opdef.boxes_rule is None or op.outputs[0].dtype.holds_objects or not _is_large(op):
        return False
    # An op without a rule for failures gives boxes only where it does not fail: its sizes and numbers are known.
    return op.opdef.facts.picks or op.opdef.fails_rule is None or why_it_may_fail(op) is None


def _is_alone(op: Operation, held: Collection[Operation]) -> bool:
    """Whether nothing fixes the place of an operation but its operands."""
    return effects_of(op).is_pure and not op.control_inputs and not op.device and op not in held


def _computes(op: Operation, held: Collection[Operation]) -> bool:
    """Whether an operation computes its one result element by element, and cannot fail."""
    return len(op.outputs) == 1 and _is_elementwise(op, held)


def _is_elementwise(op: Operation, held: Collection[Operation]) -> bool:
    if not _is_alone(op, held) or any(sizes_of(t) is None or t.dtype.holds_objects for t in (*op.inputs, *op.outputs)):
        return False
    if len({t.shape.raw for t in op.outputs}) > 1:
        return False
    if op.opdef is not fused:
        opdef = op.opdef
        allowed = opdef.facts.elementwise and opdef.is_tensorwise and bool(op.inputs)
        if not allowed or (opdef.fuse_rule is not None and opdef.fuse_rule(*op.args) is not None):
            return False
        return why_it_may_fail(op) is None
    members = [each for each in op.args[1].operations if not each.opdef.facts.is_constant]
    return len(members) <= LARGEST and all(
        not combines_rows(each.opdef) and why_it_may_fail(each) is None for each in members
    )


def _reads(reader: Operation, op: Operation, readers: _Readers) -> bool:
    """Whether `reader` computes results of the shape of what `op` moves, element by element."""
    return _is_elementwise(reader, readers.held) and reader.outputs[0].shape.raw == op.outputs[0].shape.raw


def _are_long(boxes: Iterable[Box], tensor: Tensor) -> bool:
    """Whether the rows of all boxes but zeros are long enough to be written one by one."""
    whole = sizes_of(tensor) or ()
    for box in boxes:
        if box.operand is None:
            continue
        run = tensor.dtype.size
        for size, part in zip(reversed(whole), reversed(box.place), strict=True):
            own = len(range(*part.indices(size))) if isinstance(part, slice) else 1
            run *= own
            if own < size:
                break
        if run < SHORTEST:
            return False
    return True


def _ordered(operations: Sequence[Operation], last: Mapping[Operation, Operation]) -> list[Operation]:
    """The operations, with those of a joint right before its last one."""
    before: dict[Operation, list[Operation]] = {}
    for op, end in last.items():
        before.setdefault(end, []).append(op)
    found: list[Operation] = []
    for op in operations:
        if op not in last:
            found += [*before.get(op, ()), op]
    return found
