"""The listener that tells a progress hook of each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.progress import ProgressHook
from ..execution.nested_runs import Guard
from ..planning.plan import Plan
from .recorder import StepListener, Together


class Teller:
    """A listener that tells a hook."""

    def __init__(self, hook: ProgressHook, plan: Plan) -> None:
        # The same hook in a run of the same plan inside this one would be called without end.
        self._hook = Guard("the progress hook", (id(plan), id(hook))).around(hook, quiet=False)
        self._nodes = [*(step.node for step in plan.steps), ""]

    def begin(self, slots: Sequence[Any]) -> None:
        """Nothing is done yet."""
        self._hook(0, len(self._nodes) - 1, self._nodes[0])

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """One more step is done."""
        self._hook(position + 1, len(self._nodes) - 1, self._nodes[position + 1])


def calls_hook(listener: StepListener) -> bool:
    """Whether it calls a hook of the user's."""
    if isinstance(listener, Together):
        return any(map(calls_hook, listener.listeners))
    return isinstance(listener, Teller)
