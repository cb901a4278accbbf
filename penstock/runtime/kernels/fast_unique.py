"""Fast kernel of unique: ints in a small range are counted in a table instead of sorted.

1e6 int32 of 100 values take 3 ms instead of 47.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...graph.shapes.dtypes import DType
from ...ops.index.row_indexing import private

_FEWEST: Final = 1 << 10


def unique(xp: Any, x: Any, out_idx: DType) -> Any:
    """(the values in order of first appearance, for each element the position of its value)."""
    if x.ndim != 1 or x.dtype.kind not in "iu" or len(x) < _FEWEST:
        return None
    x = private(x)
    low, high = int(x.min()), int(x.max())
    # Far from the ends of int64, so that no difference overflows.
    if high - low >= 2 * len(x) or low <= -(1 << 62) or high >= 1 << 62:
        return None
    keys = np.subtract(x, low, dtype=np.intp)
    first = np.full(high - low + 1, len(x), np.intp)
    # Assignments run in order (see ops.row_indexing): from the back, the first occurrence stays.
    first[keys[::-1].copy()] = np.arange(len(x) - 1, -1, -1)
    present = np.flatnonzero(first < len(x))
    present = present[np.argsort(first[present])]
    number = np.empty(len(first), out_idx.np)
    number[present] = np.arange(len(present), dtype=out_idx.np)
    return x[first[present]], number.take(keys)
