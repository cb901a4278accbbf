"""The listener that reports each step of a run to a progress hook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.progress import ProgressHook
from ..execution.nested_runs import RecursionGuard
from ..planning.plan import Plan


class ProgressListener:
    """A listener that calls a progress hook after each step."""

    calls_user_code = True

    def __init__(self, hook: ProgressHook, plan: Plan) -> None:
        # A hook that runs the same plan again would call itself without end.
        self._hook = RecursionGuard("the progress hook", (id(plan), id(hook))).around(hook, quiet=False)
        self._nodes = [*(step.node for step in plan.steps), ""]

    def begin(self, slots: Sequence[Any]) -> None:
        """Report that no step has run yet."""
        self._hook(0, len(self._nodes) - 1, self._nodes[0])

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """Report one more finished step."""
        self._hook(position + 1, len(self._nodes) - 1, self._nodes[position + 1])
