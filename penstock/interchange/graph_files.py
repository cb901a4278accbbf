"""Files of graphs: `save_graph` and `load_graph` choose the form by the suffix of the path.

    model.json               Penstock's own form (`graph.serial`), with model.npz beside it for constants above 1 KiB
    model.pb, model.pbtxt    TensorFlow's GraphDef (`interchange.tensorflow`)

The modules of both forms are imported at the first call: they take as long as a third of `import penstock`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import GraphFormatError
from ..graph.common.lazy_import import load
from ..graph.common.tracebacks import hides_frames
from ..graph.model.graph_reports import GraphViews

if TYPE_CHECKING:
    from ..graph.model.nodes import Graph
    from ..graph.serial.limits import Limits
    from .tensorflow.graphdef_reader import LoadedGraphDef

SUFFIXES = (".json", ".pb", ".pbtxt")


@hides_frames
def save_graph(graph: Graph, path: str | os.PathLike[str]) -> Path:
    """Writes a graph to a file, which `load_graph` reads.

    A .json file keeps everything: names, attributes, shapes with their named dimensions, control inputs, devices, the
    lines that made each node, and what `set_shape` added. Constants above 1 KiB go into an .npz file beside it.

    Args:
        graph: the graph.
        path: a path that ends with .json, or with .pb or .pbtxt for TensorFlow's GraphDef.

    Returns:
        The path.

    Raises:
        GraphFormatError (a ValueError): another suffix, or a node that has no written form.
        OSError: the file cannot be written; an old file of that name is still there.

    >>> import penstock as tf, tempfile
    >>> with tf.Graph().as_default() as g:
    ...     total = tf.placeholder(tf.float32, ["batch"], name="x") + 1.0
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = tf.load_graph(tf.save_graph(g, folder + "/model.json"))
    >>> print(again.get_tensor_by_name(total.name).shape, g.diff(again))
    (batch,) no difference
    """
    load("penstock.graph.serial.atomic_write")
    load("penstock.graph.serial.json_files")
    load("penstock.interchange.tensorflow.graphdef_writer")
    from ..graph.serial.atomic_write import write_bytes
    from ..graph.serial.json_files import save_json
    from .tensorflow.graphdef_writer import write_graphdef

    if not isinstance(graph, GraphViews):
        raise TypeError(f"save_graph({graph!r}, ...): the first argument is a Graph, not {type(graph).__name__}")
    target = Path(path)
    try:
        if _suffix(target) == ".json":
            save_json(graph, target)
        else:
            write_bytes(target, write_graphdef(graph, text=_suffix(target) == ".pbtxt"))
    except GraphFormatError as error:
        raise GraphFormatError(f"save_graph({str(target)!r}): {error}", code=error.code) from None
    return target


@hides_frames
def load_graph(path: str | os.PathLike[str], *, limits: Limits | None = None) -> Graph:
    """Reads a graph from a file that `save_graph` wrote, or from a GraphDef with supported ops. Nothing in it is run.

    Args:
        path: the file: .json, .pb or .pbtxt.
        limits: a `penstock.graph.serial.limits.Limits`: the largest file, constants and counts to accept.

    Returns:
        A new Graph.

    Raises:
        GraphFormatError (a ValueError): the file is damaged, too large or not of this form.
        OSError: it cannot be read.

    >>> import pathlib, tempfile, penstock as tf
    >>> with tf.Graph().as_default() as g:
    ...     a = tf.constant([1, 2], name="a")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = tf.load_graph(tf.save_graph(g, pathlib.Path(folder, "graph.json")))
    >>> again.get_tensor_by_name("a:0")
    <Tensor 'a:0' int32 (2,)>
    """
    load("penstock.graph.serial.json_files")
    from ..graph.serial.json_files import load_json

    source = Path(path)
    try:
        if _suffix(source) == ".json":
            return load_json(source, limits)
    except GraphFormatError as error:
        raise GraphFormatError(f"load_graph({str(source)!a}): {error}", code=error.code) from None
    loaded = load_graphdef(source, limits=limits)
    if loaded.missing:
        raise GraphFormatError(
            f"load_graph({str(source)!a}): {loaded.report}; every op must be supported. Use load_graphdef for the "
            "part that is"
        )
    return loaded.graph


@hides_frames
def load_graphdef(path: str | os.PathLike[str], *, limits: Limits | None = None) -> LoadedGraphDef:
    """Reads the supported part of a TensorFlow GraphDef.

    Args:
        path: the file: .pb or .pbtxt.
        limits: a `penstock.graph.serial.limits.Limits`: the largest file, constants and counts to accept.

    Returns:
        A `LoadedGraphDef`: its `graph`, and a `report` on the nodes that are left out.

    Raises:
        GraphFormatError (a ValueError): the file is not a GraphDef, or is too large.
        OSError: it cannot be read.

    >>> import pathlib, tempfile, penstock as tf
    >>> with tf.Graph().as_default() as g:
    ...     a = tf.constant([1, 2], name="a")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     loaded = tf.load_graphdef(tf.save_graph(g, pathlib.Path(folder, "graph.pb")))
    >>> loaded.graph.get_operations(), loaded.left_out
    ([<Operation 'a' Const>], ())
    """
    load("penstock.interchange.tensorflow.graphdef_reader")
    from .tensorflow.graphdef_reader import read_graphdef_file

    source = Path(path)
    try:
        return read_graphdef_file(source, limits)
    except GraphFormatError as error:
        words = "; is the file a GraphDef? Its suffix is .pb or .pbtxt. tf.load_graph reads the .json of tf.save_graph"
        if source.suffix.lower() in (".pb", ".pbtxt"):
            words = ""
        raise GraphFormatError(f"load_graphdef({str(source)!a}): {error}{words}", code=error.code) from None


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        found = f"the suffix {path.suffix!a}" if suffix else "no suffix"
        raise GraphFormatError(
            f"the path has {found}; graphs are kept as {', '.join(SUFFIXES)}; rename it to one of these"
        )
    return suffix
