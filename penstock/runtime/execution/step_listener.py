"""Step listeners: what hears of each step of a run (a record, a watch, a checker, a progress hook)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class StepListener(Protocol):
    """Hears of a run while it goes. What it raises ends the run.

    calls_user_code: whether it calls a function of the user's, which belongs in the user's context.
    """

    @property
    def calls_user_code(self) -> bool:
        """See above."""

    def begin(self, slots: Sequence[Any]) -> None:
        """The run begins; `slots` holds the feeds and constants, None elsewhere."""

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """Step `position` of the plan ran from `start` to `stop` (`time.perf_counter`).

        The memory of `results` is used again by later steps: copy what is to be kept.
        """


class ListenerGroup:
    """Several listeners as one."""

    def __init__(self, *listeners: StepListener) -> None:
        self.listeners = listeners
        self.calls_user_code = any(each.calls_user_code for each in listeners)

    def begin(self, slots: Sequence[Any]) -> None:
        """Tell each."""
        for listener in self.listeners:
            listener.begin(slots)

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """Tell each."""
        for listener in self.listeners:
            listener.step(position, start, stop, results)
