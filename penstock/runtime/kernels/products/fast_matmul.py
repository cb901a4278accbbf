"""The fast kernel of `matmul` for two contiguous matrices of floats: BLAS without the plain kernel's checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.pending_writes import PendingWrites
from .blas_products import blas_product, is_own_transpose
from .small_products import FEWEST, Product

_DTYPES = frozenset({np.dtype(np.float32), np.dtype(np.float64)})
_DENSE = 0x101
"""NumPy's flags of a contiguous (0x1) and aligned (0x100) array."""
_WRITABLE = 0x501
"""The flags of one that may be written, too (0x400)."""

_MOST_PRODUCTS = 1 << 10
"""Pairs of shapes that are remembered: programs whose batches change in size may come with any number of them."""

_products: dict[tuple[Any, ...], Product] = {}


def matmul(
    xp: Any, a: Any, b: Any, transpose_a: bool, transpose_b: bool, adjoint_a: bool, adjoint_b: bool, *_: bool
) -> Any:
    """The product; None where the plain kernel has something to convert or to refuse."""
    if not is_served(a, b):
        return None
    dtype = a.dtype
    left = a.T if transpose_a or adjoint_a else a
    right = b.T if transpose_b or adjoint_b else b
    (rows, inner), (depth, columns) = left.shape, right.shape
    if inner != depth:
        return None
    if rows * inner * columns >= FEWEST and not is_own_transpose(a, b):
        product = product_of(dtype, left.shape, columns, left is not a, right is not b)
        if product.cut != ():
            found = product(left, right)
            if found is not None:
                return found
    return blas_product(left, right)


def is_served(a: Any, b: Any) -> bool:
    """Whether both are contiguous matrices of one dtype that has a loop."""
    dtype = a.dtype
    if dtype not in _DTYPES or b.dtype is not dtype or a.ndim != 2 or b.ndim != 2:
        return False
    return bool(a.flags.num & b.flags.num & _DENSE == _DENSE)


def matmul_plus(
    a: Any, b: Any, more: Any, transpose_a: bool, transpose_b: bool, place: Any = None, times: Any = None,
    writes: PendingWrites | None = None,
) -> Any:  # fmt: skip
    """The product plus a matrix of its shape, or a row, in one pass; None where that cannot be.

    place: memory for the result.
    times: a number; then it is the other operand minus the product times that.
    writes: the writes of the run, for a result that is to be written at its end.
    """
    dtype = a.dtype
    if dtype not in _DTYPES or b.dtype is not dtype or more.dtype is not dtype or a.ndim != 2 or b.ndim != 2:
        return None
    if a.flags.num & b.flags.num & more.flags.num & _DENSE != _DENSE:
        return None
    left = a.T if transpose_a else a
    right = b.T if transpose_b else b
    (rows, inner), (depth, columns) = left.shape, right.shape
    if inner != depth or rows * inner * columns < FEWEST or more.shape not in ((rows, columns), (columns,)) \
            or is_own_transpose(a, b):
        return None
    product = product_of(dtype, left.shape, columns, transpose_a, transpose_b)
    return None if product.cut == () else product(left, right, more, place, times, writes)


def subtract_product(
    writes: PendingWrites, a: Any, b: Any, rate: Any, x: Any, transpose_a: bool, transpose_b: bool
) -> Any:
    """x - (a @ b) * rate, to be written over x; None where that cannot be."""
    if x.flags.num & _WRITABLE != _WRITABLE or rate.shape or rate.dtype is not x.dtype or x.ndim != 2:
        return None
    if np.may_share_memory(a, x) or np.may_share_memory(b, x):
        return None
    return matmul_plus(a, b, x, transpose_a, transpose_b, x, rate, writes)


def product_of(dtype: Any, left: tuple[int, int], columns: int, transpose_a: bool, transpose_b: bool) -> Product:
    """How products of matrices of such shapes are computed."""
    key = dtype.char, left, columns, transpose_a, transpose_b
    found = _products.get(key)
    if found is None:
        found = _products[key] = Product(f"f{dtype.itemsize}", (*left, columns, transpose_a, transpose_b))
        if len(_products) > _MOST_PRODUCTS:
            _products.pop(next(iter(_products.copy())), None)
    return found
