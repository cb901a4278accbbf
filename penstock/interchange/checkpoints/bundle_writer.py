"""Writing tensor bundles, TensorFlow's checkpoints of version 2.

The tensors go to the data files as they are in memory, a piece at a time; the checksum is computed while the piece is
in the processor's cache.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Final

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.common.file_errors import UNCHANGED, file_errors
from ...graph.shapes.dtypes import of_numpy
from ...graph.shapes.literal import Array
from ..crc32c import crc32c, masked
from ..tensorflow.wire.messages import VersionProto
from ..tensorflow.wire.tensor_proto import dtype_number
from ..wire.wire_format import encode
from .bundle_entries import BundleEntry
from .bundle_files import commit, data_name
from .bundle_messages import BundleHeaderProto
from .string_bytes import string_parts
from .table_builder import table_bytes
from .tensor_slices import Shape, TensorSlice
from .whole_files import TemporaryFile

_PIECE: Final = 512 << 10
"""Bytes that are checked and then written: they stay in the cache between the two."""
_VERSION: Final = 1


@dataclass(frozen=True, slots=True, eq=False)
class NamedArray:
    """An array to write.

    Attributes:
        name: its key.
        array: its values.
        part: which part of a partitioned variable it is; None for a variable of one piece.
        full_shape: the shape of that variable.
    """

    name: str
    array: Array
    part: TensorSlice | None = None
    full_shape: Shape = ()


def write_bundle(prefix: str, tensors: Iterable[NamedArray], shards: int = 1) -> None:
    """Write a checkpoint, which appears whole: PREFIX.index and PREFIX.data-?????-of-?????.

    Args:
        prefix: the path without these endings.
        tensors: what to write; in the data files it has this order.
        shards: the number of data files.

    Raises:
        InvalidArgumentError: two tensors have one name, or a part does not fit.
        OpError: a file cannot be written, as where the disk is full; what was there before still is.
    """
    given = list(tensors)
    with file_errors(f"the checkpoint {prefix!r} could not be written", UNCHANGED), ExitStack() as stack:
        files: list[TemporaryFile] = []
        entries: dict[bytes, BundleEntry] = {}
        for shard, group in enumerate(_groups(given, shards)):
            file = stack.enter_context(TemporaryFile(data_name(prefix, shard, shards)))
            files.append(file)
            _write_shard(file.file, shard, group, entries)
            file.flush()
        commit(prefix, files, lambda number: index_bytes(number, entries))


def index_bytes(shards: int, entries: dict[bytes, BundleEntry]) -> bytes:
    """The content of an index."""
    header = encode(BundleHeaderProto(shards, 0, VersionProto(_VERSION)))
    rows = [(key, entries[key].encoded()) for key in sorted(entries)]
    return table_bytes([(b"", header), *rows])


def _groups(tensors: list[NamedArray], shards: int) -> list[list[NamedArray]]:
    """The tensors of each shard: neighbours together, about the same number of bytes in each."""
    if shards == 1:
        return [tensors]
    total = sum(max(each.array.nbytes, 1) for each in tensors)
    groups: list[list[NamedArray]] = [[] for _ in range(shards)]
    before = 0
    for each in tensors:
        groups[min(before * shards // max(total, 1), shards - 1)].append(each)
        before += max(each.array.nbytes, 1)
    return groups


def _write_shard(file: BinaryIO, shard: int, tensors: Sequence[NamedArray], entries: dict[bytes, BundleEntry]) -> None:
    offset = 0
    for each in tensors:
        dtype, shape = dtype_number(of_numpy(each.array.dtype)), each.array.shape
        key = _add_key(each, dtype, entries)
        size, crc = _write_array(file, each.array)
        entries[key] = BundleEntry(dtype, shape, shard, offset, size, masked(crc))
        offset += size


def _add_key(each: NamedArray, dtype: int, entries: dict[bytes, BundleEntry]) -> bytes:
    """The key of an array; a part is listed in the entry of the variable."""
    name = key = each.name.encode("utf-8", "surrogateescape")
    if each.part is not None and not each.part.covers(each.full_shape):
        _check_part(each, each.part)
        whole = entries.get(name) or BundleEntry(dtype, each.full_shape)
        if (whole.dtype, whole.shape) != (dtype, each.full_shape) or (whole.crc and not whole.slices):
            raise InvalidArgumentError(message=f"the parts of {each.name!r} differ in dtype or shape of the whole")
        entries[name] = replace(whole, slices=(*whole.slices, each.part))
        key = each.part.key(name)
    if not name or key in entries:
        raise InvalidArgumentError(message=f"the name {each.name!r} is given twice; names of tensors are unique"
                                   if name else "a tensor has no name")  # fmt: skip
    return key


def _check_part(each: NamedArray, part: TensorSlice) -> None:
    sizes = tuple(place.stop - place.start for place in part.places(each.full_shape))
    if sizes != each.array.shape:
        raise InvalidArgumentError(
            message=f"{each.name!r}: the part {part} of {list(each.full_shape)} has the shape {list(sizes)}, but the "
            f"array has {list(each.array.shape)}"
        )


def _write_array(file: BinaryIO, array: Array) -> tuple[int, int]:
    """Write the elements; returns the bytes and their checksum."""
    if array.dtype.kind in "OSUT":
        values = [v if isinstance(v, bytes) else str(v).encode() for v in array.reshape(-1).tolist()]
        parts, crc = string_parts(values)
        for part in parts:
            file.write(part)
        return sum(map(len, parts)), crc
    data = _memory(array)
    size = data.size
    if size <= _PIECE:
        file.write(data.data)
        return size, crc32c(data)
    crc = 0
    for start in range(0, size, _PIECE):
        piece = data[start : start + _PIECE]
        crc = crc32c(piece, crc)
        file.write(piece.data)
    return size, crc


def _memory(array: Array) -> Any:
    """The elements in row-major order and little-endian, as bytes; no copy where they are so in memory."""
    if sys.byteorder == "big":
        array = array.astype(array.dtype.newbyteorder("<"))
    elif not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    flat = array.reshape(-1)
    if not flat.flags.c_contiguous:
        flat = flat.copy()
    return flat.view(np.uint8)
