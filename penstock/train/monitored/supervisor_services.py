"""The threads of a `tf.train.Supervisor`: summaries, the speed, and checkpoints, each after some seconds again."""

from __future__ import annotations

import time
from typing import Any

from ...queues.coordinator import Coordinator, LooperThread
from ...runtime.session.session import Session
from ...summary.file_writer import FileWriter
from ...summary.summary_messages import SessionLog, SummaryProto, SummaryValue
from ..checkpoints.saver import Saver
from .step_counter import global_step as step_number


class SummaryThread(LooperThread):
    """Writes the merged summaries."""

    def __init__(
        self, coord: Coordinator, secs: float, session: Session, writer: FileWriter, op: Any, step: Any
    ) -> None:
        super().__init__(coord, secs)
        self._session, self._writer, self._op, self._step = session, writer, op, step

    def run_loop(self) -> None:
        """Write them once."""
        if self._step is None:
            self._writer.add_summary(self._session.run(self._op))
        else:
            self._writer.add_summary(*self._session.run([self._op, self._step]))


class StepRateThread(LooperThread):
    """Writes how many steps there were in a second, as "global_step/sec"."""

    def __init__(self, coord: Coordinator, secs: float, session: Session, writer: FileWriter, step: Any) -> None:
        super().__init__(coord, secs)
        self._session, self._writer, self._step = session, writer, step
        self._last = (0.0, 0)

    def start_loop(self) -> None:
        """Begin to count."""
        self._last = (time.perf_counter(), step_number(self._session, self._step))

    def run_loop(self) -> None:
        """Write the rate since the last time."""
        (then, before), now = self._last, time.perf_counter()
        count = step_number(self._session, self._step)
        self._last = (now, count)
        rate = (count - before) / (now - then) if now > then else float("inf")
        value = SummaryValue(tag=f"{self._step.op.name}/sec", simple_value=rate)
        self._writer.add_summary(SummaryProto(value=[value]), count)


class CheckpointThread(LooperThread):
    """Saves a checkpoint."""

    def __init__(
        self, coord: Coordinator, secs: float, session: Session, saver: Saver, path: str, step: Any,
        writer: FileWriter | None,
    ) -> None:  # fmt: skip
        super().__init__(coord, secs)
        self._session, self._saver, self._path, self._step, self._writer = session, saver, path, step, writer

    def run_loop(self) -> None:
        """Save one."""
        self._saver.save(self._session, self._path, global_step=self._step)
        if self._writer is not None and self._step is not None:
            log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._path)
            self._writer.add_session_log(log, step_number(self._session, self._step))
