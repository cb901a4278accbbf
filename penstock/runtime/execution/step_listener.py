"""The protocol of step listeners (recorder, watch, memory checker, progress hook), and groups of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

InsideListener: TypeAlias = "Callable[[Any], StepListener | None]"
"""(plan of a body) -> the listener of one run of it, None where that run is not listened to."""


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

    def inside(self, position: int) -> InsideListener | None:
        """What listens to the runs of graphs inside step `position`, which comes next; None if nothing does."""


class RecordsRun(StepListener, Protocol):
    """A listener that makes a record of the run."""

    def record(self, memory: Any = None, fetches: tuple[str, ...] = (), graph: Any = None, config: Any = None) -> Any:
        """The `RunRecord`, which a layer above has."""


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

    def inside(self, position: int) -> InsideListener | None:
        """The listeners of each, as one."""
        parts = [found for each in self.listeners if (found := each.inside(position)) is not None]
        if len(parts) < 2:
            return parts[0] if parts else None

        def run(plan: Any) -> StepListener | None:
            made = [found for part in parts if (found := part(plan)) is not None]
            return None if not made else made[0] if len(made) == 1 else ListenerGroup(*made)

        return run


class OutermostOnly:
    """The part of a listener that does not listen to graphs inside ops."""

    def inside(self, position: int) -> InsideListener | None:
        """Nothing."""
        return None


class EachBodyAlone:
    """The part of a listener of which a `ListeningProgram` makes one for each run of a body."""

    def inside(self, position: int) -> InsideListener | None:
        """Bodies run one by one; there is nothing to add."""
        return _nothing_more


def _nothing_more(plan: Any) -> None:
    return None
