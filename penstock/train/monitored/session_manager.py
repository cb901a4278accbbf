"""`tf.train.SessionManager`: sessions whose variables have values, of a checkpoint or by `init_op`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from ...errors import DeadlineExceededError, FailedPreconditionError, ValueRuleError
from ...graph.common.tracebacks import hides_frames_of_methods
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Graph
from ...runtime.session.session import Session
from ..checkpoints.checkpoint_files import latest_checkpoint
from ..checkpoints.saver import Saver

Folder = str | bytes | os.PathLike[str] | None


@hides_frames_of_methods
class SessionManager:
    """Makes sessions that are ready: it restores a checkpoint or runs `init_op`, then asks `ready_op` what is missing.

    Args:
        local_init_op: an operation that runs in each new session, after variables have values.
        ready_op: a tensor of the names of what has no value; a session is ready where it is empty.
        ready_for_local_init_op: such a tensor, asked before `local_init_op` runs.
        graph: the graph; without it the default graph.
        recovery_wait_secs: seconds from one attempt to the next while it waits.
        local_init_run_options: options of the run of `local_init_op`.
        local_init_feed_dict: what that run is fed.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(3.0)
    ...     manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    ...     with manager.prepare_session("", init_op=tf.global_variables_initializer()) as session:
    ...         print(session.run(v))
    3.0

    Source: TensorFlow 1.x, `tf.train.SessionManager`.
    """

    def __init__(
        self, local_init_op: Any = None, ready_op: Any = None, ready_for_local_init_op: Any = None,
        graph: Graph | None = None, recovery_wait_secs: float = 30, local_init_run_options: Any = None,
        local_init_feed_dict: Mapping[Any, Any] | None = None
    ) -> None:  # fmt: skip
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueRuleError("SessionManager: If you pass a ready_for_local_init_op you must also pass a "
                                 "local_init_op")  # fmt: skip
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = graph or get_default_graph()
        self._wait = recovery_wait_secs
        self._options, self._feeds = local_init_run_options, local_init_feed_dict

    def prepare_session(
        self, master: Any, init_op: Any = None, saver: Saver | None = None, checkpoint_dir: Folder = None,
        checkpoint_filename_with_path: str | None = None, wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200, config: Any = None, init_feed_dict: Mapping[Any, Any] | None = None,
        init_fn: Callable[[Session], object] | None = None
    ) -> Session:  # fmt: skip
        """A session whose variables have the values of the last checkpoint or, where there is none, of `init_op`.

        Args:
            master: the target of the session: "" for this process.
            init_op: an operation that gives variables their values.
            saver: a `tf.train.Saver` that restores.
            checkpoint_dir: the folder of checkpoints.
            checkpoint_filename_with_path: one checkpoint instead.
            wait_for_checkpoint: whether to wait until there is one.
            max_wait_secs: for how long.
            config: the config of the session.
            init_feed_dict: what `init_op` is fed.
            init_fn: a function of the session, called after `init_op`.

        Returns:
            A `tf.Session`.

        Raises:
            ValueError: both a folder and a checkpoint are given.
            RuntimeError: something has no value in the end, or there is nothing that could give one.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(3.0)
        ...     manager = tf.train.SessionManager()
        ...     print(manager.prepare_session("", init_fn=lambda session: v.load(5.0, session)).run(v))
        5.0
        """
        session, path = self._restored(master, saver, checkpoint_dir, checkpoint_filename_with_path,
                                       wait_for_checkpoint, max_wait_secs, config)  # fmt: skip
        try:
            if path is None:
                if init_op is None and init_fn is None and self._local_init_op is None:
                    raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
                if init_op is not None:
                    session.run(init_op, init_feed_dict)
                if init_fn is not None:
                    init_fn(session)
            missing = self._run_local_init_op(session)
            if missing:
                raise RuntimeError(f"Init operations did not make model ready for local_init: {missing}")
            missing = _missing(session, self._ready_op)
            if missing:
                began = "init_op" if path is None else f"the checkpoint {path}"
                raise RuntimeError(f"Init operations did not make model ready: {missing}. After {began} and "
                                   "local_init_op they have no value")  # fmt: skip
        except BaseException:
            session.close()
            raise
        return session

    def recover_session(
        self, master: Any, saver: Saver | None = None, checkpoint_dir: Folder = None,
        checkpoint_filename_with_path: str | None = None, wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200, config: Any = None
    ) -> tuple[Session, bool]:  # fmt: skip
        """A session, with the values of the last checkpoint if there is one.

        Args:
            master: the target of the session: "" for this process.
            saver: a `tf.train.Saver` that restores.
            checkpoint_dir: the folder of checkpoints.
            checkpoint_filename_with_path: one checkpoint instead.
            wait_for_checkpoint: whether to wait until there is one.
            max_wait_secs: for how long.
            config: the config of the session.

        Returns:
            (a `tf.Session`, whether it was restored and is ready).

        Raises:
            ValueError: both a folder and a checkpoint are given.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(3.0)
        ...     _, is_ready = tf.train.SessionManager().recover_session("", tf.train.Saver(), "no/such/folder")
        ...     print(is_ready)
        False
        """
        session, path = self._restored(master, saver, checkpoint_dir, checkpoint_filename_with_path,
                                       wait_for_checkpoint, max_wait_secs, config)  # fmt: skip
        missing = self._run_local_init_op(session)
        return session, path is not None and not missing and not _missing(session, self._ready_op)

    def wait_for_session(self, master: Any, config: Any = None, max_wait_secs: float | None = None) -> Session:
        """A session once its variables have values that others give, such as those on the workers of a cluster.

        Args:
            master: the target of the session.
            config: the config of the session.
            max_wait_secs: for how long to wait; None for ever.

        Returns:
            A `tf.Session`.

        Raises:
            DeadlineExceededError: they have none after that time.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.train.SessionManager().wait_for_session("").run(tf.constant(1)))
        1
        """
        until = None if max_wait_secs is None else time.monotonic() + max_wait_secs
        while True:
            session = Session(master, graph=self._graph, config=config)
            if not self._run_local_init_op(session) and not _missing(session, self._ready_op):
                return session
            with suppress(Exception):
                session.close()
            if until is not None and time.monotonic() + self._wait > until:
                raise DeadlineExceededError(message=f"Session was not ready after waiting {max_wait_secs} secs.")
            time.sleep(self._wait)

    def _restored(
        self, master: Any, saver: Saver | None, folder: Folder, checkpoint: str | None, waits: bool,
        max_wait_secs: float, config: Any
    ) -> tuple[Session, str | None]:  # fmt: skip
        """(a new session, the checkpoint whose values it has)."""
        if folder and checkpoint:
            raise ValueRuleError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
        session = Session(master, graph=self._graph, config=config)
        if saver is None or not (folder or checkpoint):
            return session, None
        path = checkpoint or latest_checkpoint(str(folder))
        until = time.monotonic() + max_wait_secs
        while path is None and waits and time.monotonic() < until:
            time.sleep(min(self._wait, max(0.0, until - time.monotonic())))
            path = latest_checkpoint(str(folder))
        if path is not None:
            saver.restore(session, path)
        return session, path

    def _run_local_init_op(self, session: Session) -> str:
        """What keeps the local operation from running; "" once it has run."""
        if self._local_init_op is None:
            return ""
        missing = _missing(session, self._ready_for_local_init_op)
        if not missing:
            session.run(self._local_init_op, self._feeds, options=self._options)
        return missing


def _missing(session: Session, ready_op: Any) -> str:
    """The names that `ready_op` gives, in words; "" if the session is ready."""
    if ready_op is None:
        return ""
    try:
        names = [name.decode() for name in session.run(ready_op).ravel()]
    except FailedPreconditionError as error:
        return str(error.message)
    return f"Variables not initialized: {', '.join(names)}" if names else ""
