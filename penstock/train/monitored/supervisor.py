"""`tf.train.Supervisor`: a session that begins from the last checkpoint, with threads that save and write summaries."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from logging import getLogger
from typing import Any, ClassVar

from ...errors import GraphFormatError, UnimplementedError
from ...graph.common.tracebacks import cut, hides_frames_of_init, hides_frames_of_methods
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Graph
from ...interchange.protos.written_graph import write_graph
from ...queues.coordinator import Coordinator, LooperThread
from ...runtime.session.session import Session
from ...summary.file_writer import FileWriter
from ...summary.summary_functions import merge_all
from ...summary.summary_messages import SessionLog, SummaryProto, SummaryValue
from ...variables.graph_keys import GraphKeys
from ...variables.variable_lists import (
    global_variables,
    global_variables_initializer,
    report_uninitialized_variables,
)
from ..checkpoints.saver import Saver
from ..distributed.server import PAGE
from .scaffold import usual, usual_local_init_op
from .session_manager import SessionManager
from .step_counter import get_global_step, global_step
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


@hides_frames_of_init
@hides_frames_of_methods
class Supervisor:
    """Begins a session from the last checkpoint in a folder, or with initial values, and saves it while it is used.

    In `logdir` it writes checkpoints, summaries, the steps in a second and the graph, with threads of its own, which
    begin at once: a program only runs its steps. It cannot change the graph any more. `MonitoredTrainingSession` does
    the same without threads, after runs.

    Args:
        graph: the graph; without it the default graph.
        ready_op: a tensor of the names of what has no value; by default `report_uninitialized_variables()`.
        ready_for_local_init_op: such a tensor, asked before `local_init_op` runs.
        is_chief: True; False is refused.
        init_op: gives variables values where there is no checkpoint; by default `global_variables_initializer()`.
        init_feed_dict: what `init_op` is fed.
        local_init_op: runs in each new session; by default it initialises local variables and tables.
        logdir: the folder; without it nothing is written.
        summary_op: the summaries; by default all merged ones. None: the program calls `summary_computed`.
        saver: a `tf.train.Saver`; by default one of all variables. None saves nothing.
        global_step: the steps so far; by default the graph's.
        save_summaries_secs: seconds from one writing of summaries to the next; 0 for never.
        save_model_secs: seconds from one checkpoint to the next; 0 for never.
        recovery_wait_secs: seconds from one look for a checkpoint to the next.
        stop_grace_secs: how long threads have to end.
        checkpoint_basename: the name of checkpoints in `logdir`.
        session_manager: a `tf.train.SessionManager` that makes the sessions.
        summary_writer: a `tf.summary.FileWriter`; by default one for `logdir`. None writes no summaries.
        init_fn: a function of the session, called after `init_op`.
        local_init_run_options: options of the run of `local_init_op`.

    Raises:
        UnimplementedError: `is_chief` is False.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.get_variable("w", [], initializer=tf.ones_initializer())
    ...     step = tf.train.GradientDescentOptimizer(0.25).minimize(
    ...         tf.square(w), global_step=tf.train.get_or_create_global_step())
    ...     supervisor = tf.train.Supervisor()
    ...     with supervisor.managed_session() as session:
    ...         for _ in range(2):
    ...             if not supervisor.should_stop():
    ...                 _ = session.run(step)
    ...         print(session.run(w), tf.train.global_step(session, supervisor.global_step))
    0.25 2

    Source: TensorFlow 1.x, `tf.train.Supervisor`.
    """

    USE_DEFAULT: ClassVar[int] = 0
    """In the place of an operation: the usual one."""

    def __init__(
        self, graph: Graph | None = None, ready_op: Any = 0, ready_for_local_init_op: Any = 0, is_chief: bool = True,
        init_op: Any = 0, init_feed_dict: Mapping[Any, Any] | None = None, local_init_op: Any = 0,
        logdir: str | bytes | os.PathLike[str] | None = None, summary_op: Any = 0, saver: Any = 0, global_step: Any = 0,
        save_summaries_secs: float = 120, save_model_secs: float = 600, recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120, checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None, summary_writer: Any = 0,
        init_fn: Callable[[Session], object] | None = None, local_init_run_options: Any = None
    ) -> None:  # fmt: skip
        if not is_chief:
            raise UnimplementedError(
                message="Supervisor(is_chief=False): this would be one of several programs that share variables, and "
                f"Penstock runs one program that drives all workers. Run the chief alone. See {PAGE}"
            )
        self.is_chief = True
        """Whether it initialises and saves: always."""
        self._graph = graph or get_default_graph()
        self.coord = Coordinator()
        """The `tf.train.Coordinator` of its threads."""
        self._logdir = None if logdir is None else os.fsdecode(logdir)
        with self._graph.as_default():
            self.init_op = _given(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self.ready_op = _given(ready_op, GraphKeys.READY_OP, report_uninitialized_variables)
            local = _given(local_init_op, GraphKeys.LOCAL_INIT_OP, usual_local_init_op)
            self.summary_op = _given(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self.saver: Saver | None = _given(saver, GraphKeys.SAVERS, lambda: Saver() if global_variables() else None)
            self.global_step = get_global_step() if _is_usual(global_step) else global_step
            self._graph.finalize()
        self.init_feed_dict, self._init_fn = init_feed_dict, init_fn
        self.ready_for_local_init_op = None if _is_usual(ready_for_local_init_op) else ready_for_local_init_op
        self.save_summaries_secs, self.save_model_secs = save_summaries_secs, save_model_secs
        self.save_path = None if self._logdir is None else os.path.join(self._logdir, checkpoint_basename)
        self._grace = stop_grace_secs
        self.session_manager = session_manager or SessionManager(
            local, self.ready_op, self.ready_for_local_init_op, self._graph, recovery_wait_secs, local_init_run_options
        )
        """The `tf.train.SessionManager` that makes its sessions."""
        if _is_usual(summary_writer):
            summary_writer = None if self._logdir is None else FileWriter(self._logdir)
        self.summary_writer: FileWriter | None = summary_writer
        self._has_graph_written = False

    # ---- sessions ---------------------------------------------------------------------------

    @contextmanager
    def managed_session(
        self, master: Any = "", config: Any = None, start_standard_services: bool = True,
        close_summary_writer: bool = True
    ) -> Iterator[Session]:  # fmt: skip
        """A `with` block with a session; at its end the threads stop and the session is closed.

        An `OutOfRangeError` ends the block without an error. Another error of the block or of a thread is raised when
        all threads have ended.

        Args:
            master: the target of the session: "" for this process.
            config: the config of the session.
            start_standard_services: whether to start the threads that save and write, and the queue runners.
            close_summary_writer: whether the writer of summaries is closed at the end.

        Returns:
            A context manager that gives a `tf.Session`.

        Raises:
            RuntimeError: something has no value after the operations that begin.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(3.0)
        ...     with tf.train.Supervisor().managed_session() as session:
        ...         print(session.run(v))
        3.0
        """
        session = None
        try:
            session = self.prepare_or_wait_for_session(master, config, False, 7200, start_standard_services)
            yield session
        except Exception as error:
            self.coord.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            except BaseException as error:
                cut(error)
                raise
            finally:
                if session is not None:
                    with suppress(Exception):
                        session.close()

    def prepare_or_wait_for_session(
        self, master: Any = "", config: Any = None, wait_for_checkpoint: bool = False, max_wait_secs: float = 7200,
        start_standard_services: bool = True
    ) -> Session:  # fmt: skip
        """A session whose variables have the values of the last checkpoint, or their initial ones.

        Args:
            master: the target of the session: "" for this process.
            config: the config of the session.
            wait_for_checkpoint: whether to wait until there is a checkpoint.
            max_wait_secs: for how long.
            start_standard_services: whether to start the threads that save and write, and the queue runners.

        Returns:
            A `tf.Session`.

        Raises:
            RuntimeError: something has no value after the operations that begin.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(3.0)
        ...     supervisor = tf.train.Supervisor()
        ...     with supervisor.prepare_or_wait_for_session() as session:
        ...         print(session.run(v))
        ...     supervisor.stop()
        3.0
        """
        self.coord.clear_stop()
        if self.summary_writer is not None:
            self.summary_writer.reopen()
        session = self.session_manager.prepare_session(
            master, self.init_op, self.saver, self._logdir, None, wait_for_checkpoint, max_wait_secs, config,
            self.init_feed_dict, self._init_fn,
        )  # fmt: skip
        self._write_graph()
        if start_standard_services:
            self.start_standard_services(session)
            self.start_queue_runners(session)
        return session

    def _write_graph(self) -> None:
        """The graph as a file and for TensorBoard. What TensorFlow has no ops for is not written, and is told."""
        if self._logdir is None:
            return
        try:
            write_graph(self._graph, self._logdir, "graph.pbtxt")
        except GraphFormatError as error:
            getLogger("penstock").warning("Supervisor: graph.pbtxt is not written: %s", str(error).splitlines()[0])
        if self.summary_writer is not None and not self._has_graph_written:
            self.summary_writer.add_graph(self._graph)
            self._has_graph_written = True

    # ---- threads ----------------------------------------------------------------------------

    def start_standard_services(self, sess: Session) -> list[threading.Thread]:
        """Starts the threads that write summaries and the steps in a second, and save checkpoints.

        Args:
            sess: the session.

        Returns:
            The threads; an empty list without a `logdir`.

        Raises:
            FailedPreconditionError: the steps have no value.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     supervisor = tf.train.Supervisor()
        ...     print(supervisor.start_standard_services(supervisor.prepare_or_wait_for_session()))
        []
        """
        if self._logdir is None:
            getLogger("penstock").info("Supervisor: without a logdir nothing is saved")
            return []
        writer, step = self.summary_writer, self.global_step
        if writer is not None and step is not None:
            writer.add_session_log(SessionLog(status=SessionLog.START), global_step(sess, step))
        threads: list[threading.Thread] = []
        if self.save_summaries_secs and writer is not None:
            if self.summary_op is not None:
                threads.append(SummaryThread(self.coord, self.save_summaries_secs, sess, writer, self.summary_op, step))
            if step is not None:
                threads.append(StepRateThread(self.coord, self.save_summaries_secs, sess, writer, step))
        if self.saver is not None and self.save_model_secs and self.save_path is not None:
            threads.append(
                CheckpointThread(self.coord, self.save_model_secs, sess, self.saver, self.save_path, step, writer)
            )
        for each in threads:
            each.start()
        return threads

    def start_queue_runners(self, sess: Session, queue_runners: Sequence[Any] | None = None) -> list[threading.Thread]:
        """Starts the threads of queue runners.

        Args:
            sess: the session.
            queue_runners: a list of `QueueRunner`s; without it those of the graph.

        Returns:
            The threads.

        Raises:
            AttributeError: something is no queue runner.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.train.Supervisor().start_queue_runners(tf.Session()))
        []
        """
        runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS) if queue_runners is None else queue_runners
        return [thread for each in runners
                for thread in each.create_threads(sess, coord=self.coord, daemon=True, start=True)]  # fmt: skip

    def loop(
        self, timer_interval_secs: float | None, target: Callable[..., Any], args: Sequence[Any] | None = None,
        kwargs: dict[str, Any] | None = None
    ) -> LooperThread:  # fmt: skip
        """A thread that calls a function again and again until a stop.

        Args:
            timer_interval_secs: seconds from one call to the next; None calls without a pause.
            target: the function.
            args: its arguments.
            kwargs: its arguments by name.

        Returns:
            A `tf.train.LooperThread`, which is started.

        Raises:
            TypeError: `args` is no list.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     supervisor = tf.train.Supervisor()
        ...     _ = supervisor.loop(None, supervisor.request_stop)
        ...     print(supervisor.wait_for_stop())
        True
        """
        return LooperThread.loop(self.coord, timer_interval_secs, target, args, kwargs)

    # ---- stopping ---------------------------------------------------------------------------

    def stop(
        self, threads: Sequence[threading.Thread] | None = None, close_summary_writer: bool = True,
        ignore_live_threads: bool = False
    ) -> None:  # fmt: skip
        """Stops the threads, waits for them, and closes the writer of summaries; the session stays open.

        Args:
            threads: further threads to wait for.
            close_summary_writer: whether the writer is closed.
            ignore_live_threads: whether threads that go on are no error.

        Raises:
            RuntimeError: a thread goes on after `stop_grace_secs`.
            Exception: that with which a stop was requested.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     tf.train.Supervisor().stop()
        """
        self.coord.request_stop()
        try:
            self.coord.join(threads, stop_grace_period_secs=self._grace, ignore_live_threads=ignore_live_threads)
        finally:
            if close_summary_writer and self.summary_writer is not None:
                self.summary_writer.add_session_log(SessionLog(status=SessionLog.STOP))
                self.summary_writer.close()
                self._has_graph_written = False

    def request_stop(self, ex: Any = None) -> None:
        """Asks the threads to stop.

        Args:
            ex: an exception that `stop` raises, as of `Coordinator.request_stop`.

        Raises:
            Exception: `ex`, if the threads have been joined already.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     supervisor = tf.train.Supervisor()
        ...     supervisor.request_stop()
        ...     print(supervisor.should_stop())
        True
        """
        self.coord.request_stop(ex)

    def should_stop(self) -> bool:
        """Whether a stop was requested.

        Returns:
            A bool.
        """
        return self.coord.should_stop()

    def stop_on_exception(self) -> AbstractContextManager[None]:
        """A `with` block in which an exception requests a stop.

        Returns:
            A context manager: `Coordinator.stop_on_exception`.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     supervisor = tf.train.Supervisor()
        ...     with supervisor.stop_on_exception():
        ...         1 // 0
        ...     print(supervisor.should_stop())
        True
        """
        return self.coord.stop_on_exception()

    def wait_for_stop(self) -> bool:
        """Returns when a stop is requested.

        Returns:
            True.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     supervisor = tf.train.Supervisor()
        ...     supervisor.request_stop()
        ...     print(supervisor.wait_for_stop())
        True
        """
        return self.coord.wait_for_stop()

    # ---- summaries --------------------------------------------------------------------------

    def summary_computed(self, sess: Session, summary: Any, global_step: int | None = None) -> None:
        """Writes a summary that the program has computed.

        Args:
            sess: the session.
            summary: what a run of a summary gave: bytes, or a message.
            global_step: the step; without it the session is asked.

        Raises:
            RuntimeError: there is no writer: neither `logdir` nor `summary_writer` was given.
            TypeError: it is no summary.

        >>> import penstock as tf, tempfile, os
        >>> with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
        ...     loss = tf.summary.scalar("loss", tf.constant(2.0))
        ...     supervisor = tf.train.Supervisor(logdir=folder, summary_op=None)
        ...     with supervisor.managed_session() as session:
        ...         supervisor.summary_computed(session, session.run(loss))
        ...     print([name[:6] for name in os.listdir(folder) if name.startswith("events")])
        ['events']
        """
        if self.summary_writer is None:
            raise RuntimeError("Writing a summary requires a summary writer: give tf.train.Supervisor(logdir=...)")
        if global_step is None and self.global_step is not None:
            global_step = _step_of(sess, self.global_step)
        self.summary_writer.add_summary(summary, global_step)

    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed


def _given(value: Any, key: str, make: Callable[[], Any]) -> Any:
    """An argument; the usual operation in the place of `Supervisor.USE_DEFAULT`."""
    return usual(None, key, make) if _is_usual(value) else value


def _is_usual(value: Any) -> bool:
    """Whether an argument is `Supervisor.USE_DEFAULT`."""
    return isinstance(value, int) and value == 0


_step_of = global_step
"""The function, in methods with a parameter of its name."""
