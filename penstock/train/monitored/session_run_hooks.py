"""`tf.train.SessionRunHook` and its kin: what happens around each run of a monitored session."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from logging import getLogger
from typing import Any, NamedTuple

import numpy as np

from ...errors import ValueRuleError
from ...graph.common.tracebacks import hides_frames, hides_frames_of_init
from .step_counter import get_global_step


class SessionRunArgs(NamedTuple):
    """What a hook adds to a run.

    Attributes:
        fetches: what the run computes for the hook.
        feed_dict: what it feeds.
        options: accepted for TensorFlow's sake.

    >>> import penstock as tf
    >>> tf.train.SessionRunArgs("loss:0").feed_dict is None
    True
    """

    fetches: Any
    feed_dict: Mapping[Any, Any] | None = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What a hook gets from a run.

    Attributes:
        results: the values of the hook's fetches, None if it had none.
        options: the options of the run.
        run_metadata: the `RunMetadata` of the run, None without one.

    >>> import penstock as tf
    >>> tf.train.SessionRunValues(results=1.0, options=None, run_metadata=None).results
    1.0
    """

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """A run, as its hooks see it.

    Args:
        original_args: the fetches and feeds of the program, a `SessionRunArgs`.
        session: the session below the monitored one.

    >>> import penstock as tf
    >>> context = tf.train.SessionRunContext(tf.train.SessionRunArgs("loss:0"), session=None)
    >>> context.request_stop()
    >>> context.stop_requested
    True
    """

    __slots__ = ("_original_args", "_session", "_stop")

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args = original_args
        self._session = session
        self._stop = False

    @property
    def original_args(self) -> SessionRunArgs:
        """The fetches and feeds of the program."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session below the monitored one; its runs call no hooks."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook has asked to stop."""
        return self._stop

    def request_stop(self) -> None:
        """Asks the monitored session to stop after this run: its `should_stop()` is then True.

        >>> import penstock as tf
        >>> tf.train.SessionRunContext(tf.train.SessionRunArgs(None), None).request_stop()
        """
        self._stop = True


class SessionRunHook:
    """What happens around the runs of a monitored session; a class of hooks overrides the methods that it needs.

    >>> import penstock as tf
    >>> class Shout(tf.train.SessionRunHook):
    ...     def after_run(self, run_context, run_values):
    ...         print("one run")
    >>> with tf.Graph().as_default():
    ...     one = tf.constant(1)
    ...     with tf.train.MonitoredSession(hooks=[Shout()]) as session:
    ...         _ = session.run(one)
    one run

    Source: TensorFlow 1.x, `tf.train.SessionRunHook`.
    """

    def begin(self) -> None:
        """Called once before the session is made; the graph can still be changed.

        >>> import penstock as tf
        >>> tf.train.SessionRunHook().begin()
        """

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called when a session was made, and the variables have values.

        Args:
            session: the session.
            coord: None: there are no threads of queues to coordinate.

        >>> import penstock as tf
        >>> tf.train.SessionRunHook().after_create_session(None, None)
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each run.

        Args:
            run_context: the run.

        Returns:
            A `SessionRunArgs` with what the hook adds to the run, or None.

        >>> import penstock as tf
        >>> tf.train.SessionRunHook().before_run(None)
        """
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each run that ended without an error.

        Args:
            run_context: the run.
            run_values: the values of what the hook fetched.

        >>> import penstock as tf
        >>> tf.train.SessionRunHook().after_run(None, None)
        """

    def end(self, session: Any) -> None:
        """Called before the session is closed, unless an error ends it.

        Args:
            session: the session.

        >>> import penstock as tf
        >>> tf.train.SessionRunHook().end(None)
        """

    def _release(self) -> None:
        """Close the files that the hook has opened; called after `end`, and where an error ends the session too."""


def needed_global_step(name: str) -> Any:
    """The global step of the default graph, which a hook counts with.

    Raises:
        RuntimeError: there is none.
    """
    found = get_global_step()
    if found is None:
        raise RuntimeError(
            f"Global step should be created to use {name}. Call tf.train.get_or_create_global_step(), and give it to "
            "the optimizer: minimize(loss, global_step=...)"
        )
    return found


class GlobalStepHook(SessionRunHook):
    """A hook that follows the global step."""

    _step: Any = None

    @hides_frames
    def begin(self) -> None:
        """Finds the global step.

        Raises:
            RuntimeError: there is none.
        """
        self._step = needed_global_step(type(self).__name__)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetches the global step at the start of the run, so that it is read once more only where it matters.

        Args:
            run_context: the run.

        Returns:
            A `SessionRunArgs`.
        """
        return SessionRunArgs(self._step)


@hides_frames_of_init
class StopAtStepHook(GlobalStepHook):
    """Stops a monitored session when the global step reaches a number.

    Args:
        num_steps: how many steps to make from where the session begins.
        last_step: the global step to stop at; one of the two is given.

    Raises:
        ValueError: both are given, or none.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    ...     with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(num_steps=3)]) as session:
    ...         while not session.should_stop():
    ...             print(session.run(step))
    1
    2
    3

    Source: TensorFlow 1.x, `tf.train.StopAtStepHook`.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueRuleError("StopAtStepHook: One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueRuleError("StopAtStepHook: Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps
        self._last_step = last_step

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Counts from the step of the first session.

        Args:
            session: the session.
            coord: None.
        """
        if self._last_step is None:
            self._last_step = int(session.run(self._step)) + int(self._num_steps or 0)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Asks to stop if the last step is made.

        Args:
            run_context: the run.
            run_values: the global step.
        """
        last = self._last_step
        if last is None or int(run_values.results) + 1 < last:
            return
        if int(run_context.session.run(self._step)) >= last:
            run_context.request_stop()


class NanLossDuringTrainingError(RuntimeError):
    """A loss is NaN; `NanTensorHook` raises it.

    >>> import penstock as tf
    >>> print(tf.train.NanLossDuringTrainingError())
    NaN loss during training.
    """

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Ends a training whose loss is NaN.

    `RunOptions(watch=True)` says which operation made the first NaN.

    Args:
        loss_tensor: the loss, or its name.
        fail_on_nan_loss: True raises `NanLossDuringTrainingError`, False asks the session to stop.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     loss = tf.log(tf.constant(-1.0))
    ...     try:
    ...         with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as session:
    ...             _ = session.run(loss)
    ...     except tf.train.NanLossDuringTrainingError as error:
    ...         print(error)
    NaN loss during training.

    Source: TensorFlow 1.x, `tf.train.NanTensorHook`.
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss = loss_tensor
        self._fails = fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetches the loss.

        Args:
            run_context: the run.

        Returns:
            A `SessionRunArgs`.
        """
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Looks at the loss.

        Args:
            run_context: the run.
            run_values: the loss.

        Raises:
            NanLossDuringTrainingError: it is NaN.
        """
        if not np.isnan(run_values.results).any():
            return
        if self._fails:
            raise NanLossDuringTrainingError
        getLogger("penstock").warning("NanTensorHook: Model diverged with loss = NaN.")
        run_context.request_stop()


class SecondOrStepTimer:
    """Says when something that happens every so many steps or seconds is due.

    Args:
        every_secs: after how many seconds.
        every_steps: after how many steps; one of the two is given.

    Raises:
        ValueError: both are given, or none.

    >>> import penstock as tf
    >>> timer = tf.train.SecondOrStepTimer(every_steps=10)
    >>> due = [step for step in range(25) if timer.should_trigger_for_step(step) and timer.update(step)]
    >>> due
    [0, 10, 20]
    """

    __slots__ = ("_every_secs", "_every_steps", "_step", "_time")

    @hides_frames
    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueRuleError(
                "Either every_secs or every_steps should be provided: a hook, or its timer, acts every so many seconds "
                "or steps (save_secs or save_steps of a hook that saves)"
            )
        if every_secs is not None and every_steps is not None:
            raise ValueRuleError("Can not provide both every_secs and every_steps.")
        self._every_secs = math.inf if every_secs is None else every_secs
        self._every_steps = math.inf if every_steps is None else every_steps
        self._step: int | None = None
        self._time = 0.0

    @property
    def last_step(self) -> int | None:
        """The step of the last `update`, None before the first."""
        return self._step

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is due.

        Args:
            step: the number of the step.

        Returns:
            A bool; True before the first `update`.

        >>> import penstock as tf
        >>> tf.train.SecondOrStepTimer(every_secs=60).should_trigger_for_step(0)
        True
        """
        if self._step is None:
            return True
        if step == self._step:
            return False
        return step >= self._step + self._every_steps or time.monotonic() >= self._time + self._every_secs

    def update(self, step: int) -> bool:
        """Notes that it was done.

        Args:
            step: the number of the step.

        Returns:
            True.

        >>> import penstock as tf
        >>> tf.train.SecondOrStepTimer(every_steps=2).update(0)
        True
        """
        self._step, self._time = step, time.monotonic()
        return True


@hides_frames_of_init
class LoggingTensorHook(SessionRunHook):
    """Logs values every so many runs or seconds, at the level INFO.

    Args:
        tensors: a dict from a name to a tensor, or a list of tensors or their names.
        every_n_iter: after how many runs.
        every_n_secs: after how many seconds.
        at_end: whether they are logged at the end.
        formatter: a function from a dict of values to a text.

    Raises:
        ValueError: there is no or more than one choice of when.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     loss = tf.constant(0.25)
    ...     show = tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=2, formatter=lambda found: print(found))
    ...     with tf.train.MonitoredSession(hooks=[show]) as session:
    ...         for _ in range(3):
    ...             _ = session.run(loss)
    {'loss': np.float32(0.25)}
    {'loss': np.float32(0.25)}

    Source: TensorFlow 1.x, `tf.train.LoggingTensorHook`.
    """

    def __init__(
        self,
        tensors: Mapping[str, Any] | Sequence[Any],
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[str, Any]], str | None] | None = None,
    ) -> None:
        if at_end and every_n_iter is None and every_n_secs is None:
            self._timer: SecondOrStepTimer | None = None
        elif (every_n_iter is None) == (every_n_secs is None):
            raise ValueRuleError("LoggingTensorHook: exactly one of every_n_iter and every_n_secs must be provided.")
        else:
            self._timer = SecondOrStepTimer(every_n_secs, every_n_iter)
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueRuleError(f"LoggingTensorHook: invalid every_n_iter={every_n_iter}; give 1 or more")
        named = dict(tensors) if isinstance(tensors, Mapping) else {getattr(t, "name", str(t)): t for t in tensors}
        self._tensors = named
        self._at_end = at_end
        self._formatter = formatter
        self._runs = 0

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Fetches the values if it is time.

        Args:
            run_context: the run.

        Returns:
            A `SessionRunArgs`, or None.
        """
        due = self._timer is not None and self._timer.should_trigger_for_step(self._runs)
        return SessionRunArgs(self._tensors) if due else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs them.

        Args:
            run_context: the run.
            run_values: the values.
        """
        if run_values.results is not None and self._timer is not None:
            self._timer.update(self._runs)
            self._log(run_values.results)
        self._runs += 1

    def end(self, session: Any) -> None:
        """Logs them once more with `at_end`.

        Args:
            session: the session.
        """
        if self._at_end:
            self._log(session.run(self._tensors))

    def _log(self, found: dict[str, Any]) -> None:
        if self._formatter is not None:
            text = self._formatter(found)
        else:
            text = ", ".join(f"{name} = {value}" for name, value in found.items())
        if text is not None:
            getLogger("penstock").info("%s", text)
