"""Native blocks: consecutive steps of a plan as one call of the block driver.

A step of training of a small network is some thirty steps of a plan, each of which takes 2 to 5 us to call: as long as
its work. When a plan has run a few dozen times, and its code is compiled, one run is made step by step and keeps all
values. The C functions that each step called, and the places of their operands in these values, become a program
(`llvm.block_driver`): a run binds it to the addresses of its inputs, of its results and of one arena, and drives it.

    t8 = MatMul(t0, t2)        product(arena + 0, input 0, input 1, ...)
    t9 = Fused([t8, t3])       rows(..., arena + 0, input 2, arena + 32768)
    t10 = MatMul(t9, t4)       product(arena + 65536, ...)

Steps that stay with Python divide the plan into blocks. Before a block is used it computes that run once more, and its
results must have the same bits. Inputs of other shapes or layouts raise `StepsApart`, and the steps run one by one. A
block of more than some milliseconds is cut into pieces: between them Python sees Ctrl-C.

What writes over variables is a call for the end of the run (`base.pending_writes`), as it is without blocks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod
from operator import itemgetter
from time import perf_counter
from typing import Any, Final

import numpy as np

from ..base.blas_threads import with_one_thread
from ..base.pending_writes import LONGEST, PendingWrites
from ..ir.kernel_protocol import Kernel
from ..llvm.block_driver import DENSE, WRITABLE, BlockDriver, BlockFrame, BlockText, Check
from ..llvm.jit_settings import SETTINGS
from ..llvm.native_calls import NativeCall
from ..memory.buffer_pool import POOL, SMALL
from ..planning.offset_allocator import ALIGNMENT, LiveBuffer, lay_out
from ..planning.plan import Plan, Slot
from .bind import BoundStep
from .block_memory import BEFORE, END, FIXED, BlockMemory, CannotBlock, Root, addresses

FEWEST: Final = 3
"""The fewest calls of a block: it takes as long as the calls of two steps."""
PIECE: Final = 5e-3
"""Seconds of a piece, about."""
_LETS_GO: Final = 20e-6
"""Seconds from which a piece lets other threads run Python."""


class StepsApart(Exception):
    """The steps of a block have to run one by one in this run.

    Attributes:
        position: where they begin in the plan.
    """

    position = 0


@dataclass(slots=True)
class NativeStep:
    """The calls of one step, or of a product and what is added to it.

    Attributes:
        start, stop: the positions of the steps.
        calls: the calls.
        at_end: whether they write over variables, when the run has ended.
        seconds: what they are expected to take.
        uses_blas: whether BLAS needs one thread for them.
    """

    start: int
    stop: int
    calls: list[NativeCall]
    at_end: bool
    seconds: float
    uses_blas: bool


@dataclass(frozen=True, slots=True)
class _Result:
    """Where a result comes from: an array (the number among inputs, the arena and results), or a view of it."""

    source: int
    view: tuple[Any, ...] = ()


@dataclass(slots=True)
class BlockLayout:
    """What is known of a block beside its program.

    Attributes:
        inputs: the slots that it reads.
        checks: what they have to be.
        makes: (shape, dtype) of the arrays that it makes for results.
        results: for each slot that is read outside: where it comes from.
        arena: bytes.
    """

    inputs: list[Slot] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    makes: list[tuple[tuple[int, ...], Any]] = field(default_factory=list)
    results: dict[Slot, _Result] = field(default_factory=dict)
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
        self._writes = len(writes)
        self._seconds = seconds
        self._uses_blas = uses_blas
        self._kept = kept
        self._idle: deque[BlockFrame] = deque()
        self._makes = [(np.empty if _bytes(made) < SMALL else POOL.empty, *made) for made in layout.makes]
        own = range(len(layout.inputs) + 1, len(layout.inputs) + 1 + len(layout.makes))
        results = list(layout.results.values())
        self._are_own = results == [_Result(i) for i in own]
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
        *given, writes = inputs
        if writes is None or writes.seconds + self._seconds > LONGEST:
            raise StepsApart
        frame, arrays = self._bound(given)
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

    def _drive(self, frame: BlockFrame) -> None:
        if self._uses_blas:
            with_one_thread(_drive, frame.pieces)
        else:
            for piece in frame.pieces:
                piece()

    def _taken(self, arrays: list[Any]) -> list[Any]:
        if self._are_own:
            return arrays[len(self.layout.inputs) + 1 :]
        return [arrays[each.source] if not each.view else _view(arrays[each.source], *each.view)
                for each in self._results]  # fmt: skip

    def trial(self, inputs: Sequence[Any]) -> tuple[list[Any], list[float]]:
        """The results, with what is written over variables in copies of them, and the seconds of each piece."""
        given = list(inputs)
        for i in {each.source for each in self._results if each.source < len(given) and not each.view}:
            given[i] = inputs[i].copy()
        frame, arrays = self._bound(given)
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


def _view(array: Any, shape: tuple[int, ...], dtype: Any, offset: int, strides: tuple[int, ...]) -> Any:
    return np.ndarray(shape, dtype, array, offset, strides)


def is_same(one: Any, other: Any) -> bool:
    """Whether two arrays have the same bits."""
    return bool(one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes())


def _bytes(made: tuple[tuple[int, ...], Any]) -> int:
    return prod(made[0]) * int(made[1].itemsize)


# ---- writing a block ----------------------------------------------------------------------------


class BlockWriter:
    """Writes the block of consecutive native steps.

    Args:
        plan: the plan.
        bound: its steps, ready to run.
        slots: the arrays of a run.
        memory: their roots.
        driver: the driver.
        steps: the steps of the block, one behind the other.
    """

    def __init__(
        self,
        plan: Plan,
        bound: Sequence[BoundStep],
        slots: Sequence[Any],
        memory: BlockMemory,
        driver: BlockDriver,
        steps: Sequence[NativeStep],
    ) -> None:
        self._plan = plan
        self._bound = bound
        self._slots = slots
        self._memory = memory
        self._driver = driver
        self._steps = steps
        self.start, self.stop = steps[0].start, steps[-1].stop
        self._inside = plan.steps[self.start : self.stop]
        self._over = {out: slot for step in self._inside for out, slot in zip(step.outputs, step.over, strict=False)
                      if slot is not None}  # fmt: skip

    def block(self) -> NativeBlock | None:
        """The block; None if its results are not those of the run.

        Raises:
            CannotBlock, CannotWrite: it cannot be written.
        """
        layout = self._layout()
        each_alone = self._written(layout, [[step] for step in self._steps if not step.at_end])
        results, seconds = each_alone.trial([self._slots[slot] for slot in layout.inputs])
        if not all(is_same(self._slots[slot], x) for slot, x in zip(layout.results, results, strict=True)):
            return None
        pieces: list[list[NativeStep]] = []
        total = 0.0
        for step, taken in zip([each for each in self._steps if not each.at_end], seconds, strict=True):
            if not pieces or total + taken > PIECE:
                pieces.append([])
                total = 0.0
            pieces[-1].append(step)
            total += taken
        return self._written(layout, pieces, release=sum(seconds) > _LETS_GO)

    def _written(
        self, layout: BlockLayout, pieces: Sequence[Sequence[NativeStep]], release: bool = True
    ) -> NativeBlock:
        """The block in such pieces. release: whether they let other threads run Python."""
        text = BlockText(self._place)
        starts = [text.add([call for step in piece for call in step.calls], release) for piece in pieces]
        writes = [step for step in self._steps if step.at_end]
        ends = [text.add(step.calls, release=step.seconds > _LETS_GO) for step in writes]
        text.end()
        uses_blas = any(step.uses_blas for step in self._steps)
        seconds = sum([step.seconds for step in writes])
        return NativeBlock(self._driver, text, layout, starts, ends, seconds, uses_blas, self._memory.kept)

    # ---- memory -----------------------------------------------------------------------------

    def _layout(self) -> BlockLayout:
        """The inputs, the results, and where all values lie."""
        layout = BlockLayout()
        made = {slot for step in self._inside for slot in step.outputs}
        constants = {slot for slot, _, _ in self._plan.constants}
        for step in self._inside:
            for slot in step.inputs:
                if slot not in made and slot not in constants and slot not in layout.inputs:
                    layout.inputs.append(slot)
        written = set(self._over.values())
        self._inputs: list[tuple[int, int, int]] = []
        for number, slot in enumerate(layout.inputs):
            x = self._slots[slot]
            if x.flags.num & DENSE != DENSE:
                raise CannotBlock
            flags = WRITABLE if slot in written else DENSE
            layout.checks.append(Check(flags, x.dtype, x.shape))
            self._inputs.append((x.ctypes.data, x.nbytes, number))
        self._check_inputs()
        self._own: dict[int, int] = {}
        self._offsets: dict[int, int] = {}
        arena = len(layout.inputs)
        for slot in self._read_outside():
            layout.results[slot] = self._result(slot, layout, arena)
        self._arena = arena
        self._lay_out(layout)
        return layout

    def _check_inputs(self) -> None:
        """Check that an address tells which input it belongs to, in every run.

        A step may give its operand in this run, or a constant, and another array in the next one.

        Raises:
            CannotBlock: two inputs share memory, or one is a part of a constant.
        """
        end = 0
        for start, size, _ in sorted(self._inputs):
            if start < end or self._memory.root(start).made == FIXED:
                raise CannotBlock
            end = start + size

    def _read_outside(self) -> list[Slot]:
        others = [*self._bound[: self.start], *self._bound[self.stop :]]
        read = {slot for each in others for slot in each.inputs}.union(self._plan.fetches)  # what claims read, too
        return [slot for step in self._inside for slot in step.outputs if slot in read]

    def _result(self, slot: Slot, layout: BlockLayout, arena: int) -> _Result:
        if slot in self._over:
            return _Result(layout.inputs.index(self._over[slot]))
        x = self._slots[slot]
        root = self._memory.root(x.ctypes.data)
        if not self.start <= root.made < self.stop:
            if root.made == FIXED:
                raise CannotBlock
            at = self._input_of(x.ctypes.data)
            if at is None:
                raise CannotBlock
            source, offset = at
        else:
            number = self._own.get(id(root))
            if number is None:
                number = self._own[id(root)] = arena + 1 + len(layout.makes)
                layout.makes.append((root.array.shape, root.array.dtype))
                if not root.array.flags.c_contiguous:
                    raise CannotBlock
            source, offset = number, x.ctypes.data - root.start
            if x.shape == root.array.shape and x.dtype == root.array.dtype and x.flags.c_contiguous and not offset:
                return _Result(source)
        return _Result(source, (x.shape, x.dtype, offset, x.strides))

    def _input_of(self, address: int) -> tuple[int, int] | None:
        """(number of an input, offset) of an address."""
        for start, size, number in self._inputs:
            if start <= address < start + size:
                return number, address - start
        return None

    def _lay_out(self, layout: BlockLayout) -> None:
        """Offsets in the arena of what neither is an input nor read outside, by the steps at which it is used."""
        used: dict[int, tuple[Root, int, int]] = {}
        for step in self._steps:
            at = END if step.at_end else step.start
            for call in step.calls:
                for address in addresses(call):
                    root = self._memory.root(address)
                    if root.made in (FIXED, BEFORE) or not self.start <= root.made < self.stop or id(root) in self._own:
                        continue
                    _, first, last = used.get(id(root), (root, min(at, step.start), at))
                    used[id(root)] = root, min(first, step.start), max(last, at)
        roots = list(used.values())
        buffers = [LiveBuffer(number, -(-root.size // ALIGNMENT) * ALIGNMENT, first, last)
                   for number, (root, first, last) in enumerate(roots)]  # fmt: skip
        laid_out = lay_out(buffers)
        self._offsets = {id(root): laid_out.offsets[number] for number, (root, _, _) in enumerate(roots)}
        layout.arena = laid_out.total

    def _place(self, address: int) -> tuple[int, int] | None:
        """See `BlockText`."""
        root = self._memory.root(address)
        if root.made == FIXED:
            return None
        if not self.start <= root.made < self.stop:
            found = self._input_of(address)
            if found is None:
                raise CannotBlock
            return found
        if id(root) in self._own:
            return self._own[id(root)], address - root.start
        return self._arena, self._offsets[id(root)] + address - root.start


def bound_block(plan: Plan, block: NativeBlock, bound: Sequence[BoundStep], start: int, stop: int) -> BoundStep:
    """A block as a step."""
    layout = block.layout
    inputs = tuple(layout.inputs)
    frees = tuple(dict.fromkeys([slot for each in bound[start:stop] for slot in each.frees]))
    outputs = tuple(layout.results)
    one = len(outputs) == 1
    call: Callable[..., Any] = block.only if one else block
    if any(step.over for step in plan.steps[start:stop]):
        inputs = (*inputs, Slot(len(plan.slots)))
        call = block.only_over if one else block.over
    take = itemgetter(*map(int, inputs)) if len(inputs) > 1 else None
    return BoundStep(call, inputs, int(outputs[0]) if one else outputs, frees, None, take, Kernel(call))
