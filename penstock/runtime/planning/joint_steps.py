"""Joint steps: consecutive steps of a plan that one call may compute, because one of them only moves elements.

    t2 = Fused([t0])          joint: writes into its part of t4         concat([f(x), g(y)], 0)
    t3 = Fused([t1])          joint: writes into its part of t4
    t4 = Concat(0, [t2, t3])

    t2 = Pad(t0, ...)         joint: what reads it reads t0 instead     f(pad(x))
    t3 = Fused([t2])

The op says which part of its result each operand is (`graph.declare.boxes`). What computes an operand writes it there
at once, or what reads the result computes box by box, from the operands. Either way one pass over memory is saved.

This module chooses such steps, for sizes that are known, and puts them next to each other. The steps of a plan remain:
records, traces, the debugger and runs with a timeout execute them one by one. `execution.joint_calls` makes the call.

Law: nothing else reads the values in between, none of the steps can fail, and the operands of all are live until the
last one (`planning.aliasing` asks `Step.joint`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Final

from ...graph.building.constant_evaluation import known_value
from ...graph.building.may_fail import why_it_may_fail
from ...graph.declare.boxes import ResultBox, boxes_of
from ...graph.declare.effects import effects_of
from ...graph.declare.op_facts import combines_rows
from ...graph.model.nodes import Operation, Tensor
from ..ir.fused_ir import LARGEST, fused
from ..ir.stage import Notes, Stage

NAME: Final = "one pass"
"""What notes call it."""
FEWEST: Final = 1 << 20
"""The fewest bytes of a result. Below, the pass that is saved stays in the second cache, and native blocks call the
steps: concat([f(x), g(y)], 0) of 2e5 float32 takes 50 us either way, of 3e5 105 and 61."""
FEWEST_TAKEN: Final = 3 << 20
"""The same where rows are read by their numbers: f(gather(x, i)) of 5e5 float32 in rows of 64 takes 171 us and 169."""
SHORTEST: Final = 256
"""The fewest bytes of a row of a box: code is called for each row."""


def joints_of(
    stage: Stage, notes: Notes | None = None
) -> tuple[Sequence[Operation], Mapping[Operation, Operation]]:
    """The operations, those of a joint next to each other, and for each but the last one of a joint that last one.

    notes: where it is noted what was joined, and why other moves beside elementwise operations were not.
    """
    if notes is None and not any(op.opdef.boxes_rule is not None and _is_large(op) for op in stage.operations):
        return stage.operations, {}
    readers = _Readers(stage)
    last: dict[Operation, Operation] = {}
    ends: set[Operation] = set()
    for op in stage.operations:
        if op.opdef.boxes_rule is None or op in last or op in ends:
            continue
        boxes = boxes_in(op)
        reason = _why_apart(op, boxes, readers)
        if reason or boxes is None:
            if notes is not None and _may_be_large(op) and _is_beside(op, readers):
                notes.refused(NAME, op.name, reason)
            continue
        operands = [op.inputs[box.operand] for box in boxes if box.operand is not None]
        takes_rows = any(box.rows is not None for box in boxes)  # it may fail, so it stays where it is
        before = [t.op for t in dict.fromkeys(operands) if not takes_rows and readers.is_only(t, op)
                  and t.op not in ends and _computes(t.op, readers)]  # fmt: skip
        before = [each for each in before if _keeps_little(each, readers) or _next(stage, each) is op]
        reader = readers.only(op.outputs[0])
        if reader is not None and (reader in last or reader in ends or not _reads(reader, op, readers)):
            reader = None
        if takes_rows and reader is not None and not _is_first_to_fail(stage, op, reader):
            reader = None
        if before and reader is not None and (len(operands) > len(set(operands)) or not _have_room(before, reader)):
            reader = None
        if before or reader is not None:
            end = reader or op
            ends.add(end)
            last.update(dict.fromkeys([*before, op] if reader is not None else before, end))
            if notes is not None:
                notes.applied(NAME, op.name)
    return (_ordered(stage.operations, last), last) if last else (stage.operations, last)


def _why_apart(op: Operation, boxes: Sequence[ResultBox] | None, readers: _Readers) -> str:
    """Why an operation that moves elements is a pass of its own; "" if it need not be."""
    result = op.outputs[0]
    if result.dtype.holds_objects:
        return "it moves Python objects"
    if sizes_of(result) is None or boxes is None:
        return "its parts are not known before the run, or too many"
    fewest = FEWEST_TAKEN if op.opdef.facts.picks else FEWEST
    if _bytes(result) < fewest:
        return f"its result has fewer than {fewest:,} bytes"
    # An op without a rule for failures gives boxes only where it does not fail: its sizes and numbers are known.
    if not (op.opdef.facts.picks or op.opdef.fails_rule is None or why_it_may_fail(op) is None):
        return "it may fail"
    if not _are_long(boxes, result):
        return f"a part of it has rows of fewer than {SHORTEST} bytes"
    return "" if _is_alone(op, readers.held) else "its place in the order of steps is fixed"


def _is_beside(op: Operation, readers: _Readers) -> bool:
    """Whether an operation moves what an elementwise one computes, or the other way round."""
    makers = [t.op for t in op.inputs if readers.is_only(t, op)]
    reader = readers.only(op.outputs[0])
    return any(each is not None and (each.opdef is fused or each.opdef.facts.elementwise) for each in (*makers, reader))


def _keeps_little(op: Operation, readers: _Readers) -> bool:
    """Whether the operands that only `op` needs take no more memory than its result, which they replace."""
    own = {t for t in op.inputs if readers.is_only(t, op) and not t.op.opdef.facts.is_constant}
    return sum(map(_bytes, own)) <= _bytes(op.outputs[0])


def _bytes(tensor: Tensor) -> int:
    return prod(sizes_of(tensor) or ()) * tensor.dtype.size


def _next(stage: Stage, op: Operation) -> Operation | None:
    """The operation after `op`, constants left out."""
    return next((each for each in _after(stage, op) if not each.opdef.facts.is_constant), None)


def _is_first_to_fail(stage: Stage, op: Operation, reader: Operation) -> bool:
    """Whether no operation between the two has effects or may fail, so that `op` may come right before the reader."""
    for each in _after(stage, op):
        if each is reader:
            return True
        members = each.args[1].operations if each.opdef is fused else (each,)
        if not effects_of(each).is_pure or any(why_it_may_fail(member) is not None for member in members):
            return False
    return False


def _after(stage: Stage, op: Operation) -> Iterator[Operation]:
    """The operations after `op`."""
    after = iter(stage.operations)
    for each in after:
        if each is op:
            break
    return after


def _have_room(before: Sequence[Operation], reader: Operation) -> bool:
    """Whether each of `before` and the reader may be one group."""
    return max(map(_count, before)) + _count(reader) <= LARGEST


def _count(op: Operation) -> int:
    return len(op.args[1].operations) if op.opdef is fused else 1


def boxes_in(op: Operation) -> Sequence[ResultBox] | None:
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
    return sizes_of(op.outputs[0]) is not None and _bytes(op.outputs[0]) >= FEWEST


def _may_be_large(op: Operation) -> bool:
    return sizes_of(op.outputs[0]) is None or _is_large(op)


def _is_alone(op: Operation, held: Collection[Operation]) -> bool:
    """Whether nothing fixes the place of an operation but its operands."""
    return effects_of(op).is_pure and not op.control_inputs and not op.device and op not in held


def _computes(op: Operation, readers: _Readers) -> bool:
    """Whether an operation computes its one result element by element, and cannot fail."""
    return len(op.outputs) == 1 and _is_elementwise(op, readers.held)


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


def _are_long(boxes: Iterable[ResultBox], tensor: Tensor) -> bool:
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
