"""Reading tensor bundles, TensorFlow's checkpoints of version 2. Each tensor's checksum is computed as it is read."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, BinaryIO, Final

import numpy as np

from ...errors import DataLossError, InvalidArgumentError, NotFoundError
from ...graph.common.when_freed import WhenFreed
from ...graph.shapes import dtypes
from ...graph.shapes.dtypes import DType
from ...graph.shapes.literal import Array
from ..crc32c import crc32c, masked
from ..tensorflow.wire.tensor_proto import dtype_of
from .bundle_entries import BundleEntry, decode_entry
from .bundle_files import data_name, header_of, index_name
from .string_bytes import strings_of
from .table_reader import TableReader
from .tensor_slices import TensorSlice, overlap, whole, within

_PIECE: Final = 512 << 10
"""Bytes that are read and then checked: they stay in the cache between the two."""
_ATTEMPTS: Final = 100


class BundleReader:
    """An open checkpoint. All of its files are opened at once, so it stays the same if it is overwritten.

    They are closed by `close`, or when this is freed.

    Raises:
        DataLossError: it is damaged. OSError: a file cannot be read.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._files: dict[int, BinaryIO] = {}
        self._when_freed: list[WhenFreed] = []
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        """Open index and data of one and the same checkpoint: a writer may put another in its place meanwhile."""
        for _ in range(_ATTEMPTS):
            path = index_name(self.prefix)
            with TableReader(path) as table:
                self._read_index(table)
                self._open_data()
                opened = table.stat
            try:
                now = os.stat(path)
            except FileNotFoundError:
                break
            if (now.st_ino, now.st_mtime_ns, now.st_size) == (opened.st_ino, opened.st_mtime_ns, opened.st_size):
                break
            self.close()

    def _read_index(self, table: TableReader) -> None:
        header, rows = header_of(table)
        self._is_swapped = (header.endianness == 1) != (sys.byteorder == "big")
        self._shards = header.num_shards
        self._entries: dict[bytes, BundleEntry] = {}
        for key, value in rows:
            try:
                self._entries[key] = decode_entry(value)
            except DataLossError as error:
                raise table.damaged(f"of {_text(key)!r}, {error.message}") from None
        parts = {part.key(name) for name, entry in self._entries.items() for part in entry.slices}
        self._names = [name for name in self._entries if name not in parts]

    def _open_data(self) -> None:
        """Open the data files that the entries need; one that is missing is an error when it is read."""
        used = {entry.shard for entry in self._entries.values() if not entry.slices}
        for shard in used:
            if shard >= self._shards:
                raise DataLossError(message=f"the file {index_name(self.prefix)!r} is damaged: an entry names the "
                                    f"shard {shard} of {self._shards}")  # fmt: skip
        self._files, self._when_freed = {}, []
        for shard in used:
            with suppress(FileNotFoundError):
                name = data_name(self.prefix, shard, self._shards)
                file = self._files[shard] = open(name, "rb", buffering=0)  # noqa: SIM115  # `close` closes it
                self._when_freed.append(WhenFreed(file.close))

    def close(self) -> None:
        """Close all files."""
        for file in self._files.values():
            file.close()
        self._files, self._when_freed = {}, []

    # ---- what is there ------------------------------------------------------------------------

    @property
    def entries(self) -> Mapping[str, BundleEntry]:
        """The tensors by name; partitioned variables whole."""
        return {_text(name): self._entries[name] for name in self._names}

    def entry(self, name: str) -> BundleEntry | None:
        """The entry of a tensor; None if it is not there."""
        return self._entries.get(name.encode("utf-8", "surrogateescape"))

    # ---- values -------------------------------------------------------------------------------

    def read(self, name: str, part: TensorSlice | None = None) -> Array:
        """A new array with the values of a tensor, or of a part of it.

        Raises:
            NotFoundError: it is not there. DataLossError: it is damaged. Unsupported: its dtype does not exist here.
        """
        key = name.encode("utf-8", "surrogateescape")
        entry = self._entries.get(key)
        if entry is None:
            raise NotFoundError(message=f"Key {name} not found in checkpoint {self.prefix!r}")
        if not entry.slices:
            array = self._read_entry(name, entry)
            return array if part is None or part.is_whole else array[part.places(entry.shape)].copy()
        return self._read_parts(name, key, entry, part or whole(len(entry.shape)))

    def _read_parts(self, name: str, key: bytes, entry: BundleEntry, part: TensorSlice) -> Array:
        """Put a part together from those that are stored."""
        wanted = part.places(entry.shape)
        dtype = dtype_of(entry.dtype)
        sizes = [place.stop - place.start for place in wanted]
        self._check_room(name, entry, dtype)
        out: Array = np.empty(sizes, dtype.np)
        is_there = np.zeros(sizes, bool)
        for stored in entry.slices:
            try:
                places = stored.places(entry.shape)
            except InvalidArgumentError as error:
                raise self._damaged(name, error.message) from None
            common = overlap(wanted, places)
            if common is None:
                continue
            here = within(common, wanted)
            if is_there[here].any():
                raise self._damaged(name, f"its part {stored} overlaps another one")
            is_there[here] = True
            own = self._entries.get(stored.key(key))
            if own is None or own.slices or own.shape != tuple(p.stop - p.start for p in places):
                raise self._damaged(name, f"its part {stored} is not there or has another shape")
            if own.dtype != entry.dtype:
                raise self._damaged(name, f"its part {stored} has another dtype")
            out[within(common, wanted)] = self._read_entry(name, own)[within(common, places)]
        missing = is_there.size - int(np.count_nonzero(is_there))
        if missing > 0:
            raise NotFoundError(message=f"of {name!r:.200} in checkpoint {self.prefix!r} {missing} elements "
                                        "are in no part")  # fmt: skip
        return out

    def _check_room(self, name: str, entry: BundleEntry, dtype: DType) -> None:
        """A partitioned variable has no more bytes than the files: its shape must not fill the memory."""
        there = sum(os.fstat(file.fileno()).st_size for file in self._files.values())
        if math.prod(entry.shape) * (1 if dtype.is_string else dtype.size) > there:
            raise self._damaged(name, f"the shape {list(entry.shape)} has more elements than the files hold")

    def _read_entry(self, name: str, entry: BundleEntry) -> Array:
        dtype = dtype_of(entry.dtype)
        count = math.prod(entry.shape)
        file = self._files.get(entry.shard)
        if file is None:
            path = data_name(self.prefix, entry.shard, self._shards)
            raise NotFoundError(message=f"the values of {name!r:.200} are in {path!r}, which does not exist")
        if entry.offset + entry.size > os.fstat(file.fileno()).st_size:
            raise self._damaged(name, f"its bytes go beyond the end of shard {entry.shard}, which is too short")
        if dtype is dtypes.string:
            content = bytearray(entry.size)
            self._fill(name, file, entry.offset, memoryview(content))
            try:
                values, crc = strings_of(bytes(content), count)
            except DataLossError as error:
                raise self._damaged(name, error.message) from None
        else:
            if entry.size != count * dtype.size:
                raise self._damaged(name, f"it has {entry.size} bytes, but its shape {list(entry.shape)} and dtype "
                                    f"{dtype} need {count * dtype.size}")  # fmt: skip
            # The array has its shape from the beginning: a session keeps only arrays that own their memory.
            values = np.empty(entry.shape, dtype.np)
            crc = self._fill(name, file, entry.offset, values.reshape(-1).view(np.uint8).data)
            if self._is_swapped:
                values.byteswap(inplace=True)
        if masked(crc) != entry.crc:
            raise self._damaged(name, "its checksum is not that of its bytes")
        return values if values.shape == entry.shape else values.reshape(entry.shape)

    def _fill(self, name: str, file: BinaryIO, offset: int, memory: memoryview) -> int:
        """Read into memory; returns the checksum."""
        file.seek(offset)
        crc = at = 0
        reader: Any = file
        while at < len(memory):
            count = reader.readinto(memory[at : at + _PIECE])
            if not count:
                raise self._damaged(name, "the file ends inside it")
            crc = crc32c(memory[at : at + count], crc)
            at += count
        return crc

    def _damaged(self, name: str, what: str) -> DataLossError:
        return DataLossError(message=f"the checkpoint {self.prefix!r} is damaged: of {name!r:.200}, {what}")


def _text(key: bytes) -> str:
    return key.decode("utf-8", "surrogateescape")


