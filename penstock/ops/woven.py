"""Which rows that lie side by side, or are chosen among arrays, are moved by compiled loops?

Each function here does the whole work with a loop of `runtime.kernels`, or returns False or None: then NumPy does it.
A loop is a bare function over addresses: what it relies on (memory without gaps inside a row, native integers, arrays
that stay alive) is established here or said to be the caller's business.

    beside          row i of each array one behind the other: concat, stack, tile
    selected        elements of one of two arrays
    picked          rows of one of several arrays
    starts_turned   the first elements of each row turned around

Break-even with NumPy's idioms, in elements of 4 bytes: 32,768 for concat, stack and tile (20 us either way; at 65,536
24 us and 33), below 16,384 for the others (there select takes 11 us with the loop and 17 without, multiplex 17 and 25,
reverse_sequence 13 and 44). The templates know the numbers; fewer elements end in `runtime.kernels.door`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from .native import native

_WOVEN: Final = (1, 2, 4, 8)  # bytes of what is woven element by element, in registers
_MOST_WOVEN: Final = 8  # arrays; a loop for more of them takes long to compile: n * (n - 1) shuffles
_MOST_JOINED: Final = 16
_LONGEST: Final = 256  # bytes of a row that moves through registers; NumPy copies longer ones as fast
_MOST_TURNED: Final = 64  # elements of a row that is turned around in registers


def row_key(row_bytes: int) -> int:
    """What loops over rows are made for: so many bytes, or 0 for any number of them."""
    return row_bytes if row_bytes <= _LONGEST else 0


def beside(whole: Any, parts: Sequence[Any]) -> bool:
    """whole[i] = the rows i of all `parts`, one behind the other; False if nothing was done.

    `whole` is contiguous and holds no Python objects; its rows have as many bytes as those of the parts (count, width)
    together.
    """
    parts = [part for part in parts if part.shape[1]]
    widths = tuple([part.shape[1] * whole.itemsize for part in parts])
    if not 2 <= len(parts) <= _MOST_JOINED or max(widths) > _LONGEST:
        return False
    if any(part.shape[1] > 1 and part.strides[1] != part.itemsize for part in parts):
        return False
    is_woven = widths[0] in _WOVEN and len(parts) <= _MOST_WOVEN and len(set(widths)) == 1
    if is_woven:
        loop = native("zip", widths[0], len(parts), work=whole.size)
    else:
        loop = native("join", widths, work=whole.size)
    if loop is None:
        return False
    addresses = np.array([part.ctypes.data for part in parts], np.int64)
    strides = np.array([part.strides[0] for part in parts], np.int64)
    count = len(parts[0])
    if is_woven:
        loop(whole, addresses, strides, count, 1, 0, 0)
    else:
        loop(whole, addresses, strides, count)
    return True


def selected(xp: Any, mask: Any, t: Any, e: Any) -> Any:
    """np.where(mask, t, e) for contiguous arrays of one shape; t and e have one dtype, and hold no Python objects.

    1e7 float32 and a random mask: 4.8 ms, 9 with NumPy.
    """
    if t.itemsize not in (*_WOVEN, 16):
        return None
    loop = native("select", t.itemsize, work=t.size)
    if loop is None:
        return None
    out = xp.empty(t.shape, t.dtype)
    loop(out, mask, t, e, t.size)
    return out


def picked(xp: Any, candidates: Sequence[Any], index: Any, kind: str) -> Any:
    """out[i] = candidates[index[i]][i] for contiguous arrays of one shape; None too if an index is out of range.

    index: contiguous. kind: its dtype, "i4" or "i8", or "b1" for bools. 1e6 rows of 16 float32 out of 4: 37 ms with
    NumPy, which reads all candidates; the loop takes 1.6 times as long as a copy of the result.
    """
    first = candidates[0]
    width = prod(first.shape[1:])
    row_bytes = width * first.itemsize
    loop = native("pick", row_key(row_bytes), kind, work=len(index) * min(width, 4))
    if loop is None or not row_bytes:
        return None
    out = xp.empty((len(index), *first.shape[1:]), first.dtype)
    addresses = np.array([candidate.ctypes.data for candidate in candidates], np.int64)
    return out if loop(out, addresses, index, len(index), len(candidates), row_bytes) == len(index) else None


def starts_turned(xp: Any, array: Any, lengths: Any) -> Any:
    """Contiguous `array` with the first lengths[i] elements of row i turned around; None too if a length is wrong.

    An element is what lies behind the second dimension. (1e6, 16) float32: 26 ms with NumPy, 1.1 times as long as a
    copy with the loop; element by element, as for long rows, half as long as with NumPy.
    """
    kind = f"{lengths.dtype.kind}{lengths.dtype.itemsize}"
    width, element = array.shape[1], prod(array.shape[2:]) * array.itemsize
    if kind not in ("i4", "i8") or not lengths.dtype.isnative or not array.size:
        return None
    in_registers = element in _WOVEN and 1 < width <= _MOST_TURNED and width * element <= _LONGEST
    key = row_key(element), kind, width if in_registers else 0
    loop = native("reverse_starts", *key, work=array.size)
    if loop is None:
        return None
    out = xp.empty(array.shape, array.dtype)
    lengths = np.ascontiguousarray(lengths)
    return out if loop(out, array, lengths, len(array), width, element) == len(array) else None
