"""Fast kernels of sums by segment: the compiled loop of scatter_nd adds the rows.

Milliseconds of NumPy and of the loop, one thread: 1e6 float32 into 1,000 segments 1.7 and 0.6, 1e6 rows of 16 25
and 3.6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.reduce.segment_rows import mean_of, wide_dtype, widest_int
from ...ops.reduce.segments import sorted_segments
from ...ops.reduce.unsorted_segments import unsorted_segments
from .loops.loop_keys import index_kind, number_kind
from .loops.native_loops import find, is_large


def segment_sum(xp: Any, data: Any, segment_ids: Any) -> Any:
    """The sum of each segment of rows; of single elements NumPy's own is as fast."""
    if not is_large(segment_ids.size) or data.size <= segment_ids.size:
        return None
    ids, shape = sorted_segments(data, segment_ids)
    total = _sums(data, ids, shape)
    return None if total is None else total.astype(data.dtype, copy=False)


def segment_mean(xp: Any, data: Any, segment_ids: Any) -> Any:
    """The mean of each segment of rows."""
    if not is_large(segment_ids.size) or data.size <= segment_ids.size:
        return None
    ids, shape = sorted_segments(data, segment_ids)
    total = _sums(widest_int(data), ids, shape)
    return None if total is None else mean_of(total, ids, data.dtype)


def unsorted_segment_sum(xp: Any, data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """The sum of the rows of each id."""
    if not is_large(data.size):
        return None
    rows, ids, shape = unsorted_segments(data, segment_ids, num_segments)
    total = _sums(rows, ids, shape)
    return None if total is None else total.astype(data.dtype, copy=False)


def _sums(rows: Any, ids: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with each row added at its id; None where there is no loop."""
    wide = wide_dtype(rows.dtype)
    count, width, kind, dtype = len(ids), rows.size // max(len(ids), 1), index_kind(ids.dtype), number_kind(wide)
    if width == 0 or kind is None or dtype is None:
        return None
    loop = find("add", dtype, width if width <= 4 else 0, kind, 1, work=max(count * min(width, 4), rows.size // 2))
    if loop is None:
        return None
    out, table = np.zeros(shape, wide), np.ascontiguousarray(rows, wide)
    return out if loop(out, table, ids, np.array(shape[:1], np.int64), count, width) == count else None
