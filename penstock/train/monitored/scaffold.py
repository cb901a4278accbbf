"""`tf.train.Scaffold`: the operations with which a monitored session begins, and its saver."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from ...errors import FailedPreconditionError
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Operation
from ...ops.control.control import group
from ...runtime.session.session import Session
from ...summary.summary_functions import merge_all
from ...variables.graph_keys import GraphKeys
from ...variables.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)
from ..checkpoints.checkpoint_files import latest_checkpoint
from ..checkpoints.saver import Saver


class Scaffold:
    """The operations with which a monitored session begins, and its saver; what is not given is the usual one.

    Args:
        init_op: gives the variables their values, where no checkpoint does.
        init_feed_dict: what `init_op` is fed.
        init_fn: a function of the scaffold and the session, called after `init_op`.
        ready_op: a tensor of the names of what has no value, which must be empty in the end.
        ready_for_local_init_op: accepted for TensorFlow's sake.
        local_init_op: gives local variables their values, after `init_op` or a checkpoint.
        summary_op: the merged summaries.
        saver: a `tf.train.Saver`.
        copy_from_scaffold: another scaffold, whose parts are taken where none are given.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.get_variable("v", [])
    ...     scaffold = tf.train.Scaffold(init_op=v.assign(5.0).op)
    ...     with tf.train.MonitoredTrainingSession(scaffold=scaffold) as session:
    ...         print(session.run(v))
    5.0

    Source: TensorFlow 1.x, `tf.train.Scaffold`.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Mapping[Any, Any] | None = None,
        init_fn: Callable[[Scaffold, Session], object] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Saver | None = None,
        copy_from_scaffold: Scaffold | None = None,
    ) -> None:
        def taken(given: Any, name: str) -> Any:
            return getattr(copy_from_scaffold, name) if given is None and copy_from_scaffold is not None else given

        self.init_op = taken(init_op, "init_op")
        self.init_feed_dict = taken(init_feed_dict, "init_feed_dict")
        self.init_fn = taken(init_fn, "init_fn")
        self.ready_op = taken(ready_op, "ready_op")
        self.ready_for_local_init_op = taken(ready_for_local_init_op, "ready_for_local_init_op")
        self.local_init_op = taken(local_init_op, "local_init_op")
        self.summary_op = taken(summary_op, "summary_op")
        self.saver: Saver | None = taken(saver, "saver")

    def finalize(self) -> Scaffold:
        """Makes the operations that were not given, and makes the graph read-only.

        Returns:
            This scaffold.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as graph:
        ...     scaffold = tf.train.Scaffold().finalize()
        ...     print(graph.finalized, scaffold.init_op.name)
        True init
        """
        self.init_op = usual(self.init_op, GraphKeys.INIT_OP, global_variables_initializer)
        self.ready_op = usual(self.ready_op, GraphKeys.READY_OP, report_uninitialized_variables)
        self.local_init_op = usual(self.local_init_op, GraphKeys.LOCAL_INIT_OP, usual_local_init_op)
        self.summary_op = usual(self.summary_op, GraphKeys.SUMMARY_OP, merge_all)
        self.saver = usual(self.saver, GraphKeys.SAVERS, lambda: Saver() if global_variables() else None)
        get_default_graph().finalize()
        return self

    def prepare(self, session: Session, folder: str | bytes | os.PathLike[str] | None, checkpoint: str | None) -> None:
        """Give the variables their values: of a checkpoint, or the initial ones.

        Args:
            session: the new session.
            folder: the folder of checkpoints, of which the last one is restored.
            checkpoint: one checkpoint instead.

        Raises:
            RuntimeError: some have none in the end.
        """
        path = checkpoint or (latest_checkpoint(folder) if folder is not None else None)
        if path is not None and self.saver is not None:
            self.saver.restore(session, path)
        else:
            if self.init_op is not None:
                session.run(self.init_op, self.init_feed_dict)
            if self.init_fn is not None:
                self.init_fn(self, session)
        if self.local_init_op is not None:
            session.run(self.local_init_op)
        try:
            missing = [] if self.ready_op is None else [name.decode() for name in session.run(self.ready_op).ravel()]
        except FailedPreconditionError as error:
            missing = [error.message]
        if missing:
            began = f"the checkpoint {path}" if path is not None else "init_op"
            raise RuntimeError(
                f"Init operations did not make model ready: Variables not initialized: {', '.join(missing)}. After "
                f"{began} and local_init_op they have no value; give tf.train.Scaffold(init_op=...) that writes them"
            )


def usual_local_init_op() -> Operation:
    made: Operation = group(local_variables_initializer(), tables_initializer())
    return made


def usual(given: Any, key: str, make: Callable[[], Any]) -> Any:
    """What was given; what the graph's collection holds of an earlier session; or a new one, which is noted there."""
    graph = get_default_graph()
    if given is not None:
        return given
    noted = graph.get_collection(key)
    if noted:
        return noted[0]
    made = None if graph.finalized else make()
    if made is not None:
        graph.add_to_collection(key, made)
    return made
