"""Calls of joint steps: steps around one that only moves elements, computed without a pass for the move.

`planning.joint_steps` chooses them. When a program is bound, the boxes of the moving step become a list of pieces, each
a call of a group's code on views of operands and results, or a copy:

    concat([f(x), g(y)], 1)      f writes into out[:, :n], g into out[:, n:]
    f(pad(x)) + y                f and + on x and y[inside] into out[inside], on zeros and y[frame] into out[frame]

A box whose operands are those of an earlier box, as with tile, is copied from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

import numpy as np

from ...graph.boxes import Box, Part, boxes_of
from ...graph.dtypes import DType
from ...graph.op_declaration import OPS
from ..compiled.promoted_group import PromotedGroup
from ..compiled.strided_results import RowRange, copy_range
from ..ir.fused_ir import Body, Instruction, Value
from ..ir.kernel_protocol import Kernel, PlaceWriter
from ..kernels.native_loops import find, in_shares, pays, shares
from ..kernels.shared_copies import copy_in_shares
from ..kernels.woven_rows_loop import RowPart, table_of
from ..memory.buffer_pool import POOL
from ..planning.aliasing import ends_of_joints
from ..planning.plan import Plan, Slot, SlotInfo, Step
from .bind import BoundStep
from .block_search import BlockedSteps

Index = tuple[Part, ...]
WHOLE: Final[Index] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the results.

    Attributes:
        place: the part.
        writer: what writes it; None for a copy of one operand.
        operands: the operands: (their place among the inputs of the call, part), or an array.
        like: the part of the results of which it is a copy; None if it is none.
    """

    place: Index
    writer: PlaceWriter | None = None
    operands: tuple[tuple[int, Index] | Any, ...] = ()
    like: Index | None = None


class JointCall:
    """Joint steps as one call. Thread-safe.

    Args:
        pieces: the parts of the results.
        inputs: the slots that are read.
        infos: dtype and shape of each result, and of each input.
        is_one: whether the call gives its only result, and no list.
        alone: computes the results step by step.
    """

    def __init__(
        self,
        pieces: Sequence[Piece],
        results: Sequence[tuple[tuple[int, ...], Any]],
        shapes: Sequence[Any],
        is_one: bool,
        alone: Callable[..., Any],
    ) -> None:
        self._pieces = tuple(pieces)
        self._results = tuple(results)
        self._shapes = tuple(shapes)
        self._is_one = is_one
        self._alone = alone
        whole = self._results[0][0]
        some = [piece.place[0] for piece in self._pieces if piece.place]
        self._is_woven = len(whole) > 1 and len(some) > 1 and all(_is_all(part, whole[0]) for part in some)

    def __call__(self, *inputs: Any) -> Any:
        """The results of the last step."""
        for x, shape in zip(inputs, self._shapes, strict=True):
            if x.shape != shape:
                return self._alone(*inputs)
        results = [POOL.empty(shape, dtype) for shape, dtype in self._results]
        if not self._is_woven or not self._by_rows(inputs, results):
            for piece in self._pieces:
                _write(piece, inputs, results)
        return results[0] if self._is_one else results

    def _by_rows(self, inputs: Sequence[Any], results: Sequence[Any]) -> bool:
        """Write all pieces of some rows, then of the next, so that each line of memory is fetched once; False if a
        piece cannot be written by rows."""
        loop = find("woven_rows", work=sum([r.size for r in results]))
        if loop is None:
            return False
        parts: list[RowPart] = []
        zeros: list[Piece] = []
        kept: list[Any] = []
        seconds, rows = 0.0, 0
        for piece in self._pieces:
            places = _places(piece, results)
            operands = [_part(inputs, each) for each in piece.operands]
            found: list[RowRange | None] = []
            if piece.writer is not None:
                found = [piece.writer.row_range(places, *operands)]
            elif piece.like is not None:
                found = [copy_range(place, result[piece.like]) for place, result in zip(places, results, strict=True)]
            elif operands[0].ndim:
                found = [copy_range(places[0], operands[0])]
            else:
                zeros.append(piece)
            for each in found:
                if each is None or rows not in (0, each.rows):
                    return False
                rows = each.rows
                parts.append(each.part)
                kept.append(each.kept)
                seconds += each.seconds
        for piece in zeros:
            _write(piece, inputs, results)
        table = table_of(parts)
        if pays(seconds):
            in_shares(shares(rows, seconds), lambda _, start, stop: loop(table, start, stop))
        else:
            loop(table, 0, rows)
        return True


def _places(piece: Piece, results: Sequence[Any]) -> Sequence[Any]:
    return [result[piece.place] for result in results] if piece.place else results


def _write(piece: Piece, inputs: Sequence[Any], results: Sequence[Any]) -> None:
    """Write a part of the results."""
    places = _places(piece, results)
    if piece.like is not None:
        for place, result in zip(places, results, strict=True):
            copy_in_shares(place, result[piece.like])
        return
    operands = [_part(inputs, each) for each in piece.operands]
    if piece.writer is not None:
        piece.writer.write(places, *operands)
    elif operands[0].ndim:
        copy_in_shares(places[0], operands[0])
    else:
        np.copyto(places[0], operands[0])


def _is_all(part: Part, size: int) -> bool:
    return isinstance(part, slice) and _length(part, size) == size


def _part(inputs: Sequence[Any], operand: Any) -> Any:
    if operand.__class__ is not tuple:
        return operand
    number, index = operand
    return inputs[number][index] if index else inputs[number]


def joint_ranges(plan: Plan) -> list[tuple[int, int]]:
    """(start, stop) of the joint steps of a plan that one call may compute."""
    ends = ends_of_joints(plan.steps)
    found = []
    for start, end in ends.items():
        if start - 1 not in ends and _are_joint(plan, start, end + 1):
            found.append((start, end + 1))
    return sorted(found)


def _are_joint(plan: Plan, start: int, stop: int) -> bool:
    """Whether nothing but the last step reads the results of the others, and all run on the host and in order."""
    steps = plan.steps[start:stop]
    if any(s.device != "cpu" or s.op not in OPS or s.kernel or s.donor is not None or s.over for s in steps):
        return False
    between = {slot for step in steps[:-1] for slot in step.outputs}
    kept = {*plan.fetches, *[slot for slot, _, _ in plan.pinned]}
    kept.update(slot for i, step in enumerate(plan.steps) if not start <= i < stop for slot in step.inputs)
    claimed = {slot for slot, _, _ in plan.pinned}
    own = {slot for step in steps for slot in (*step.inputs, *step.outputs)}
    return between.isdisjoint(kept) and own.isdisjoint(claimed) and between <= {*steps[-1].inputs}


def joint_step(plan: Plan, bound: Sequence[BoundStep], start: int, stop: int) -> BoundStep | None:
    """The steps from `start` to `stop` as one; None if they have to run one by one."""
    steps = plan.steps[start:stop]
    constants = {slot: array for slot, array, _ in plan.constants}
    between = {slot for step in steps[:-1] for slot in step.outputs}
    inputs = tuple(dict.fromkeys([s for step in steps for s in step.inputs if s not in between and s not in constants]))
    if any(_sizes(plan.slots[slot]) is None for slot in (*inputs, *steps[-1].outputs)):
        return None
    pieces = _pieces(plan, steps, bound[start:stop], {slot: i for i, slot in enumerate(inputs)}, constants)
    if pieces is None:
        return None
    last, after = steps[-1], bound[stop - 1]
    results = [(_sizes(plan.slots[slot]) or (), plan.slots[slot].dtype.np) for slot in last.outputs]

    def alone(*arrays: Any) -> Any:
        slots: dict[Slot, Any] = {**constants, **dict(zip(inputs, arrays, strict=True))}
        result: Any = None
        for step, each in zip(steps, bound[start:stop], strict=True):
            result = each.call(*[slots[slot] for slot in each.inputs])
            values = [result] if each.output.__class__ is int else result
            slots.update(zip(step.outputs, values, strict=True))
        return result

    shapes = [_sizes(plan.slots[slot]) for slot in inputs]
    call = JointCall(pieces, results, shapes, after.output.__class__ is int, alone)
    frees = tuple(dict.fromkeys([s for each in bound[start:stop] for s in each.frees if s not in between]))
    take = itemgetter(*map(int, inputs)) if len(inputs) > 1 else None
    return BoundStep(call, inputs, after.output, frees, None, take, Kernel(call))


def _pieces(
    plan: Plan,
    steps: Sequence[Step],
    bound: Sequence[BoundStep],
    number: Mapping[Slot, int],
    constants: Mapping[Slot, Any],
) -> list[Piece] | None:
    """The parts of the results of the last step; None if a step says nothing of them."""
    boxes = [_boxes(plan, step, constants) for step in steps]

    def operand(slot: Slot, index: Index = WHOLE) -> Any:
        if slot not in constants:
            return number[slot], index
        return constants[slot][index] if index else constants[slot]

    if boxes[-1] is not None:
        last = steps[-1]
        writers = {step.outputs[0]: (_writer(plan, step, each), step) for step, each in zip(steps, bound, strict=True)}
        pieces: dict[Slot | None, Piece] = {}
        found = []
        for box in boxes[-1]:
            slot = None if box.operand is None else last.inputs[box.operand]
            if slot is None:
                found.append(Piece(box.place, None, (np.zeros((), plan.slots[last.outputs[0]].dtype.np),)))
            elif slot in pieces:
                found.append(Piece(box.place, like=pieces[slot].place))
            elif slot in writers:
                writer, step = writers[slot]
                if writer is None:
                    return None
                pieces[slot] = Piece(box.place, writer, tuple([operand(s) for s in step.inputs]))
                found.append(pieces[slot])
            else:
                pieces[slot] = Piece(box.place, None, (operand(slot),))
                found.append(pieces[slot])
        return found
    if len(steps) != 2 or boxes[0] is None:
        return None
    move, reader = steps
    writer = _writer(plan, reader, bound[1])
    return None if writer is None else list(_boxwise(plan, move, reader, boxes[0], writer, operand))


def _boxwise(
    plan: Plan,
    move: Step,
    reader: Step,
    boxes: Sequence[Box],
    writer: PlaceWriter,
    operand: Callable[..., Any],
) -> Iterable[Piece]:
    """The parts of the results of a step that reads what another one moves."""
    moved = move.outputs[0]
    whole = _sizes(plan.slots[moved]) or ()
    first: dict[Any, Index] = {}
    for box in boxes:
        shape = tuple([_length(part, size) for part, size in zip(box.place, whole, strict=True)
                       if isinstance(part, slice)])  # fmt: skip
        operands: list[Any] = []
        texts: list[Any] = []
        for slot in reader.inputs:
            if slot != moved:
                index = _part_of(_sizes(plan.slots[slot]) or (), box.place, whole)
                operands.append(operand(slot, index))
                texts.append((slot, [(p.start, p.stop) if isinstance(p, slice) else p for p in index]))
            elif box.operand is None:
                operands.append(np.broadcast_to(np.zeros((), plan.slots[moved].dtype.np), shape))
                texts.append(shape)
            else:
                operands.append(operand(move.inputs[box.operand]))
                texts.append((move.inputs[box.operand], []))
        like = first.setdefault(repr(texts), box.place)
        yield Piece(box.place, writer, tuple(operands)) if like is box.place else Piece(box.place, like=like)


def _part_of(own: tuple[int, ...], place: Index, whole: tuple[int, ...]) -> Index:
    """The part of an operand of sizes `own`, which is broadcast to `whole`, that belongs to a part of the result."""
    first = len(whole) - len(own)
    found: list[Part] = []
    for size, full, part in zip(own, whole[first:], place[first:], strict=True):
        if size == full:
            found.append(part)
        else:
            found.append(slice(None) if isinstance(part, slice) else 0)
    return WHOLE if all(part == slice(None) for part in found) else tuple(found)


def _length(part: slice, size: int) -> int:
    return len(range(*part.indices(size)))


def _boxes(plan: Plan, step: Step, constants: Mapping[Slot, Any]) -> Sequence[Box] | None:
    """The boxes of a step; None if it has none."""
    opdef = OPS[step.op]
    if opdef.boxes_rule is None:
        return None
    args = list(step.args)
    for place, _, operand in opdef.operands:
        arg = args[place]
        slots = arg if operand.many else (arg,)
        if operand.host:
            if arg not in constants:
                return None
            args[place] = constants[arg]
        else:
            sizes = [_sizes(plan.slots[slot]) for slot in slots]
            if None in sizes:
                return None
            args[place] = sizes if operand.many else sizes[0]
    return boxes_of(opdef, args)


def _writer(plan: Plan, step: Step, bound: BoundStep) -> PlaceWriter | None:
    """What writes the results of a step to given places; None if there is nothing that does."""
    if bound.kernel.writer is not None:
        return bound.kernel.writer
    opdef = OPS[step.op]
    if not opdef.facts.elementwise or not opdef.is_tensorwise:
        return None
    slots = [arg for arg in step.args if isinstance(arg, Slot)]
    inputs: tuple[DType, ...] = tuple([plan.slots[slot].dtype for slot in slots])
    values = iter(map(Value, range(len(slots))))
    args = tuple([next(values) if isinstance(arg, Slot) else arg for arg in step.args])
    only = Instruction(step.op, args, step.dtypes[0], step.node)
    return PromotedGroup(Body(inputs, (only,), (Value(len(slots)),)))


def _sizes(info: SlotInfo) -> tuple[int, ...] | None:
    """The sizes of a value if all are known."""
    dims = info.shape
    return dims if dims is not None and all(d.__class__ is int for d in dims) else None  # type: ignore[return-value]


class JointSteps:
    """The bound steps of a plan with its joint steps as one call each.

    Attributes:
        steps: the steps.
        inside: the positions in the plan of all joint steps.
    """

    def __init__(self, plan: Plan, bound: Sequence[BoundStep]) -> None:
        self._calls: dict[int, tuple[int, BoundStep]] = {}
        for start, stop in joint_ranges(plan):
            call = joint_step(plan, bound, start, stop)
            if call is not None:
                self._calls[start] = stop, call
        self.inside = frozenset([i for start, (stop, _) in self._calls.items() for i in range(start, stop)])
        self.steps = self.between(bound, 0, len(bound))

    def between(self, bound: Sequence[BoundStep], start: int, stop: int) -> BlockedSteps:
        """The steps of a part of the plan that begins and ends outside of joint steps."""
        steps: list[BoundStep] = []
        first: list[int] = []
        at = start
        while at < stop:
            end, call = self._calls.get(at, (at + 1, bound[at]))
            steps.append(call)
            first.append(at)
            at = end
        return BlockedSteps(steps, first)


def joint_steps(plan: Plan, bound: Sequence[BoundStep]) -> JointSteps | None:
    """The joint steps of a program; None if there are none."""
    if not any(step.joint for step in plan.steps):
        return None
    found = JointSteps(plan, bound)
    return found if found.inside else None
