"""The fast kernel of `sparse_tensor_dense_matmul`.

Milliseconds of NumPy and of the loop, one thread, 49,000 values of a (2,708, 1,433) matrix times 16 columns: MEASURED.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.sparse.sparse_products import sparse_dense_sizes
from .loops.loop_keys import index_kind, number_kind
from .loops.native_loops import find_for_few, in_shares, shares
from .loops.sparse_product_loop import NARROW

_SECONDS = 0.25e-9
"""Of one product in one thread."""
_COLUMNS = 8
"""The fewest columns for which it pays to read the indices in another thread."""


def sparse_dense_product(
    xp: Any, a_indices: Any, a_values: Any, a_shape: Any, b: Any, adjoint_a: bool, adjoint_b: bool
) -> Any:
    """The product; the columns are shared out among threads, so the order of the sums is the same."""
    dtype, kind = number_kind(a_values.dtype), index_kind(a_indices.dtype)
    if dtype not in ("f4", "f8") or kind is None:
        return None
    rows, inner, columns = sparse_dense_sizes(a_indices, a_values, a_shape, b, adjoint_a, adjoint_b)
    count = len(a_values)
    out = xp.zeros((rows, columns), a_values.dtype)
    if not count or not columns:
        return None
    divided = shares(columns, count * columns * _SECONDS, _COLUMNS)
    loops = {}
    for first, end in divided:
        width = end - first
        key = width if width <= NARROW else 0
        loops[key] = find_for_few("sparse_product", dtype, kind, int(adjoint_a), key, work=count * columns)
    if None in loops.values():
        return None
    index, values = np.ascontiguousarray(a_indices), np.ascontiguousarray(a_values)
    matrix = np.ascontiguousarray(b.T if adjoint_b else b)

    def work(_: int, first: int, end: int) -> bool:
        width = end - first
        loop = loops[width if width <= NARROW else 0]
        assert loop is not None
        parts = out[:, first:end], values, index, matrix[:, first:end]
        return loop(*parts, count, rows, inner, width, columns) == count

    return out if all(in_shares(divided, work)) else None
