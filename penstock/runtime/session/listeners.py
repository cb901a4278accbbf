"""The listeners of a run: a recorder, a watch for NaN and infinities, a progress hook, a memory checker.

`listeners_of` combines those that a session's config, the options of one run and its metadata ask for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.progress import ProgressHook
from ..base.watch import Watch
from ..execution.nested_runs import RecursionGuard
from ..execution.run_errors import FindOp
from ..execution.step_listener import ListenerGroup, OutermostOnly, StepListener
from ..observe.memory_checker import MemoryChecker
from ..observe.nan_watch import WatchListener
from ..planning.plan import Plan


def listeners_of(
    plan: Plan,
    find_op: FindOp,
    watch: Watch | None,
    progress: ProgressHook | None,
    recorder: StepListener | None,
    check: bool = False,
) -> StepListener | None:
    """All requested listeners as one; None if there is none.

    The recorder comes before the watch, so that it notes the step that ends the run. The memory checker comes last,
    because it overwrites memory that is no longer needed.
    """
    listeners: list[StepListener] = [] if recorder is None else [recorder]
    if watch is not None:
        listeners.append(WatchListener(watch, plan, find_op))
    if progress is not None:
        listeners.append(ProgressListener(progress, plan))
    if check:
        listeners.append(MemoryChecker(plan))
    if len(listeners) <= 1:
        return listeners[0] if listeners else None
    return ListenerGroup(*listeners)


class ProgressListener(OutermostOnly):
    """A listener that calls a progress hook after each step."""

    calls_user_code = True

    def __init__(self, hook: ProgressHook, plan: Plan) -> None:
        # A hook that runs the same plan again would call itself without end.
        self.hook = RecursionGuard("the progress hook", (id(plan), id(hook))).around(hook, quiet=False)
        self._nodes = [*(step.node for step in plan.steps), ""]

    def begin(self, slots: Sequence[Any]) -> None:
        """Report that no step has run yet."""
        self.hook(0, len(self._nodes) - 1, self._nodes[0])

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """Report one more finished step."""
        self.hook(position + 1, len(self._nodes) - 1, self._nodes[position + 1])
