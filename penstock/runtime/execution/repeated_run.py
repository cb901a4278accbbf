"""`RepeatedRun`: a program that runs again and again on arrays of the same shapes, as a body of a loop does.

It keeps the list of slots and the arena from run to run, so that a run costs the kernels and 0.5 us. No value in the
arena outlives a run, because what a fetch views is not placed there (`planning.memory_plan`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .bind import BoundStep
from .step_loop import Failed, run_steps

Places = Callable[[Sequence[Any]], dict[int, Any] | None]


class RepeatedRun:
    """One program's memory for one run at a time.

    Args:
        template: the slots before a run, constants filled in.
        bound: the steps.
        fetches: the slots of the results.
        places: gives the arrays of an arena for feeds; None if no step writes into given memory.
        failed: makes the error to raise.
    """

    __slots__ = (
        "_bound", "_failed", "_fetches", "_kept", "_place", "_places", "_shapes", "_slots", "_template",
    )  # fmt: skip

    def __init__(
        self,
        template: Sequence[Any],
        bound: Sequence[BoundStep],
        fetches: Sequence[int],
        places: Places | None,
        failed: Failed,
    ) -> None:
        self._template = template
        self._slots = list(template)
        self._bound = bound
        self._fetches = fetches
        freed = {slot for step in bound for slot in step.frees}
        self._kept = [i for i, value in enumerate(template) if value is None and i not in freed]
        self._place = places
        self._places: dict[int, Any] | None = None
        self._shapes: list[Any] | None = None
        self._failed = failed

    def run(self, feeds: Sequence[Any]) -> list[Any]:
        """The fetched arrays for the feeds, which are the first slots; not copied.

        Raises:
            OpError: an operation failed. The object cannot be used again.
        """
        slots = self._slots
        slots[: len(feeds)] = feeds
        if self._place is not None:
            shapes = [x.shape for x in feeds]
            if shapes != self._shapes:
                self._places = self._place(feeds)
                self._shapes = shapes
        run_steps(self._bound, slots, self._places, self._failed)
        found = [slots[i] for i in self._fetches]
        for i in self._kept:
            slots[i] = self._template[i]
        return found
