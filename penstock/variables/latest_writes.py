"""Which operations of a graph write a variable so far, also inside the graphs that they hold."""

from __future__ import annotations

from ..graph.model.nodes import Graph
from ..ops.state.variable_ops import touched_by


def is_written_in(graph: Graph, resource: str) -> bool:
    """Whether an operation of the graph writes the variable."""
    return any(not op.opdef.is_pure and resource in touched_by(op)[1] for op in graph.get_operations())
