"""Hooks that feed, that compute at the end, that wait: FeedFnHook, FinalOpsHook, GlobalStepWaiterHook."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from logging import getLogger
from typing import Any

from .session_run_hooks import GlobalStepHook, SessionRunArgs, SessionRunContext, SessionRunHook


class FeedFnHook(SessionRunHook):
    """Feeds every run what a function returns.

    Args:
        feed_fn: it takes nothing and gives a `feed_dict`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, [])
    ...     with tf.train.MonitoredSession(hooks=[tf.train.FeedFnHook(lambda: {x: 3.0})]) as session:
    ...         print(session.run(x))
    3.0

    Source: TensorFlow 1.x, `tf.train.FeedFnHook`.
    """

    def __init__(self, feed_fn: Callable[[], Mapping[Any, Any]]) -> None:
        self._feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Adds the feeds.

        Args:
            run_context: the run.

        Returns:
            A `SessionRunArgs`.
        """
        return SessionRunArgs(None, self._feed_fn())


class FinalOpsHook(SessionRunHook):
    """Computes something once, at the end of a monitored session.

    Args:
        final_ops: fetches.
        final_ops_feed_dict: what is fed.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    ...     hook = tf.train.FinalOpsHook(tf.train.get_global_step())
    ...     with tf.train.MonitoredSession(hooks=[hook]) as session:
    ...         _ = session.run(step)
    >>> print(hook.final_ops_values)
    1

    Source: TensorFlow 1.x, `tf.train.FinalOpsHook`.
    """

    def __init__(self, final_ops: Any, final_ops_feed_dict: Mapping[Any, Any] | None = None) -> None:
        self._final_ops, self._feed_dict = final_ops, final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The values of the fetches; None before the end."""
        return self._values

    def end(self, session: Any) -> None:
        """Computes the fetches.

        Args:
            session: the session.
        """
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, feed_dict=self._feed_dict)


class GlobalStepWaiterHook(GlobalStepHook):
    """Holds a run back until others have brought the global step to a number.

    Args:
        wait_until_step: the number; 0 waits for nothing.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    ...     with tf.train.MonitoredSession(hooks=[tf.train.GlobalStepWaiterHook(0)]) as session:
    ...         print(session.run(step))
    1

    Source: TensorFlow 1.x, `tf.train.GlobalStepWaiterHook`.
    """

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until, self._is_begun = wait_until_step, False

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Waits, in the first run.

        Args:
            run_context: the run.

        Returns:
            A `SessionRunArgs`.
        """
        told = 0
        while not self._is_begun and self._wait_until > 0:
            current = int(run_context.session.run(self._step))
            if current >= self._wait_until:
                break
            if current > told + 1000:
                told = current
                getLogger("penstock").info("Waiting for step %d; the global step is %d.", self._wait_until, current)
            time.sleep(0.5)
        self._is_begun = True
        return SessionRunArgs(None)
