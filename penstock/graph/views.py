"""What can be seen of a graph? As a table, a picture, another library's graph, beside another graph, as a cost.

`Graph` inherits these methods: each is one call of what does the work, here or, through the hooks, in an upper layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .hooks import hooks
from .inspect.graph_summary import summary
from .lazy_import import load

if TYPE_CHECKING:
    from .graph import Graph
    from .inspect.diff import GraphDiff


class GraphViews:
    """The part of a `Graph` that shows it."""

    def to_networkx(self) -> Any:
        """The graph as a `networkx.MultiDiGraph`: nodes are operation names, edges carry tensors and control inputs."""
        load("penstock.graph.inspect.networkx_view")
        from .inspect.networkx_view import to_networkx

        return to_networkx(_whole(self))

    def summary(self, scope: str | None = None) -> str:
        """A table of the nodes: name, op, inputs, dtype, shape, line."""
        return summary(_whole(self), scope)

    def diff(self, other: Graph) -> GraphDiff:
        """What became of this graph's nodes in `other`, by name: `+` added, `-` gone, `~` changed."""
        load("penstock.graph.inspect.diff")
        from .inspect.diff import diff  # most programs compare nothing

        return diff(_whole(self), other)

    def export(self, path: Any, **options: Any) -> Any:
        """Write the graph in the form that the suffix names (.html, .svg, .txt ...); see `penstock.show.export`."""
        return hooks.export(self, path, **options)

    def cost(self, fetches: Any = None, **sizes: Any) -> Any:
        """What a run would compute, move and hold, with `batch=64` and so on given; see
        `penstock.runtime.observe.cost`.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as graph:
        ...     y = tf.exp(tf.placeholder(tf.float32, ["batch"], name="x"), name="y")
        >>> graph.cost(y, batch=64).flops
        1280
        """
        return hooks.cost(self, fetches, **sizes)

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")

    def _repr_svg_(self) -> str | None:
        return hooks.markup(self, "svg")


def _whole(views: GraphViews) -> Graph:
    return views  # type: ignore[return-value]  # nothing else has these views
