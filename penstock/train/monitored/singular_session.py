"""`tf.train.SingularMonitoredSession`: a monitored session that is not opened again, and shows the session inside."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ...graph.common.tracebacks import hides_frames, hides_frames_of_init
from ...runtime.session.session import Session
from .monitored_session import ChiefSessionCreator, MonitoredSession
from .scaffold import Scaffold
from .session_run_hooks import SessionRunHook


@hides_frames_of_init
class SingularMonitoredSession(MonitoredSession):
    """A `MonitoredSession` for one process: where workers are lost it ends with the error.

    Args:
        hooks: the `SessionRunHook`s, which are called in this order.
        scaffold: a `tf.train.Scaffold`, None for the usual operations.
        master: the target of `tf.Session`.
        config: the config of `tf.Session`.
        checkpoint_dir: the folder of checkpoints from which the variables are restored, None for none.
        stop_grace_period_secs: how long the threads of queue runners have to end when the session ends.
        checkpoint_filename_with_path: one checkpoint instead of a folder.

    Raises:
        TypeError: a hook is no `SessionRunHook`.
        RuntimeError: variables have no value after the operations that begin, or a hook lacks a global step.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(3.0)
    ...     with tf.train.SingularMonitoredSession() as session:
    ...         print(session.run(v), session.raw_session().run(v))
    3.0 3.0

    Source: TensorFlow 1.x, `tf.train.SingularMonitoredSession`.
    """

    def __init__(
        self,
        hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: Any = "",
        config: Any = None,
        checkpoint_dir: str | bytes | os.PathLike[str] | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, stop_grace_period_secs)

    def _reopens(self) -> bool:
        return False

    @hides_frames
    def raw_session(self) -> Session:
        """The session inside; its runs call no hooks.

        Returns:
            A `tf.Session`.

        Raises:
            RuntimeError: the session is closed.
        """
        return self._opened()
