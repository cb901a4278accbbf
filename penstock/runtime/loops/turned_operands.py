"""Whether a product may read a transposed operand row-major: where BLAS then gives the same bits.

BLAS takes up to twice as long for a @ b.T as for a @ c where c is b.T in row-major order, if a has few rows. A loop
multiplies by the same b in each iteration, so one transpose at its beginning pays. A product of random numbers tells
whether the bits are the same: which kernel BLAS chooses, and in which order that adds, depends on the sizes only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from ..base.blas_threads import with_one_thread

FEWEST: Final = 1 << 12
"""Multiplications below which nothing is gained."""


@lru_cache(maxsize=256)
def has_the_same_bits(kind: str, rows: int, inner: int, columns: int, turns_left: bool) -> bool:
    """Whether a product with a transposed right operand has the bits of that with a row-major one.

    Args:
        kind: the dtype of the operands.
        rows: of the product.
        inner: the length of the sums.
        columns: of the product.
        turns_left: whether the left operand is transposed, too.
    """
    if rows * inner * columns < FEWEST or rows == 1 or columns == 1:
        return False  # one row or column is a product of a matrix and a vector, with kernels of its own
    random = np.random.default_rng(1)
    left = random.standard_normal((inner, rows) if turns_left else (rows, inner)).astype(kind)
    right = random.standard_normal((columns, inner)).astype(kind)
    a = left.T if turns_left else left
    turned = with_one_thread(np.matmul, a, right.T)
    plain = with_one_thread(np.matmul, a, np.ascontiguousarray(right.T))
    return bool(turned.tobytes() == plain.tobytes())
