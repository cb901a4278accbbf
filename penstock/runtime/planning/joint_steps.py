"""Joint steps: consecutive steps of a plan that one call may compute, because one of them only moves elements.

    t2 = Fused([t0])          joint: writes into its part of t4         concat([f(x), g(y)], 0)
    t3 = Fused([t1])          joint: writes into its part of t4
    t4 = Concat(0, [t2, t3])

    t2 = Pad(t0, ...)         joint: what reads it reads t0 instead     f(pad(x))
    t3 = Fused([t2])

The op says which part of its result each operand is (`graph.declare.boxes`). What computes an operand writes it there
at once, or what reads the result computes box by box, from the operands. Either way one pass over memory is saved.

Other joints are around an op that goes over rows: see `stream_joints`.

This module chooses such steps, for sizes that are known, and puts them next to each other. The steps of a plan remain:
records, traces, the debugger and runs with a timeout execute them one by one. `execution.joint_calls` makes the call.

Law: nothing else reads the values in between, none of the steps can fail, and the operands of all are live until the
last one (`planning.aliasing` asks `Step.joint`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import prod
from typing import Final

from ...graph.building.constant_evaluation import known_value
from ...graph.building.may_fail import why_it_may_fail
from ...graph.declare.boxes import ResultBox, boxes_of
from ...graph.declare.op_declaration import OpDef
from ...graph.model.nodes import Operation, Tensor
from ..ir.fused_ir import LARGEST, fused
from ..ir.stage import Notes, Stage, TensorReaders
from .neighbours import (
    bytes_of,
    computes_elements,
    is_alone,
    is_first_to_fail,
    keeps_little,
    operation_after,
    reads_elements,
    sizes_of,
)
from .stream_joints import StepJoint, is_large_stream, may_be_large_stream, stream_joint, streams

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
    if notes is None and not any(_is_large(op) for op in stage.operations if moves_or_streams(op.opdef)):
        return stage.operations, {}
    readers = TensorReaders(stage)
    last: dict[Operation, Operation] = {}
    taken: set[Operation] = set()  # in a joint
    for op in stage.operations:
        if not moves_or_streams(op.opdef) or op in taken:
            continue
        joint = _moved_joint(stage, op, readers, taken)
        if not isinstance(joint, StepJoint) and streams(op.opdef):
            of_rows = stream_joint(stage, op, readers, taken)
            joint = of_rows if isinstance(of_rows, StepJoint) or not joint else joint
        if not isinstance(joint, StepJoint):
            if notes is not None and joint and _may_be_large(op) and _is_beside(op, readers):
                notes.refused(NAME, op.name, joint)
            continue
        end = joint.reader or op
        taken.update((*joint.before, op, end))
        last.update(dict.fromkeys([*joint.before, op] if joint.reader is not None else joint.before, end))
        if notes is not None:
            notes.applied(NAME, op.name)
    return (_ordered(stage.operations, last), last) if last else (stage.operations, last)


def moves_or_streams(opdef: OpDef[..., object]) -> bool:
    """Whether one call may compute an op and what is before or behind it."""
    return opdef.boxes_rule is not None or streams(opdef)


def _moved_joint(
    stage: Stage, op: Operation, readers: TensorReaders, taken: Collection[Operation]
) -> StepJoint | str | None:
    """What is computed with an operation that only moves elements; why nothing can be, or None where there is nothing.
    """
    if op.opdef.boxes_rule is None:
        return None
    boxes = boxes_in(op)
    reason = _why_apart(op, boxes, readers)
    if reason or boxes is None:
        return reason
    operands = [op.inputs[box.operand] for box in boxes if box.operand is not None]
    takes_rows = any(box.rows is not None for box in boxes)  # it may fail, so it stays where it is
    before = [t.op for t in dict.fromkeys(operands) if not takes_rows and readers.only(t) is op
              and t.op not in taken and computes_elements(t.op, readers)]  # fmt: skip
    before = [each for each in before if keeps_little(each, readers) or operation_after(stage, each) is op]
    reader = readers.only(op.outputs[0])
    if reader is not None and (reader in taken or not reads_elements(reader, op, readers)):
        reader = None
    if takes_rows and reader is not None and not is_first_to_fail(stage, op, reader):
        reader = None
    if before and reader is not None and (len(operands) > len(set(operands)) or not _have_room(before, reader)):
        reader = None
    return StepJoint(tuple(before), reader) if before or reader is not None else None


def _why_apart(op: Operation, boxes: Sequence[ResultBox] | None, readers: TensorReaders) -> str:
    """Why an operation that moves elements is a pass of its own; "" if it need not be."""
    result = op.outputs[0]
    if result.dtype.holds_objects:
        return "it moves Python objects"
    if sizes_of(result) is None or boxes is None:
        return "its parts are not known before the run, or too many"
    fewest = FEWEST_TAKEN if op.opdef.facts.picks else FEWEST
    if bytes_of(result) < fewest:
        return f"its result has fewer than {fewest:,} bytes"
    # An op without a rule for failures gives boxes only where it does not fail: its sizes and numbers are known.
    if not (op.opdef.facts.picks or op.opdef.fails_rule is None or why_it_may_fail(op) is None):
        return "it may fail"
    if not _are_long(boxes, result) or any(box.rows is not None and _row_bytes(op, box) < SHORTEST for box in boxes):
        return f"a part of it has rows of fewer than {SHORTEST} bytes"
    return "" if is_alone(op, readers.held) else "its place in the order of steps is fixed"


def _row_bytes(op: Operation, box: ResultBox) -> int:
    """The bytes of one of the rows that a box has by their numbers."""
    rows = op.inputs[box.operand or 0]
    return prod((sizes_of(rows) or ())[1:]) * rows.dtype.size


def _is_beside(op: Operation, readers: TensorReaders) -> bool:
    """Whether an operation moves what an elementwise one computes, or the other way round."""
    makers = [t.op for t in op.inputs if readers.only(t) is op]
    reader = readers.only(op.outputs[0])
    return any(each is not None and (each.opdef is fused or each.opdef.facts.elementwise) for each in (*makers, reader))


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


def _is_large(op: Operation) -> bool:
    if is_large_stream(op):
        return True
    return op.opdef.boxes_rule is not None and sizes_of(op.outputs[0]) is not None and bytes_of(op.outputs[0]) >= FEWEST


def _may_be_large(op: Operation) -> bool:
    if op.opdef.boxes_rule is None:
        return may_be_large_stream(op)
    return sizes_of(op.outputs[0]) is None or _is_large(op)


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
