"""Entries of a bundle's index: dtype, shape and place of a tensor, written and read quickly.

A checkpoint may have 100,000 variables of a few shapes. The bytes for dtype and shape are worked out once for each
pair, and only the numbers that follow are written or read one by one.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ...errors import DataLossError, GraphFormatError
from ..tensorflow.wire.messages import DimProto, ShapeProto
from ..wire.wire_format import decode, encode, varint_bytes
from .bundle_messages import BundleEntryProto
from .table_blocks import varint_at
from .tensor_slices import Shape, TensorSlice, slice_of_proto

_SHARD, _OFFSET, _SIZE, _CRC = b"\x18", b"\x20", b"\x28", b"\x35"
_MOST_DIMENSIONS: Final = 64
"""As NumPy's arrays have."""


@dataclass(frozen=True, slots=True)
class BundleEntry:
    """One tensor of a bundle.

    Attributes:
        dtype: TensorFlow's number of its dtype.
        shape: its shape.
        shard: the number of the data file.
        offset: its first byte there.
        size: its bytes.
        crc: the masked checksum of its bytes.
        slices: of a partitioned variable the parts that are there, each an entry of its own.
    """

    dtype: int
    shape: Shape
    shard: int = 0
    offset: int = 0
    size: int = 0
    crc: int = 0
    slices: tuple[TensorSlice, ...] = ()

    def encoded(self) -> bytes:
        """The bytes of the entry in the index."""
        parts = [_head(self.dtype, self.shape)]
        for tag, number in ((_SHARD, self.shard), (_OFFSET, self.offset), (_SIZE, self.size)):
            if number:
                parts += (tag, varint_bytes(number))
        if self.crc:
            parts += (_CRC, struct.pack("<I", self.crc))
        if self.slices:
            parts.append(encode(BundleEntryProto(slices=[part.proto() for part in self.slices])))
        return b"".join(parts)


@lru_cache(4096)
def _head(dtype: int, shape: Shape) -> bytes:
    return encode(BundleEntryProto(dtype, ShapeProto([DimProto(size) for size in shape])))


def decode_entry(content: bytes) -> BundleEntry:
    """The entry in the bytes of a value of the index.

    Raises:
        DataLossError: they are no entry.
    """
    return _quick(content) or _thorough(content)


def _quick(content: bytes) -> BundleEntry | None:
    """An entry as programs write them: fields in order, no slices; None if it is another."""
    if len(content) < 4 or content[0] != 0x08 or content[1] > 127 or content[2] != 0x12 or content[3] > 127:
        return None
    at, end = 4 + content[3], len(content)
    head = _decoded_head(content[:at])
    shard = offset = size = crc = 0
    if at < end and content[at] == 0x18:
        shard, at = varint_at(content, at + 1, end)
    if at < end and content[at] == 0x20:
        offset, at = varint_at(content, at + 1, end)
    if at < end and content[at] == 0x28:
        size, at = varint_at(content, at + 1, end)
    if at + 5 == end and content[at] == 0x35:
        crc = int.from_bytes(content[at + 1 :], "little")
    elif at != end:
        return None
    return BundleEntry(head.dtype, head.shape, shard, offset, size, crc)


@lru_cache(4096)
def _decoded_head(content: bytes) -> BundleEntry:
    return _thorough(content)


def _thorough(content: bytes) -> BundleEntry:
    try:
        proto: BundleEntryProto = decode(BundleEntryProto, content)
    except GraphFormatError as error:
        raise DataLossError(message=f"an entry is damaged: {error}") from None
    shape = shape_of(proto.shape)
    if proto.shard_id < 0 or proto.offset < 0 or proto.size < 0:
        raise DataLossError(message="an entry has a negative number")
    slices = tuple(slice_of_proto(each, len(shape)) for each in proto.slices)
    return BundleEntry(proto.dtype, shape, proto.shard_id, proto.offset, proto.size, proto.crc32c, slices)


def shape_of(proto: ShapeProto | None) -> Shape:
    """The sizes in a shape.

    Raises:
        DataLossError: one is not known, or they cannot be those of an array.
    """
    if proto is None:
        return ()
    shape = tuple(dim.size for dim in proto.dims)
    if proto.unknown_rank or min(shape, default=0) < 0:
        raise DataLossError(message="an entry has a shape that is not known")
    if len(shape) > _MOST_DIMENSIONS or math.prod(size or 1 for size in shape) >= 1 << 59:
        raise DataLossError(message=f"an entry has the shape {list(shape)[:8]}, which no array has")
    return shape
