"""Reading protobuf's wire format from bytes that are not trusted: numbers, and the ends of fields.

A message is a run of fields: a varint `number << 3 | type`, and the value. Type 0 is a varint, 1 eight bytes, 2 a
length and as many bytes, 5 four bytes; 3 and 4 begin and end a group, which only very old files have.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...errors import DecodeError

VARINT: Final = 0
EIGHT: Final = 1
LENGTH: Final = 2
GROUP: Final = 3
END_GROUP: Final = 4
FOUR: Final = 5

_DEEPEST: Final = 100
"""How deeply groups nest, as in protobuf."""
_TAG_BYTES: Final = 5
_VARINT_BYTES: Final = 10
_WORD: Final = (1 << 64) - 1

Bytes = bytes | memoryview


def varint(data: Bytes, at: int, end: int, most: int = _VARINT_BYTES) -> tuple[int, int]:
    """The number of 64 bits at a place, and the place behind it.

    Raises:
        DecodeError: it has more than `most` bytes, or the data end inside it.
    """
    if at < end and data[at] < 128:
        return data[at], at + 1
    value = shift = 0
    last = min(end, at + most)
    while at < last:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & _WORD, at
        shift += 7
    raise DecodeError(f"the data end inside the number before byte {at}" if at == end else
                      f"the number before byte {at} has more than {most} bytes")  # fmt: skip


def fields(data: Bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int, int]]:
    """The fields of the message in data[at:end]: (number, type, start, begin of the value, end of the value).

    Of a field of type LENGTH the value begins behind the length.

    Raises:
        DecodeError: the bytes are no message.
    """
    while at < end:
        start = at
        tag, at = varint(data, at, end, _TAG_BYTES)
        wire = tag & 7
        if wire == LENGTH:
            size, at = varint(data, at, end, _TAG_BYTES)
            begin, at = at, at + size
            if at > end:
                raise DecodeError(f"a field of {size} bytes at byte {begin} goes beyond the end of its message")
        else:
            begin, at = at, _behind(data, at, end, tag)
        if not 8 <= tag < 1 << 32:
            raise DecodeError(f"byte {start} begins a field whose number is {tag >> 3}")
        yield tag >> 3, wire, start, begin, at


def _behind(data: Bytes, at: int, end: int, tag: int) -> int:
    """The place behind the value of a field that is no run of bytes."""
    wire = tag & 7
    if wire == VARINT:
        return varint(data, at, end)[1]
    if wire == GROUP:
        return _behind_group(data, at, end, tag >> 3)
    if wire not in (FOUR, EIGHT):
        raise DecodeError(f"the field before byte {at} has wire type {wire}, which no value has")
    after = at + (4 if wire == FOUR else 8)
    if after > end:
        raise DecodeError(f"the data end inside a number at byte {at}")
    return after


def _behind_group(data: Bytes, at: int, end: int, number: int) -> int:
    open_groups = [number]
    while open_groups:
        tag, at = varint(data, at, end, _TAG_BYTES)
        if tag & 7 == GROUP:
            open_groups.append(tag >> 3)
            if len(open_groups) > _DEEPEST:
                raise DecodeError(f"groups are nested more than {_DEEPEST} deep at byte {at}")
        elif tag & 7 == END_GROUP:
            if open_groups.pop() != tag >> 3:
                raise DecodeError(f"the group that ends at byte {at} is not the one that is open")
        elif tag & 7 == LENGTH:
            size, at = varint(data, at, end, _TAG_BYTES)
            at += size
            if at > end:
                raise DecodeError(f"a field of {size} bytes goes beyond the end of its message at byte {end}")
        else:
            at = _behind(data, at, end, tag)
    return at
