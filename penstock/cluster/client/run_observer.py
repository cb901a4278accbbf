"""What follows one run of a cluster's session at the client: a recorder, progress hooks, or both."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from ...runtime.base.progress import ProgressHook
from ...runtime.execution.executor import Program
from ...runtime.execution.step_listener import ListenerGroup, StepListener
from ...runtime.observe.recorder import Recorder
from ...runtime.session.listeners import ProgressListener
from ..placing.places import CLIENT
from ..worker.place_log import PlaceLog, notes_from
from ..worker.worker_run import RunValues
from .cluster_progress import ClusterProgress
from .cluster_recorder import ClusterRecorder, Exchange, Taken


def followers_in(trace: StepListener | None) -> tuple[ClusterRecorder | None, list[ProgressHook]]:
    """The recorder and the progress hooks in the listener of a run."""
    listeners: Sequence[Any] = trace.listeners if isinstance(trace, ListenerGroup) else [trace]
    recorder = next((each for each in listeners if isinstance(each, ClusterRecorder)), None)
    return recorder, [each.hook for each in listeners if isinstance(each, ProgressListener)]


def listener_here(program: Program, trace: StepListener | None, hook: ProgressHook | None) -> StepListener | None:
    """The listener of a run that was meant for the cluster and is made on this machine; `hook` is the session's."""
    if trace is None and hook is None:
        return None
    recorder, hooks = followers_in(trace)
    plan = program.plan
    found: list[StepListener] = [ProgressListener(each, plan) for each in (*hooks, hook) if each is not None]
    if recorder is not None:
        own = Recorder(plan, recorder.values)
        recorder.ran_here(lambda fetches, graph, config: own.record(None, fetches, graph, config, program.kernels()))
        found.insert(0, own)
    return ListenerGroup(*found) if found else None


class RunObserver:
    """Follows one run. Its methods are called on the client's event loop, except `begin` and `end`."""

    def __init__(self, recorder: ClusterRecorder | None, progress: ClusterProgress | None) -> None:
        self._recorder = recorder
        self.progress = progress
        values = recorder is not None and recorder.values
        self.request = {"record": recorder is not None, "values": values}
        """What is asked of workers."""
        self._here: RunValues | None = None
        on_step = None if progress is None else progress.take
        self.log = PlaceLog(recorder is not None, values, on_step)
        """What the client notes."""

    def begin(self, feeds: Sequence[Any]) -> None:
        """The run begins."""
        if self._recorder is not None:
            self._recorder.begin(feeds)
        if self.progress is not None:
            self.progress.begin()

    def end(self) -> None:
        """The run has ended, with or without an error."""
        if self._recorder is not None:
            self._recorder.end()
            if self.log.counts:
                self._recorder.notes[CLIENT] = self.log.notes({} if self._here is None else self._here.came)

    def follow(self, here: RunValues) -> None:
        """Follow what the client computes."""
        here.log = self.log
        self._here = here

    def sent(self, worker: int, slots: Sequence[int], arrays: Sequence[Any]) -> None:
        """The run is sent to a worker, with the values of these slots."""
        if self._recorder is not None:
            sizes = {slot: int(array.nbytes) for slot, array in zip(slots, arrays, strict=True)}
            self._recorder.exchanges[worker] = Exchange(perf_counter(), bytes_there=sizes)

    def answered(self, worker: int, numbers: Sequence[int], arrays: Sequence[Any]) -> None:
        """A worker has answered with the values of these numbers."""
        if self._recorder is not None:
            each = self._recorder.exchanges[worker]
            each.answered = perf_counter()
            each.bytes_back = {n: int(array.nbytes) for n, array in zip(numbers, arrays, strict=False)}

    def noted(self, worker: int, log: Any) -> None:
        """A worker tells what it has noted."""
        if self._recorder is not None and worker not in self._recorder.notes:
            self._recorder.notes[worker] = notes_from(log)

    def taken(self, worker: int, number: int, value: Any, asked: float) -> None:
        """The client has taken a value from a worker."""
        if self._recorder is not None:
            self._recorder.taken.append(Taken(number, worker, int(value.nbytes), asked, perf_counter()))
