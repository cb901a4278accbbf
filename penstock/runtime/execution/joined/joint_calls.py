"""Calls of joint steps: steps around one that only moves elements, computed without a pass for the move.

`planning.joint_steps` chooses them, and `joint_pieces` divides their results into pieces: each is a call of a group's
code on views of operands and results, or a copy. Pieces that share rows are written row by row, in the order of memory
(`kernels.loops.woven_rows`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from ....graph.declare.op_declaration import OPS
from ...compiled.strided_results import RowRange, copy_range
from ...kernels.loops.native_loops import find, in_shares, pays, shares
from ...kernels.loops.woven_rows import RowPart, table_of
from ...kernels.shared_copies import copy_in_shares
from ...memory.buffer_pool import POOL
from ...planning import joint_steps as limits
from ...planning.aliasing import ends_of_joints
from ...planning.plan import Plan
from ...planning.stream_joints import streams
from ..bind import BoundStep, joined_step
from ..step_loop import JoinedSteps
from .fused_nest_calls import fused_nest_step
from .joint_pieces import PieceSearch, ResultPiece, body_of, length_of, sizes_of
from .steps_alone import StepsAlone


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
        pieces: Sequence[ResultPiece],
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
        self._takes_rows = any(piece.taken is not None for piece in self._pieces)
        share_rows = len(whole) > 1 and len(some) > 1 and all(_is_all(part, whole[0]) for part in some)
        self._is_woven = self._takes_rows or share_rows

    def __call__(self, *inputs: Any) -> Any:
        """The results of the last step."""
        for x, shape in zip(inputs, self._shapes, strict=True):
            if x.shape != shape:
                return self._alone(*inputs)
        results = [POOL.empty(shape, dtype) for shape, dtype in self._results]
        if not self._is_woven or not self._by_rows(inputs, results):
            if self._takes_rows:
                return self._alone(*inputs)
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
        zeros: list[ResultPiece] = []
        kept: list[Any] = []
        seconds, rows = 0.0, 0
        for piece in self._pieces:
            places = _places(piece, results)
            operands = [_part(inputs, each) for each in piece.operands]
            ranges: list[RowRange | None] = []
            if piece.taken is not None:
                ranges = [_taken_rows(piece, places, operands, inputs)]
            elif piece.writer is not None:
                ranges = [piece.writer.row_range(places, *operands)]
            elif piece.like is not None:
                sources = [result[(*piece.like, ...)] for result in results]
                ranges = [copy_range(place, source) for place, source in zip(places, sources, strict=True)]
            elif operands[0].ndim:
                ranges = [copy_range(places[0], operands[0])]
            else:
                zeros.append(piece)
            for each in ranges:
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


def _places(piece: ResultPiece, results: Sequence[Any]) -> Sequence[Any]:
    return [result[(*piece.place, ...)] for result in results] if piece.place else results


def _write(piece: ResultPiece, inputs: Sequence[Any], results: Sequence[Any]) -> None:
    """Write a part of the results."""
    places = _places(piece, results)
    if piece.like is not None:
        for place, result in zip(places, results, strict=True):
            copy_in_shares(place, result[(*piece.like, ...)])
        return
    operands = [_part(inputs, each) for each in piece.operands]
    if piece.writer is not None:
        piece.writer.write(places, *operands)
    elif operands[0].ndim:
        copy_in_shares(places[0], operands[0])
    else:
        np.copyto(places[0], operands[0])


def _taken_rows(
    piece: ResultPiece, places: Sequence[Any], operands: Sequence[Any], inputs: Sequence[Any]
) -> RowRange | None:
    """How a piece is written that reads rows of an operand by their numbers; None if one is out of range."""
    assert piece.taken is not None and piece.writer is not None  # the caller looked; such a piece has a writer
    which, index = piece.taken
    rows = operands[which]
    numbers = _part(inputs, index).astype(np.int64)  # a copy, which stays as it is checked
    if not len(rows) or not len(numbers) or numbers.min() < 0 or numbers.max() >= len(rows):
        return None
    given = [*operands]
    given[which] = np.broadcast_to(rows[:1], (len(numbers), *rows.shape[1:]))
    row_range: RowRange | None = piece.writer.row_range(places, *given)
    if row_range is None or row_range.rows != len(numbers):
        return None
    own = row_range.part.operands[which]
    every = [*row_range.part.operands]
    every[which] = replace(own, by_row=rows.strides[0], index=numbers.ctypes.data)
    return replace(row_range, part=replace(row_range.part, operands=every), kept=(row_range.kept, numbers))


def _is_all(part: int | slice, size: int) -> bool:
    return isinstance(part, slice) and length_of(part, size) == size


def _part(inputs: Sequence[Any], operand: Any) -> Any:
    if operand.__class__ is not tuple:
        return operand
    number, index = operand
    return inputs[number][(*index, ...)] if index else inputs[number]


def joint_ranges(plan: Plan) -> list[tuple[int, int]]:
    """(start, stop) of the joint steps of a plan that one call may compute."""
    ends = ends_of_joints(plan.steps)
    joints = []
    for start, end in ends.items():
        if start - 1 not in ends and _are_joint(plan, start, end + 1):
            joints.append((start, end + 1))
    return sorted(joints)


def _are_joint(plan: Plan, start: int, stop: int) -> bool:
    """Whether nothing but the last step reads the results of the others, and all run on the host and in order."""
    steps = plan.steps[start:stop]
    if any(s.device != "cpu" or s.op not in OPS or s.kernel or s.donor is not None or s.over for s in steps):
        return False
    between = {slot for step in steps[:-1] for slot in step.outputs}
    kept = {*plan.fetches, *[slot for slot, _, _ in plan.pinned]}
    kept.update(slot for i, step in enumerate(plan.steps) if not start <= i < stop for slot in step.inputs)
    claimed = {slot for slot, _, _ in plan.pinned}
    read = {slot for step in steps for slot in step.inputs}
    own = {*read, *steps[-1].outputs}
    return between.isdisjoint(kept) and own.isdisjoint(claimed) and between <= read


def joint_step(plan: Plan, bound: Sequence[BoundStep], start: int, stop: int) -> BoundStep | None:
    """The steps from `start` to `stop` as one; None if they have to run one by one."""
    steps = plan.steps[start:stop]
    constants = {slot: array for slot, array, _ in plan.constants}
    between = {slot for step in steps[:-1] for slot in step.outputs}
    inputs = tuple(dict.fromkeys([s for step in steps for s in step.inputs if s not in between and s not in constants]))
    if any(sizes_of(plan.slots[slot]) is None for slot in (*inputs, *steps[-1].outputs)):
        return None
    places = {slot: i for i, slot in enumerate(inputs)}
    pieces = PieceSearch(plan, steps, bound[start:stop], places, constants).pieces()
    if pieces is None:
        return None
    last, after = steps[-1], bound[stop - 1]
    is_one = after.output.__class__ is int
    results = [(sizes_of(plan.slots[slot]) or (), plan.slots[slot].dtype.np) for slot in last.outputs]

    alone = StepsAlone(steps, bound[start:stop], inputs, constants)
    shapes = [sizes_of(plan.slots[slot]) for slot in inputs]
    call = JointCall(pieces, results, shapes, is_one, alone)
    return joined_step(call, inputs, after.output, bound[start:stop], between)


def _joint_call(
    plan: Plan, bound: Sequence[BoundStep], start: int, stop: int
) -> tuple[int, int, BoundStep] | None:
    """The steps from `start` to `stop` as one, or those of them that can be; None if they have to run one by one."""
    for i, step in enumerate(plan.steps[start:stop]):
        opdef = OPS[step.op]
        if streams(opdef) and (opdef.boxes_rule is None or not _reads_boxes(plan, start + i, stop)):
            return fused_nest_step(plan, bound, start, start + i, stop)
    call = joint_step(plan, bound, start, stop)
    return None if call is None else (start, stop, call)


def _reads_boxes(plan: Plan, position: int, stop: int) -> bool:
    """Whether the step at a position reads long rows by their numbers, for one that computes element by element."""
    step = plan.steps[position]
    rows, index = (plan.slots[slot] for slot in step.inputs[:2])
    sizes = sizes_of(rows)
    if sizes is None or len(index.shape or ()) != 1 or position + 2 != stop:
        return False
    return prod(sizes[1:]) * rows.dtype.size >= limits.SHORTEST and body_of(plan, plan.steps[position + 1]) is not None


class JointSteps:
    """The bound steps of a plan with its joint steps as one call each.

    Attributes:
        steps: the steps.
        inside: the positions in the plan of all joint steps.
    """

    def __init__(self, plan: Plan, bound: Sequence[BoundStep]) -> None:
        self._calls: dict[int, tuple[int, BoundStep]] = {}
        for start, stop in joint_ranges(plan):
            found = _joint_call(plan, bound, start, stop)
            if found is not None:
                first, end, call = found
                self._calls[first] = end, call
        self.inside = frozenset([i for start, (stop, _) in self._calls.items() for i in range(start, stop)])
        self.steps = self.between(bound, 0, len(bound))

    def between(self, bound: Sequence[BoundStep], start: int, stop: int) -> JoinedSteps:
        """The steps of a part of the plan that begins and ends outside of joint steps."""
        steps: list[BoundStep] = []
        first: list[int] = []
        at = start
        while at < stop:
            end, call = self._calls.get(at, (at + 1, bound[at]))
            steps.append(call)
            first.append(at)
            at = end
        return JoinedSteps(steps, first)


def joint_steps(plan: Plan, bound: Sequence[BoundStep]) -> JointSteps | None:
    """The joint steps of a program; None if there are none."""
    joints = JointSteps(plan, bound)
    return joints if joints.inside else None
