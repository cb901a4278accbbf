"""Writing a sorted table: LevelDB's format with TensorFlow's settings, byte for byte as its `TableBuilder` does.

    data blocks, an empty block for other facts, the block of the index, the footer

The index has an entry for each data block: a short key that is not below its last key and below the next block's
first, and the handle of the block. The footer has the handles of the last two blocks, zeros up to 40 bytes, and a magic
number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..wire.wire_format import varint_bytes
from .table_blocks import FOOTER, MAGIC, TRAILER, BlockBuilder

_BLOCK_SIZE: Final = 256 << 10
_RESTART_INTERVAL: Final = 16


def table_bytes(items: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The file of a table; the keys are in ascending order."""
    writer = _TableWriter()
    for key, value in items:
        writer.add(key, value)
    return writer.finish()


class _TableWriter:
    """A table that is being written."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._offset = 0
        self._data = BlockBuilder(_RESTART_INTERVAL)
        self._index = BlockBuilder(1)
        self._open: tuple[bytes, bytes] | None = None  # last key and handle of a block that has no entry in the index

    def add(self, key: bytes, value: bytes) -> None:
        if self._open is not None:
            last, handle = self._open
            self._index.add(_separator(last, key), handle)
            self._open = None
        self._data.add(key, value)
        if self._data.size >= _BLOCK_SIZE:
            self._end_block()

    def finish(self) -> bytes:
        if not self._data.is_empty:
            self._end_block()
        meta = self._write(BlockBuilder(_RESTART_INTERVAL).finish())
        if self._open is not None:
            last, handle = self._open
            self._index.add(_successor(last), handle)
        index = self._write(self._index.finish())
        self._parts.append((meta + index).ljust(FOOTER - len(MAGIC), b"\0") + MAGIC)
        return b"".join(self._parts)

    def _end_block(self) -> None:
        last = self._data.last_key
        self._open = last, self._write(self._data.finish())
        self._data.clear()

    def _write(self, block: bytes) -> bytes:
        """Append a block; returns its handle."""
        handle = varint_bytes(self._offset) + varint_bytes(len(block) - TRAILER)
        self._parts.append(block)
        self._offset += len(block)
        return handle


def _separator(low: bytes, high: bytes) -> bytes:
    """A short key k with low <= k < high."""
    same = 0
    shorter = min(len(low), len(high))
    while same < shorter and low[same] == high[same]:
        same += 1
    if same < shorter and low[same] < 0xFF and low[same] + 1 < high[same]:
        return low[:same] + bytes([low[same] + 1])
    return low


def _successor(key: bytes) -> bytes:
    """A short key that is not below `key`."""
    for place, byte in enumerate(key):
        if byte != 0xFF:
            return key[:place] + bytes([byte + 1])
    return key
