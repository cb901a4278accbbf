"""Dtypes, shapes and arrays in a GraphDef."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.common.float_errors import unwarned
from ....graph.serial.limits import Limits
from ....graph.shapes import dtypes
from ....graph.shapes.dtypes import DType, of_numpy
from ....graph.shapes.literal import Array
from ....graph.shapes.shape import TensorShape
from .messages import DimProto, ShapeProto, TensorProto

_NUMBERS: dict[int, DType] = {
    1: dtypes.float32, 2: dtypes.float64, 3: dtypes.int32, 4: dtypes.uint8, 5: dtypes.int16, 6: dtypes.int8,
    7: dtypes.string, 8: dtypes.complex64, 9: dtypes.int64, 10: dtypes.bool_, 14: dtypes.bfloat16, 17: dtypes.uint16,
    18: dtypes.complex128, 19: dtypes.float16, 21: dtypes.variant, 22: dtypes.uint32, 23: dtypes.uint64,
}  # fmt: skip
_OF_DTYPE = {dtype: number for number, dtype in _NUMBERS.items()}

DATA_TYPES: dict[int, str] = {0: "DT_INVALID"} | {
    number: "DT_" + dtype.tf_name.upper() for number, dtype in _NUMBERS.items()
} | {11: "DT_QINT8", 12: "DT_QUINT8", 13: "DT_QINT32", 15: "DT_QINT16", 16: "DT_QUINT16",
     20: "DT_RESOURCE"}  # fmt: skip
"""TensorFlow's names of its dtypes by number."""

NUMBERS_OF_TYPES = {name: number for number, name in DATA_TYPES.items()}

_SMALL = 64
_MOST_REPEATED = 256 << 20


class Unsupported(GraphFormatError):
    """A node, dtype or attribute of a GraphDef that is well formed, but has no counterpart here."""


def dtype_number(dtype: DType) -> int:
    """TensorFlow's number of a dtype."""
    return _OF_DTYPE[dtype]


def dtype_of(number: int) -> DType:
    """The dtype with that number; references (above 100) are the dtype itself."""
    found = _NUMBERS.get(number - 100 if number > 100 else number)
    if found is None:
        raise Unsupported(f"the dtype {DATA_TYPES.get(number, number)} does not exist here")
    return found


def shape_proto(shape: TensorShape) -> ShapeProto:
    """A shape; a named dimension keeps its expression as the name that TensorFlow ignores."""
    if shape.raw is None:
        return ShapeProto(unknown_rank=True)
    return ShapeProto(
        [DimProto(d) if isinstance(d, int) else DimProto(-1, str(d) if d.is_named else "") for d in shape.raw]
    )


def shape_of_proto(proto: ShapeProto | None) -> TensorShape:
    """The shape of a proto; a dimension whose name is an identifier is that named dimension."""
    if proto is None or proto.unknown_rank:
        return TensorShape(None)
    if len(proto.dims) > 255:
        raise GraphFormatError(f"a shape has {len(proto.dims)} dimensions; at most 255 are possible")
    return TensorShape([_dim(d) for d in proto.dims])


def _dim(proto: DimProto) -> int | str | None:
    if proto.size >= 0:
        return proto.size
    return proto.name if proto.name.isidentifier() else None


def tensor_proto(array: Array) -> TensorProto:
    """An array: its bytes, or for strings and a few readable numbers the values."""
    dtype = of_numpy(array.dtype)
    proto = TensorProto(_OF_DTYPE[dtype], shape_proto(TensorShape(array.shape)))
    flat = array.reshape(-1)
    if dtype.is_string:
        proto.string_val = flat.tolist()
    elif flat.size <= _SMALL and dtype.name in _READABLE and (not dtype.is_floating or np.isfinite(flat).all()):
        getattr(proto, _READABLE[dtype.name]).extend(flat.tolist())
    else:
        proto.content = np.ascontiguousarray(flat).tobytes()
    return proto


_READABLE = {
    "float32": "float_val",
    "float64": "double_val",
    "int32": "int_val",
    "int64": "int64_val",
    "bool": "bool_val",
}


def array_of(proto: TensorProto | None, limits: Limits, left: list[int]) -> Array:
    """The array of a proto; `left` holds how many bytes of constants are still allowed, and is lowered.

    Raises:
        GraphFormatError: the values do not fit the shape, or constants get too large.
    """
    if proto is None:
        raise GraphFormatError("a constant has no tensor")
    dtype = dtype_of(proto.dtype)
    sizes = _sizes(proto)
    count = math.prod(sizes)
    left[0] -= count * dtype.size
    if left[0] < 0 or len(sizes) > 64 or math.prod(max(s, 1) for s in sizes) >= 1 << 60:
        found = f"the constants are larger than the limit of {limits.constant_bytes} bytes"
        raise GraphFormatError(found, code="file/limit")
    if proto.content:
        if dtype.is_string or len(proto.content) != count * dtype.size:
            raise GraphFormatError(f"a constant has {len(proto.content)} bytes; its shape needs {count * dtype.size}")
        array = np.frombuffer(proto.content, dtype.np).copy()
        if dtype.is_bool and (array.view(np.uint8) > 1).any():
            raise GraphFormatError("a constant of bool has bytes other than 0 and 1")
    else:
        array = _filled(_values(proto, dtype), dtype, count)
    array = array.reshape(sizes)
    array.flags.writeable = False
    return array


def _sizes(proto: TensorProto) -> tuple[int, ...]:
    if proto.shape is None:
        return ()
    if proto.shape.unknown_rank or any(d.size < 0 for d in proto.shape.dims):
        raise GraphFormatError("a constant's shape is not known")
    return tuple(d.size for d in proto.shape.dims)


def _values(proto: TensorProto, dtype: DType) -> Array:
    """The values in the list of the dtype."""
    if dtype.is_string:
        values = np.empty(len(proto.string_val), object)
        values[:] = proto.string_val
        return values
    if dtype.size == 2 and dtype.is_floating:
        return _of_ints(proto.half_val, np.dtype(np.uint16)).view(dtype.np)
    if dtype.is_complex:
        parts = proto.scomplex_val if dtype is dtypes.complex64 else proto.dcomplex_val
        return np.array(parts[: len(parts) // 2 * 2], dtype.real_dtype.np).view(dtype.np)
    if dtype.is_floating:
        return unwarned(np.array, proto.float_val if dtype is dtypes.float32 else proto.double_val, dtype.np)
    names = {"int64": "int64_val", "bool": "bool_val", "uint32": "uint32_val", "uint64": "uint64_val"}
    return _of_ints(getattr(proto, names.get(dtype.name, "int_val")), dtype.np)


def _of_ints(values: list[Any], dtype: np.dtype[Any]) -> Array:
    if dtype.kind == "b":
        return np.array(values, dtype)
    bits = 8 * dtype.itemsize
    low, high = -(1 << bits - 1), 1 << bits
    if any(not low <= v < high for v in values):
        raise GraphFormatError(f"a constant has values that do not fit {dtype}")
    # Signed and unsigned spellings of the same bits both occur.
    return np.array([v % high for v in values], f"u{dtype.itemsize}").view(dtype)


def _filled(values: Array, dtype: DType, count: int) -> Array:
    """The values, the last one repeated up to the number that the shape needs."""
    if len(values) > count:
        raise GraphFormatError(f"a constant has {len(values)} values; its shape needs {count}")
    if len(values) == count:
        return values
    if count * dtype.size > _MOST_REPEATED:
        raise GraphFormatError(
            f"a constant repeats {len(values)} values {count} times; a file may ask for 256 MiB of that"
        )
    filled: Array = np.zeros(count, dtype.np)
    if dtype.is_string:
        filled[:] = b""
    filled[: len(values)] = values
    if len(values):
        filled[len(values) :] = values[-1]
    return filled
