"""Hooks that programs use beside those that save: what is fed, what is computed at the end, who waits; listeners."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ...graph.common.tracebacks import hides_frames_of_init
from .session_run_hooks import GlobalStepHook, SessionRunArgs, SessionRunContext, SessionRunHook


class CheckpointSaverListener:
    """What is called around the checkpoints of a `tf.train.CheckpointSaverHook`; a class overrides what it needs.

    >>> import tempfile
    >>> import penstock as tf
    >>> class Shout(tf.train.CheckpointSaverListener):
    ...     def after_save(self, session, global_step_value):
    ...         print("saved at step", global_step_value)
    >>> with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
    ...     step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    ...     hook = tf.train.CheckpointSaverHook(folder, save_steps=100, listeners=[Shout()])
    ...     with tf.train.MonitoredSession(hooks=[hook]) as session:
    ...         _ = session.run(step)
    saved at step 0
    saved at step 1

    Source: TensorFlow 1.x, `tf.train.CheckpointSaverListener`.
    """

    def begin(self) -> None:
        """Called once before the session is made; the graph can still be changed.

        >>> import penstock as tf
        >>> tf.train.CheckpointSaverListener().begin()
        """

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before a checkpoint is written.

        Args:
            session: the session.
            global_step_value: the step.

        >>> import penstock as tf
        >>> tf.train.CheckpointSaverListener().before_save(None, 0)
        """

    def after_save(self, session: Any, global_step_value: int) -> Any:
        """Called when a checkpoint was written.

        Args:
            session: the session.
            global_step_value: the step.

        Returns:
            True to stop training, else None.

        >>> import penstock as tf
        >>> tf.train.CheckpointSaverListener().after_save(None, 0)
        """

    def end(self, session: Any, global_step_value: int) -> None:
        """Called at the end.

        Args:
            session: the session.
            global_step_value: the step.

        >>> import penstock as tf
        >>> tf.train.CheckpointSaverListener().end(None, 0)
        """


@hides_frames_of_init
class FeedFnHook(SessionRunHook):
    """Feeds what a function gives, in each run.

    Args:
        feed_fn: a function without arguments that gives a dict of feeds.

    Raises:
        TypeError: `feed_fn` is no function.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, [])
    ...     y = x + 1.0
    ...     with tf.train.MonitoredSession(hooks=[tf.train.FeedFnHook(lambda: {x: 3.0})]) as session:
    ...         print(session.run(y))
    4.0

    Source: TensorFlow 1.x, `tf.train.FeedFnHook`.
    """

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        if not callable(feed_fn):
            raise TypeError(f"FeedFnHook: feed_fn must be a function that gives a dict of feeds, not {feed_fn!r:.60}; "
                            "write lambda: {placeholder: value}")  # fmt: skip
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Adds the feeds to a run.

        Args:
            run_context: the run.
        """
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


class FinalOpsHook(SessionRunHook):
    """Runs tensors once more at the end of a session, and keeps their values.

    Args:
        final_ops: what `Session.run` takes; None for nothing.
        final_ops_feed_dict: what that run feeds.

    Attributes:
        final_ops_values: the values, None before the end.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     count = tf.Variable(0)
    ...     more = tf.assign_add(count, 5)
    ...     hook = tf.train.FinalOpsHook(count)
    ...     with tf.train.MonitoredSession(hooks=[hook]) as session:
    ...         _ = session.run(more)
    >>> print(hook.final_ops_values)
    5

    Source: TensorFlow 1.x, `tf.train.FinalOpsHook`.
    """

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops, self._feed_dict = final_ops, final_ops_feed_dict
        self.final_ops_values: Any = None

    def end(self, session: Any) -> None:
        """Runs them.

        Args:
            session: the session.
        """
        if self._final_ops is not None:
            self.final_ops_values = session.run(self._final_ops, feed_dict=self._feed_dict)


class GlobalStepWaiterHook(GlobalStepHook):
    """Lets the first run wait until the global step is at some number: another program counts it.

    Args:
        wait_until_step: the number; 0 waits for nothing.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     step = tf.train.get_or_create_global_step()
    ...     with tf.train.MonitoredSession(hooks=[tf.train.GlobalStepWaiterHook(0)]) as session:
    ...         print(session.run(step))
    0

    Source: TensorFlow 1.x, `tf.train.GlobalStepWaiterHook`.
    """

    def __init__(self, wait_until_step: int) -> None:
        self._until, self._is_over = wait_until_step, False

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Waits, before the first run only.

        Args:
            run_context: the run.
        """
        while not self._is_over:
            self._is_over = self._until <= 0 or int(run_context.session.run(self._step)) >= self._until
            if not self._is_over:
                time.sleep(0.5)
        return SessionRunArgs(None)
