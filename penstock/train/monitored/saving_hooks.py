"""Hooks that save while a monitored session trains: checkpoints, summaries, the speed."""

from __future__ import annotations

import os
import time
from logging import getLogger
from typing import Any

from ...errors import ValueRuleError
from ...graph.common.tracebacks import hides_frames, hides_frames_of_init
from ...graph.model.default_graph import get_default_graph
from ...summary.file_writer import FileWriter
from ...summary.summary_messages import Summary
from ...variables.variable_lists import global_variables
from ..checkpoints.saver import Saver
from .session_run_hooks import (
    GlobalStepHook,
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)


@hides_frames_of_init
class CheckpointSaverHook(GlobalStepHook):
    """Saves a checkpoint when a session begins, every so many steps or seconds, and at the end.

    Args:
        checkpoint_dir: the folder, which is made if it is missing.
        save_secs: after how many seconds.
        save_steps: after how many steps; one of the two is given.
        saver: a `tf.train.Saver`; None for that of `scaffold`, or one of all variables.
        checkpoint_basename: how the files begin.
        scaffold: a `tf.train.Scaffold` with the saver.
        listeners: `tf.train.CheckpointSaverListener`s, called around each checkpoint.

    Raises:
        ValueError: none or both of `save_secs` and `save_steps` are given.

    >>> import os, tempfile
    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
    ...     step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    ...     with tf.train.MonitoredSession(hooks=[tf.train.CheckpointSaverHook(folder, save_steps=2)]) as session:
    ...         for _ in range(3):
    ...             _ = session.run(step)
    ...     print(os.path.basename(tf.train.latest_checkpoint(folder)))
    model.ckpt-3

    Source: TensorFlow 1.x, `tf.train.CheckpointSaverHook`.
    """

    def __init__(
        self,
        checkpoint_dir: str | bytes | os.PathLike[str],
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Saver | None = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Any = None,
    ) -> None:
        if saver is not None and scaffold is not None:
            raise ValueRuleError("CheckpointSaverHook: You cannot provide both saver and scaffold.")
        self._listeners = list(listeners or ())
        self._folder = os.fsdecode(checkpoint_dir)
        self._path = os.path.join(self._folder, checkpoint_basename)
        self._saver, self._scaffold = saver, scaffold
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    @hides_frames
    def begin(self) -> None:
        """Finds the global step, and makes the saver.

        Raises:
            RuntimeError: there is no global step.
        """
        super().begin()
        if self._saver is None and self._scaffold is None:
            self._saver = Saver()
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Saves the first checkpoint.

        Args:
            session: the session.
            coord: None.
        """
        os.makedirs(self._folder, exist_ok=True)
        self._save(session, int(session.run(self._step)))

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Saves if it is time.

        Args:
            run_context: the run.
            run_values: the global step.
        """
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step) and self._save(run_context.session, step):
            run_context.request_stop()

    def end(self, session: Any) -> None:
        """Saves the last checkpoint.

        Args:
            session: the session.
        """
        step = int(session.run(self._step))
        if step != self._timer.last_step:
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """Writes a checkpoint; whether a listener wants to stop."""
        saver: Saver | None = self._saver if self._scaffold is None else self._scaffold.saver
        if saver is None:
            why = "there are no variables to save"
            if get_default_graph().finalized and global_variables():
                why = "the graph is finalized, so none can be made. Give scaffold= of the session that finalized it"
            raise RuntimeError(f"CheckpointSaverHook: the scaffold has no saver; {why}")
        for listener in self._listeners:
            listener.before_save(session, step)
        saver.save(session, self._path, global_step=step)
        self._timer.update(step)
        wishes = [listener.after_save(session, step) for listener in self._listeners]
        return any(wishes)


class SummaryHook(GlobalStepHook):
    """A hook that writes summaries; it closes the writer if the file is its own."""

    _folder: str | bytes | os.PathLike[str] | None
    _writer: FileWriter | None

    def end(self, session: Any) -> None:
        """Writes what is buffered.

        Args:
            session: the session.
        """
        if self._writer is not None:
            self._writer.flush()

    def _release(self) -> None:
        if self._folder is not None and self._writer is not None:
            self._writer.close()


@hides_frames_of_init
class SummarySaverHook(SummaryHook):
    """Writes summaries every so many steps or seconds.

    Args:
        save_steps: after how many steps.
        save_secs: after how many seconds; one of the two is given.
        output_dir: the folder of the event file.
        summary_writer: a `tf.summary.FileWriter` instead.
        scaffold: a `tf.train.Scaffold` with the operation of summaries.
        summary_op: the tensor of summaries, or a list of them.

    Raises:
        ValueError: none or both of `save_steps` and `save_secs`, or of `scaffold` and `summary_op`, are given.

    >>> import os, tempfile
    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
    ...     step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    ...     curve = tf.summary.scalar("curve", tf.constant(0.5))
    ...     hook = tf.train.SummarySaverHook(save_steps=1, output_dir=folder, summary_op=curve)
    ...     with tf.train.MonitoredSession(hooks=[hook]) as session:
    ...         _ = session.run(step)
    ...     print(len(os.listdir(folder)))
    1

    Source: TensorFlow 1.x, `tf.train.SummarySaverHook`.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | bytes | os.PathLike[str] | None = None,
        summary_writer: FileWriter | None = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueRuleError("SummarySaverHook: Exactly one of scaffold or summary_op must be provided.")
        if output_dir is None and summary_writer is None:
            raise ValueRuleError("SummarySaverHook: give output_dir or summary_writer")
        self._folder, self._writer = output_dir, summary_writer
        self._scaffold, self._summaries = scaffold, summary_op
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._next = 0

    @hides_frames
    def begin(self) -> None:
        """Finds the global step, and opens the event file.

        Raises:
            RuntimeError: there is no global step.
        """
        super().begin()
        if self._writer is None and self._folder is not None:
            self._writer = FileWriter(self._folder, get_default_graph())

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Reads where the training stands.

        Args:
            session: the session.
            coord: None.
        """
        self._next = int(session.run(self._step)) + 1

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetches the summaries if it is time.

        Args:
            run_context: the run.

        Returns:
            A `SessionRunArgs`.
        """
        wanted = self._summaries if self._scaffold is None else self._scaffold.summary_op
        due = wanted is not None and self._timer.should_trigger_for_step(self._next)
        return SessionRunArgs({"step": self._step, "summaries": wanted if due else []})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes them.

        Args:
            run_context: the run.
            run_values: the summaries.
        """
        step = int(run_values.results["step"]) + 1
        found = run_values.results["summaries"]
        found = found if isinstance(found, list) else [found]
        if found and self._writer is not None:
            self._timer.update(step)
            for each in found:
                self._writer.add_summary(each, step)
        self._next = step + 1


@hides_frames_of_init
class StepCounterHook(SummaryHook):
    """Logs how many steps were made in a second, at the level INFO, and writes it as a summary.

    Args:
        every_n_steps: after how many steps.
        every_n_secs: after how many seconds; one of the two is given.
        output_dir: the folder of the event file; None for none.
        summary_writer: a `tf.summary.FileWriter` instead.

    Raises:
        ValueError: both are given, or none.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    ...     with tf.train.MonitoredSession(hooks=[tf.train.StepCounterHook(every_n_steps=10)]) as session:
    ...         print(session.run(step))
    1

    Source: TensorFlow 1.x, `tf.train.StepCounterHook`.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | bytes | os.PathLike[str] | None = None,
        summary_writer: FileWriter | None = None,
    ) -> None:
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._folder, self._writer = output_dir, summary_writer
        self._began = 0.0

    @hides_frames
    def begin(self) -> None:
        """Finds the global step.

        Raises:
            RuntimeError: there is none.
        """
        super().begin()
        if self._writer is None and self._folder is not None:
            self._writer = FileWriter(self._folder)

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Begins to count.

        Args:
            session: the session.
            coord: None.
        """
        self._timer.update(int(session.run(self._step)))
        self._began = time.perf_counter()

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Tells the speed if it is time.

        Args:
            run_context: the run.
            run_values: the global step.
        """
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._step))
        before = self._timer.last_step
        if before is None or not self._timer.should_trigger_for_step(step):
            return
        now = time.perf_counter()
        speed = (step - before) / max(now - self._began, 1e-9)
        self._began = now
        self._timer.update(step)
        getLogger("penstock").info("global_step/sec: %g", speed)
        if self._writer is not None:
            summary = Summary(value=[Summary.Value(tag="global_step/sec", simple_value=speed)])
            self._writer.add_summary(summary, step)
