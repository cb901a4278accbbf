"""Files of ONNX: `load_onnx` and `save_onnx`. What reads and writes them is imported at the first call."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import GraphFormatError
from ..graph.common.lazy_import import load
from ..graph.common.tracebacks import hides_frames

if TYPE_CHECKING:
    from ..graph.model.nodes import Graph
    from ..graph.serial.limits import Limits
    from .onnx.model_reader import OnnxModel

ONNX = ".onnx"
"""The suffix of models."""


@hides_frames
def load_onnx(
    source: str | os.PathLike[str] | bytes,
    name: str = "",
    input_map: Mapping[str, Any] | None = None,
    trainable: bool = False,
    limits: Limits | None = None,
) -> OnnxModel:
    """Adds an ONNX model to the default graph. Nothing in it is run.

    Sizes with a name (`dim_param`) are named sizes here. Arrays are read from the model's file and from files in its
    folder.

    Args:
        source: the path of an .onnx file, or its bytes.
        name: the scope of the model's operations.
        input_map: what stands in the place of inputs, by name: tensors, or arrays, whose values are then known while
            the graph is built; a list of tensors for a sequence, None for an optional value that is not there.
        trainable: True makes variables of the float arrays that have a rank of 1 or more, so that the model can be
            trained further; else they are constants.
        limits: a `penstock.graph.serial.limits.Limits`: the largest file, arrays and counts to accept.

    Returns:
        An `OnnxModel`: its `inputs` and `outputs` are tensors by name.

    Raises:
        GraphFormatError (a ValueError): the file is damaged or too large, or uses an operator that has no counterpart
            here. The graph is as it was.
        FeedError (a ValueError): `input_map` names what is no input.
        OSError: it cannot be read.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.placeholder(tf.float32, ["batch", 2], name="x")
    ...     y = tf.relu(x - 1.0, name="y")
    >>> content = tf.save_onnx(None, y, graph=graph)
    >>> with tf.Graph().as_default():
    ...     print(tf.load_onnx(content))
    ONNX model, opset 26, written by penstock
      in   x: float32 (batch, 2)
      out  y: float32 (batch, 2)

    Source: ONNX's IR and operator specifications.
    """
    load("penstock.interchange.onnx.model_reader")
    load("penstock.graph.serial.limits")
    from ..graph.serial.limits import DEFAULT_LIMITS
    from .onnx.model_reader import read_onnx

    try:
        return read_onnx(source, name, input_map, trainable, limits or DEFAULT_LIMITS)
    except GraphFormatError as error:
        shown = f"{len(source)} bytes" if isinstance(source, bytes | bytearray | memoryview) else ascii(str(source))
        error.args = (f"load_onnx({shown}): {error}",)
        raise


@hides_frames
def save_onnx(
    path: str | os.PathLike[str] | None,
    fetches: Any,
    feeds: Any = None,
    graph: Graph | None = None,
    session: Any = None,
    opset: int = 26,
) -> bytes:
    """Writes what a run of `fetches` would compute as an ONNX model.

    Variables become arrays with the values that they have in a session. Named sizes become `dim_param`.

    Args:
        path: the file to write; None writes none.
        fetches: a tensor, a list of tensors, or a dictionary from output names to tensors.
        feeds: the tensors that become inputs; by default the placeholders that the fetches need.
        graph: the graph of the fetches, for names of tensors; by default theirs.
        session: where variables have their values; by default the default session.
        opset: the version of ONNX's operators: 17 to 26. The newest is what onnxruntime 1.32 reads; older programs
            need an older one.

    Returns:
        The bytes of the model.

    Raises:
        GraphFormatError (a ValueError): an operation has no ONNX form. Nothing is written then; the message names each
            such operation and the line that made it.
        FetchError (a ValueError): nothing is fetched, or something that is no tensor.
        ValueError: models of that opset are not written.
        OSError: the file cannot be written.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, [2], name="x")
    ...     content = tf.save_onnx(None, tf.exp(x, name="y"))
    >>> len(tf.load_onnx(content).outputs)
    1

    Source: ONNX's IR and operator specifications.
    """
    load("penstock.graph.serial.atomic_write")
    load("penstock.interchange.onnx.model_writer")
    from ..graph.serial.atomic_write import write_bytes
    from .onnx.model_writer import model_bytes

    try:
        content = model_bytes(fetches, feeds, graph, session, opset)
    except GraphFormatError as error:
        raise GraphFormatError(f"save_onnx: {error}", code=error.code) from None
    if path is not None:
        write_bytes(Path(path), content)
    return content
