"""Tensors as strings and back: `serialize_tensor`, `parse_tensor`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.common.hooks import hooks
from ...graph.declare.effects import AT_RUN_TIME
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import DTypeLike, T
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, string
from ...graph.shapes.shape import TensorShape, unknown_rank
from ..declare.shape_checks import listed, shape_of_scalar
from ..declare.string_arguments import Strings, array_of

PUBLIC_NAMES = {"start io": "parse_tensor serialize_tensor"}


@op("SerializeTensor", graphdef="T=tensor ->serialized", host_only=True, out=string, shape=shape_of_scalar,
    no_gradient="it gives a string")  # fmt: skip
def serialize_tensor(tensor: T, name: str | None = None) -> Tensor:
    """A tensor as a string: a serialised TensorProto, with TensorFlow's bytes.

    Args:
        tensor: any dtype and shape.

    Returns:
        A scalar of dtype string.

    Raises:
        TypeError: `tensor` cannot be a tensor.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.serialize_tensor(tf.constant([1, 2], tf.uint8))))
    b'\\x08\\x04\\x12\\x04\\x12\\x02\\x08\\x02"\\x02\\x01\\x02'

    Source: TensorFlow 1.x, `tf.serialize_tensor`.
    """


@serialize_tensor.kernel
def serialize_tensor_kernel(xp: Any, tensor: Any) -> Any:
    return array_of([hooks.serialized_tensor(tensor)], ())


@serialize_tensor.samples
def serialize_tensor_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(np.array([b"a", b""], object))
    yield sample(np.zeros((0, 3), "i8"))
    yield sample(np.array(True))


@op("ParseTensor", graphdef="out_type", host_only=True, effects=AT_RUN_TIME, out="out_type")
def parse_tensor(serialized: Strings, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """The tensor that a string holds, such as `serialize_tensor` gives it.

    Args:
        serialized: a scalar string, a serialised TensorProto.
        out_type: the dtype of the tensor, which must be the one in the string.

    Returns:
        A tensor of dtype `out_type` whose shape is not known before the run.

    Raises:
        TypeError: `serialized` is not string.
        InvalidArgumentError (when run): it is not a scalar, or holds no tensor of that dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.parse_tensor(tf.serialize_tensor([[1.5, 2.0]]), tf.float32)))
    [[1.5 2. ]]

    Source: TensorFlow 1.x, `tf.parse_tensor`.
    """


@parse_tensor.shape
def parse_tensor_shape(serialized: Tensor, out_type: DType) -> TensorShape:
    return unknown_rank("the string gives it", serialized)


@parse_tensor.kernel
def parse_tensor_kernel(xp: Any, serialized: Any, out_type: DType) -> Any:
    if serialized.ndim:
        raise InvalidArgumentError(
            message=f"Expected `serialized` to be a scalar, got shape: {listed(serialized.shape)}"
        )
    return hooks.parsed_tensor(serialized.item(), out_type).copy()


parse_tensor.no_gradient("it reads bytes")


@parse_tensor.samples
def parse_tensor_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(b'\x08\x04\x12\x04\x12\x02\x08\x02"\x02\x01\x02', object), "uint8")
    yield sample(np.array(b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x00", object), "string")
