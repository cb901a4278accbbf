"""Chains: consecutive steps on a few numbers each become one call of the native driver.

A step of training of a small model is some steps of a plan on four or ten numbers, each of which takes two
microseconds to call and some nanoseconds to compute. Steps whose values have at most 64 elements, of shapes that are
known, and whose instructions are plain inner loops of NumPy, share a frame: memory for all their values. A run copies
the inputs into it, makes one call, and copies out what other steps or the caller read.

The first run of a chain compares its results with those of its steps, on numbers of its own; a chain that differs in a
bit is not used. The plan stays as it is: records, traces and errors know the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np

from ...graph.declare.op_declaration import OPS
from ..base.fp_context import collector_paused
from ..compiled.tiny_groups import FrameRunner
from ..ir.fused_ir import fused
from ..llvm.jit_settings import SETTINGS
from ..llvm.native_driver import Driver, driver
from ..numpy.reused_buffers import Frame
from ..planning.plan import Plan, Slot, Step
from .bind import BoundStep, joined_step, only_call
from .chain_memory import CannotChain, ChainMemory, moved_operand
from .joined.biased_convolutions import biased_convolutions, joined_convolution
from .joined.joint_calls import JointSteps
from .joined.masked_pool_gradients import joined_pool_gradient, masked_pool_gradients
from .joined.summed_products import joined, summed_products
from .step_loop import JoinedSteps, step_by_step

Joiner: TypeAlias = Callable[[Plan, BoundStep, BoundStep, int], BoundStep]
"""(plan, two bound steps, the position of the first one) -> both as one."""

MOST: Final = 64
"""The most elements of a value."""
_FEWEST: Final = 2
"""The fewest steps of a chain; one fused group is enough."""
_PATIENCE: Final = 20
"""The runs after which chains are made: that takes about as long as so many runs of a chain save."""
_CALL: Final = 2e-6
"""Seconds that the call of a step takes."""


class Chains:
    """The chains of a program, made when it has run a few times and the native driver is there."""

    __slots__ = ("_bound", "_is_open", "_joint", "_made", "_parts", "_plan", "_runs")

    def __init__(self, plan: Plan, bound: Sequence[BoundStep], joint: JointSteps | None = None) -> None:
        self._plan = plan
        self._bound = bound
        self._joint = joint
        self._parts = candidates(plan)
        self._is_open = len(plan.steps) > 1  # whether something may come of it
        if joint is not None:
            self._parts = [part for part in self._parts if joint.inside.isdisjoint(range(*part))]
        self._made: JoinedSteps | None = None
        self._runs = 0

    @property
    def is_possible(self) -> bool:
        """Whether there may be chains."""
        return self._is_open or bool(self._parts)

    @property
    def current(self) -> JoinedSteps | None:
        """What `now` gave last. This is no run."""
        return None if SETTINGS.why_off else self._made

    def now(self) -> JoinedSteps | None:
        """The steps with chains in them; None if there are none, or none yet."""
        if self._made is not None:
            return self.current
        if not self._parts and not self._is_open:
            return None
        self._runs += 1
        if self._runs < _PATIENCE and SETTINGS.mode != "now":
            return None
        found = driver(_CALL * sum([stop - start for start, stop in self._parts])) if self._parts else None
        if found is None and self._parts:
            return None
        parts, self._parts, self._is_open = self._parts, [], False  # whatever comes of it, it is tried once
        pairs, joint = pairs_of(self._plan), self._joint
        if joint is not None:
            pairs = {i: join for i, join in pairs.items() if joint.inside.isdisjoint((i, i + 1))}
        if parts or pairs:
            with collector_paused():
                self._made = chained(self._plan, self._bound, parts, pairs, found, joint)
        return self._made


def pairs_of(plan: Plan) -> dict[int, Joiner]:
    """The positions of steps that are one call with the next one, and what makes that."""
    return {
        **dict.fromkeys(summed_products(plan), joined),
        **dict.fromkeys(biased_convolutions(plan), joined_convolution),
        **dict.fromkeys(masked_pool_gradients(plan), joined_pool_gradient),
    }


def chains_of(plan: Plan, bound: Sequence[BoundStep], joint: JointSteps | None = None) -> Chains | None:
    """The chains of a program; None if there can be none. joint: its joint steps, which stay as they are."""
    made = Chains(plan, bound, joint)
    return made if made.is_possible else None


def candidates(plan: Plan) -> list[tuple[int, int]]:
    """(start, stop) of the parts of a plan that may be chains."""
    found: list[tuple[int, int]] = []
    start = None
    for i, step in enumerate([*plan.steps, None]):
        if step is not None and _may_join(plan, step):
            start = i if start is None else start
        elif start is not None:
            if i - start >= _FEWEST or plan.steps[start].op == fused.type:
                found.append((start, i))
            start = None
    return found


def chained(
    plan: Plan,
    bound: Sequence[BoundStep],
    parts: Sequence[tuple[int, int]],
    pairs: Mapping[int, Joiner],
    loops: Driver | None,
    joint: JointSteps | None = None,
) -> JoinedSteps | None:
    """The steps with chains in them, and with pairs of steps that are one call; None if there are none."""
    steps: list[BoundStep] = []
    first: list[int] = []
    at = 0

    def add_others(start: int, stop: int) -> None:
        some = None if joint is None else joint.between(bound, start, stop)
        steps.extend(bound[start:stop] if some is None else some)
        first.extend(range(start, stop) if some is None else some.first)

    for start, stop in sorted([*parts, *[(i, 0) for i in pairs]]):
        if start < at:
            continue  # a sum that is the begin of a chain
        if not stop:
            made: BoundStep | None = pairs[start](plan, bound[start], bound[start + 1], start)
        else:
            made = None if loops is None else _chain(plan, bound, loops, start, stop)
        stop = stop or start + 2
        if made is not None:
            add_others(at, start)
            steps.append(made)
            first.append(start)
            at = stop
    if not at:
        return None
    add_others(at, len(bound))
    feeds, fetches = tuple([int(slot) for _, slot in plan.feeds]), tuple(map(int, plan.fetches))
    is_chain = isinstance(getattr(steps[0].call, "__self__", steps[0].call), TinyChain)
    return JoinedSteps(steps, first, only_call(steps, feeds, fetches, {}) if is_chain else None)


def _may_join(plan: Plan, step: Step) -> bool:
    """Whether a step computes a few numbers from a few numbers."""
    if step.device != "cpu" or step.kernel is not None or step.donor is not None or step.over:
        return False
    if not all(_is_tiny(plan, slot) for slot in (*step.inputs, *step.outputs)):
        return False
    if step.op == fused.type:
        return True
    opdef = OPS.get(step.op)
    if opdef is not None and opdef.facts.moves and _size(plan, step.outputs[0]) == 1:
        moved = moved_operand(step)
        known = {slot for slot, _, _ in plan.constants}  # an index that is not may be out of range
        return moved is not None and _size(plan, moved) == 1 and known.issuperset({*step.inputs} - {moved})
    return opdef is not None and opdef.facts.elementwise and opdef.facts.ufunc is not None and opdef.is_plain


def _is_tiny(plan: Plan, slot: Slot) -> bool:
    dtype = plan.slots[slot].dtype.np
    return dtype.kind in "biufc" and bool(dtype.isnative) and 0 < (_size(plan, slot) or 0) <= MOST


def _size(plan: Plan, slot: Slot) -> int | None:
    """The number of elements, if it is known without a run."""
    shape = plan.slots[slot].shape
    sizes = [d for d in shape or () if isinstance(d, int)]
    return None if shape is None or len(sizes) < len(shape) else prod(sizes)


def _chain(plan: Plan, bound: Sequence[BoundStep], loops: Driver, start: int, stop: int) -> BoundStep | None:
    """The steps from `start` to `stop` as one; None if they cannot be."""
    steps = plan.steps[start:stop]
    made = {slot for step in steps for slot in step.outputs}
    read = {slot for i, step in enumerate(plan.steps) if not start <= i < stop for slot in step.inputs}
    kept = {*plan.fetches, *[slot for slot, _, _ in plan.pinned], *read}
    outputs = tuple([slot for step in steps for slot in step.outputs if slot in kept])
    if set(outputs) == set(plan.fetches) and len(outputs) == len(plan.fetches):
        outputs = plan.fetches  # they may be the whole run
    constants = {slot: array for slot, array, _ in plan.constants}
    inputs = tuple(dict.fromkeys([s for step in steps for s in step.inputs if s not in made and s not in constants]))
    if not outputs:
        return None
    chain = TinyChain(plan, steps, bound[start:stop], inputs, outputs, constants, loops)
    if not chain.works():
        return None
    if len(outputs) > 1:
        return joined_step(chain, inputs, outputs, bound[start:stop])
    return joined_step(chain.only, inputs, int(outputs[0]), bound[start:stop])


class TinyChain(FrameRunner):
    """Consecutive steps as one call. Thread-safe.

    Args:
        plan: the plan.
        steps: its steps.
        bound: the same, ready to run.
        inputs: the slots that they read from outside.
        outputs: the slots that are read outside.
        constants: the arrays of constant slots.
        loops: the native driver.
    """

    def __init__(
        self,
        plan: Plan,
        steps: Sequence[Step],
        bound: Sequence[BoundStep],
        inputs: Sequence[Slot],
        outputs: Sequence[Slot],
        constants: dict[Slot, Any],
        loops: Driver,
    ) -> None:
        super().__init__()
        self._plan = plan
        self._steps = steps
        self._bound = bound
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self._constants = constants
        self._loops = loops

    def works(self) -> bool:
        """Whether the steps can be chained, and the chain gives their bits."""
        try:
            frame = self._frame(())
        except CannotChain:
            return False
        for seed in (1, 2):
            random = np.random.default_rng(seed)
            given = [_numbers(random, own) for own in frame.inputs]
            if not given:
                return False
            with np.errstate(all="ignore"):  # NaN is an ordinary result; this is no run yet
                alone = self._in_parts(given)
                together = self(*given)
            if any(a.tobytes() != b.tobytes() or a.shape != b.shape for a, b in zip(alone, together, strict=True)):
                return False
        return True

    def _in_parts(self, inputs: Sequence[Any], *places: Any) -> list[Any]:
        return step_by_step(self._bound, self._constants, self.inputs, self.outputs, inputs)

    # ---- frames -----------------------------------------------------------------------------

    def _frame(self, inputs: Sequence[Any]) -> Frame:
        """A frame.

        Raises:
            CannotChain: an instruction is no plain loop.
        """
        layout = ChainMemory()
        infos = self._plan.slots
        for step in self._steps:
            for slot in (*step.inputs, *step.outputs):
                if slot not in layout.slots:
                    shape = tuple([d for d in infos[slot].shape or () if isinstance(d, int)])
                    layout.slots[slot] = layout.new(infos[slot].dtype.np, shape)
        calls = [call for step in self._steps for call in layout.calls(step)]
        for slot, array in self._constants.items():
            if slot in layout.slots:
                layout.slots[slot][...] = array
        run = self._loops.bind(calls)
        views = [layout.slots[slot] for slot in self.inputs], [layout.slots[slot] for slot in self.outputs]
        return Frame(views[0], [(run.call, ())], views[1], True, len(calls), (run, *layout.kept), run.call)


def _numbers(random: np.random.Generator, like: Any) -> Any:
    """Numbers for a comparison, zeros of both signs among them."""
    made: Any = random.standard_normal(like.shape) * 3
    made = np.where(random.random(like.shape) < 0.2, -0.0, made)
    return np.asarray(np.abs(made) + 1 if like.dtype.kind in "bu" else made).astype(like.dtype)
