"""What listens to a run: a record, a watch for NaN and infinities, a report of progress?

`listening` puts together the listeners that a session's config, the options of one run and its metadata ask for, None
where nobody does. A session whose config asks makes `ListeningProgram`s; other sessions pay nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...graph.lazy_import import load
from ..base.progress import ProgressHook
from ..base.session_config import SessionConfig
from ..execution.body_call import InnerCall
from ..execution.executor import Program
from ..execution.run_errors import FindOp
from ..ir.kernel_protocol import SessionRef
from ..observe.memory_checker import MemoryChecker
from ..observe.nan_watch import Watch, WatchListener
from ..observe.progress_listener import ProgressListener
from ..observe.recorder import ListenerGroup, StepListener
from ..planning.plan import Plan


def listening(
    plan: Plan,
    find_op: FindOp,
    watch: Watch | None,
    progress: ProgressHook | None,
    recorder: StepListener | None,
    check: bool = False,
) -> StepListener | None:
    """One listener for all that is asked for. The recorder hears of a bad step before the watch ends the run; the
    checker is the last, since it fills memory that nobody reads any more."""
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


def as_written(config: SessionConfig) -> SessionConfig:
    """The same choices for a run that shows every node as it was written: no passes, every value in its own memory."""
    return replace(config, passes=(), arena=False)


def settled(config: SessionConfig) -> SessionConfig:
    """The config that a session works with: a watched one runs the graph as it was written."""
    return as_written(config) if config.watch else config


def without_donors(plan: Plan) -> Plan:
    """The plan with no step that changes one of its inputs in place: they can be looked at afterwards."""
    if all(step.donor is None for step in plan.steps):
        return plan
    return replace(plan, steps=tuple(replace(step, donor=None) for step in plan.steps))


def program_of(plan: Plan, find_op: FindOp, config: SessionConfig, session: SessionRef = None) -> Program:
    """The plan ready to run, with what the config wants to listen."""
    if config.watch is None and config.progress is None and not config.check:
        if any(step.device == "gpu" for step in plan.steps):
            load("penstock.runtime.execution.device_program")
            from ..execution.device_program import DeviceProgram  # loaded only for plans with GPU steps

            return DeviceProgram(plan, find_op, config, session)
        return Program(plan, find_op, config, session)
    return ListeningProgram(plan, find_op, config, session)


class ListeningProgram(Program):
    """A program of a session that watches or checks its runs or reports their progress."""

    def __init__(self, plan: Plan, find_op: FindOp, config: SessionConfig, session: SessionRef = None) -> None:
        watch = config.watch if isinstance(config.watch, Watch) else None
        super().__init__(plan if watch is None else without_donors(plan), find_op, config, session)
        self._watch = watch
        self._progress = config.progress
        self._check = config.check

    def _inner(self, plan: Plan) -> InnerCall:
        """Bodies are watched and checked too; their steps are not those whose progress is told."""
        config = replace(self._config, progress=None)
        return InnerCall(ListeningProgram(plan, self._find_op, config, self._session))

    def run(self, feeds: Sequence[Any], trace: StepListener | None = None) -> list[Any]:
        """As of `Program`, with the session's listeners beside `trace`."""
        listener = listening(self.plan, self._find_op, self._watch, self._progress, trace, self._check)
        return super().run(feeds, listener)
