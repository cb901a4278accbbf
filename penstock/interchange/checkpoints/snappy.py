"""Decompression of Snappy, which LevelDB may use for blocks of a table. TensorFlow writes none that are compressed.

    content    varint: bytes after decompression; then elements
    element    its lowest two bits: 0 literal bytes, 1 to 3 a copy of earlier output with an offset of 11, 16 or 32 bits
"""

from __future__ import annotations

from typing import Final

from ...errors import DataLossError

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
