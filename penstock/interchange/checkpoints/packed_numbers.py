"""Lists of numbers as protobuf packs them, to arrays and back, in whole arrays: a list may have millions."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...errors import DataLossError
from ...graph.shapes import dtypes
from ...graph.shapes.dtypes import DType
from ...graph.shapes.literal import Array
from .bundle_messages import PackedTensorProto

_LISTS: Final = {
    dtypes.float32: "float_val", dtypes.float64: "double_val", dtypes.int64: "int64_val", dtypes.bool_: "bool_val",
    dtypes.string: "string_val", dtypes.complex64: "scomplex_val", dtypes.complex128: "dcomplex_val",
    dtypes.float16: "half_val", dtypes.bfloat16: "half_val", dtypes.uint32: "uint32_val", dtypes.uint64: "uint64_val",
}  # fmt: skip
"""The list of each dtype; ints of at most 32 bits are in `int_val`."""
_LONGEST: Final = 10


def packed(array: Array) -> PackedTensorProto:
    """The values of an array, row-major."""
    dtype = dtypes.of_numpy(array.dtype)
    flat = array.reshape(-1)
    if dtype.is_string:
        content = [v if isinstance(v, bytes) else str(v).encode() for v in flat.tolist()]
    elif dtype.is_complex or dtype.name in ("float32", "float64"):
        content = [flat.astype(flat.dtype.newbyteorder("<")).tobytes()]
    elif dtype.is_floating:
        content = [_varints(np.ascontiguousarray(flat).view(np.uint16))]
    else:
        content = [_varints(flat)]
    return PackedTensorProto(**{_LISTS.get(dtype, "int_val"): [each for each in content if each or dtype.is_string]})


def unpacked(proto: PackedTensorProto, dtype: DType, count: int) -> Array:
    """The `count` values of a list.

    Raises:
        DataLossError: they are fewer or more, or do not fit the dtype.
    """
    lists: list[bytes] = getattr(proto, _LISTS.get(dtype, "int_val"))
    if dtype.is_string:
        values: Array = np.empty(len(lists), object)
        values[:] = lists
    else:
        content = b"".join(lists)
        if dtype.is_complex or dtype.name in ("float32", "float64"):
            if len(content) % dtype.size:
                raise DataLossError(message="its values end inside a number")
            values = np.frombuffer(content, dtype.np.newbyteorder("<")).astype(dtype.np)
        else:
            values = _of_varints(content, dtype)
    if len(values) != count:
        raise DataLossError(message=f"it has {len(values)} values; its shape needs {count}")
    return values


def _varints(values: Array) -> bytes:
    """Ints, each as a varint of its two's complement in 64 bits."""
    rest = values.astype(np.int64).view(np.uint64) if values.dtype != np.uint64 else values.copy()
    columns = np.zeros((rest.size, _LONGEST), np.uint8)
    used = np.zeros((rest.size, _LONGEST), bool)
    open_ = np.ones(rest.size, bool)
    for place in range(_LONGEST):
        more = rest >= 128
        used[:, place] = open_
        columns[:, place] = (rest & np.uint64(127)) | np.where(more, np.uint64(128), np.uint64(0))
        rest >>= np.uint64(7)
        open_ = open_ & more
        if not open_.any():
            break
    return columns[used].tobytes()


def _of_varints(content: bytes, dtype: DType) -> Array:
    data = np.frombuffer(content, np.uint8)
    ends = np.flatnonzero(data < 128)
    if data.size and (not ends.size or ends[-1] != data.size - 1):
        raise DataLossError(message="its values end inside a number")
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1]) if ends.size else np.zeros(0, np.int64)
    lengths = ends - starts + 1
    if lengths.size and lengths.max() > _LONGEST:
        raise DataLossError(message="one of its values is longer than 64 bits")
    values = np.zeros(ends.size, np.uint64)
    for place in range(int(lengths.max()) if lengths.size else 0):
        there = lengths > place
        bits = (data[starts[there] + place] & 127).astype(np.uint64) << np.uint64(7 * place)
        values[there] |= bits
    if dtype.is_floating:
        wide = values.astype(np.uint16)
        if (wide != values).any():
            raise DataLossError(message=f"it has values that do not fit {dtype}")
        return wide.view(dtype.np)
    if dtype.is_unsigned and dtype.size == 8:
        return values
    signed = values.view(np.int64)
    if dtype.is_bool:
        found: Array = signed != 0
        return found
    info = np.iinfo(dtype.np)
    if signed.size and not (info.min <= signed.min() and signed.max() <= info.max):
        raise DataLossError(message=f"it has values that do not fit {dtype}")
    return signed.astype(dtype.np)
