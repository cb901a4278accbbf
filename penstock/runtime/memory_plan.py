"""How much memory does a plan need, and which part of one block is each buffer?

When the sizes of a run's feeds are known, so are those of most slots: static shapes are ints, names and expressions in
them. From sizes and live ranges (views keep what they look into alive) follows the peak, before anything runs, and an
offset in one block, the arena, for every buffer whose step can write into given memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..graph.dimension import Dimension, Symbol
from ..graph.opdef import OPS
from .arena import Layout, Live, lay_out
from .plan import Plan, Slot, Step

SMALLEST = 1 << 12
"""Bytes below which a buffer is not worth a place in the arena: `np.empty` costs less than a view of it."""

Sizes = Mapping[Symbol, int]


@dataclass(frozen=True, slots=True)
class Buffer:
    """The memory of one slot: its bytes (None where only the run knows), and the steps from which to which it is alive.

    root: the slot whose memory it is, another one for a view.
    """

    slot: Slot
    size: int | None
    first: int
    last: int
    root: Slot


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Buffers in order of their slots, the arena, and the most bytes of known size alive at one step (at
    `peak_step`)."""

    buffers: tuple[Buffer, ...]
    arena: Layout
    peak: int
    peak_step: int

    @property
    def is_exact(self) -> bool:
        """True if every size is known."""
        return all(b.size is not None for b in self.buffers)

    def __str__(self) -> str:
        when = f"at step {self.peak_step}" if self.peak_step >= 0 else "before the first step"
        lines = [f"peak {'' if self.is_exact else 'at least '}{self.peak} bytes, {when}; "
                 f"arena {self.arena.total} bytes (the least possible is {self.arena.minimum})"]  # fmt: skip
        for b in self.buffers:
            where = "a view of " + str(b.root) if b.root != b.slot else ""
            if b.slot in self.arena.offsets:
                where = f"arena at {self.arena.offsets[b.slot]}"
                if b.slot in self.arena.in_place:
                    where += f", in place of t{self.arena.in_place[b.slot]}"
            size = "? bytes" if b.size is None else f"{b.size} bytes"
            lines.append(f"{b.slot}: {size}, steps {b.first}-{b.last}" + (f", {where}" if where else ""))
        return "\n".join(lines)


def plan_memory(plan: Plan, sizes: Sizes, takes_memory: Callable[[Step], bool]) -> MemoryPlan:
    """The memory plan of a run whose symbols have these sizes; `takes_memory`: can the step write into given memory?"""
    end = len(plan.steps)
    root = _roots(plan)
    first: dict[Slot, int] = {slot: -1 for _, slot in plan.feeds} | {slot: -1 for slot, _, _ in plan.constants}
    last = dict(first)
    for i, step in enumerate(plan.steps):
        for slot in step.outputs:
            first[slot] = i
            last[root.get(slot, slot)] = max(last.get(root.get(slot, slot), i), i)
        for slot in step.inputs:
            last[root.get(slot, slot)] = i
    for slot in plan.fetches:
        last[root.get(slot, slot)] = end
    for slot, _, _ in plan.constants:
        last[slot] = end  # the plan keeps its constants
    buffers = tuple(
        Buffer(slot, _bytes(plan, slot, sizes), at, last.get(slot, at), root.get(slot, slot))
        for slot, at in sorted(first.items())
    )
    arena = lay_out(_places(plan, buffers, takes_memory))
    peak, step_number = _peak(buffers)
    return MemoryPlan(buffers, arena, peak, step_number)


def sizes_of_feeds(plan: Plan, shapes: tuple[tuple[int, ...], ...]) -> dict[Symbol, int]:
    """The size of every symbol that a fed tensor's static shape shows plainly."""
    found: dict[Symbol, int] = {}
    for (_, slot), shape in zip(plan.feeds, shapes, strict=True):
        for dim, size in zip(plan.slots[slot].shape or (), shape, strict=False):
            if isinstance(dim, Dimension) and len(dim.terms) == 1 and dim.const == 0 and dim.terms[0][1] == 1:
                found[dim.terms[0][0]] = size
    return found


def _roots(plan: Plan) -> dict[Slot, Slot]:
    """For slots that may look into the memory of another one: that one, the oldest where there are several."""
    root: dict[Slot, Slot] = {}
    for step in plan.steps:
        opdef = OPS.get(step.op)
        if step.donor is not None:
            root[step.outputs[0]] = root.get(step.donor, step.donor)
        elif opdef is not None and opdef.view:
            viewed = _viewed(step)
            for slot in step.outputs:
                root[slot] = root.get(viewed, viewed)
    return root


def _viewed(step: Step) -> Slot:
    """The operand whose memory a view may look into: the one that is not read on the host."""
    for position, _, operand in OPS[step.op].operands:
        arg = step.args[position]
        if not operand.host and isinstance(arg, Slot):
            return arg
    return step.inputs[0]


def _donors(plan: Plan, step: Step) -> tuple[int, ...]:
    """The operands an elementwise step may write over, element by element, if nobody reads them afterwards.

    They must have its shape and the size of its elements: NumPy copies operands that overlap in any other way.
    """
    opdef = OPS.get(step.op)
    if opdef is None or not opdef.elementwise or len(step.outputs) != 1:
        return ()
    made = plan.slots[step.outputs[0]]
    return tuple(
        int(slot)
        for slot in dict.fromkeys(step.inputs)
        if plan.slots[slot].shape == made.shape and plan.slots[slot].dtype.size == made.dtype.size
    )


def _bytes(plan: Plan, slot: Slot, sizes: Sizes) -> int | None:
    info = plan.slots[slot]
    if info.shape is None:
        return None
    total = info.dtype.size
    for dim in info.shape:
        known = dim if isinstance(dim, int) else dim.at(sizes)
        if known is None:
            return None
        total *= known
    return total


def may_be_placed(plan: Plan, step: Step) -> bool:
    """Whether a result of `step` may be large enough for a place in the arena, as far as static shapes tell."""
    for slot in step.outputs:
        info = plan.slots[slot]
        if info.shape is None or any(not isinstance(dim, int) for dim in info.shape):
            return True
        if (_bytes(plan, slot, {}) or 0) >= SMALLEST:
            return True
    return False


def _places(plan: Plan, buffers: tuple[Buffer, ...], takes_memory: Callable[[Step], bool]) -> list[Live]:
    by_slot = {b.slot: b for b in buffers}
    kept = {by_slot[slot].root for slot in (*plan.fetches, *(s for s, _, _ in plan.pinned))}
    lives: list[Live] = []
    for step in plan.steps:
        if step.device != "cpu" or len(step.outputs) != 1 or not takes_memory(step):
            continue
        for slot in step.outputs:
            b = by_slot[slot]
            if b.size is not None and b.size >= SMALLEST and b.root == slot and slot not in kept:
                lives.append(Live(int(slot), b.size, b.first, b.last, _donors(plan, step)))
    return lives


def _peak(buffers: tuple[Buffer, ...]) -> tuple[int, int]:
    change: dict[int, int] = {}
    for b in buffers:
        if b.size is not None and b.root == b.slot:
            change[b.first] = change.get(b.first, 0) + b.size
            change[b.last + 1] = change.get(b.last + 1, 0) - b.size
    highest = alive = at = 0
    for i in sorted(change):
        alive += change[i]
        if alive > highest:
            highest, at = alive, i
    return highest, at
