"""The fast kernel of `matmul` for two contiguous matrices of floats: NumPy's product without the plain kernel's checks.

A large result lies in memory of the pool, which has been touched before. malloc keeps smaller ones too, and is faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..memory.buffer_pool import POOL
from .small_products import FEWEST, Product

_DTYPES = frozenset({np.dtype(np.float32), np.dtype(np.float64)})
_DENSE = 0x101
"""NumPy's flags of a contiguous (0x1) and aligned (0x100) array."""
_LARGE = 1 << 25
"""Bytes from which malloc gives memory back to the system, so that the next result begins with page faults."""

_products: dict[tuple[Any, ...], Product] = {}


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
    if rows * inner * columns >= FEWEST and a is not b:
        key = dtype.char, rows, inner, columns, left is a, right is b
        product = _products.get(key)
        if product is None:
            shapes = rows, inner, columns, left is not a, right is not b
            product = _products[key] = Product(f"f{dtype.itemsize}", shapes)
        if product.cut != ():
            found = product(left, right)
            if found is not None:
                return found
    if rows * columns * dtype.itemsize < _LARGE:
        return np.matmul(left, right)
    return np.matmul(left, right, POOL.empty((rows, columns), dtype))
