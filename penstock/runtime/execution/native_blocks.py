"""Native blocks: consecutive steps of a plan as one call of the block driver.

A step of training of a small network is some thirty steps of a plan, each of which takes 2 to 5 us to call: as long as
its work. When a plan has run a few dozen times, and its code is compiled, one run is made step by step and keeps all
values. The C functions that each step called, and the places of their operands in these values, become a program
(`llvm.block_driver`): a run binds it to the addresses of its inputs, of its results and of one arena, and drives it.

    t8 = MatMul(t0, t2)        product(arena + 0, input 0, input 1, ...)
    t9 = Fused([t8, t3])       rows(..., arena + 0, input 2, arena + 32768)
    t10 = MatMul(t9, t4)       product(arena + 65536, ...)

Steps that stay with Python divide the plan into blocks. Before a block is used it computes that run once more, and its
results must have the same bits. Inputs of other shapes or layouts, or with values for which a step fails, raise
`StepsApart`, and the steps run one by one. A block of more than some milliseconds is cut into pieces: between them
Python sees Ctrl-C.

What writes over variables is a call for the end of the run (`base.pending_writes`), as it is without blocks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from math import prod
from time import perf_counter
from typing import Any, Final

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ..base.blas_threads import with_one_thread
from ..base.pending_writes import LONGEST, PendingWrites
from ..llvm.block_driver import DENSE, BlockDriver, BlockFrame, BlockText, Check
from ..llvm.jit_settings import SETTINGS
from ..memory.buffer_pool import POOL, SMALL
from ..planning.plan import Plan, Slot
from .bind import BoundStep, joined_step

FEWEST: Final = 3
"""The fewest calls of a block: it takes as long as the calls of two steps."""


class StepsApart(Exception):
    """The steps of a block have to run one by one in this run.

    Attributes:
        position: where they begin in the plan.
    """

    position = 0


@dataclass(frozen=True, slots=True)
class Result:
    """Where a result comes from: an array (the number among inputs, the arena and results), or a view of it."""

    source: int
    view: tuple[Any, ...] = ()


@dataclass(slots=True)
class BlockLayout:
    """What is known of a block beside its program.

    Attributes:
        inputs: the slots that it reads.
        checks: what they have to be.
        tests: (where an operand comes from, what its values have to pass).
        makes: (shape, dtype) of the arrays that it makes for results.
        results: for each slot that is read outside: where it comes from.
        arena: bytes.
    """

    inputs: list[Slot] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    tests: list[tuple[Result, Callable[[Any], bool]]] = field(default_factory=list)
    makes: list[tuple[tuple[int, ...], Any]] = field(default_factory=list)
    results: dict[Slot, Result] = field(default_factory=dict)
    arena: int = 0


class NativeBlock:
    """Consecutive steps as one call. Thread-safe: each run has a frame of its own."""

    def __init__(
        self,
        driver: BlockDriver,
        text: BlockText,
        layout: BlockLayout,
        pieces: Sequence[int],
        writes: Sequence[int],
        seconds: float,
        uses_blas: bool,
        kept: Any,
    ) -> None:
        """A block.

        Args:
            driver: the driver.
            text: the program.
            layout: its inputs and results.
            pieces: where its pieces begin.
            writes: where those begin that write over variables.
            seconds: what these take, about.
            uses_blas: whether BLAS needs one thread.
            kept: what the program points to.
        """
        self.layout = layout
        self._new_frame = partial(driver.frame, text, layout.checks, pieces, writes)
        self.lets_go = partial(text.let_go, pieces)
        self._writes = len(writes)
        self._seconds = seconds
        self._uses_blas = uses_blas
        self._kept = kept
        self._idle: deque[BlockFrame] = deque()
        self._makes = [(np.empty if _bytes(made) < SMALL else POOL.empty, *made) for made in layout.makes]
        own = range(len(layout.inputs) + 1, len(layout.inputs) + 1 + len(layout.makes))
        results = list(layout.results.values())
        self._are_own = results == [Result(i) for i in own]
        self._results = results

    def __call__(self, *inputs: Any) -> list[Any]:
        """The results, in the order of the layout."""
        frame, arrays = self._bound(inputs)
        self._drive(frame)
        self._idle.append(frame)
        return self._taken(arrays)

    def only(self, *inputs: Any) -> Any:
        """The only result."""
        return self(*inputs)[0]

    def over(self, *inputs: Any) -> list[Any]:
        """The same for a block that writes over variables; the last input holds the writes of the run."""
        *operands, writes = inputs
        if writes is None or writes.seconds + self._seconds > LONGEST:
            raise StepsApart
        frame, arrays = self._bound(operands)
        self._drive(frame)
        self.write(frame, arrays, writes)
        return self._taken(arrays)

    def only_over(self, *inputs: Any) -> Any:
        """The only result of such a block."""
        return self.over(*inputs)[0]

    def write(self, frame: BlockFrame, arrays: list[Any], writes: PendingWrites) -> None:
        """Add the calls that write, after which the frame is free."""
        writes.may_add(self._seconds, self._writes)
        writes.kept.append(arrays)
        writes.calls += frame.writes
        writes.calls.append(partial(self._idle.append, frame))

    def _bound(self, inputs: Sequence[Any]) -> tuple[BlockFrame, list[Any]]:
        """A frame for one run, and its arrays."""
        if SETTINGS.why_off:
            raise StepsApart
        if self.layout.tests:
            self._test(inputs)
        try:
            frame = self._idle.pop()
        except IndexError:
            frame = self._new_frame()
        try:
            arena = POOL.empty((self.layout.arena,), np.uint8)
            arrays = [*inputs, arena, *[make(shape, dtype) for make, shape, dtype in self._makes]]
        except MemoryError:
            raise StepsApart from None  # single values may fit
        if not frame.bind(*arrays):
            self._idle.append(frame)
            raise StepsApart
        return frame, arrays

    def _test(self, inputs: Sequence[Any]) -> None:
        """Test the operands whose values an op checks. A step run alone tells why it fails."""
        for source, test in self.layout.tests:
            x, check = inputs[source.source], self.layout.checks[source.source]
            if x.shape != check.shape or x.dtype != check.dtype or x.flags.num & DENSE != DENSE:
                raise StepsApart
            if not test(_from(inputs, source)):
                raise StepsApart

    def _drive(self, frame: BlockFrame) -> None:
        if self._uses_blas:
            with_one_thread(_drive, frame.pieces)
        else:
            for piece in frame.pieces:
                piece()

    def _taken(self, arrays: list[Any]) -> list[Any]:
        if self._are_own:
            return arrays[len(self.layout.inputs) + 1 :]
        return [_from(arrays, each) for each in self._results]

    def trial(self, inputs: Sequence[Any]) -> tuple[list[Any], list[float]]:
        """The results, with what is written over variables in copies of them, and the seconds of each piece."""
        copies = list(inputs)
        for i in {each.source for each in self._results if each.source < len(copies) and not each.view}:
            copies[i] = inputs[i].copy()
        frame, arrays = self._bound(copies)
        seconds = []
        for piece in frame.pieces:
            start = perf_counter()
            with_one_thread(piece)
            seconds.append(perf_counter() - start)
        for write in frame.writes:
            write()
        return self._taken(arrays), seconds


def _drive(pieces: Sequence[Callable[[], Any]]) -> None:
    for piece in pieces:
        piece()


def _from(arrays: Sequence[Any], result: Result) -> Any:
    array = arrays[result.source]
    if not result.view:
        return array
    shape, dtype, offset, strides = result.view
    return np.ndarray(shape, dtype, array, offset, strides)


def _bytes(made: tuple[tuple[int, ...], Any]) -> int:
    return prod(made[0]) * int(made[1].itemsize)


def bound_block(plan: Plan, block: NativeBlock, bound: Sequence[BoundStep], start: int, stop: int) -> BoundStep:
    """A block as a step."""
    layout = block.layout
    inputs = tuple(layout.inputs)
    outputs = tuple(layout.results)
    one = len(outputs) == 1
    call: Callable[..., Any] = block.only if one else block
    if any(step.over for step in plan.steps[start:stop]):
        inputs = (*inputs, Slot(len(plan.slots)))
        call = block.only_over if one else block.over
    return joined_step(call, inputs, int(outputs[0]) if one else outputs, bound[start:stop])
