"""The default graph of a thread, and the graph that a call adds its node to."""

from __future__ import annotations

from ...errors import GraphError
from ..common.tracebacks import hides_frames
from .context import defaults
from .lookup import INNER
from .nodes import Graph, Operation, Tensor

ONE_GRAPH = (
    "Make all tensors of a call inside one graph's block, and call the op there too: `with x.graph.as_default():`. "
    "To use a value of another graph, run it there and feed it to a placeholder here."
)
"""The cure where a call meets two graphs."""


def cure_for(element: Tensor | Operation) -> str:
    """What to do where `element` is wanted in another graph."""
    return ONE_GRAPH if element.graph.outer is None else INNER


def get_default_graph() -> Graph:
    """The graph to which calls without tensor arguments add, in this thread.

    Returns:
        The Graph.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as g:
    ...     tf.get_default_graph() is g
    True
    """
    if defaults.stack:
        graph: Graph = defaults.stack[-1]
        return graph
    if defaults.base is None:
        defaults.base = Graph()
    base: Graph = defaults.base
    return base


def outermost(graph: Graph) -> Graph:
    """The graph that holds variables and collections: `graph`, or the one around all bodies that it is in."""
    while graph.outer is not None:
        graph = graph.outer
    return graph


def target_graph(element: Tensor | Operation | None) -> Graph:
    """The graph that a call adds its node to: that of its first tensor or operation, else the default graph.

    Raises:
        GraphError: the call stands in the `with` block of another graph.
    """
    if element is None:
        return get_default_graph()
    graph = element.graph
    stack = defaults.stack
    if not stack or stack[-1] is graph:
        return graph
    around: Graph = stack[-1]
    if around.admits(element):
        return around
    if around not in defaults.lasting:
        cure = cure_for(element)
        error = GraphError(
            f"{type(element).__name__} {element.name!r} belongs to {graph}, but the call is inside the `with` "
            f"block of {around}; a node and its inputs must belong to one graph",
            cure=cure,
            code="graph/two-graphs",
        )
        error.replace_text(f"{error.message}\n  {cure}")  # for callers that write no report on a call
        raise error
    return graph


@hides_frames
def reset_default_graph() -> None:
    """Replaces the default graph of this thread with an empty one.

    Raises:
        GraphError (a ValueError): the call is inside `with graph.as_default()`.

    >>> import penstock as tf
    >>> a = tf.constant(1)
    >>> tf.reset_default_graph()
    >>> tf.get_default_graph().get_operations()
    []
    """
    if defaults.stack:
        is_of_session = defaults.stack[-1] in defaults.lasting
        cure = (
            "an open tf.InteractiveSession(graph=...) has made its graph the default one; call close() on it first"
            if is_of_session
            else "a graph is the default through `with graph.as_default()`, or `with session:`; call it outside of "
            "every such block"
        )
        raise GraphError(f"reset_default_graph: {cure}")
    defaults.base = None
