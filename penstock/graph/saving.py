"""Where do `save_graph` and `load_graph` come from without their cost?

Most programs save nothing. What these functions do is in `serial`, which is imported when one of them is called: that
takes as long as a third of `import penstock`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .loading import load

if TYPE_CHECKING:
    from pathlib import Path

    from .graph import Graph
    from .serial import Limits, LoadedGraphDef


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
    load("penstock.graph.serial")
    from . import serial

    return serial.save_graph(graph, path)


def load_graph(path: str | os.PathLike[str], *, limits: Limits | None = None) -> Graph:
    """The graph in a file that `save_graph` wrote, or in a GraphDef of which every op is supported.

    Nothing in the file is run. Sizes are checked against `limits` before memory is asked for.

    Raises:
        GraphFormatError (a ValueError): the file is damaged, too large or not of this form. OSError: it cannot be read.
    """
    load("penstock.graph.serial")
    from . import serial

    return serial.load_graph(path, limits=limits or serial.Limits())


def load_graphdef(path: str | os.PathLike[str], *, limits: Limits | None = None) -> LoadedGraphDef:
    """The part of TensorFlow's GraphDef (.pb, .pbtxt) that is supported: its `graph`, and a `report` on the rest.

    Raises:
        GraphFormatError (a ValueError): the file is no GraphDef, or is too large. OSError: it cannot be read.
    """
    load("penstock.graph.serial")
    from . import serial

    return serial.load_graphdef(path, limits=limits or serial.Limits())
