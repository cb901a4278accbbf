"""The protocol of step listeners (recorder, watch, memory checker, progress hook), and groups of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class StepListener(Protocol):
    """Observes a run step by step. An exception that it raises ends the run."""

    @property
    def calls_user_code(self) -> bool:
        """True if it calls a function of the user, which must run in the user's context."""

    def begin(self, slots: Sequence[Any]) -> None:
        """Called before the first step; `slots` holds the feeds and constants, None elsewhere."""

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """Called after step `position` of the plan, which ran from `start` to `stop` (`time.perf_counter`).

        Later steps reuse the memory of `results`: copy what is to be kept.
        """


class ListenerGroup:
    """Several listeners as one."""

    def __init__(self, *listeners: StepListener) -> None:
        self.listeners = listeners
        self.calls_user_code = any(each.calls_user_code for each in listeners)

    def begin(self, slots: Sequence[Any]) -> None:
        """Call `begin` of each."""
        for listener in self.listeners:
            listener.begin(slots)

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """Call `step` of each."""
        for listener in self.listeners:
            listener.step(position, start, stop, results)
