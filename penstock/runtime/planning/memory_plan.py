"""The memory plan of a run: its peak of live bytes, and an offset in the arena for each buffer.

Static shapes are ints, names and expressions in them, so the sizes of the feeds determine the sizes of most slots.
Sizes and live ranges (a view keeps its base live) give the peak before anything runs. They also give an offset in one
block, the arena, for every buffer whose step can write into given memory.

Live ranges do not depend on sizes, so `LiveRanges` computes them once for a plan. A new batch size then costs
only the
sizes: 20 us for 27 buffers instead of 200.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from math import gcd
from typing import Any, NamedTuple

from ...graph.common.hooks import hooks
from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.op_declaration import OPS
from ...graph.inspect.text_table import folded
from ...graph.shapes.dimension import Symbol, read_sizes
from .aliasing import Aliases, aliases_of, ends_of_joints
from .offset_allocator import ALIGNMENT, FEW, ArenaLayout, LiveBuffer, lay_out
from .plan import Plan, Slot, Step
from .slot_names import names_of_slots

SMALLEST = 1 << 12
"""The fewest bytes of a buffer in the arena; for a smaller one `np.empty` costs less than a view."""

KEPT = 16
"""The most layouts, of different proportions, that are cached."""

Sizes = Mapping[Symbol, int]


class Buffer(NamedTuple):
    """The memory of one slot.

    Attributes:
        slot: the slot.
        size: its bytes; None if they depend on values.
        first: the first step at which it is live.
        last: the last step at which it is live.
        root: the slot in whose memory it lies; another slot for a view.
    """

    slot: Slot
    size: int | None
    first: int
    last: int
    root: Slot


@dataclass(frozen=True, slots=True, repr=False)
class MemoryPlan:
    """The buffers of a run and their places.

    Attributes:
        buffers: the buffers, in the order of their slots.
        arena: the layout of the arena.
        peak: the most live bytes of known size at one step.
        peak_step: that step.
        steps: the number of steps; a buffer whose last step is this one is live until the end of the run.
        names: what the slots hold, in the names of the graph.
        bodies: the nodes with graphs inside, whose own values are not in it.
    """

    buffers: tuple[Buffer, ...]
    arena: ArenaLayout
    peak: int
    peak_step: int
    steps: int
    names: Mapping[Slot, str] = field(default_factory=dict)
    bodies: tuple[str, ...] = ()

    @property
    def is_exact(self) -> bool:
        """True if every size is known, and no node has graphs inside."""
        return not self.bodies and all(b.size is not None for b in self.buffers)

    def __str__(self) -> str:
        # Texts count steps from 1, as pictures and pages do.
        when = f"at step {self.peak_step + 1}" if self.peak_step >= 0 else "before the first step"
        lines = [f"peak {'' if self.is_exact else 'at least '}{self.peak} bytes, {when}; "
                 f"arena {self.arena.total} bytes (the least possible is {self.arena.minimum})"]  # fmt: skip
        for b in self.buffers:
            where = "a view of " + str(b.root) if b.root != b.slot else ""
            if b.slot in self.arena.offsets:
                where = f"arena at {self.arena.offsets[b.slot]}"
                if b.slot in self.arena.in_place:
                    where += f", in place of t{self.arena.in_place[b.slot]}"
            size = "? bytes" if b.size is None else f"{b.size} bytes"
            name = f"{b.slot} {self.names.get(b.slot, '')}".rstrip()
            lines.append(f"{name}: {size}, {self._live_range(b)}" + (f", {where}" if where else ""))
        lines += [f"{node}: what its graphs keep while they run is not in the peak" for node in self.bodies]
        return "\n".join(folded(lines))

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")

    def _live_range(self, buffer: Buffer) -> str:
        """The steps in which a buffer is live, in words."""
        first, last = buffer.first, buffer.last
        if first == last:
            return f"in step {first + 1}" if first >= 0 else "not read"
        start = f"from step {first + 1}" if first >= 0 else "from the start"
        return f"{start} to {'the end' if last >= self.steps else f'step {last + 1}'}"


def plan_memory(plan: Plan, sizes: Sizes, takes_memory: Callable[[Step], bool]) -> MemoryPlan:
    """The memory plan of a run whose symbols have these sizes; `takes_memory`: the step can write into given memory."""
    return LiveRanges(plan, takes_memory).at(sizes)


class LiveRanges:
    """The part of a plan's memory plan that does not depend on sizes."""

    def __init__(self, plan: Plan, takes_memory: Callable[[Step], bool]) -> None:
        aliases = aliases_of(plan)
        self._steps = len(plan.steps)
        self._names = names_of_slots(plan)
        constants = dict.fromkeys([slot for slot, _, _ in plan.constants], len(plan.steps))  # the plan keeps them
        last = aliases.last | constants
        self._rows = [
            (slot, first, last[slot], aliases.roots(slot)[0])
            if len(aliases.roots(slot)) == 1
            else (slot, first, _last_use(plan, slot, first), slot)  # it may lie in either: counted as if in neither
            for slot, first in sorted(aliases.made.items())
        ]
        self._bodies = tuple([step.node for step in plan.steps if any(isinstance(arg, Plan) for arg in step.args)])
        # Many slots share a shape; each shape is evaluated once.
        numbers: dict[Any, int] = {}
        infos = [plan.slots[slot] for slot, *_ in self._rows]
        self._sized = [(numbers.setdefault(info.shape, len(numbers)), info.dtype.size) for info in infos]
        self._shapes = list(numbers)
        self._events = _events(self._rows)
        self._placed = _placed(plan, aliases, self._rows, takes_memory)
        self._layouts: OrderedDict[tuple[int, ...], ArenaLayout] = OrderedDict()

    def at(self, sizes: Sizes) -> MemoryPlan:
        """The memory plan of a run whose symbols have these sizes."""
        counts = [_elements(shape, sizes) for shape in self._shapes]
        known = [None if (count := counts[number]) is None else count * each for number, each in self._sized]
        buffers = tuple([Buffer(slot, size, first, last, root)
                         for (slot, first, last, root), size in zip(self._rows, known, strict=True)])  # fmt: skip
        peak, step_number = _peak(self._events, known)
        return MemoryPlan(buffers, self._arena(known), peak, step_number, self._steps, self._names, self._bodies)

    def _arena(self, known: list[int | None]) -> ArenaLayout:
        """The layout of the buffers that are large enough. Sizes of equal proportions share one layout, scaled."""
        lives: list[LiveBuffer] = []
        for i, live in self._placed:
            size = known[i]
            if size is not None and size >= SMALLEST:
                lives.append(live._replace(size=-(-size // ALIGNMENT) * ALIGNMENT))
        scale = gcd(*[live.size for live in lives]) if len(lives) <= FEW else ALIGNMENT
        if not lives or not scale:
            return lay_out(lives)
        key = tuple([part for live in lives for part in (live.slot, live.size // scale)])
        found = self._layouts.get(key)
        if found is None:
            unit = [live._replace(size=live.size // scale * ALIGNMENT) for live in lives]
            found = self._layouts[key] = lay_out(unit)
            if len(self._layouts) > KEPT:
                with suppress(KeyError):  # another thread took the last one
                    self._layouts.popitem(last=False)
        return found.scaled(scale // ALIGNMENT)


def sizes_of_feeds(plan: Plan, shapes: tuple[tuple[int, ...], ...]) -> dict[Symbol, int]:
    """The size of every symbol that is by itself a dimension of a fed tensor."""
    found: dict[Symbol, int] = {}
    for (_, slot), shape in zip(plan.feeds, shapes, strict=False):  # those of variables may be left out
        read_sizes(plan.slots[slot].shape, shape, found)
    return found


def donors_in_arena(plan: Plan, aliases: Aliases, step: Step, position: int) -> tuple[int, ...]:
    """The operands that an elementwise step may overwrite, element by element, if both lie in the arena.

    They must have the shape and the item size of the result: NumPy copies operands that overlap in any other way.
    """
    opdef = OPS.get(step.op)
    if opdef is None or not opdef.facts.elementwise or len(step.outputs) != 1:
        return ()
    made = plan.slots[step.outputs[0]]
    return tuple(
        int(slot)
        for slot in dict.fromkeys(step.inputs)
        if plan.slots[slot].shape == made.shape
        and plan.slots[slot].dtype.size == made.dtype.size
        and aliases.may_overwrite(step, position, slot)
    )


def _elements(shape: Any, sizes: Sizes) -> int | None:
    if shape is None:
        return None
    total = 1
    for dim in shape:
        known = dim if isinstance(dim, int) else dim.at(sizes)
        if known is None:
            return None
        total *= known
    return total


def may_be_placed(plan: Plan, step: Step) -> bool:
    """True if a result of `step` may be large enough for the arena, as far as static shapes tell."""
    for slot in step.outputs:
        info = plan.slots[slot]
        if info.shape is None or any(not isinstance(dim, int) for dim in info.shape):
            return True
        if (_elements(info.shape, {}) or 0) * info.dtype.size >= SMALLEST:
            return True
    return False


def _last_use(plan: Plan, slot: Slot, made: int) -> int:
    if slot in plan.fetches:
        return len(plan.steps)
    return max([made, *[i for i, step in enumerate(plan.steps) if slot in step.inputs]])


_Row = tuple[Slot, int, int, Slot]
"""A slot, the first and the last step at which it is live, and its root."""


def _placed(
    plan: Plan, aliases: Aliases, rows: list[_Row], takes_memory: Callable[[Step], bool]
) -> list[tuple[int, LiveBuffer]]:
    """(number of the row, its live range) for each buffer that may lie in the arena if it is large enough."""
    number = {slot: i for i, (slot, *_) in enumerate(rows)}
    found: list[tuple[int, LiveBuffer]] = []
    ends = ends_of_joints(plan.steps)
    joint = {*ends, *ends.values()}  # what one call computes has memory of its own
    for i, step in enumerate(plan.steps):
        if step.device != "cpu" or len(step.outputs) != 1 or i in joint or not takes_memory(step):
            continue
        slot, first, last, _ = rows[number[step.outputs[0]]]
        if aliases.is_root(slot) and slot not in aliases.foreign and last < len(plan.steps):
            found.append((number[slot], LiveBuffer(int(slot), 0, first, last, donors_in_arena(plan, aliases, step, i))))
    return found


_Event = tuple[int, list[int], list[int]]
"""A step, the rows that become live at it, and the rows that are no longer live."""


def _events(rows: list[_Row]) -> list[_Event]:
    begins: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    for i, (slot, first, last, root) in enumerate(rows):
        if root == slot:
            begins.setdefault(first, []).append(i)
            ends.setdefault(last + 1, []).append(i)
    return [(at, begins.get(at, []), ends.get(at, [])) for at in sorted({*begins, *ends})]


def _peak(events: list[_Event], known: list[int | None]) -> tuple[int, int]:
    highest = alive = at = 0
    for step, begin, end in events:
        for i in begin:
            alive += known[i] or 0
        for i in end:
            alive -= known[i] or 0
        if alive > highest:
            highest, at = alive, step
    return highest, at
