"""CRC32C (Castagnoli), the checksum of TensorFlow's checkpoints and event files.

Compiled code computes it where that pays (`runtime.kernels.loops.crc32c_loop`, 10 GB/s and more); NumPy does it
elsewhere, at 1 GB/s. A checksum is linear in the bits of the data: the state after n words of four bytes is

    T^n(s ^ w0) ^ T^(n-1)(w1) ^ ... ^ T(w[n-1])        T: four zero bytes; s: the state before

So rows of W words are added up as in Horner's rule, `sum = T^W(sum) ^ row`, all columns at once, and the last sum is a
message of one row. `T^W` of a word is two look-ups of 16 bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..graph.common.hooks import hooks

Words = npt.NDArray[np.uint32]
Bytes = npt.NDArray[np.uint8]

_POLYNOMIAL: Final = 0x82F63B78
_ALL: Final = 0xFFFFFFFF
_ADDED: Final = 0xA282EAD8
_WIDTHS: Final = (4096, 256, 16)
"""Words in a row, for long data and then for what is left of it."""
_FEWEST_ROWS: Final = 8
_FEW: Final = 64
"""Up to so many bytes the loop below is faster than a call with an array: 8 bytes take 1.1 us and not 15."""


def crc32c(data: Any, before: int = 0) -> int:
    """The CRC32C of bytes, or of an array's memory; `before` is that of the data before them.

    >>> hex(crc32c(b"123456789")), crc32c(b"6789", crc32c(b"12345")) == crc32c(b"123456789")
    ('0xe3069283', True)
    """
    if isinstance(data, bytes) and len(data) <= _FEW:
        return _byte_by_byte(data, before ^ _ALL) ^ _ALL
    flat = data.reshape(-1).view(np.uint8) if isinstance(data, np.ndarray) else np.frombuffer(data, np.uint8)
    state = before ^ _ALL
    loop = hooks.compiled_loop("crc32c", work=flat.size)
    state = _with_numpy(flat, state) if loop is None else loop(flat, flat.size, state)
    return state ^ _ALL


def masked(crc: int) -> int:
    """A checksum as files store it, so that data with checksums in it can have one."""
    return ((crc >> 15 | crc << 17) + _ADDED) & _ALL


def _with_numpy(data: Bytes, state: int) -> int:
    """The state after `data`."""
    for width in _WIDTHS:
        rows = data.size // (4 * width)
        if rows < _FEWEST_ROWS:
            continue
        end = rows * 4 * width
        words = data[:end].view("<u4").reshape(rows, width)
        low, high = _tables(width)
        total = words[0].astype(np.uint32)
        total[0] ^= state
        for row in words[1:]:
            halves = total.view(np.uint16).reshape(width, 2)
            total = low[halves[:, _LOW]] ^ high[halves[:, 1 - _LOW]]
            total ^= row
        # The sum is a message of one row, with the state in it.
        state = _with_numpy(total.astype("<u4").view(np.uint8), 0)
        data = data[end:]
    return _byte_by_byte(data.tolist(), state)


def _byte_by_byte(data: Iterable[int], state: int) -> int:
    table = _bytewise()
    for byte in data:
        state = table[(state ^ byte) & 255] ^ state >> 8
    return state


_LOW: Final = int(np.array([1], np.uint32).view(np.uint16)[1])
"""Where the low half of a word is: 0 or 1."""


@cache
def _bytewise() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
        table.append(byte)
    return table


@cache
def _tables(width: int) -> tuple[Words, Words]:
    """T^width of the low 16 bits of a word, and of the high ones. The width is a power of two."""
    table = _bytewise()
    columns = [1 << bit for bit in range(32)]
    for _ in range(4):
        columns = [table[column & 255] ^ column >> 8 for column in columns]
    for _ in range(width.bit_length() - 1):
        columns = [_combined(columns, column) for column in columns]
    return _of_sixteen(columns[:16]), _of_sixteen(columns[16:])


def _combined(columns: list[int], word: int) -> int:
    result = 0
    for bit, column in enumerate(columns):
        if word >> bit & 1:
            result ^= column
    return result


def _of_sixteen(columns: list[int]) -> Words:
    """The xor of every subset of the columns."""
    table = np.zeros(1, np.uint32)
    for column in columns:
        table = np.concatenate([table, table ^ np.uint32(column)])
    return table
