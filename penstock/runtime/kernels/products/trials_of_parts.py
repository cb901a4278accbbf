"""Whether the product with a part of a factor has the bits of that part of the whole product.

Which kernel BLAS chooses, and in which order that adds, depends on the sizes only. So products of random numbers tell.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from ...base.blas_threads import with_one_thread

FEWEST: Final = 1 << 16
"""Multiplications that are left out, below which a step more costs what they do."""
MOST: Final = 1 << 30
"""Multiplications of a whole product above which a trial takes too long for planning: some 50 ms."""


@lru_cache(maxsize=256)
def parts_have_the_same_bits(
    kind: str,
    rows: int,
    inner: int,
    columns: int,
    turned: tuple[bool, bool],
    axis: int,
    parts: tuple[tuple[int, int], ...],
) -> bool:
    """Whether some parts of a product can be computed alone.

    Args:
        kind: the dtype.
        rows: of the product.
        inner: the length of the sums.
        columns: of the product.
        turned: whether the left and the right factor are read transposed.
        axis: 0 for parts of rows, 1 for parts of columns.
        parts: (first, number) of each along the axis.
    """
    if rows * inner * columns > MOST:
        return False
    random = np.random.default_rng(1)
    left = random.standard_normal((inner, rows) if turned[0] else (rows, inner)).astype(kind)
    right = random.standard_normal((columns, inner) if turned[1] else (inner, columns)).astype(kind)

    def product(a: Any, b: Any) -> Any:
        return with_one_thread(np.matmul, a.T if turned[0] else a, b.T if turned[1] else b)

    whole = product(left, right)
    for first, number in parts:
        part = slice(first, first + number)
        if axis:
            alone, same = product(left, right[part] if turned[1] else right[:, part]), whole[:, part]
        else:
            alone, same = product(left[:, part] if turned[0] else left[part], right), whole[part]
        if alone.tobytes() != same.tobytes():
            return False
    return True
