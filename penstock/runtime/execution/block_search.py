"""Which steps of a program become native blocks, and when: see `native_blocks`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod
from operator import itemgetter
from time import perf_counter
from typing import Any, Final, NamedTuple

from ..base.fp_context import collector_paused
from ..ir.fused_ir import fused
from ..llvm import tier
from ..llvm.block_driver import DENSE, BlockDriver, CannotWrite, block_driver
from ..llvm.jit_settings import SETTINGS
from ..llvm.promotion import Deliveries
from ..planning.plan import Plan, Slot, Step
from .bind import BoundStep
from .block_memory import BEFORE, FIXED, BlockMemory, CannotBlock
from .block_program import BlockWriter, NativeStep
from .index_origins import IndexOrigins
from .joined.summed_products import summed_products, update_of
from .native_blocks import FEWEST, NativeBlock, StepsApart, bound_block
from .native_steps import native_calls, updated_product
from .step_loop import JoinedSteps

PATIENCE: Final = 40
"""The runs after which blocks are looked for: writing them takes as long as so many runs save."""
AT_ONCE: Final = (2, 8)
"""The runs after which they are looked for where everything is compiled at its first use."""
_LOOKS: Final = 1 << 20
"""The runs after which they are looked for no more."""
_NEVER: Final = 1 << 62
"""More runs than there will be."""
_CALL: Final = 6e-6
"""Seconds that a step takes beside its work, in calls of Python and between blocks."""
_MORE: Final = 1.25
"""So many times as many runs as at the last look are there before the next, if code has come meanwhile."""
_PAUSE: Final = 10
"""And so many times the time that this look took has passed: looks for the sake of code take at most a tenth of all."""
MOST_BYTES: Final = 1 << 28
"""The most bytes of all values of a run together: one run keeps them all."""
_MISSES: Final = 16
"""Runs in which the steps of a block ran one by one, after which there are none any more, if they were a quarter."""


class BlockSearch:
    """The blocks of a program, made when it has run for a while and its code is compiled.

    Attributes:
        found: the steps with blocks among them; None if there are none, or none yet.
    """

    __slots__ = (
        "_apart", "_bound", "_calls", "_delivered", "_due", "_ended", "_looked", "_misses", "_native", "_plan",
        "_runs", "_spent", "_took", "found",
    )  # fmt: skip

    def __init__(self, plan: Plan, bound: Sequence[BoundStep], apart: Collection[int] = ()) -> None:
        self._plan = plan
        self._calls = sum([len(step.args[1].instructions) if step.op == fused.type else 1 for step in plan.steps])
        self._bound = bound
        self._apart = apart
        self._runs = self._misses = 0
        self._native = 0  # what the blocks are worth
        self._due = PATIENCE
        self._looked = 0  # runs at the last look
        self._delivered = -1  # pieces of code at the last look, if it found that more may be native later
        self._ended = self._took = 0.0  # the end of the last look, and what it took
        self._spent = 0.0  # seconds of a step since the last look
        self.found: JoinedSteps | None = None

    def is_due(self) -> bool:
        """Whether this run is to be recorded."""
        self._runs += 1
        if self._runs < self._due and not self._has_news() and (self._runs > AT_ONCE[-1] or not self._is_at_once()):
            if 2 * self._runs == PATIENCE:  # so that the driver is there when blocks are looked for
                self._driver()
            return False
        self._due = 2 * self._runs if self._runs < _LOOKS else _NEVER
        self._delivered = Deliveries.count
        if self._driver() is None:
            self._due = self._runs + PATIENCE // 8
            return False
        return True

    def _driver(self) -> BlockDriver | None:
        """The driver, if it is there after what has been spent since the last look."""
        self._spent = _CALL * (self._runs - self._looked)
        self._looked = self._runs
        return block_driver(self._spent * self._calls)

    def _has_news(self) -> bool:
        """Whether code has come since the last look, after which more may be native, and no more is on its way."""
        if not 0 <= self._delivered != Deliveries.count or self._runs < _MORE * self._looked or not tier.is_idle():
            return False
        return perf_counter() - self._ended >= _PAUSE * self._took

    def _is_at_once(self) -> bool:
        return SETTINGS.mode == "now" and self._runs in AT_ONCE and self._due < _NEVER

    def record(self, slots: Sequence[Any], steps: Sequence[BoundStep], first: Sequence[int]) -> None:
        """Look for blocks.

        Args:
            slots: the values of a run, all of them.
            steps: the steps that run where there are no blocks.
            first: for each the position of its first step in the plan.
        """
        driver = block_driver()
        if driver is None:
            return
        start = perf_counter()
        with collector_paused():
            memory = BlockMemory(driver, self._spent)
            look = _blocks(self._plan, self._bound, slots, memory, driver, self._native, self._apart)
        if not look.is_early:
            self._due, self._delivered = _NEVER, -1
        found = look.blocks
        if found:
            self._native = look.worth
            self.found = _blocked(self._plan, self._bound, found, steps, first)
        self._ended = perf_counter()
        self._took = self._ended - start

    def miss(self) -> None:
        """Note a run whose feeds a block does not serve."""
        self._misses += 1
        if self._misses >= _MISSES and 4 * self._misses > self._runs:
            self.found, self._due, self._delivered = None, _NEVER, -1


class _Look(NamedTuple):
    """What a look has found.

    Attributes:
        blocks: (start, stop, block) for each.
        worth: what they are worth.
        is_early: whether that may be more later.
    """

    blocks: list[tuple[int, int, NativeBlock]]
    worth: int
    is_early: bool


def block_search(plan: Plan, bound: Sequence[BoundStep], apart: Collection[int] = ()) -> BlockSearch | None:
    """The search for the blocks of a plan; None where there can be none.

    apart: the positions of steps that no block may contain.
    """
    return BlockSearch(plan, bound, apart) if _may_have_blocks(plan) else None


def keeping(bound: BoundStep, step: Step) -> BoundStep:
    """The step as one that neither frees nor overwrites an operand."""
    if step.donor is None:
        return bound._replace(frees=())
    at, call = step.inputs.index(step.donor), bound.call

    def on_a_copy(*arrays: Any) -> Any:
        return call(*arrays[:at], arrays[at].copy(), *arrays[at + 1 :])

    return bound._replace(frees=(), call=on_a_copy)


def _may_have_blocks(plan: Plan) -> bool:
    """Whether blocks are worth looking for: not on a device, or where values are very large."""
    if len(plan.steps) < FEWEST or any(step.device != "cpu" for step in plan.steps):
        return False
    total = 0
    for info in plan.slots:
        sizes = [d for d in info.shape or () if isinstance(d, int)]
        if info.shape is not None and len(sizes) == len(info.shape):
            total += prod(sizes) * info.dtype.size
    return total <= MOST_BYTES


def _blocks(
    plan: Plan,
    bound: Sequence[BoundStep],
    slots: Sequence[Any],
    memory: BlockMemory,
    driver: BlockDriver,
    known: int,
    apart: Collection[int],
) -> _Look:
    """The blocks, none if they are not worth more than is known."""
    try:
        for slot, array, _ in plan.constants:
            if hasattr(array, "ctypes"):
                memory.add(slots[slot], FIXED)
        for _, slot in plan.feeds:
            memory.add(slots[slot], BEFORE)
        for i, step in enumerate(plan.steps):
            for slot in step.outputs:
                if getattr(slots[slot], "size", 0) and slots[slot].dtype.kind in "biufc":
                    memory.add(slots[slot], i)
    except (CannotBlock, AttributeError):
        return _Look([], 0, True)  # as where one feed is a part of another one, in this run
    memory.origins = IndexOrigins(plan, slots)
    blocks: list[tuple[int, int, NativeBlock]] = []
    segments, is_early = _segments(plan, bound, slots, memory, apart)
    if _worth(segments) <= known:
        return _Look(blocks, 0, is_early)
    worth = 0
    while segments:
        segment = segments.pop()
        try:
            writer = BlockWriter(plan, bound, slots, memory, driver, segment)
            block = writer.block()
        except (CannotBlock, CannotWrite, StepsApart):
            # As where it reads an array and a view of it that steps before it have made, or where an op takes values
            # that the test of a block refuses, such as ids that it leaves out.
            half = len(segment) // 2
            if half:
                segments += [each for each in (segment[:half], segment[half:]) if _is_worth_it(each)]
            continue
        if block is not None:
            blocks.append((writer.start, writer.stop, block))
            worth += _worth([segment])
    return _Look(sorted(blocks, key=itemgetter(0)), worth, is_early)


def _segments(
    plan: Plan, bound: Sequence[BoundStep], slots: Sequence[Any], memory: BlockMemory, apart: Collection[int]
) -> tuple[list[list[NativeStep]], bool]:
    """Consecutive native steps, and whether code may serve more or better later."""
    products = {i for i in summed_products(plan) if i + 1 not in apart}
    written = {slot for step in plan.steps for slot in step.over if slot is not None}
    segments: list[list[NativeStep]] = [[]]
    is_early = False
    at = 0
    while at < len(plan.steps):
        begin = segments[-1][0].start if segments[-1] else at
        native_step = None
        if at not in apart:
            native_step = _native_step(plan, bound, slots, memory, at, begin, at in products, written)
            is_early |= memory.is_early
        if native_step is None and memory.divides and segments[-1] and at not in apart:
            memory.turned.clear()
            segments.append([])  # it can be the first step of another block
            continue
        if native_step is None:
            memory.turned.clear()  # a transpose of this segment is not there in the next one
            segments.append([])
            at += 1
            continue
        segments[-1].append(native_step)
        at = native_step.stop
    return [each for each in segments if _is_worth_it(each)], is_early


def _worth(segments: Sequence[Sequence[NativeStep]]) -> int:
    """What native steps save: twice as much for each that will stay as it is."""
    return sum([2 * (step.stop - step.start) - step.is_interim for segment in segments for step in segment])


def _is_worth_it(segment: Sequence[NativeStep]) -> bool:
    """Whether a block of these steps saves time."""
    return sum([len(step.calls) for step in segment]) >= FEWEST


def _native_step(
    plan: Plan,
    bound: Sequence[BoundStep],
    slots: Sequence[Any],
    memory: BlockMemory,
    at: int,
    begin: int,
    is_product: bool,
    written: set[Slot],
) -> NativeStep | None:
    """The step at a position, with the one behind it if they are one call. begin: where its block begins."""
    memory.position, memory.begin = at, begin
    step = plan.steps[at]
    turned = memory.turned
    stops = (at + 2, at + 1) if is_product else (at + 1,)
    for stop in stops:
        memory.seconds, memory.is_early, memory.uses_blas, memory.required = 0.0, False, False, []
        memory.divides = False
        steps = plan.steps[at:stop]
        if not all(_is_reachable(slots[slot], memory, begin) for each in steps for slot in each.inputs):
            continue
        if steps[-1].over:
            memory.turned = {}  # it is computed at the end of the run
        try:
            if stop == at + 2:
                update = update_of(plan, step, steps[1])
                if update is not None and not written.isdisjoint(step.inputs):
                    continue  # at the end of the run the operand may have been written over
                calls = updated_product(plan, at, slots, memory)
            else:
                calls = native_calls(plan, step, bound[at], slots, memory)
        except CannotBlock:
            calls = None
        finally:
            memory.turned = turned
        if calls is not None:
            return NativeStep(at, stop, calls, bool(steps[-1].over), memory.seconds, memory.uses_blas, memory.required,
                              memory.is_early)  # fmt: skip
    return None


def _is_reachable(x: Any, memory: BlockMemory, begin: int) -> bool:
    """Whether a block that begins there can read an operand: it is contiguous, or made within it."""
    if getattr(x, "dtype", None) is None or not hasattr(x, "ctypes"):
        return False
    if x.flags.num & DENSE == DENSE:
        return True
    try:
        return memory.root(x.ctypes.data).made >= begin
    except CannotBlock:
        return False


def _blocked(
    plan: Plan,
    bound: Sequence[BoundStep],
    blocks: Sequence[tuple[int, int, NativeBlock]],
    others: Sequence[BoundStep],
    first: Sequence[int],
) -> JoinedSteps:
    """The steps with blocks among them; between them those that run without, where they fit."""
    steps: list[BoundStep] = []
    places: list[int] = []

    def add_others(start: int, stop: int) -> None:
        inside = [(place, each) for place, each in zip(first, others, strict=True) if start <= place < stop]
        ends = [*[place for place, _ in inside[1:]], stop][: len(inside)]
        at = start
        for (place, each), end in zip(inside, ends, strict=True):
            whole = place == at and (end < stop or stop == len(bound) or stop in first)
            chosen = [each] if whole else list(bound[at:end])
            steps.extend(chosen)
            places.extend([place] if whole else range(at, end))
            at = end
        steps.extend(bound[at:stop])
        places.extend(range(at, stop))

    at = 0
    for start, stop, block in blocks:
        add_others(at, start)
        steps.append(bound_block(plan, block, bound, start, stop))
        places.append(start)
        at = stop
    add_others(at, len(bound))
    return JoinedSteps(steps, places)
