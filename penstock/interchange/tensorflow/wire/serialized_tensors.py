"""Tensors as serialised TensorProto messages, with TensorFlow's bytes: the kernels of `ops.records.tensor_bytes`."""

from __future__ import annotations

import numpy as np

from ....errors import GraphFormatError, InvalidArgumentError
from ....graph.serial.limits import DEFAULT_LIMITS
from ....graph.shapes.dtypes import DType, of_numpy
from ....graph.shapes.literal import Array
from ....graph.shapes.shape import TensorShape
from ...wire.wire_format import decode, encode
from .messages import TensorProto
from .tensor_proto import array_of, dtype_number, dtype_of, shape_proto


def serialized(array: Array) -> bytes:
    """A tensor as bytes: numbers as they are in memory, strings one by one."""
    dtype = of_numpy(array.dtype)
    proto = TensorProto(dtype_number(dtype), shape_proto(TensorShape(array.shape)))
    if dtype.is_string:
        proto.string_val = array.reshape(-1).tolist()
    else:
        proto.content = np.ascontiguousarray(array).tobytes()
    return encode(proto)


def parsed(content: bytes, dtype: DType) -> Array:
    """The tensor that bytes hold.

    Raises:
        InvalidArgumentError: they are no TensorProto of that dtype, or one that would fill the memory.
    """
    try:
        proto = decode(TensorProto, content)
        found = dtype_of(proto.dtype)
        if found is dtype:
            return array_of(proto, DEFAULT_LIMITS, [DEFAULT_LIMITS.constant_bytes])
    except GraphFormatError as error:
        raise InvalidArgumentError(
            message=f"Could not parse `serialized` ({content[:100]!r}) as TensorProto: {error}"
        ) from None
    raise InvalidArgumentError(message=f"Type mismatch between parsed tensor ({found.name}) and dtype ({dtype.name})")
