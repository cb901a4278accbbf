"""A graph as a networkx MultiDiGraph: `x + x` needs two edges.

It is a view for algorithms and exchange, not the storage: a networkx node takes eight times the memory of one of ours.
networkx is imported here only, on first use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..lazy_import import load
from ..nodes import Graph


def to_networkx(graph: Graph) -> Any:
    """A `networkx.MultiDiGraph` of operation names.

    Nodes have `type`, `device` and `origin`; edges have `kind` ("data" or "control") and, for data, `tensor`, `dtype`,
    `shape` and `input` (the position among the inputs).

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as g:
    ...     x = tf.placeholder(tf.float32, name="x")
    ...     y = tf.add(x, x, name="y")
    >>> sorted(g.to_networkx().edges(keys=False)), g.to_networkx().nodes["y"]["type"]
    ([('x', 'y'), ('x', 'y')], 'Add')
    """
    load("networkx")
    import networkx

    view = networkx.MultiDiGraph()
    for op in graph.get_operations():
        view.add_node(op.name, type=op.type, device=op.device, origin=str(op.origin))
        for position, tensor in enumerate(op.inputs):
            view.add_edge(tensor.op.name, op.name, kind="data", tensor=tensor.name, dtype=tensor.dtype.name,
                          shape=str(tensor.shape), input=position)  # fmt: skip
        for control in op.control_inputs:
            view.add_edge(control.name, op.name, kind="control")
    return view


def longest_path(weights: Mapping[str, float], edges: Iterable[tuple[str, str]]) -> list[str]:
    """The heaviest chain of a graph without cycles: names along edges, of which the weights add up to the most.

    >>> longest_path({"a": 1, "b": 5, "c": 2, "d": 1}, [("a", "b"), ("a", "c"), ("c", "d"), ("b", "d")])
    ['a', 'b', 'd']
    """
    load("networkx")
    import networkx

    # networkx weighs edges: each carries the weight of the node it leads to, and one node before all carries the rest.
    begin = object()
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from((begin, node, weight) for node, weight in weights.items())
    graph.add_weighted_edges_from((source, target, weights[target]) for source, target in edges)
    found: list[str] = networkx.dag_longest_path(graph)[1:]
    return found
