"""The history of a debugged run: states kept at intervals, from which any earlier state is made again.

To go back, the last kept state before is taken and the steps after it run again; those whose effects count do not (see
`effect_journal`). A state is kept after `every` steps, or earlier if the steps since the last one took long. When the
states hold more bytes than allowed, every second one is dropped and the intervals double, so that what has to run again
stays small for the memory there is. The first state is always kept; it holds what was fed.
"""

from __future__ import annotations

from bisect import bisect_right
from time import perf_counter

from ..base.random_counters import RandomCounters
from .held_memory import HeldMemory
from .run_state import FrozenState, RunState
from .stepping import Stepper

SLOW = 0.01
"""Seconds: steps that took so long need not run again to go back."""


class StepHistory:
    """The history of one debugged run.

    Attributes:
        every: the number of steps from one kept state to the next.
        latest: the furthest time that the run has reached.
    """

    def __init__(
        self, first: RunState, stepper: Stepper, random: RandomCounters, every: int, memory: int
    ) -> None:
        """A history that begins with a state.

        Args:
            first: the state before the first step.
            stepper: runs the steps.
            random: the streams of random numbers of the debugged run.
            every: the number of steps from one kept state to the next.
            memory: the most bytes that the kept states and the recorded results may hold.
        """
        self._stepper = stepper
        self._random = random
        self._memory = memory
        self._kept: list[FrozenState] = [first.frozen(random.state())]
        self._counted = HeldMemory()
        self._is_counted = False
        self._held = 0
        self._reaches: dict[int, int] = {}
        self._slow = SLOW
        self._took = 0.0
        self.every = max(1, every)
        self.latest = first.time
        self._measure()

    @property
    def held(self) -> int:
        """The bytes that kept states and recorded results hold, what was fed and the constants left out."""
        return self._held + self._stepper.journal.held

    @property
    def times(self) -> list[int]:
        """The times of the kept states."""
        return [state.time for state in self._kept]

    def reach(self, time: int) -> int | None:
        """The number of frames that the step from `time` on left, where it ran an op without entering its graphs, or
        the rest of one; None for a single step."""
        return self._reaches.get(time)

    def advance(self, state: RunState, reach: int | None) -> None:
        """Run one step of a state, and note it. The state is undefined after an error.

        Where the history has run smaller steps already, they run again.

        Args:
            state: the state.
            reach: as of `Stepper.tick`.

        Raises:
            OpError: the step failed.
        """
        time = state.time
        if time < self.latest:
            known = self._reaches.get(time)
            if known is None or (reach is not None and reach <= known):
                self._stepper.tick(state, known)
                return
            self.cut(time)
        began = perf_counter()
        self._stepper.is_first = True
        try:
            used = self._stepper.tick(state, reach)
        finally:
            self._stepper.is_first = False
        self._took += perf_counter() - began
        if used is None:
            self._reaches.pop(time, None)  # an interrupted step may have left one
        else:
            self._reaches[time] = used
        self.latest = state.time
        if self._took >= self._slow or state.time - self._kept[-1].time >= self.every:
            self._keep(state)
        if self.held > self._memory:
            self._thin()

    def again(self, time: int) -> RunState:
        """The state at a time that the run has reached."""
        found = self._kept[bisect_right(self._kept, time, key=lambda kept: kept.time) - 1]
        state = found.thawed()
        self._random.restore(found.random)
        while state.time < time:
            self._stepper.tick(state, self._reaches.get(state.time))
        return state

    def cut(self, time: int) -> None:
        """Forget what came after a time."""
        self.latest = min(self.latest, time)
        if self._kept[-1].time > time:
            self._is_counted = False
            del self._kept[bisect_right(self._kept, time, key=lambda kept: kept.time) :]
        self._reaches = {each: reach for each, reach in self._reaches.items() if each < time}
        self._measure()

    def restart(self, first: RunState) -> None:
        """Begin again, from another first state."""
        self._is_counted = False
        self.latest = first.time
        self._kept = [first.frozen(self._kept[0].random)]
        self._reaches = {}
        self._measure()

    def _keep(self, state: RunState) -> None:
        self._took = 0.0
        if state.time > self._kept[-1].time:
            frozen = state.frozen(self._random.state())
            was_counted, self._is_counted = self._is_counted, False
            self._kept.append(frozen)
            if was_counted:
                self._held += frozen.added_to(self._counted)
                self._is_counted = True
            else:
                self._measure()

    def _thin(self) -> None:
        """Drop every second kept state until the rest fits."""
        while len(self._kept) > 1 and self.held > self._memory:
            self._is_counted = False
            if len(self._kept) > 2:
                self.every, self._slow = 2 * self.every, 2 * self._slow
            self._kept = [self._kept[0], *self._kept[2::2]]
            self._measure()

    def _measure(self) -> None:
        """Count what is held anew, where something was dropped."""
        if not self._is_counted:
            counted = HeldMemory()
            self._kept[0].added_to(counted)
            counted.add(self._kept[0].frames[0].code.constants.values())
            self._held = sum([frozen.added_to(counted) for frozen in self._kept[1:]])
            self._counted = counted
            self._is_counted = True
