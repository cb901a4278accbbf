"""Reading a sorted table (`table_blocks`), block by block.

The index and a block are read when they are needed: files of the first version of checkpoints keep the values of all
tensors in one table.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from ...errors import DataLossError
from ...graph.common.closing import ClosedByWith
from ...graph.common.when_freed import WhenFreed
from .table_blocks import FOOTER, MAGIC, TRAILER, checked_block, entries, varint_at

_LARGEST_BLOCK: Final = 8 << 30


class TableReader(ClosedByWith):
    """A table in a file, which stays open until `close`, or until this is freed.

    Raises:
        DataLossError: the file is no table, or is damaged. OSError: it cannot be read.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._file = open(path, "rb")  # noqa: SIM115  # `close` closes it
        self._when_freed = WhenFreed(self._file.close)
        try:
            self._size = os.fstat(self._file.fileno()).st_size
            self._last_keys: list[bytes] = []
            self._handles: list[tuple[int, int]] = []
            self._read_index()
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def stat(self) -> os.stat_result:
        """The facts of the open file, by which another file of its name is recognised."""
        return os.fstat(self._file.fileno())

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """All keys and values in order."""
        for handle in self._handles:
            yield from self._entries(*handle)

    def get(self, key: bytes) -> bytes | None:
        """The value of a key; None if it is not there."""
        place = bisect_left(self._last_keys, key)
        if place == len(self._handles):
            return None
        return next((value for found, value in self._entries(*self._handles[place]) if found == key), None)

    def damaged(self, what: str) -> DataLossError:
        """The error that says what is wrong with the file."""
        return DataLossError(message=f"the file {self.path!r} is damaged or no checkpoint: {what}")

    def _read_index(self) -> None:
        if self._size < FOOTER:
            raise self.damaged(f"it has {self._size} bytes, less than the footer of a table")
        footer = self._bytes(self._size - FOOTER, FOOTER)
        if footer[-len(MAGIC) :] != MAGIC:
            raise self.damaged("it does not end with the magic number of a table")
        try:
            numbers, at = [], 0
            for _ in range(4):
                number, at = varint_at(footer, at, FOOTER)
                numbers.append(number)
        except DataLossError as error:
            raise self.damaged(f"in its footer {error.message}") from None
        if any(footer[at : -len(MAGIC)]):
            raise self.damaged("its footer does not end with zeros")
        for _ in self._entries(*numbers[:2]):
            pass  # other facts, of which there are none: the block is only checked
        free = 0
        for key, handle in self._entries(*numbers[2:]):
            try:
                begin, at = varint_at(handle, 0, len(handle))
                length, at = varint_at(handle, at, len(handle))
            except DataLossError as error:
                raise self.damaged(f"in its index {error.message}") from None
            if begin < free:
                raise self.damaged(f"in its index, the block at byte {begin} begins inside the one before it")
            free = begin + length + TRAILER
            self._last_keys.append(key)
            self._handles.append((begin, length))

    def _entries(self, offset: int, size: int) -> Iterator[tuple[bytes, bytes]]:
        if offset + size + TRAILER > self._size or size > _LARGEST_BLOCK:
            raise self.damaged(f"a block of {size} bytes at byte {offset} goes beyond its end")
        block = self._bytes(offset, size + TRAILER)
        try:
            yield from entries(checked_block(block))
        except DataLossError as error:
            raise self.damaged(f"in the block at byte {offset} {error.message}") from None

    def _bytes(self, offset: int, count: int) -> bytes:
        self._file.seek(offset)
        content = self._file.read(count)
        if len(content) != count:
            raise self.damaged(f"it ends before byte {offset + count}")
        return content
