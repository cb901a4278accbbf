"""A graph as a networkx MultiDiGraph: `x + x` needs two edges.

It is a view for algorithms and exchange, not the storage: a networkx node takes eight times the memory of one of ours.
networkx is imported here only, on first use.
"""

from __future__ import annotations

from typing import Any

from ..common.lazy_import import load
from ..model.nodes import Graph


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
    try:
        load("networkx")
        import networkx
    except ImportError:
        raise ImportError(
            "to_networkx: the package networkx is not installed; run `pip install penstock[networkx]`"
        ) from None

    view = networkx.MultiDiGraph()
    for op in graph.get_operations():
        view.add_node(op.name, type=op.type, device=op.device, origin=str(op.origin))
        for position, tensor in enumerate(op.inputs):
            view.add_edge(tensor.op.name, op.name, kind="data", tensor=tensor.name, dtype=tensor.dtype.name,
                          shape=str(tensor.shape), input=position)  # fmt: skip
        for control in op.control_inputs:
            view.add_edge(control.name, op.name, kind="control")
    return view
