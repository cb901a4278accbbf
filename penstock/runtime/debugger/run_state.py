"""Where a debugged run is: a stack of frames, one for the plan and one for each graph inside an op that is under way.

A frame is changed while it runs; `FrozenState` is a copy that stays, of which the values are shared.
"""

from __future__ import annotations

from dataclasses import dataclass
from sys import getsizeof
from typing import TypeAlias

from ...ops.control.graph_walks import GraphWalk
from ..base.random_counters import RandomState
from .held_memory import HeldMemory
from .stepped_plan import SlotValues, SteppedPlan

Path: TypeAlias = tuple[tuple[int, int, int], ...]
"""Where a frame is: for each op around it its step, which of its graphs, and the iteration. () for the plan itself."""

BEGIN = -1
"""In place of the position of a step: the values before the first step."""

Place: TypeAlias = tuple[Path, int]
"""A step of a frame; `BEGIN` for the values before its first step."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What depends on an edit, of an op whose graphs are under way.

    Attributes:
        operands: places among the operands, and so among the inputs of the graphs.
        results: places among the results of the op.
        is_steered: whether which graphs run depends on it.
    """

    operands: frozenset[int] = frozenset()
    results: frozenset[int] = frozenset()
    is_steered: bool = False


class RunFrame:
    """One run of a plan: of the whole, or of a graph inside an op.

    Attributes:
        code: the plan, step by step.
        path: where it is.
        slots: the values now.
        position: the next step.
        walk: of the op whose graphs are under way, at `position`; None if there is none.
        marks: what of that op depends on an edit.
        changed: the slots whose values depend on an edit.
        is_changed: whether it depends on an edit that the frame runs at all.
        times: for each step before `position` the time at which it ended.
        began: the time at which it began.
        scope: the name of the graph; "" of the plan itself.
        last: the graph inside it that has ended last; it is not changed any more.
    """

    __slots__ = (
        "began", "changed", "code", "is_changed", "last", "marks", "path", "position", "scope", "slots", "times",
        "walk",
    )  # fmt: skip

    def __init__(
        self, code: SteppedPlan, path: Path, slots: SlotValues, scope: str = "", began: int = 0,
        is_changed: bool = False
    ) -> None:
        self.code = code
        self.path = path
        self.slots = slots
        self.position = 0
        self.walk: GraphWalk | None = None
        self.marks = Marks()
        self.changed: set[int] = set()
        self.is_changed = is_changed
        self.times: list[int] = []
        self.began = began
        self.scope = scope
        self.last: RunFrame | None = None

    @property
    def has_ended(self) -> bool:
        """Whether all its steps have run."""
        return self.position == len(self.code.steps)

    def depends_on_edit(self, position: int) -> bool:
        """Whether a step of this frame gets other inputs than without edits."""
        return self.is_changed or not self.changed.isdisjoint(self.code.steps[position].inputs)


@dataclass(frozen=True, slots=True)
class FrozenFrame:
    """A frame as it was."""

    code: SteppedPlan
    path: Path
    slots: SlotValues
    position: int
    walk: GraphWalk | None
    marks: Marks
    changed: frozenset[int]
    is_changed: bool
    times: list[int]
    began: int
    scope: str
    last: RunFrame | None

    def thawed(self) -> RunFrame:
        """A frame that goes on from there."""
        made = RunFrame(self.code, self.path, self.slots.copy(), self.scope, self.began, self.is_changed)
        made.position, made.walk, made.marks, made.changed = self.position, self.walk, self.marks, set(self.changed)
        made.times, made.last = self.times[: self.position], self.last
        return made


class RunState:
    """A debugged run at one time.

    Attributes:
        frames: the frames, the innermost last.
        time: the number of steps that have run.
    """

    __slots__ = ("frames", "time")

    def __init__(self, frames: list[RunFrame], time: int = 0) -> None:
        self.frames = frames
        self.time = time

    @property
    def frame(self) -> RunFrame:
        """The innermost frame."""
        return self.frames[-1]

    @property
    def has_ended(self) -> bool:
        """Whether the whole plan has run."""
        return len(self.frames) == 1 and self.frames[0].has_ended

    def frozen(self, random: RandomState) -> FrozenState:
        """A copy that stays."""
        frames = tuple([
            FrozenFrame(f.code, f.path, f.slots.copy(), f.position, f.walk, f.marks, frozenset(f.changed), f.is_changed,
                        f.times, f.began, f.scope, f.last)
            for f in self.frames
        ])  # fmt: skip
        return FrozenState(self.time, frames, random)


@dataclass(frozen=True, slots=True)
class FrozenState:
    """A state that stays, with the streams of random numbers."""

    time: int
    frames: tuple[FrozenFrame, ...]
    random: RandomState

    def thawed(self) -> RunState:
        """A state that goes on from there."""
        return RunState([frame.thawed() for frame in self.frames], self.time)

    def added_to(self, counted: HeldMemory) -> int:
        """The bytes that it keeps alive and that were not counted; they are from now on."""
        total = 0
        for frame in self.frames:
            total += getsizeof(frame.slots) + counted.add(frame.slots.values())
            last = frame.last
            while last is not None and counted.is_new(last):
                total += getsizeof(last.slots) + counted.add(last.slots.values())
                last = last.last
            if frame.walk is not None:
                total += counted.add(frame.walk.variables)
                row = frame.walk.rows
                while row is not None and counted.is_new(row):  # those before a row were counted with it
                    total += counted.add(row.values)
                    row = row.before
        return total
