"""Arrays of ONNX models: in the file, or beside it in the model's folder.

Sizes are compared with the limits before anything is allocated. An array that stands in a file as it stands in memory
is a view of that file, which is mapped: a large model is not copied.
"""

from __future__ import annotations

import math
import mmap
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.serial.limits import Limits
from ....graph.shapes import dtypes
from ....graph.shapes.dtypes import DType, of_numpy
from ....graph.shapes.literal import Array
from .onnx_messages import OnnxTensorProto, SparseTensorProto, TextEntryProto
from .onnx_types import NUMBER_OF, NarrowType, element_type, table

_MOST_DIMS = 64


@dataclass(slots=True)
class OnnxArrays:
    """Reads the arrays of one model.

    Attributes:
        limits: the largest sizes to accept.
        folder: where files beside the model may be; None if there is no folder.
        left: how many bytes of arrays are still allowed.
        files: the files that are mapped already.
    """

    limits: Limits
    folder: Path | None
    left: int
    files: dict[str, memoryview] = field(default_factory=dict)

    def read(self, proto: OnnxTensorProto) -> tuple[Array, DType | NarrowType]:
        """An array and its element type; of a narrow type, the codes as uint8.

        Raises:
            GraphFormatError: its values do not fit its shape, or a limit is exceeded.
        """
        type = element_type(proto.data_type)
        sizes = tuple(proto.dims)
        if len(sizes) > _MOST_DIMS or any(size < 0 for size in sizes):
            raise GraphFormatError(f"the array {proto.name[:80]!r} has the sizes {list(sizes)[:8]}")
        count = math.prod(sizes)
        width = 1 if isinstance(type, NarrowType) else type.size
        self._spend(count, width, sizes)
        if proto.data_location == 1:
            proto = OnnxTensorProto(proto.dims, proto.data_type, name=proto.name, raw_data=self._outside(proto))
        if isinstance(type, NarrowType):
            array = _codes(proto, type, count)
        elif type.is_string:
            array = np.empty(len(proto.string_data), object)
            array[:] = proto.string_data
        elif proto.raw_data is not None:
            array = _from_bytes(proto.raw_data, type, count)
        else:
            array = _from_numbers(proto, type)
        if array.size != count:
            found = f"the array {proto.name[:80]!r} has {array.size} values; its shape {list(sizes)} needs {count}"
            raise GraphFormatError(found)
        array = array.reshape(sizes)
        if array.flags.writeable:
            array.flags.writeable = False
        return array, type

    def _spend(self, count: int, width: int, sizes: Sequence[int]) -> None:
        self.left -= count * width
        if self.left < 0 or math.prod(max(s, 1) for s in sizes) >= 1 << 60:
            found = f"the arrays are larger than the limit of {self.limits.constant_bytes} bytes"
            raise GraphFormatError(found, code="file/limit")

    def _outside(self, proto: OnnxTensorProto) -> memoryview:
        """The bytes of an array that stands in a file of the model's folder."""
        entries = {entry.key: entry.value for entry in proto.external_data}
        location = entries.get("location", "")
        content = self._mapped(location)
        offset = _number(entries.get("offset", "0"), "offset")
        length = _number(entries["length"], "length") if "length" in entries else len(content) - offset
        if offset > len(content) or length < 0 or offset + length > len(content):
            raise GraphFormatError(f"the array {proto.name[:80]!r} is said to be at bytes {offset} to "
                                   f"{offset + length} of {location[:80]!r}, which has {len(content)}")  # fmt: skip
        return content[offset : offset + length]

    def _mapped(self, location: str) -> memoryview:
        if location in self.files:
            return self.files[location]
        if self.folder is None:
            raise GraphFormatError(
                f"an array is in the file {location[:80]!r} beside the model; give load_onnx the model's path instead "
                "of its bytes"
            )
        path = inside(self.folder, location)
        found = mapped(path, self.limits.constant_bytes)
        self.files[location] = found
        return found

    def sparse(self, proto: SparseTensorProto) -> tuple[Array, DType | NarrowType]:
        """A sparse array, with zeros where it has no values.

        Raises:
            GraphFormatError: an index is outside, or a limit is exceeded.
        """
        if proto.values is None or proto.indices is None:
            raise GraphFormatError("a sparse array has no values or no indices")
        values, type = self.read(proto.values)
        indices, _ = self.read(proto.indices)
        if any(size < 0 for size in proto.dims) or indices.dtype.kind not in "iu" or len(proto.dims) > _MOST_DIMS:
            raise GraphFormatError(f"a sparse array has the sizes {proto.dims[:8]} and indices of {indices.dtype}")
        self._spend(math.prod(proto.dims), values.dtype.itemsize, proto.dims)
        made = np.zeros(proto.dims, values.dtype)
        flat = indices if indices.ndim == 1 else None
        try:
            if flat is None:
                flat = np.ravel_multi_index(tuple(indices.T), proto.dims)
            made.reshape(-1)[flat] = values.reshape(-1)
        except (ValueError, IndexError, TypeError) as error:
            raise GraphFormatError(f"a sparse array has indices outside its sizes {proto.dims[:8]}: {error}") from None
        made.flags.writeable = False
        return made, type


def inside(folder: Path, location: str) -> Path:
    """The path of a file beside a model.

    Raises:
        GraphFormatError: it is not inside the folder of the model.
    """
    rule = "arrays are read from files in the model's own folder only"
    if not location or "\0" in location or Path(location).is_absolute() or ".." in Path(location).parts:
        raise GraphFormatError(f"an array is said to be in the file {location[:200]!r}; {rule}")
    root = folder.resolve()
    path = (root / location).resolve()  # follows links: they may lead out
    if not path.is_relative_to(root):
        raise GraphFormatError(f"the file {location[:200]!r} is a link that leads out of the model's folder; {rule}")
    return path


def mapped(path: Path, most: int) -> memoryview:
    """The bytes of a file, which are read when they are looked at.

    Raises:
        GraphFormatError: it is larger than `most` bytes, or is no ordinary file.
        OSError: it cannot be read.
    """
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "not an ordinary file"
        raise GraphFormatError(f"{str(path)[-80:]!r} is {kind}; give the path of a file")
    with open(path, "rb") as file:
        size = path.stat().st_size
        if size > most:
            raise GraphFormatError(
                f"the file {path.name[:80]!r} has {size} bytes; the limit is {most}; give a larger one with Limits "
                "if it is trusted", code="file/limit",
            )  # fmt: skip
        if not size:
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise GraphFormatError(f"the {what} of an array in another file is {text[:40]!r}, which is no number")
    return int(text)


def _from_bytes(raw: memoryview | bytes, type: DType, count: int) -> Array:
    if len(raw) != count * type.size:
        raise GraphFormatError(f"an array has {len(raw)} bytes; its shape needs {count * type.size}")
    array: Array = np.frombuffer(raw, type.np)
    if array.ctypes.data % type.np.alignment:  # NumPy computes slowly on arrays that are not aligned
        array = np.frombuffer(bytes(raw), type.np)
    if sys.byteorder == "big":
        array = array.byteswap()
    if type.is_bool and (array.view(np.uint8) > 1).any():
        raise GraphFormatError("an array of bool has bytes other than 0 and 1")
    return array


def _from_numbers(proto: OnnxTensorProto, type: DType) -> Array:
    """The values in the list of the type."""
    if type in (dtypes.float32, dtypes.complex64):
        return np.array(proto.float_data, np.float32).view(type.np)
    if type in (dtypes.float64, dtypes.complex128):
        return np.array(proto.double_data, np.float64).view(type.np)
    if type is dtypes.int64:
        return np.array(proto.int64_data, np.int64)
    if type in (dtypes.uint32, dtypes.uint64):
        return np.array([value % (1 << 64) for value in proto.uint64_data], np.uint64).astype(type.np)
    numbers = np.array(proto.int32_data, np.int64)
    if type.is_floating:  # the bits of float16 and bfloat16
        return (numbers & 0xFFFF).astype(np.uint16).view(type.np)
    return numbers.astype(type.np)


def _codes(proto: OnnxTensorProto, type: NarrowType, count: int) -> Array:
    """The codes of a narrow type, one a byte; files hold several in a byte, the lowest bits first."""
    if proto.raw_data is not None:
        packed = np.frombuffer(proto.raw_data, np.uint8)
    else:
        packed = (np.array(proto.int32_data, np.int64) & 0xFF).astype(np.uint8)
    if len(packed) != -(-count // type.per_byte):
        raise GraphFormatError(f"an array of {type.name} has {len(packed)} bytes for {count} values")
    shifts = np.arange(type.per_byte, dtype=np.uint8) * np.uint8(type.bits % 8)
    return (packed[:, None] >> shifts & np.uint8((1 << type.bits) - 1)).reshape(-1)[:count]


def tensor_proto(array: Array, name: str = "") -> OnnxTensorProto:
    """An array as a message: its bytes, or strings one by one."""
    dtype = of_numpy(array.dtype)
    proto = OnnxTensorProto(list(array.shape), NUMBER_OF[dtype], name=name)
    if dtype.is_string:
        proto.string_data = [value if isinstance(value, bytes) else str(value).encode() for value in array.reshape(-1)]
    else:
        proto.raw_data = np.ascontiguousarray(array).tobytes()
    return proto


def values_of(codes: Any, type: NarrowType) -> Array:
    """What an array of codes means, as float32."""
    found: Array = table(type)[codes]
    return found


__all__ = ["OnnxArrays", "TextEntryProto", "inside", "mapped", "tensor_proto", "values_of"]
