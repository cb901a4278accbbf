"""Google's OrderedCode: numbers and bytes written so that the order of the results is that of the values.

Keys of the parts of a partitioned variable are written so: 0, the name, the number of dimensions, and for each of them
start and length, where a whole dimension is 0 and -1.
"""

from __future__ import annotations

from collections.abc import Iterable


def slice_key(name: bytes, extents: Iterable[tuple[int, int]]) -> bytes:
    """The key of a part of a variable, given (start, length) for each dimension."""
    rows = list(extents)
    signed = b"".join([_signed(number) for row in rows for number in row])
    return _unsigned(0) + _string(name) + _unsigned(len(rows)) + signed


def _unsigned(value: int) -> bytes:
    """The number of bytes, and the bytes from the highest."""
    content = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return bytes([len(content)]) + content


def _string(value: bytes) -> bytes:
    """The bytes, with 0 as 0 255 and 255 as 255 0, and 0 1 at the end."""
    return b"".join([_ESCAPED.get(byte) or bytes([byte]) for byte in value]) + b"\x00\x01"


_ESCAPED = {0x00: b"\x00\xff", 0xFF: b"\xff\x00"}


def _signed(value: int) -> bytes:
    """Two's complement of n bytes in which the first n bits below the sign count the bytes.

    One byte holds seven bits with the sign, each further byte seven more. A number that is not negative begins with n
    ones and a zero, a negative one with n zeros and a one.
    """
    bits = (value if value >= 0 else ~value).bit_length()
    count = bits // 7 + 1
    wide = max(count, 10)
    ones = ((1 << count) - 1) << 8 * count - count
    content = (value % (1 << 8 * wide)) ^ ones
    return content.to_bytes(wide, "big")[-count:]
