"""The table of a graph's nodes: name, op, inputs, dtype, shape and the user's line, one row per node.

A node with several outputs shows all of them. The nodes of a graph inside an op follow it, indented.
"""

from __future__ import annotations

from ..nesting import with_depth
from ..nodes import Graph, Operation
from .text_table import format_table

_HEAD = ("name", "op", "inputs", "dtype", "shape", "line")


def summary(graph: Graph, scope: str | None = None) -> str:
    """The table, of the nodes below `scope` only if one is given.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as g:
    ...     x = tf.placeholder(tf.float32, ["batch", 6], name="x")
    ...     parts = tf.split(1, 2, x)
    >>> for row in g.summary().splitlines():
    ...     print(row[:85].rstrip())
    name             op           inputs              dtype       shape
    x                Placeholder                      float32     (batch, 6)
    split/split_dim  Const                            int32       ()
    split            Split        split/split_dim, x  float32 x2  (batch, 3) (batch, 3)
    """
    prefix = "" if not scope else scope.rstrip("/")
    rows = [
        _row(op, depth)
        for op, depth in with_depth(graph.get_operations())
        if not prefix or op.name == prefix or op.name.startswith(prefix + "/")
    ]
    return format_table(_HEAD, rows, None)


def _row(op: Operation, depth: int) -> tuple[str, ...]:
    dtypes = list(dict.fromkeys(t.dtype.name for t in op.outputs))
    count = f" x{len(op.outputs)}" if len(op.outputs) > 1 and len(dtypes) == 1 else ""
    inputs = [t.name.removesuffix(":0") for t in op.inputs] + ["^" + c.name for c in op.control_inputs]
    return (
        "  " * depth + op.name,
        op.type,
        ", ".join(inputs),
        " ".join(dtypes) + count,
        " ".join(str(t.shape) for t in op.outputs),
        op.origin.place,
    )

