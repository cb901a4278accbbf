"""Blocks of a sorted table, the file format of LevelDB in which checkpoints keep their keys.

    block     entries, then the offsets of the restart points (uint32 each), then how many those are
    entry     varints: bytes shared with the key before, bytes of the rest, bytes of the value; the rest; the value
    trailer   one byte for the compression, and the masked CRC32C of block and that byte

At a restart point the key is whole. A handle of a block is its offset and its size, as varints.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from ...errors import DataLossError
from ..crc32c import crc32c, masked
from ..wire.wire_format import varint_bytes

TRAILER: Final = 5
FOOTER: Final = 48
MAGIC: Final = struct.pack("<Q", 0xDB4775248B80FB57)
_PLAIN, _SNAPPY = 0, 1
_MOST_EXPANSION: Final = 64
"""A key may share bytes with the key before it. In a block all keys have at most so many times its bytes: writers begin
anew at each restart point, every 16 entries in TensorFlow's files."""


class BlockBuilder:
    """Collects the entries of one block; keys come in ascending order."""

    def __init__(self, restart_interval: int) -> None:
        self._interval = restart_interval
        self.clear()

    def clear(self) -> None:
        """Begin a new block."""
        self._parts: list[bytes] = []
        self._restarts = [0]
        self._count = 0
        self._size = 0
        self.last_key = b""

    def add(self, key: bytes, value: bytes) -> None:
        """Add an entry."""
        shared = 0
        if self._count == self._interval:
            self._restarts.append(self._size)
            self._count = 0
        elif self._parts:
            shared = shared_length(self.last_key, key)
        rest = key[shared:]
        head = varint_bytes(shared) + varint_bytes(len(rest)) + varint_bytes(len(value))
        self._parts += (head, rest, value)
        self._size += len(head) + len(rest) + len(value)
        self._count += 1
        self.last_key = key

    @property
    def size(self) -> int:
        """The bytes of the block so far."""
        return self._size + 4 * len(self._restarts) + 4

    @property
    def is_empty(self) -> bool:
        """Whether no entry was added."""
        return not self._parts

    def finish(self) -> bytes:
        """The block with its trailer."""
        restarts = struct.pack(f"<{len(self._restarts) + 1}I", *self._restarts, len(self._restarts))
        body = b"".join([*self._parts, restarts, bytes([_PLAIN])])
        return body + struct.pack("<I", masked(crc32c(body)))


def shared_length(a: bytes, b: bytes) -> int:
    """How many bytes two keys have in common at their beginning."""
    low, high = 0, min(len(a), len(b))
    if a[:high] == b[:high]:
        return high
    while low < high:  # a[:low] == b[:low], and a[:high + 1] != b[:high + 1]
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def checked_block(content: bytes) -> bytes:
    """The entries and restart points of a block that was read with its trailer.

    Raises:
        DataLossError: the checksum differs, or the compression is not known.
    """
    body, (stored,) = content[:-4], struct.unpack("<I", content[-4:])
    if masked(crc32c(body)) != stored:
        raise DataLossError(message="its checksum is not that of its content")
    kind = body[-1]
    if kind == _PLAIN:
        return body[:-1]
    if kind == _SNAPPY:
        return decompressed(body[:-1])
    raise DataLossError(message=f"it has the compression {kind}, which is none that is known")


def entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of a block.

    Raises:
        DataLossError: it is no block.
    """
    if len(block) < 4:
        raise DataLossError(message="it is too short")
    (restarts,) = struct.unpack("<I", block[-4:])
    end = len(block) - 4 - 4 * restarts
    if end < 0:
        raise DataLossError(message=f"it has {restarts} restart points, more than fit")
    key, at, room = b"", 0, _MOST_EXPANSION * (end + 1)
    is_first = True
    while at < end:
        shared, rest, size, at = _three_numbers(block, at, end)
        middle = at + rest
        after = middle + size
        if after > end or shared > len(key):
            raise DataLossError(message=f"the entry before byte {at} goes beyond its end")
        room -= shared + rest
        if room < 0:
            raise DataLossError(message=f"its keys have more than {_MOST_EXPANSION} times the bytes of the block")
        before, key = key, key[:shared] + block[at:middle]
        if key <= before and not is_first:
            raise DataLossError(message=f"the key before byte {after} is not behind the one before it")
        is_first = False
        yield key, block[middle:after]
        at = after


def _three_numbers(block: bytes, at: int, end: int) -> tuple[int, int, int, int]:
    if at + 3 <= end and block[at] < 128 and block[at + 1] < 128 and block[at + 2] < 128:
        return block[at], block[at + 1], block[at + 2], at + 3
    shared, at = varint_at(block, at, end)
    rest, at = varint_at(block, at, end)
    size, at = varint_at(block, at, end)
    return shared, rest, size, at


def varint_at(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The varint that begins at byte `at`, and the place after it.

    Raises:
        DataLossError: it does not end before `end`, or is longer than 64 bits.
    """
    value = shift = 0
    while at < end and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise DataLossError(message=f"a number before byte {at} has no end")


# ---- decompression of Snappy, which LevelDB may use for blocks of a table. TensorFlow writes none that are compressed
# content    varint: bytes after decompression; then elements
# element    its lowest two bits: 0 literal bytes, 1 to 3 a copy of earlier output with an offset of 11, 16 or 32 bits


_MOST: Final = 1 << 30


def decompressed(content: bytes) -> bytes:
    """The bytes that Snappy has compressed to `content`.

    Raises:
        DataLossError: it is not Snappy's.
    """
    try:
        return _decompressed(content)
    except IndexError:
        raise DataLossError(message="its compressed content ends too early") from None


def _decompressed(content: bytes) -> bytes:
    size = shift = at = 0
    while True:
        byte = content[at]
        at += 1
        size |= (byte & 127) << shift
        shift += 7
        if byte < 128 or shift > 35:
            break
    if size > _MOST:
        raise DataLossError(message=f"its compressed content says that it has {size} bytes; a block has less")
    out = bytearray()
    while at < len(content):
        tag = content[at]
        at += 1
        if tag & 3 == 0:
            length = (tag >> 2) + 1
            if length > 60:
                wide = length - 60
                length = int.from_bytes(_taken(content, at, wide), "little") + 1
                at += wide
            out += _taken(content, at, length)
            at += length
        else:
            length, offset, at = _copy(content, tag, at)
            if not 0 < offset <= len(out):
                raise DataLossError(message="its compressed content copies from before its beginning")
            start = len(out) - offset
            # A copy may overlap what it writes: the bytes repeat.
            piece = out[start : start + length]
            out += (piece * (length // len(piece) + 1))[:length]
        if len(out) > size:
            break
    if len(out) != size:
        raise DataLossError(message=f"its compressed content has {len(out)} bytes and says {size}")
    return bytes(out)


def _copy(content: bytes, tag: int, at: int) -> tuple[int, int, int]:
    """The length and the offset of a copy, and the place after it."""
    if tag & 3 == 1:
        return (tag >> 2 & 7) + 4, tag >> 5 << 8 | content[at], at + 1
    wide = 2 if tag & 3 == 2 else 4
    return (tag >> 2) + 1, int.from_bytes(_taken(content, at, wide), "little"), at + wide


def _taken(content: bytes, at: int, count: int) -> bytes:
    if at + count > len(content):
        raise IndexError
    return content[at : at + count]
