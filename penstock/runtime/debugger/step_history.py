"""The history of a debugged run: states kept at intervals, from which any earlier state is made again.

To go back, the last kept state before is taken and the steps after it run again; those whose effects count do not (see
`stepping`). States are kept every `every` steps. When they hold more bytes than allowed, every second one is dropped
and the interval doubles, so that the number of steps to run again stays small for the memory there is. The first state
is always kept; it holds what was fed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

from ..base.random_counters import RandomCounters
from .run_state import RunState
from .stepping import Stepper


class StepHistory:
    """The history of one debugged run.

    Attributes:
        every: the number of steps from one kept state to the next.
        held: the bytes that kept states hold, what was fed and the constants left out.
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
            memory: the most bytes that the kept states may hold.
        """
        self._stepper = stepper
        self._random = random
        self._memory = memory
        self._kept = [first.frozen(random.state())]
        self._seen = {key for key, _ in self._kept[0].values()}
        self._fed = frozenset(self._seen)
        self._whole: set[int] = set()
        self.every = every
        self.held = 0
        self.latest = first.time

    @property
    def times(self) -> list[int]:
        """The times of the kept states."""
        return [state.time for state in self._kept]

    def ran_whole(self, time: int) -> bool:
        """Whether the step from `time` on ran an op without entering its graphs."""
        return time in self._whole

    def advance(self, state: RunState, whole: bool) -> None:
        """Run one step of a state, and note it. The state is undefined after an error.

        Where the history has entered the graphs of an op already, they are entered again.

        Raises:
            OpError: the step failed.
        """
        time, frame = state.time, state.frame
        is_known = time < self.latest
        if is_known and frame.position in frame.code.bodies:
            if whole:
                whole = self.ran_whole(time)
            elif self.ran_whole(time):
                self.cut(time)
                is_known = False
        depth = len(state.frames)
        self._stepper.tick(state, whole)
        if is_known:
            return
        if whole and len(state.frames) <= depth:
            self._whole.add(time)
        self.latest = state.time
        if state.time - self._kept[-1].time >= self.every:
            self._keep(state)

    def again(self, time: int) -> RunState:
        """The state at a time that the run has reached."""
        found = self._kept[bisect_right(self._kept, time, key=lambda kept: kept.time) - 1]
        state = found.thawed()
        self._random.restore(found.random)
        while state.time < time:
            self._stepper.tick(state, self.ran_whole(state.time))
        return state

    def cut(self, time: int) -> None:
        """Forget what came after a time."""
        del self._kept[bisect_right(self._kept, time, key=lambda kept: kept.time) :]
        self._whole = {each for each in self._whole if each < time}
        self.latest = min(self.latest, time)
        self._measure()

    def restart(self, first: RunState) -> None:
        """Begin again, from another first state."""
        self._kept = [first.frozen(self._kept[0].random)]
        self._whole.clear()
        self.latest = first.time
        self._measure()

    def _keep(self, state: RunState) -> None:
        frozen = state.frozen(self._random.state())
        self._kept.append(frozen)
        self.held += self._new_bytes(frozen.values())
        while self.held > self._memory and len(self._kept) > 1:
            self.every *= 2
            self._kept = [self._kept[0], *self._kept[2::2]] if len(self._kept) > 2 else self._kept[:1]
            self._measure()

    def _measure(self) -> None:
        self._seen = set(self._fed)
        self.held = sum(self._new_bytes(frozen.values()) for frozen in self._kept)

    def _new_bytes(self, values: Iterable[tuple[int, Any]]) -> int:
        total = 0
        for key, value in values:
            if key in self._seen:
                continue
            self._seen.add(key)
            total += sum([each.nbytes for each in value]) if isinstance(value, tuple) else value.nbytes
        return total
