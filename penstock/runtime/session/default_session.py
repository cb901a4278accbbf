"""The default session of a thread, and what uses it: `Tensor.eval`, `Operation.run`, `InteractiveSession`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from ...errors import GraphError
from ...graph.common.lazy_import import load
from ...graph.common.tracebacks import hides_frames
from ...graph.model.lookup import INNER
from ...graph.model.nodes import Graph
from ...graph.model.scopes import DefaultGraph
from ..base.session_config import SessionConfig
from .session import Session
from .session_stack import default_sessions

if TYPE_CHECKING:
    from ..base.config_protos import ConfigProto


def get_default_session() -> Session | None:
    """The innermost session that this thread has entered with `with`.

    Returns:
        The Session, or None.

    >>> import penstock as tf
    >>> tf.get_default_session() is None
    True
    """
    return default_sessions.stack[-1] if default_sessions.stack else None


class InteractiveSession(Session):
    """A session that is the default session from its creation until `close`, for notebooks and prompts.

    A cell of a notebook that makes one may run again: the new session is the default one, and a message says that the
    other is still open and keeps the values of its variables.

    Args:
        target: "" (there are no remote sessions).
        graph: the graph to run, which is the default graph until `close`; without it, what is the default graph now.
        config: a `SessionConfig`, or a `ConfigProto`.

    Raises:
        TypeError: `graph` or `config` is of another type.
        ValueError: `target` is not "", or the config names a device or pass that does not exist.

    >>> import penstock as tf
    >>> session = tf.InteractiveSession(graph=tf.Graph())
    >>> print(tf.constant([1, 2]).eval())
    [1 2]
    >>> session.close()
    """

    @hides_frames
    def __init__(
        self, target: str = "", graph: Graph | None = None, config: SessionConfig | ConfigProto | None = None
    ) -> None:
        super().__init__(target, graph, config)
        self._block: DefaultGraph[Graph] | None = None
        if graph is not None:  # else the default graph stays what it is, and can be reset
            self._block = self._graph.as_default()
            self._block.enter_until_withdrawn()
        _tell_of_open_ones()
        default_sessions.stack.append(self)

    def close(self) -> None:
        """Closes the session; it is no longer the default session."""
        if not self._closed and self in default_sessions.stack:
            default_sessions.stack.remove(self)
            if self._block is not None:
                self._block.withdraw()
        super().close()


def _tell_of_open_ones() -> None:
    """Say once per session that it is not the first; TensorFlow 1.x says it too."""
    count = sum(isinstance(each, InteractiveSession) for each in default_sessions.stack)
    if count:
        load("logging")
        import logging

        logging.getLogger("penstock").warning(
            "InteractiveSession: %d older one%s still open and keep%s the values of variables; call close() on a "
            "session when its work is done", count, " is" if count == 1 else "s are", "s" if count == 1 else "",
        )  # fmt: skip


def evaluate_in_default(fetch: Any, feed_dict: Mapping[Any, Any] | None, session: Session | None) -> Any:
    """`Tensor.eval` and `Operation.run`."""
    return _chosen(session, fetch.graph, f"Cannot evaluate {fetch.name!r}").run(fetch, feed_dict)


def load_in_default(values: Mapping[str, Any], graph: Graph, session: Session | None) -> None:
    """`Variable.load`: arrays by variable, which are the session's from now on."""
    chosen = _chosen(session, graph, f"Cannot load {next(iter(values), 'nothing')!r}")
    chosen._require_open()
    chosen.variables.load(values)


def read_in_default(
    resources: Sequence[str], graph: Graph, session: Session | None
) -> AbstractContextManager[Sequence[Any]]:
    """A `with` block with the values of variables at one moment, which are the session's and must not be changed."""
    chosen = _chosen(session, graph, "Cannot read variables")
    chosen._require_open()
    return chosen.variables.reading(resources)


def _chosen(session: Session | None, graph: Graph, what: str) -> Session:
    """The session given, or the default one, which must run `graph`."""
    if session is not None and not isinstance(session, Session):
        raise TypeError(f"{what}: session is {session!r}, which is not a Session")
    chosen = session or get_default_session()
    if graph.outer is not None:
        raise GraphError(f"{what}: it is inside the body of a loop, a branch or a function of a dataset. {INNER}")
    if chosen is None:
        raise GraphError(f"{what}: no default session is registered. Use `with session:` or pass session=")
    if chosen.graph is not graph:
        raise GraphError(f"{what}: the session runs {chosen.graph}, but it belongs to {graph}. "
                         "Use a session of that graph")  # fmt: skip
    return chosen


def open_session(graph: Graph) -> Session:
    """A new session of a graph, which its caller keeps."""
    return Session(graph=graph)
