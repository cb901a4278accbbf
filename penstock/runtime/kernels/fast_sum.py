"""The fast kernels of sums and means over the first axes, such as the gradient of a bias and the mean of a batch.

Microseconds of NumPy's sum and of the loop, float32: 128 rows of 10 6.0 and 3.5, of 256 7.9 and 4.7; 1e5 rows of 10
1,370 and 58.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .fast_reductions import reduced_in_shares
from .loops.native_loops import find, find_for_few
from .loops.nest_loops import NARROW

_KINDS = {np.dtype(np.float32): "f4", np.dtype(np.float64): "f8"}
_DENSE = 0x101
"""NumPy's flags of a contiguous (0x1) and aligned (0x100) array."""
_ALIGNED = 0x100
_APART = 1 << 12
"""Elements from which rows that lie apart are copied: 16,384 of 16 among 32 take 145 us, NumPy 320 to 640."""
CALL = 200
"""The rows in whose time NumPy's sum begins: 2.5 us."""
_CACHED = 1 << 22
"""Bytes from which wide rows are added one after the other, which reads memory in order: 1e5 rows of 256 take 3.8 ms,
not 5.3."""
_SHORT = 512
"""Elements of such rows that a loop adds faster than NumPy: 1e7 in rows of 100 1.3 ms and 2.3, of 256 1.4 and 1.65."""


def reduce_sum(xp: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """The sum along `axis`."""
    total = _of_columns(x, axis, keepdims)
    return reduced_in_shares("Sum", xp, x, axis, keepdims) if total is None else total


def reduce_mean(xp: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """The mean along `axis`."""
    total = _of_columns(x, axis, keepdims)
    if total is None:
        return reduced_in_shares("Mean", xp, x, axis, keepdims)
    return total / total.dtype.type(x.size // total.size)


def _of_columns(x: Any, axis: Any, keepdims: bool) -> Any:
    """The sum over the first axes; None for other axes, and for a single column, which NumPy adds in another order."""
    served = columns_of(x, axis, _DENSE if x.size < _APART else _ALIGNED)
    if served is None:
        return None
    x = np.ascontiguousarray(x)  # as the plain kernel does
    kind, rows, width = served
    by_row = is_by_row(x, width)
    if not by_row:
        loop = find_for_few("column_sums", kind, width if width <= NARROW else 0, work=rows + CALL)
    else:
        loop = find("running_sums", kind, True, work=x.size // 4) if width <= _SHORT else None
    if loop is None:
        return None
    count = axis.size
    out = np.empty((1,) * count + x.shape[count:] if keepdims else x.shape[count:], x.dtype)
    if by_row:
        out.fill(0)
        loop(out, x, rows, width, 0, width * x.itemsize, 1, 0, 0)
    else:
        loop(out, x, rows, width)
    return out


def columns_of(x: Any, axis: Any, layout: int = _DENSE) -> tuple[str, int, int] | None:
    """The dtype, the rows and the columns that a loop would add up; None where NumPy does it.

    layout: the flags that an array needs; with those of `_ALIGNED` alone it has to be copied.
    """
    kind = _KINDS.get(x.dtype)
    if kind is None or axis is None or axis.ndim > 1 or x.flags.num & layout != layout or not x.size:
        return None
    axes = axis.reshape(-1).tolist()
    count = len(axes)
    if sorted(axes) != list(range(count)) or not 0 < count < x.ndim:
        return None
    width = prod(x.shape[count:])
    return None if width < 2 else (kind, x.size // width, width)


def is_by_row(x: Any, width: int) -> bool:
    """Whether rows of so many elements are added one after the other."""
    return width > NARROW and x.nbytes > _CACHED
