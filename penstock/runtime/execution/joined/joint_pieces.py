"""The parts of the results of joint steps: what writes each of them, and from which operands.

    concat([f(x), g(y)], 1)      f writes into out[:, :n], g into out[:, n:]
    f(pad(x)) + y                f and + on x and y[inside] into out[inside], on zeros and y[frame] into out[frame]
    f(concat([g(x), y], 0))      f(g()) writes into out[:n], as one group, and f into out[n:]

A box whose operands are those of an earlier box, as with tile, is copied from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from ....graph.common.quick_dataclass import dataclass
from ....graph.declare.boxes import Part, ResultBox, boxes_of
from ....graph.declare.op_declaration import OPS
from ...compiled.promoted_group import PromotedGroup
from ...ir.composed_bodies import composed
from ...ir.fused_ir import Body, Instruction, Value, fused
from ...ir.kernel_protocol import PlaceWriter
from ...planning.plan import Plan, Slot, SlotInfo, Step
from ..bind import BoundStep

Index = tuple[Part, ...]
WHOLE: Final[Index] = ()


@dataclass(frozen=True, slots=True)
class ResultPiece:
    """A part of the results.

    Attributes:
        place: the part.
        writer: what writes it; None for a copy of one operand.
        operands: the operands: (their place among the inputs of the call, part), or an array.
        like: the part of the results of which it is a copy; None if it is none.
        taken: (the position of an operand of which rows are read, their numbers as an operand); None if there is none.
    """

    place: Index
    writer: PlaceWriter | None = None
    operands: tuple[Any, ...] = ()
    like: Index | None = None
    taken: tuple[int, Any] | None = None


class PieceSearch:
    """The pieces of some joint steps.

    Args:
        plan: the plan.
        steps: the joint steps.
        bound: the same, ready to run.
        inputs: the place of each slot among the inputs of the call.
        constants: the arrays of constant slots.
    """

    def __init__(
        self,
        plan: Plan,
        steps: Sequence[Step],
        bound: Sequence[BoundStep],
        inputs: Mapping[Slot, int],
        constants: Mapping[Slot, Any],
    ) -> None:
        self._plan = plan
        self._steps = steps
        self._bound = bound
        self._inputs = inputs
        self._constants = constants

    def pieces(self) -> list[ResultPiece] | None:
        """The parts of the results of the last step; None if the steps have to run one by one."""
        steps = self._steps
        move = next((i for i, step in enumerate(steps) if OPS[step.op].boxes_rule is not None), -1)
        boxes = None if move < 0 else self._boxes(steps[move])
        if boxes is None or move < len(steps) - 2:
            return None
        makers = {step.outputs[0]: (step, each) for step, each in zip(steps[:move], self._bound, strict=False)}
        if move == len(steps) - 1:
            return self._of_join(steps[move], boxes, makers)
        return self._of_reader(steps[move], boxes, makers)

    def _of_join(
        self, join: Step, boxes: Sequence[ResultBox], makers: Mapping[Slot, tuple[Step, BoundStep]]
    ) -> list[ResultPiece] | None:
        """The parts of what joins values, some of which are made for it."""
        first: dict[Slot, Index] = {}
        result_pieces: list[ResultPiece] = []
        for box in boxes:
            if box.rows is not None:
                return None
            if box.operand is None:
                result_pieces.append(ResultPiece(box.place, None, (np.zeros((), self._dtype(join.outputs[0])),)))
                continue
            slot = join.inputs[box.operand]
            if slot in first:
                result_pieces.append(ResultPiece(box.place, like=first[slot]))
                continue
            first[slot] = box.place
            if slot not in makers:
                result_pieces.append(ResultPiece(box.place, None, (self._operand(slot),)))
                continue
            step, bound = makers[slot]
            writer = self._writer(step, bound)
            if writer is None:
                return None
            result_pieces.append(ResultPiece(box.place, writer, tuple([self._operand(s) for s in step.inputs])))
        return result_pieces

    def _of_reader(
        self, move: Step, boxes: Sequence[ResultBox], makers: Mapping[Slot, tuple[Step, BoundStep]]
    ) -> list[ResultPiece] | None:
        """The parts of the results of a step that reads what another one moves."""
        reader, moved = self._steps[-1], move.outputs[0]
        writer = self._writer(reader, self._bound[-1])
        own = body_of(self._plan, reader)
        place_of_moved = reader.inputs.index(moved)
        if writer is None or own is None:
            return None
        result_pieces: list[ResultPiece] = []
        first: dict[str, Index] = {}
        used: set[Slot] = set()
        for box in boxes:
            others = [(slot, self._cut(slot, box.place, moved)) for slot in reader.inputs if slot != moved]
            slot = None if box.operand is None else move.inputs[box.operand]
            like = first.setdefault(repr((slot, box.rows, [(s, _text(index)) for s, index in others])), box.place)
            if like is not box.place and slot is not None:
                result_pieces.append(ResultPiece(box.place, like=like))
                continue
            operands = [self._operand(s, index) for s, index in others]
            if slot is not None and slot in makers:
                step, _ = makers[slot]
                inner = body_of(self._plan, step)
                if inner is None or slot in used:  # what is read twice would be computed twice
                    return None
                used.add(slot)
                both = PromotedGroup(composed(inner, own, place_of_moved))
                operands += [self._operand(s) for s in step.inputs]
                result_pieces.append(ResultPiece(box.place, both, tuple(operands)))
                continue
            if slot is None:
                zeros = np.zeros((), self._dtype(moved))
                operands.insert(place_of_moved, np.broadcast_to(zeros, self._shape_of(box, moved)))
            else:
                operands.insert(place_of_moved, self._operand(slot))
            taken = None if box.rows is None else (place_of_moved, self._operand(move.inputs[box.rows]))
            result_pieces.append(ResultPiece(box.place, writer, tuple(operands), taken=taken))
        return result_pieces

    # ---- operands -----------------------------------------------------------------------------

    def _operand(self, slot: Slot, index: Index = WHOLE) -> Any:
        if slot not in self._constants:
            return self._inputs[slot], index
        return self._constants[slot][(*index, ...)] if index else self._constants[slot]

    def _cut(self, slot: Slot, place: Index, moved: Slot) -> Index:
        """The part of an operand, which is broadcast to what is moved, that belongs to a part of it."""
        own, whole = self._sizes(slot), self._sizes(moved)
        first = len(whole) - len(own)
        result_parts: list[Part] = []
        for size, full, part in zip(own, whole[first:], place[first:], strict=True):
            if size == full:
                result_parts.append(part)
            else:
                result_parts.append(slice(None) if isinstance(part, slice) else 0)
        return WHOLE if all(part == slice(None) for part in result_parts) else tuple(result_parts)

    def _shape_of(self, box: ResultBox, moved: Slot) -> tuple[int, ...]:
        pairs = zip(box.place, self._sizes(moved), strict=True)
        return tuple([length_of(part, size) for part, size in pairs if isinstance(part, slice)])

    def _sizes(self, slot: Slot) -> tuple[int, ...]:
        return sizes_of(self._plan.slots[slot]) or ()

    def _dtype(self, slot: Slot) -> Any:
        return self._plan.slots[slot].dtype.np

    def _boxes(self, step: Step) -> Sequence[ResultBox] | None:
        """The boxes of a step; None if it has none."""
        opdef = OPS[step.op]
        args = list(step.args)
        for place, _, operand in opdef.operands:
            arg = args[place]
            if operand.host:
                if arg not in self._constants:
                    return None
                args[place] = self._constants[arg]
            else:
                args[place] = [self._sizes(slot) for slot in arg] if operand.many else self._sizes(arg)
        return boxes_of(opdef, args)

    def _writer(self, step: Step, bound: BoundStep) -> PlaceWriter | None:
        """What writes the results of a step to given places; None if there is nothing that does."""
        if bound.kernel.writer is not None:
            return bound.kernel.writer
        body = body_of(self._plan, step)
        return None if body is None else PromotedGroup(body)


def body_of(plan: Plan, step: Step) -> Body | None:
    """A step as the body of a group; None if it does not compute element by element."""
    if step.op == fused.type:
        body: Body = step.args[1]
        return None if body.is_nest or any(OPS[each.op].reduction is not None for each in body.instructions) else body
    opdef = OPS[step.op]
    if not opdef.facts.elementwise or not opdef.is_tensorwise:
        return None
    slots = [arg for arg in step.args if isinstance(arg, Slot)]
    values = iter(map(Value, range(len(slots))))
    args = tuple([next(values) if isinstance(arg, Slot) else arg for arg in step.args])
    only = Instruction(step.op, args, step.dtypes[0], step.node)
    return Body(tuple([plan.slots[slot].dtype for slot in slots]), (only,), (Value(len(slots)),))


def _text(index: Index) -> Any:
    return [(part.start, part.stop) if isinstance(part, slice) else part for part in index]


def length_of(part: slice, size: int) -> int:
    """The elements of a part of a dimension."""
    return len(range(*part.indices(size)))


def sizes_of(info: SlotInfo) -> tuple[int, ...] | None:
    """The sizes of a value if all are known."""
    dims = info.shape
    return dims if dims is not None and all(d.__class__ is int for d in dims) else None  # type: ignore[return-value]
