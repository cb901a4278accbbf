"""Arrays as messages and back: `make_tensor_proto`, `make_ndarray`, `constant_value`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import GraphFormatError, ShapeError, UseError
from ...graph.building.constant_evaluation import known_value
from ...graph.common.tracebacks import hides_frames
from ...graph.model.nodes import Tensor
from ...graph.model.tensor_source import TensorSource
from ...graph.serial.limits import DEFAULT_LIMITS
from ...graph.shapes.dtypes import as_dtype
from ...graph.shapes.literal import Array, literal
from ...graph.shapes.shape import TensorShape
from ..tensorflow.wire.messages import TensorProto as WireTensor
from ..tensorflow.wire.tensor_proto import array_of, tensor_proto
from ..wire.wire_format import decode, encode
from .graph_protos import TensorProto, TensorShapeProto


@hides_frames
def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False, allow_broadcast: bool = False
) -> TensorProto:
    """An array as a `TensorProto`.

    Args:
        values: a number, a text, nested lists of them, an array, or a TensorProto.
        dtype: the dtype; without it that of `values`, as for `constant`.
        shape: the shape; without it that of `values`. One value fills it.
        verify_shape: whether `values` must have that shape.
        allow_broadcast: whether one value may fill a shape where `verify_shape` is set.

    Returns:
        A `TensorProto`: several numbers as bytes, one number and strings as values.

    Raises:
        TypeError: `values` is a tensor, or cannot have that dtype.
        ValueError: the shape does not fit.

    >>> import penstock as tf
    >>> proto = tf.make_tensor_proto(1.5)
    >>> proto.float_val, tf.make_ndarray(proto).item()
    ([1.5], 1.5)

    Source: TensorFlow 1.x, `tf.make_tensor_proto`.
    """
    if isinstance(values, TensorProto):
        return values
    if isinstance(values, (Tensor, TensorSource)):
        raise TypeError(f"make_tensor_proto: {values!r} has no value before a run; give an array")
    array = literal(values, None if dtype is None else as_dtype(dtype))
    if shape is not None:
        array = _in_shape(array, TensorShape(shape), verify_shape and not allow_broadcast)
    made = TensorProto.FromString(encode(tensor_proto(array)))
    if array.size > 1 and array.dtype != object:
        content = np.ascontiguousarray(array).tobytes()
        bare = TensorProto(dtype=made.dtype, tensor_shape=made.tensor_shape)
        bare.tensor_content = content
        return bare
    return made


def _in_shape(array: Array, shape: TensorShape, exact: bool) -> Array:
    sizes = shape.as_list() if shape.is_fully_defined() else None
    if sizes is None:
        raise ShapeError(f"make_tensor_proto(shape={shape}): a shape is a list of sizes, all of them known")
    count = shape.num_elements()
    if (exact and list(array.shape) != sizes) or array.size not in (1, count):
        raise ShapeError(f"make_tensor_proto: the values have shape {list(array.shape)}, which does not fit the shape "
                         f"{sizes}; give {count} values, or one for all")  # fmt: skip
    known = [size or 0 for size in sizes]
    return array.reshape(known) if array.size == count else np.full(known, array.reshape(-1)[0], array.dtype)


@hides_frames
def make_ndarray(tensor: Any) -> Array:
    """The array of a `TensorProto`.

    Args:
        tensor: a TensorProto: one of Penstock's, or one of protobuf's own classes.

    Returns:
        A NumPy array; of strings one of bytes objects.

    Raises:
        TypeError: it is no such message.
        ValueError: the values do not fit the dtype and the shape.

    >>> import penstock as tf
    >>> tf.make_ndarray(tf.make_tensor_proto([1, 2], shape=[2, 1])).tolist()
    [[1], [2]]

    Source: TensorFlow 1.x, `tf.make_ndarray`.
    """
    if not hasattr(tensor, "SerializeToString") or not hasattr(tensor, "tensor_shape"):
        raise UseError(f"make_ndarray: {tensor!r:.60} is no TensorProto; tf.make_tensor_proto(values) makes one")
    limits = DEFAULT_LIMITS
    try:
        wire = decode(WireTensor, tensor.SerializeToString(), limits)
        return array_of(wire, limits, [limits.constant_bytes]).copy()
    except GraphFormatError as error:
        raise GraphFormatError(f"make_ndarray: {error}") from None


@hides_frames
def constant_value(tensor: Any, partial: bool = False) -> Array | None:
    """The value of a tensor, where constants and known shapes alone decide it.

    Args:
        tensor: a Tensor.
        partial: accepted for TensorFlow's sake.

    Returns:
        A NumPy array, or None.

    Raises:
        TypeError: it is no tensor.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.get_static_value(tf.constant([1, 2]) + 1), tf.get_static_value(tf.placeholder(tf.int32, [2])))
    [2 3] None

    Source: TensorFlow 1.x, `tf.contrib.util.constant_value`.
    """
    if isinstance(tensor, TensorSource):
        tensor = tensor.element
    if isinstance(tensor, (np.ndarray, np.generic)):
        return np.asarray(tensor)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"constant_value takes a Tensor, not {tensor!r:.60} of type {type(tensor).__name__}")
    found = known_value(tensor)
    return None if found is None else found.copy()


def shape_message(shape: TensorShape) -> TensorShapeProto:
    """See `TensorShape.as_proto`."""
    dims = shape.raw
    if dims is None:
        return TensorShapeProto(unknown_rank=True)
    made = TensorShapeProto()
    made.dim.extend([{"size": dim if isinstance(dim, int) else -1} for dim in dims])
    return made
