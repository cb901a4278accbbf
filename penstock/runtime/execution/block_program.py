"""Writes the native block of consecutive steps: its program, and where its values lie. See `native_blocks`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ...graph.common.quick_dataclass import dataclass
from ..llvm.block_driver import DENSE, WRITABLE, BlockDriver, BlockText, Check
from ..llvm.native_calls import NativeCall
from ..planning.offset_allocator import ALIGNMENT, LiveBuffer, lay_out
from ..planning.plan import Plan, Slot
from .bind import BoundStep
from .block_memory import BEFORE, END, FIXED, BlockMemory, CannotBlock, Root, addresses
from .native_blocks import BlockLayout, NativeBlock, Result

PIECE: Final = 5e-3
"""Seconds of a piece, about."""
_LETS_GO: Final = 20e-6
"""Seconds from which a piece lets other threads run Python."""


@dataclass(slots=True)
class NativeStep:
    """The calls of one step, or of a product and what is added to it.

    Attributes:
        start, stop: the positions of the steps.
        calls: the calls.
        at_end: whether they write over variables, when the run has ended.
        seconds: what they are expected to take.
        uses_blas: whether BLAS needs one thread for them.
        required: (operand, test) for each that has to pass a test before.
        is_interim: whether code that is not compiled yet would be faster.
    """

    start: int
    stop: int
    calls: list[NativeCall]
    at_end: bool
    seconds: float
    uses_blas: bool
    required: list[tuple[Any, Callable[[Any], bool]]]
    is_interim: bool


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
        inside = [step for step in self._steps if not step.at_end]
        inputs = [self._slots[slot] for slot in layout.inputs]
        is_short = sum([step.seconds for step in inside]) <= PIECE
        pieces = [inside] if is_short else [[step] for step in inside]
        block = self._written(layout, pieces)
        results, seconds = block.trial(inputs)
        if not all(is_same(self._slots[slot], x) for slot, x in zip(layout.results, results, strict=True)):
            return None
        total = sum(seconds)
        if is_short and total > PIECE:  # it takes longer than expected
            pieces = [[step] for step in inside]
            seconds = self._written(layout, pieces).trial(inputs)[1]
        elif is_short:
            block.lets_go(total > _LETS_GO)
            return block
        return self._written(layout, _pieces(inside, seconds), release=total > _LETS_GO)

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
        tests = [(self._operand(x), test) for step in self._steps for x, test in step.required]
        layout.tests = list(dict.fromkeys(tests))
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

    def _result(self, slot: Slot, layout: BlockLayout, arena: int) -> Result:
        if slot in self._over:
            return Result(layout.inputs.index(self._over[slot]))
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
                return Result(source)
        return Result(source, (x.shape, x.dtype, offset, x.strides))

    def _operand(self, x: Any) -> Result:
        """Which input an operand is, or is a view of."""
        at = self._input_of(x.ctypes.data)
        if at is None:
            raise CannotBlock
        number, offset = at
        return Result(number, (x.shape, x.dtype, offset, x.strides))

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
            place = self._input_of(address)
            if place is None:
                raise CannotBlock
            return place
        if id(root) in self._own:
            return self._own[id(root)], address - root.start
        return self._arena, self._offsets[id(root)] + address - root.start


def _pieces(steps: Sequence[NativeStep], seconds: Sequence[float]) -> list[list[NativeStep]]:
    """The steps in pieces, by the seconds of each."""
    pieces: list[list[NativeStep]] = []
    total = 0.0
    for step, taken in zip(steps, seconds, strict=True):
        if not pieces or total + taken > PIECE:
            pieces.append([])
            total = 0.0
        pieces[-1].append(step)
        total += taken
    return pieces


def is_same(one: Any, other: Any) -> bool:
    """Whether two arrays have the same bits."""
    return bool(one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes())
