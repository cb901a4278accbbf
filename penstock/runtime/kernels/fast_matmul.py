"""The fast kernel of `matmul` for two contiguous matrices of floats: NumPy's product without the plain kernel's checks.

A large result lies in memory of the pool, which has been touched before. malloc keeps smaller ones too, and is faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..memory.buffer_pool import POOL

_DTYPES = frozenset({np.dtype(np.float32), np.dtype(np.float64)})
_DENSE = 0x101
"""NumPy's flags of a contiguous (0x1) and aligned (0x100) array."""
_LARGE = 1 << 25
"""Bytes from which malloc gives memory back to the system, so that the next result begins with page faults."""


def matmul(
    xp: Any, a: Any, b: Any, transpose_a: bool, transpose_b: bool, adjoint_a: bool, adjoint_b: bool, *_: bool
) -> Any:
    """The product; None where the plain kernel has something to convert or to refuse."""
    dtype = a.dtype
    if dtype not in _DTYPES or b.dtype is not dtype or a.ndim != 2 or b.ndim != 2:
        return None
    if a.flags.num & b.flags.num & _DENSE != _DENSE:
        return None
    left = a.T if transpose_a or adjoint_a else a
    right = b.T if transpose_b or adjoint_b else b
    (rows, inner), (depth, columns) = left.shape, right.shape
    if inner != depth:
        return None
    if rows * columns * dtype.itemsize < _LARGE:
        return np.matmul(left, right)
    return np.matmul(left, right, POOL.empty((rows, columns), dtype))
