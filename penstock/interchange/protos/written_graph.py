"""`tf.train.write_graph`: a graph as a GraphDef in a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...errors import UseError
from ...graph.model.nodes import Graph
from ...graph.serial.atomic_write import write_bytes


def write_graph(
    graph_or_graph_def: Any,
    logdir: str | bytes | os.PathLike[str],
    name: str | bytes | os.PathLike[str],
    as_text: bool = True,
) -> str:
    """Writes a graph as TensorFlow's GraphDef.

    Args:
        graph_or_graph_def: a `tf.Graph`, or a `tf.GraphDef` as `graph.as_graph_def()` gives it.
        logdir: the folder; it is made if there is none.
        name: the name of the file.
        as_text: whether it is the text form, as of .pbtxt files; False writes the binary one.

    Returns:
        The path of the file.

    Raises:
        TypeError: it is no graph.
        GraphFormatError: an op has no form in a GraphDef.
        OSError: the file cannot be written.

    >>> import tempfile
    >>> import penstock as tf
    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.placeholder(tf.float32, [2], name="x")
    >>> path = tf.train.write_graph(graph, tempfile.mkdtemp(), "graph.pb", as_text=False)
    >>> tf.load_graph(path).get_tensor_by_name("x:0").shape
    TensorShape((2,))

    Source: TensorFlow 1.x, `tf.train.write_graph`.
    """
    proto = graph_or_graph_def.as_graph_def() if isinstance(graph_or_graph_def, Graph) else graph_or_graph_def
    if not hasattr(proto, "SerializeToString") or not hasattr(proto, "node"):
        raise UseError(f"write_graph: {graph_or_graph_def!r:.80} is neither a tf.Graph nor a tf.GraphDef")
    path = Path(os.fsdecode(logdir), os.fsdecode(name))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, str(proto).encode("utf-8", "surrogatepass") if as_text else proto.SerializeToString())
    return str(path)
