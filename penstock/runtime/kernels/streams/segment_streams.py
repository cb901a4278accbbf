"""Streams of sums by segment, with the loops of `fast_segments`.

Of vectors with sorted ids NumPy sums each segment at once, in pairs; so such a piece ends where a segment does.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, ClassVar

import numpy as np

from ....ops.index.row_indexing import all_in_range
from ....ops.reduce.segment_rows import mean_of, wide_dtype
from ....ops.reduce.segments import sorted_segments
from ....ops.reduce.unsorted_segments import unsorted_places
from ..fast_segments import loop_of_sums
from ..loops.native_loops import Loop, is_large

Finish = Callable[[Any], Any]
"""From the sums to the result."""


class SegmentStream:
    """Rows added to those of `out` at their ids, one after the other.

    Args:
        loop: the loop.
        out: the sums.
        ids: an id for each row: [rows, ids of a row].
        width: the elements that have one id.
        has_all: whether no id is negative; rows of negative ids are left out.
        finish: from the sums to the result.
    """

    is_parallel: ClassVar[bool] = False
    is_backwards = False

    def __init__(self, loop: Loop, out: Any, ids: Any, width: int, has_all: bool, finish: Finish) -> None:
        self._loop = loop
        self._out = out
        self._ids = ids
        self._width = width
        self._has_all = has_all
        self._finish = finish
        self._sizes = np.array(out.shape[:1], np.int64)
        self.rows = len(ids)
        self.seconds = 0.0

    def stop(self, first: int, most: int) -> int:
        """Any row."""
        return min(first + most, self.rows)

    def advance(self, first: int, last: int, rows: Any, place: Any) -> bool:
        """Add the rows of a piece."""
        ids = self._ids[first:last].reshape(-1)
        table = rows.reshape((len(ids), self._width))
        if not self._has_all:
            kept = ids >= 0
            ids, table = ids[kept], table[kept]
        table = np.ascontiguousarray(table, self._out.dtype)
        return self._loop(self._out, table, ids, self._sizes, len(ids), self._width) == len(ids)

    def result(self) -> Any:
        """The result of the op."""
        return self._finish(self._out)


class WholeSegmentStream:
    """Sums of sorted segments of single elements: each is summed at once."""

    is_parallel: ClassVar[bool] = False
    is_backwards = False

    def __init__(self, out: Any, ids: Any, finish: Finish) -> None:
        self._out = out
        self._finish = finish
        self._starts = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
        self._at = ids[self._starts]
        self.rows = len(ids)
        self.seconds = 0.0

    def stop(self, first: int, most: int) -> int:
        """The end of a segment."""
        if first + most >= self.rows:
            return self.rows
        return int(self._starts[self._starts.searchsorted(first + most, "right") - 1])

    def advance(self, first: int, last: int, rows: Any, place: Any) -> bool:
        """The sums of the segments of a piece."""
        begin, end = self._starts.searchsorted((first, last))
        flat, at = self._out.reshape(-1), self._at[begin:end]
        sums = np.add.reduceat(rows.reshape(-1).astype(flat.dtype, copy=False), self._starts[begin:end] - first)
        flat[at] = np.add(flat[at], sums)
        return True

    def result(self) -> Any:
        """The result of the op."""
        return self._finish(self._out)


def segment_sum(xp: Any, data: Any, segment_ids: Any) -> SegmentStream | WholeSegmentStream | None:
    """The sum of each segment of rows."""
    if not is_large(segment_ids.size):
        return None
    ids, shape = sorted_segments(data, segment_ids)
    return _sorted(data, wide_dtype(data.dtype), ids, shape, lambda total: total.astype(data.dtype, copy=False))


def segment_mean(xp: Any, data: Any, segment_ids: Any) -> SegmentStream | WholeSegmentStream | None:
    """The mean of each segment of rows."""
    if not is_large(segment_ids.size):
        return None
    ids, shape = sorted_segments(data, segment_ids)
    wide = wide_dtype(data.dtype)
    if data.dtype.kind in "iu":
        wide = np.dtype(np.uint64 if data.dtype == np.uint64 else np.int64)
    return _sorted(data, wide, ids, shape, lambda total: mean_of(total, ids, data.dtype))


def _sorted(
    data: Any, wide: Any, ids: Any, shape: tuple[int, ...], finish: Finish
) -> SegmentStream | WholeSegmentStream | None:
    width = prod(shape[1:])
    if width == 1:
        return WholeSegmentStream(np.zeros(shape, wide), ids, finish)
    loop = loop_of_sums(width, wide, ids, shape[0], in_order=True)
    return None if loop is None else SegmentStream(loop, np.zeros(shape, wide), ids[:, None], width, True, finish)


def unsorted_segment_sum(xp: Any, data: Any, segment_ids: Any, num_segments: Any) -> SegmentStream | None:
    """The sum of the rows of each id."""
    if not segment_ids.ndim or not is_large(data.size) or not segment_ids.size:
        return None
    ids, shape = unsorted_places(data, segment_ids, num_segments)
    wide, width = wide_dtype(data.dtype), prod(shape[1:])
    loop = loop_of_sums(width, wide, ids, shape[0], in_order=False)
    if loop is None:
        return None
    return SegmentStream(loop, np.zeros(shape, wide), ids.reshape((len(ids), -1)), width, all_in_range(ids, shape[0]),
                         lambda total: total.astype(data.dtype, copy=False))  # fmt: skip
