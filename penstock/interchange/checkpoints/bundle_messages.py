"""The protobuf messages of checkpoints: of the tensor bundle (version 2) and of version 1.

Source: TensorFlow's tensor_bundle.proto, tensor_slice.proto, saved_tensor_slice.proto.
"""

# ruff: noqa: RUF009  # the calls in the classes below return dataclasses.field(...)

from __future__ import annotations

from dataclasses import dataclass

from ..tensorflow.wire.messages import ShapeProto, VersionProto
from ..wire.message_fields import many, member, one


@dataclass(slots=True)
class ExtentProto:
    """A range of one dimension; without a length it is the whole dimension."""

    start: int = one(1, "int", 0)
    length: int | None = member(2, "int")


@dataclass(slots=True)
class SliceProto:
    """A part of a tensor: a range for each dimension."""

    extents: list[ExtentProto] = many(1, ExtentProto, "extent")


@dataclass(slots=True)
class BundleHeaderProto:
    """The entry of the index with the empty key; endianness 1 is big-endian."""

    num_shards: int = one(1, "int", 0)
    endianness: int = one(2, "int", 0)
    version: VersionProto | None = one(3, VersionProto, None)


@dataclass(slots=True)
class BundleEntryProto:
    """Where a tensor is: bytes of a data file. A partitioned one has `slices`, which are entries of their own."""

    dtype: int = one(1, "enum", 0)
    shape: ShapeProto | None = one(2, ShapeProto, None)
    shard_id: int = one(3, "int", 0)
    offset: int = one(4, "int", 0)
    size: int = one(5, "int", 0)
    crc32c: int = one(6, "fixed32", 0)
    slices: list[SliceProto] = many(7, SliceProto)


@dataclass(slots=True)
class SavedSliceMetaProto:
    """Version 1: a tensor of the file, and which parts of it are there."""

    name: str = one(1, "text", "")
    shape: ShapeProto | None = one(2, ShapeProto, None)
    type: int = one(3, "enum", 0)
    slices: list[SliceProto] = many(4, SliceProto, "slice")


@dataclass(slots=True)
class SavedTensorSliceMetaProto:
    """Version 1: the tensors of the file."""

    tensors: list[SavedSliceMetaProto] = many(1, SavedSliceMetaProto, "tensor")
    versions: VersionProto | None = one(2, VersionProto, None)


@dataclass(slots=True)
class PackedTensorProto:
    """A TensorProto whose lists of numbers are the bytes of the file: they may be millions."""

    float_val: list[bytes] = many(5, "bytes")
    double_val: list[bytes] = many(6, "bytes")
    int_val: list[bytes] = many(7, "bytes")
    string_val: list[bytes] = many(8, "bytes")
    scomplex_val: list[bytes] = many(9, "bytes")
    int64_val: list[bytes] = many(10, "bytes")
    bool_val: list[bytes] = many(11, "bytes")
    dcomplex_val: list[bytes] = many(12, "bytes")
    half_val: list[bytes] = many(13, "bytes")
    uint32_val: list[bytes] = many(16, "bytes")
    uint64_val: list[bytes] = many(17, "bytes")


@dataclass(slots=True)
class SavedSliceProto:
    """Version 1: the values of one part of a tensor."""

    name: str = one(1, "text", "")
    slice: SliceProto | None = one(2, SliceProto, None)
    data: PackedTensorProto | None = one(3, PackedTensorProto, None)


@dataclass(slots=True)
class SavedTensorSlicesProto:
    """Version 1: the value of every key; `meta` is that of the empty one."""

    meta: SavedTensorSliceMetaProto | None = one(1, SavedTensorSliceMetaProto, None)
    data: SavedSliceProto | None = one(2, SavedSliceProto, None)
