"""The listeners of a run: a recorder, a watch for NaN and infinities, a progress hook, a memory checker.

`listeners_of` combines those that a session's config, the options of one run and its metadata ask for.
"""

from __future__ import annotations

from ..base.progress import ProgressHook
from ..base.watch import Watch
from ..execution.run_errors import FindOp
from ..execution.step_listener import ListenerGroup, StepListener
from ..observe.memory_checker import MemoryChecker
from ..observe.nan_watch import WatchListener
from ..observe.progress_listener import ProgressListener
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
