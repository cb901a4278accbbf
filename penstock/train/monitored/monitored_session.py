"""`tf.train.MonitoredTrainingSession`: a session that begins, saves, calls hooks and ends by itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from logging import getLogger
from types import TracebackType
from typing import Any, Self

from ... import errors
from ...graph.common.tracebacks import hides_frames, hides_frames_of_init
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Graph
from ...queues.coordinator import Coordinator
from ...queues.queue_runner import start_queue_runners
from ...runtime.base.session_config import RunOptions
from ...runtime.session.session import Session
from ..checkpoints.checkpoint_files import latest_checkpoint
from ..distributed.server import PAGE
from .saving_hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from .scaffold import Scaffold
from .session_run_hooks import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from .step_counter import get_global_step

_DEFAULT: Any = object()


@dataclass(frozen=True, slots=True)
class ChiefSessionCreator:
    """How a monitored session makes its session: with the variables of a checkpoint, or with their initial values.

    Attributes:
        scaffold: a `tf.train.Scaffold`, None for the usual operations.
        master: the target of `tf.Session`, such as "dask://host:8786".
        config: the config of `tf.Session`.
        checkpoint_dir: the folder of checkpoints, None for none.
        checkpoint_filename_with_path: one checkpoint instead.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(3.0)
    ...     with tf.train.MonitoredSession(tf.train.ChiefSessionCreator()) as session:
    ...         print(session.run(v))
    3.0
    """

    scaffold: Scaffold | None = None
    master: Any = ""
    config: Any = None
    checkpoint_dir: str | bytes | os.PathLike[str] | None = None
    checkpoint_filename_with_path: str | None = None


class StepContext:
    """What a function of `MonitoredSession.run_step_fn` gets: the session without hooks, and a run with them."""

    __slots__ = ("_monitored",)

    def __init__(self, monitored: MonitoredSession) -> None:
        self._monitored = monitored

    @property
    def session(self) -> Session:
        """The session; its runs call no hooks."""
        return self._monitored._opened()

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """A run that calls the hooks.

        Args:
            args: as of `MonitoredSession.run`.
            kwargs: as there.

        Returns:
            What the run computed.
        """
        return self._monitored.run(*args, **kwargs)

    def request_stop(self) -> None:
        """Asks the session to stop: its `should_stop()` is then True."""
        self._monitored._stops = True


@hides_frames_of_init
class MonitoredSession:
    """A session that gives the variables their values when it begins, and calls hooks around each run.

    It starts the graph's queue runners, whose threads end with it.

    In a `with` block, an `OutOfRangeError` ends the block without an error: the data came to their end.

    Args:
        session_creator: a `ChiefSessionCreator`, None for one without a checkpoint.
        hooks: the `SessionRunHook`s, which are called in this order.
        stop_grace_period_secs: how long the threads of queue runners have to end when the session ends.

    Raises:
        TypeError: a hook is no `SessionRunHook`.
        RuntimeError: variables have no value after the operations that begin, or a hook lacks a global step.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(3.0)
    ...     with tf.train.MonitoredSession() as session:
    ...         print(session.run(v), session.should_stop())
    3.0 False

    Source: TensorFlow 1.x, `tf.train.MonitoredSession`.
    """

    def __init__(
        self,
        session_creator: ChiefSessionCreator | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._creator = session_creator or ChiefSessionCreator()
        self._hooks = list(hooks or ())
        for each in self._hooks:
            if not isinstance(each, SessionRunHook):
                raise TypeError(f"MonitoredSession(hooks=...): {each!r} is no tf.train.SessionRunHook")
        self._session: Session | None = None
        self._grace = stop_grace_period_secs
        self._coordinator = Coordinator()
        self._stops = False
        self._graph = get_default_graph()
        self._scaffold = self._creator.scaffold or Scaffold()
        try:
            for each in self._hooks:
                each.begin()
            self._scaffold.finalize()
            self._open()
        except BaseException:
            self._release()
            raise

    @property
    def graph(self) -> Graph:
        """The graph that it runs, which cannot be changed any more."""
        return self._graph

    @hides_frames
    def run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        options: RunOptions | None = None,
        run_metadata: Any = None,
    ) -> Any:
        """Computes `fetches` as `Session.run` does, with the hooks around it.

        If a cluster's workers are lost, the session is opened again with the last checkpoint, and the run is made once
        more.

        Args:
            fetches: as of `Session.run`.
            feed_dict: as there.
            options: a `RunOptions`.
            run_metadata: a `RunMetadata`, which is filled.

        Returns:
            What was computed, in the structure of `fetches`.

        Raises:
            RuntimeError: the session is closed, a hook has asked to stop, or a hook feeds what the program feeds.
            OpError: an operation failed.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.placeholder(tf.float32, [])
        ...     twice = x * 2.0
        ...     with tf.train.MonitoredSession() as session:
        ...         print(session.run({"twice": twice}, {x: 1.5}))
        {'twice': np.float32(3.0)}
        """
        self._opened()
        if self._stops:
            raise RuntimeError("Run called even after should_stop requested.")
        try:
            return self._run(fetches, feed_dict, options, run_metadata)
        except (errors.AbortedError, errors.UnavailableError) as error:
            if not self._reopens():
                raise
            getLogger("penstock").warning(
                "MonitoredSession: %s; the session is opened again with the last checkpoint", error
            )
            self._shut()
            self._open()
            return self._run(fetches, feed_dict, options, run_metadata)

    @hides_frames
    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Calls a function that may make runs with and without hooks.

        Args:
            step_fn: a function of one argument, a context with `session`, `run_with_hooks` and `request_stop`.

        Returns:
            What the function gives.

        Raises:
            TypeError: it is no function.
            ValueError: it has other parameters.
            RuntimeError: the session is closed.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(3.0)
        ...     with tf.train.MonitoredSession() as session:
        ...         print(session.run_step_fn(lambda step_context: step_context.run_with_hooks(v)))
        3.0
        """
        if not callable(step_fn):
            raise TypeError(f"MonitoredSession.run_step_fn({step_fn!r}): `step_fn` must be callable")
        names = list(signature(step_fn).parameters)
        if names != ["step_context"]:
            raise errors.ValueRuleError(
                "MonitoredSession.run_step_fn: `step_fn` may have one `step_context` argument. Got "
                f"({', '.join(names)}) instead"
            )
        self._opened()
        return step_fn(StepContext(self))

    def should_stop(self) -> bool:
        """Whether a hook has asked to stop, or the session is closed.

        Returns:
            A bool.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     session = tf.train.MonitoredSession()
        ...     session.close()
        ...     print(session.should_stop())
        True
        """
        return self._session is None or self._stops or self._coordinator.should_stop()

    @hides_frames
    def close(self) -> None:
        """Calls the ends of the hooks, and closes the session.

        Raises:
            RuntimeError: it is closed already.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     tf.train.MonitoredSession().close()
        """
        self._end(calls_hooks=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        is_end_of_data = isinstance(error, errors.OutOfRangeError | StopIteration)
        if self._session is not None:
            self._end(calls_hooks=error is None or is_end_of_data)
        return is_end_of_data

    # ---- inside -----------------------------------------------------------------------------

    def _reopens(self) -> bool:
        """Whether lost workers are no end: there is a checkpoint to go on from."""
        folder = self._creator.checkpoint_dir
        return folder is not None and latest_checkpoint(folder) is not None

    def _opened(self) -> Session:
        if self._session is None:
            raise RuntimeError("Session is already closed.")
        return self._session

    def _open(self) -> None:
        """Make the session, with values for the variables."""
        creator = self._creator
        session = Session(creator.master, graph=self._graph, config=creator.config)
        try:
            self._scaffold.prepare(session, creator.checkpoint_dir, creator.checkpoint_filename_with_path)
            self._coordinator = Coordinator()
            start_queue_runners(session, self._coordinator)
            for each in self._hooks:
                each.after_create_session(session, self._coordinator)
        except BaseException:
            self._coordinator.request_stop()
            session.close()
            raise
        self._session = session

    def _run(
        self, fetches: Any, feed_dict: Mapping[Any, Any] | None, options: RunOptions | None, metadata: Any
    ) -> Any:
        session = self._opened()
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), session)
        wanted: dict[Any, Any] = {"caller": fetches}
        feeds = dict(feed_dict or {})
        for number, hook in enumerate(self._hooks):
            asked = hook.before_run(context)
            if asked is None:
                continue
            if asked.fetches is not None:
                wanted[number] = asked.fetches
            added = dict(asked.feed_dict or {})
            twice = [each for each in added if each in feeds]
            if twice:
                who = "user" if any(each in (feed_dict or {}) for each in twice) else "another SessionRunHook"
                raise RuntimeError(f"Same tensor is fed by a SessionRunHook and {who}. Conflict(s): {twice}")
            feeds.update(added)
        try:
            found = session.run(wanted, feeds or None, options, metadata)
        except (errors.CancelledError, errors.OutOfRangeError):
            self._coordinator.raise_requested_exception()  # of the thread that should have filled the queue
            raise
        for number, hook in enumerate(self._hooks):
            hook.after_run(context, SessionRunValues(found.get(number), options, metadata))
        self._stops = self._stops or context.stop_requested
        return found["caller"]

    def _end(self, calls_hooks: bool) -> None:
        session = self._opened()
        try:
            if calls_hooks:
                for each in self._hooks:
                    each.end(session)
        finally:
            self._release()
            self._shut()

    def _release(self) -> None:
        for each in self._hooks:
            each._release()

    def _shut(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            try:
                self._coordinator.request_stop()
                self._coordinator.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
            finally:
                session.close()


@hides_frames
def MonitoredTrainingSession(
    master: Any = "",
    is_chief: bool = True,
    checkpoint_dir: str | bytes | os.PathLike[str] | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: float | None = _DEFAULT,
    save_summaries_steps: int | None = _DEFAULT,
    save_summaries_secs: float | None = _DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: int | None = _DEFAULT,
    summary_dir: str | bytes | os.PathLike[str] | None = None,
) -> MonitoredSession:
    """A monitored session for training: it restores and saves checkpoints, writes summaries, and tells the speed.

    `master` is the target of a `tf.Session`: "" for this process, "dask://host:8786" for the workers of a cluster, of
    which `config` names the jobs. This program is the chief of all workers; the worker of a TensorFlow cluster that is
    not the chief has no counterpart.

    Args:
        master: the target of the session.
        is_chief: True; False is refused.
        checkpoint_dir: the folder of checkpoints; the last one is restored. None saves nothing.
        scaffold: a `Scaffold`, None for the usual operations.
        hooks: `SessionRunHook`s.
        chief_only_hooks: more of them.
        save_checkpoint_secs: after how many seconds a checkpoint is saved, 600 without a choice; None or 0 for never.
        save_summaries_steps: after how many steps summaries are written, 100 without a choice; None or 0 for never.
        save_summaries_secs: after how many seconds instead.
        config: a `SessionConfig` or a `ConfigProto`.
        stop_grace_period_secs: accepted for TensorFlow's sake.
        log_step_count_steps: after how many steps the speed is told, if there is a global step; None for never.
        max_wait_secs: accepted for TensorFlow's sake.
        save_checkpoint_steps: after how many steps a checkpoint is saved instead.
        summary_dir: the folder of summaries, `checkpoint_dir` without it.

    Returns:
        A `MonitoredSession`.

    Raises:
        UnimplementedError: `is_chief` is False.
        RuntimeError: checkpoints are to be saved and there is no global step, or variables have no value.
        ValueError: checkpoints or summaries are to be saved by steps and by seconds.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.get_variable("w", [], initializer=tf.ones_initializer())
    ...     descent, count = tf.train.GradientDescentOptimizer(0.25), tf.train.get_or_create_global_step()
    ...     step = descent.minimize(tf.square(w), global_step=count)
    ...     with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=2)]) as session:
    ...         while not session.should_stop():
    ...             _, before = session.run([step, w])
    ...             print(before)
    1.0
    0.5

    Source: TensorFlow 1.x, `tf.train.MonitoredTrainingSession`.
    """
    if not is_chief:
        raise errors.UnimplementedError(
            message="MonitoredTrainingSession(is_chief=False): this would be one of several programs that share "
            "variables, and Penstock runs one program that drives all workers. Run the chief alone, with "
            f"master='dask://host:8786'. See {PAGE}"
        )
    save_secs, save_steps = _choice("save_checkpoint", save_checkpoint_secs, save_checkpoint_steps, 600, None)
    summary_secs, summary_steps = _choice("save_summaries", save_summaries_secs, save_summaries_steps, None, 100)
    scaffold = scaffold or Scaffold()
    for each in (hooks, chief_only_hooks):
        if each is not None and not isinstance(each, Iterable):
            raise TypeError(f"MonitoredTrainingSession(hooks={each!r}): hooks are a list of tf.train.SessionRunHook; "
                            "write [hook] for a single one")  # fmt: skip
    every = [*(hooks or ()), *(chief_only_hooks or ())]
    folder = summary_dir if summary_dir is not None else checkpoint_dir
    has_steps = get_global_step() is not None
    if log_step_count_steps and has_steps:
        every.append(StepCounterHook(log_step_count_steps, output_dir=folder))
    if folder is not None and (summary_secs or summary_steps) and has_steps:
        every.append(SummarySaverHook(summary_steps, summary_secs, folder, scaffold=scaffold))
    if checkpoint_dir is not None and (save_secs or save_steps):
        every.append(CheckpointSaverHook(checkpoint_dir, save_secs, save_steps, scaffold=scaffold))
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, every, stop_grace_period_secs)


def _choice(name: str, secs: Any, steps: Any, usual_secs: Any, usual_steps: Any) -> tuple[float | None, int | None]:
    """After how many seconds or steps; what the program chose decides, 0 is never."""
    if secs is _DEFAULT and steps is _DEFAULT:
        return usual_secs, usual_steps
    secs, steps = (None if each is _DEFAULT or not each else each for each in (secs, steps))
    if secs and steps:
        raise errors.ValueRuleError(f"MonitoredTrainingSession: give {name}_secs or {name}_steps, not both")
    return secs, steps
