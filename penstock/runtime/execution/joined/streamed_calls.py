"""Calls of joint steps around an op that goes over rows: each piece of rows is computed before, gone over, and computed
behind, while it is in the cache.

    segment_sum(f(x), ids)     for each piece: f(x[a:b]) into scratch, its rows added to the sums
    exp(cumsum(f(x)))          for each piece: f(x[a:b]) into scratch, its sums into other scratch, exp into out[a:b]
    sum(gather(x, i), 1)       for each piece: x[i[a:b]] into scratch, its sums into out[a:b]

`planning.stream_joints` chooses them; `kernels.streams` has the ops in pieces. The groups are the bound steps
themselves, called on parts of their operands, so bits are those of the steps. Where something does not serve, or fails,
the steps run one by one, and what was computed is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from operator import itemgetter
from typing import Any, Final

import numpy as np

from ....graph.declare.op_declaration import OPS
from ...base.thread_pool import threads_for
from ...ir.fused_ir import Value, fused
from ...ir.kernel_protocol import Kernel
from ...kernels.kernel_choice import has_own_kernel
from ...kernels.loops.native_loops import in_shares, shares
from ...kernels.streams.row_stream import RowStream, StreamRule, stream_rule
from ...memory.buffer_pool import POOL
from ...memory.pooled_numpy import XP
from ...numpy.writers import cost
from ...planning.plan import Plan, Slot, Step
from ...planning.stream_joints import streams
from ..bind import BoundStep
from .joint_pieces import sizes_of
from .steps_alone import StepsAlone

PIECE: Final = 1 << 21
"""Bytes of a piece."""
DEAR: Final = 1.0
"""Nanoseconds for an element from which an operation computes, rather than waits for memory."""


@dataclass(frozen=True, slots=True)
class PieceStep:
    """A step before or behind, for pieces.

    Attributes:
        bound: the step.
        operands: for each operand (its place among the arrays of the call, whether its rows are those of the piece);
            None for the piece itself.
        seconds: the predicted time of what is dear in it, for all rows.
    """

    bound: BoundStep
    operands: tuple[tuple[int, bool] | None, ...]
    seconds: float

    def write(self, place: Any, arrays: Sequence[Any], first: int, last: int, piece: Any = None) -> None:
        """Compute the rows from `first` to `last` into `place`, which is contiguous."""
        operands = []
        for each in self.operands:
            if each is None:
                operands.append(piece)
            else:
                number, is_cut = each
                operands.append(arrays[number][first:last] if is_cut else arrays[number])
        if self.bound.into is not None:
            self.bound.into(place.reshape(-1), *operands)
        else:
            np.copyto(place, self.bound.call(*operands))


class StreamedCall:
    """Joint steps around an op that goes over rows as one call. Thread-safe.

    Args:
        rule: the stream function of the op.
        args: its arguments: ("array", place among the arrays of the call), ("rows", None) for the operand that it reads
            in rows, or ("attribute", value).
        middle: the values in between: (shape, dtype) of the operand that is read in rows, None if there is none, and of
            the result that is given in rows, None if there is none.
        maker: the step before; None if the operand is there, at `source` among the arrays.
        reader: the step behind; None if there is none.
        last: (shape, dtype) of the result; None if the op gives it whole.
        shapes: the shapes of the inputs.
        constants: the arrays behind the inputs among those of the call.
        alone: computes the result step by step.
    """

    def __init__(
        self,
        rule: StreamRule,
        args: Sequence[tuple[str, Any]],
        middle: tuple[tuple[tuple[int, ...], Any] | None, tuple[tuple[int, ...], Any] | None],
        maker: PieceStep | None,
        source: int,
        reader: PieceStep | None,
        last: tuple[tuple[int, ...], Any] | None,
        shapes: Sequence[Any],
        constants: Sequence[Any],
        alone: Callable[..., Any],
    ) -> None:
        self._rule = rule
        self._args = tuple(args)
        self._read, self._given = middle
        self._maker = maker
        self._source = source
        self._reader = reader
        self._last = last
        self._shapes = tuple(shapes)
        self._constants = tuple(constants)
        self._alone = alone
        rows = next(shape[0] for shape, _ in filter(None, middle))
        sizes = [prod(shape[1:]) * dtype.itemsize for shape, dtype in filter(None, middle)]
        self._most = max(1, PIECE // max(1, *sizes)) if rows else 0
        self._seconds = sum([each.seconds for each in (maker, reader) if each is not None])

    def __call__(self, *inputs: Any) -> Any:
        """The result of the last step."""
        if all(x.shape == shape for x, shape in zip(inputs, self._shapes, strict=True)):
            result = self._streamed((*inputs, *self._constants))
            if result is not None:
                return result
        return self._alone(*inputs)

    def _streamed(self, arrays: Sequence[Any]) -> Any:
        """The result in pieces; None if the steps have to run one by one."""
        stream = self._stream(arrays)
        if stream is None or not stream.rows:
            return None
        if not stream.is_parallel and threads_for(self._seconds) > 1:
            return None  # functions take longer than memory, and the step alone divides them among threads
        out = None if self._last is None else POOL.empty(*self._last)

        def some(_: int, start: int, stop: int) -> bool:
            return self._pieces(stream, arrays, out, start, stop)

        divided = [(0, stream.rows)]
        if stream.is_parallel:
            divided = shares(stream.rows, stream.seconds + self._seconds, min(self._most, stream.rows))
        if not all(in_shares(divided, some)):
            return None
        return stream.result() if out is None else out

    def _stream(self, arrays: Sequence[Any]) -> RowStream | None:
        args = []
        for kind, what in self._args:
            if kind == "rows":
                assert self._read is not None  # there is such an operand
                shape, dtype = self._read
                what = np.broadcast_to(np.zeros((), dtype), shape)
            args.append(arrays[what] if kind == "array" else what)
        try:
            return self._rule(XP, *args)
        except Exception:  # the steps raise it again, for the one that fails
            return None

    def _pieces(self, stream: RowStream, arrays: Sequence[Any], out: Any, start: int, stop: int) -> bool:
        """Go over the rows from `start` to `stop`; False if that fails."""
        ends = self._ends(stream, start, stop)
        if ends is None:
            return False
        most = max([last - first for first, last in ends])
        before = _scratch(self._read if self._maker is not None else None, most)
        behind = _scratch(self._given if self._reader is not None else None, most)
        for first, last in reversed(ends) if stream.is_backwards else ends:
            rows = place = None
            if self._maker is not None:
                rows = before[: last - first]
                self._maker.write(rows, arrays, first, last)
            elif self._read is not None:
                rows = np.ascontiguousarray(arrays[self._source][first:last])
            if self._given is not None:
                place = out[first:last] if self._reader is None else behind[: last - first]
            if not stream.advance(first, last, rows, place):
                return False
            if self._reader is not None:
                self._reader.write(out[first:last], arrays, first, last, place)
        return True

    def _ends(self, stream: RowStream, start: int, stop: int) -> list[tuple[int, int]] | None:
        """(first row, row behind) of each piece; None if one would be too long."""
        ends, first = [], start
        while first < stop:
            last = min(stop, stream.stop(first, self._most))
            if last <= first:
                return None
            ends.append((first, last))
            first = last
        return ends


def _scratch(kind: tuple[tuple[int, ...], Any] | None, rows: int) -> Any:
    if kind is None:
        return None
    shape, dtype = kind
    return POOL.empty((rows, *shape[1:]), dtype)


def streamed_step(plan: Plan, bound: Sequence[BoundStep], start: int, stop: int) -> BoundStep | None:
    """The steps from `start` to `stop`, one of which goes over rows, as one; None if they have to run one by one."""
    steps, own = plan.steps[start:stop], bound[start:stop]
    at = next((i for i, step in enumerate(steps) if streams(OPS[step.op])), -1)
    if at < 0 or at > 1 or len(steps) - at > 2:
        return None
    step, opdef = steps[at], OPS[steps[at].op]
    rule = stream_rule(step.op)
    if rule is None or not has_own_kernel(opdef):
        return None
    constants = {slot: array for slot, array, _ in plan.constants}
    between = {slot for each in steps[:-1] for slot in each.outputs}
    wanted = dict.fromkeys([s for each in steps for s in each.inputs if s not in between])
    inputs = tuple([s for s in wanted if s not in constants])
    if any(sizes_of(plan.slots[slot]) is None for slot in (*inputs, *between)):
        return None
    places = {slot: i for i, slot in enumerate((*inputs, *[s for s in wanted if s in constants]))}
    rows = step.args[opdef.parameters.index(opdef.facts.reads_rows)] if opdef.facts.reads_rows else None
    args = [_argument(arg, rows, places) for arg in step.args]
    given = step.outputs[0] if opdef.facts.gives_rows else None
    kinds = tuple([None if slot is None else _kind(plan, slot) for slot in (rows, given)])
    maker = _piece_step(plan, steps[0], own[0], places, None) if at else None
    reader = None if step is steps[-1] else _piece_step(plan, steps[-1], own[-1], places, step.outputs[0])
    last = _kind(plan, steps[-1].outputs[0]) if given is not None else None
    alone = StepsAlone(steps, own, inputs, constants)
    kept = [constants[slot] for slot in list(places)[len(inputs) :]]
    shapes = [sizes_of(plan.slots[slot]) for slot in inputs]
    read, gives = kinds
    call = StreamedCall(rule, args, (read, gives), maker, -1 if rows is None else places.get(rows, -1), reader, last,
                        shapes, kept, alone)  # fmt: skip
    frees = tuple(dict.fromkeys([s for each in own for s in each.frees if s not in between]))
    take = itemgetter(*map(int, inputs)) if len(inputs) > 1 else None
    return BoundStep(call, inputs, own[-1].output, frees, None, take, Kernel(call))


def _argument(arg: Any, rows: Any, places: Mapping[Slot, int]) -> tuple[str, Any]:
    if not isinstance(arg, Slot):
        return "attribute", arg
    return ("rows", None) if arg is rows else ("array", places[arg])


def _kind(plan: Plan, slot: Slot) -> tuple[tuple[int, ...], Any]:
    return sizes_of(plan.slots[slot]) or (), plan.slots[slot].dtype.np


def _piece_step(
    plan: Plan, step: Step, bound: BoundStep, places: Mapping[Slot, int], piece: Slot | None
) -> PieceStep:
    """A step for pieces. piece: the value that it gets in pieces; None if it makes them."""
    whole = sizes_of(plan.slots[step.outputs[0] if piece is None else piece]) or ()

    def operand(slot: Slot) -> tuple[int, bool] | None:
        if slot == piece:
            return None
        shape = sizes_of(plan.slots[slot]) or ()
        return places[slot], len(shape) == len(whole) and shape[0] == whole[0]

    return PieceStep(bound, tuple(map(operand, bound.inputs)), prod(whole) * 1e-9 * _dear(plan, step))


def _dear(plan: Plan, step: Step) -> float:
    """The nanoseconds for an element of the operations of a step that take longer than memory."""
    if step.op != fused.type:
        kinds = [(step.op, tuple([plan.slots[slot].dtype for slot in step.inputs]), step.dtypes[0])]
    else:
        body = step.args[1]
        dtypes = [*body.inputs, *[each.dtype for each in body.instructions]]
        kinds = [(each.op, tuple([dtypes[v] for v in each.args if isinstance(v, Value)]), each.dtype)
                 for each in body.instructions]  # fmt: skip
    prices = [cost(OPS[op], operands, out) for op, operands, out in kinds]
    return sum([price for price in prices if price > DEAR])
