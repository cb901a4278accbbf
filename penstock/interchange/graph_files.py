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
from ..graph.lazy_import import load

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..graph.serial.limits import Limits
    from .tensorflow.graphdef_reader import LoadedGraphDef

SUFFIXES = (".json", ".pb", ".pbtxt")


def save_graph(graph: Graph, path: str | os.PathLike[str]) -> Path:
    """Write `graph` to `path` (.json; .pb or .pbtxt for TensorFlow's GraphDef) and return the path.

    A .json keeps everything: names, attributes, shapes with their named dimensions, control inputs, devices, the lines
    that made each node, what `set_shape` added. Constants above 1 KiB go into an .npz file beside it.

    Raises:
        GraphFormatError (a ValueError): another suffix, or a node that has no written form.
        OSError: as the file system says; then the old file is still there.

    >>> import penstock as tf, tempfile
    >>> with tf.Graph().as_default() as g:
    ...     total = tf.placeholder(tf.float32, ["batch"], name="x") + 1.0
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = tf.load_graph(tf.save_graph(g, folder + "/model.json"))
    >>> print(again.get_tensor_by_name(total.name).shape, g.diff(again))
    (batch,) no difference
    """
    load("penstock.graph.serial.json_files")
    load("penstock.interchange.tensorflow.graphdef_writer")
    from ..graph.serial.json_files import save_json, write_bytes
    from .tensorflow.graphdef_writer import write_graphdef

    target = Path(path)
    try:
        if _suffix(target) == ".json":
            save_json(graph, target)
        else:
            write_bytes(target, write_graphdef(graph, text=_suffix(target) == ".pbtxt"))
    except GraphFormatError as error:
        raise GraphFormatError(f"save_graph({str(target)!r}): {error}", code=error.code) from None
    return target


def load_graph(path: str | os.PathLike[str], *, limits: Limits | None = None) -> Graph:
    """The graph in a file that `save_graph` wrote, or in a GraphDef of which every op is supported.

    Nothing in the file is run. Sizes are checked against `limits` before memory is asked for.

    Raises:
        GraphFormatError (a ValueError): the file is damaged, too large or not of this form. OSError: it cannot be read.
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


def load_graphdef(path: str | os.PathLike[str], *, limits: Limits | None = None) -> LoadedGraphDef:
    """The part of TensorFlow's GraphDef (.pb, .pbtxt) that is supported: its `graph`, and a `report` on the rest.

    Raises:
        GraphFormatError (a ValueError): the file is no GraphDef, or is too large. OSError: it cannot be read.
    """
    load("penstock.interchange.tensorflow.graphdef_reader")
    from .tensorflow.graphdef_reader import read_graphdef_file

    source = Path(path)
    try:
        return read_graphdef_file(source, limits)
    except GraphFormatError as error:
        raise GraphFormatError(f"load_graphdef({str(source)!a}): {error}", code=error.code) from None


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        found = f"the suffix {path.suffix!a}" if suffix else "no suffix"
        raise GraphFormatError(
            f"the path has {found}; graphs are kept as {', '.join(SUFFIXES)}; rename it to one of these"
        )
    return suffix
