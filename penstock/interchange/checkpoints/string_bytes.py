"""Tensors of strings in a data file.

    varints         the length of each string
    4 bytes         the masked CRC32C of the lengths, each taken as 4 bytes (8 above 4 GiB)
    bytes           the strings

The checksum of the tensor is that of the lengths as numbers, of the four bytes and of the strings.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from ...errors import DataLossError
from ...graph.shapes.literal import Array
from ..crc32c import crc32c, masked
from ..wire.wire_format import varint_bytes
from .table_blocks import varint_at

_WIDE = 1 << 32


def string_parts(values: Sequence[bytes]) -> tuple[list[bytes], int]:
    """The pieces to write for strings, and their checksum."""
    lengths = [len(value) for value in values]
    state = _crc_of_lengths(lengths)
    check = struct.pack("<I", masked(state))
    head = b"".join(map(varint_bytes, lengths)) + check
    body = b"".join(values)
    return [head, body], crc32c(body, crc32c(check, state))


def strings_of(content: bytes, count: int) -> tuple[Array, int]:
    """An array of `count` strings, and the checksum that its bytes have.

    Raises:
        DataLossError: the bytes are no such strings.
    """
    if count > len(content):
        raise DataLossError(message=f"{len(content)} bytes cannot hold {count} strings")
    at, end, lengths = 0, len(content), []
    for _ in range(count):
        length, at = varint_at(content, at, end)
        lengths.append(length)
    start = at + 4
    if start + sum(lengths) != end:
        raise DataLossError(message=f"the strings have {sum(lengths)} bytes, and {end - start} are there")
    state, check = _crc_of_lengths(lengths), content[at:start]
    if check != struct.pack("<I", masked(state)):
        raise DataLossError(message="the checksum of the lengths of its strings is wrong")
    values = np.empty(count, object)
    place = start
    for number, length in enumerate(lengths):
        values[number] = content[place : place + length]
        place += length
    return values, crc32c(memoryview(content)[start:], crc32c(check, state))


def _crc_of_lengths(lengths: list[int]) -> int:
    if all(length < _WIDE for length in lengths):
        return crc32c(np.array(lengths, "<u4"))
    return crc32c(b"".join([struct.pack("<I" if n < _WIDE else "<Q", n) for n in lengths]))
