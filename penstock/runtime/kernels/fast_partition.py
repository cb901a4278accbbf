"""Fast kernels that partition rows by labels and stitch rows by indices: dynamic_partition, dynamic_stitch.

A function does all the work, with every label and index checked by its loop, or returns None. Two labels use
`fast_gather.divided`, with the loops of `stream_compaction`.

`docs/compiled.md` has the milliseconds of the plain kernels and of the loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any, Final

import numpy as np

from ...ops.row_indexing import as_rows
from .fast_gather import divided
from .loop_keys import IN_REGISTER, index_kind, is_plain, row_key
from .native_loops import find, in_shares, is_large, shares

_MERGED: Final = 32
"""Bytes of rows from which several lists are merged by blocks of the result (`stitch_loop` has the figures)."""


def dynamic_partition(xp: Any, data: Any, partitions: Any, num_partitions: int) -> list[Any] | None:
    """For each label the rows of `data` with that label, in order."""
    if not is_large(partitions.size) or data.shape[: partitions.ndim] != partitions.shape:
        return None
    return parted(xp, as_rows(data, partitions.ndim), partitions.reshape(-1), num_partitions)


def parted(xp: Any, rows: Any, labels: Any, count: int) -> list[Any] | None:
    """For each label k < count the rows with that label, in order; `labels` are flat."""
    width, size = prod(rows.shape[1:]), len(labels)
    if size < 4 * count or width == 0 or not is_plain(rows) or index_kind(labels.dtype) != "i4":
        return None
    labels, row_bytes = np.ascontiguousarray(labels), width * rows.itemsize
    if count == 2 and row_bytes in IN_REGISTER:
        found: list[Any] | None = divided(xp, rows, labels, both=True)
        return found
    tables = 4 if count <= 2048 else 1  # what fits into the first two caches
    counting = find("count_labels", tables, work=size)
    moving = find("part", row_key(row_bytes), work=size * min(width, 4))
    if counting is None or moving is None:
        return None
    divisions = shares(size, size * (2e-9 + row_bytes * 0.1e-9))
    counts = np.zeros((len(divisions), tables, count), np.int64)

    def look(i: int, a: int, b: int) -> int:
        return counting(counts[i], labels[a:b], b - a, count)

    if sum(in_shares(divisions, look)) != size:
        return None
    sizes = counts.sum(axis=1)
    parts, starts = _new_parts(xp, rows, sizes.sum(axis=0))
    # Each share has a place of its own in every part, after those of the shares before it.
    places = np.empty((len(divisions), count, 2), np.int64)
    np.add(np.cumsum(sizes, axis=0) * row_bytes, starts, out=places[:, :, 1])
    np.subtract(places[:, :, 1], sizes * row_bytes, out=places[:, :, 0])

    def move(i: int, a: int, b: int) -> int:
        return moving(places[i], rows[a:b], labels[a:b], b - a, count, row_bytes)

    return parts if sum(in_shares(divisions, move)) == size else None


def _new_parts(xp: Any, rows: Any, sizes: Any) -> tuple[list[Any], Any]:
    """Arrays for the parts, and the address of each."""
    if len(sizes) <= 8:
        parts = [xp.empty((size, *rows.shape[1:]), rows.dtype) for size in sizes.tolist()]
        return parts, np.array([part.ctypes.data for part in parts], np.int64)
    whole = xp.empty(rows.shape, rows.dtype)
    bounds = np.cumsum(sizes)
    starts = whole.ctypes.data + (bounds - sizes) * (rows.itemsize * prod(rows.shape[1:]))
    return [whole[start:end] for start, end in pairwise([0, *bounds.tolist()])], starts


def dynamic_stitch(xp: Any, indices: Sequence[Any], data: Sequence[Any]) -> Any:
    """merged[indices[m][i...], ...] = data[m][i..., ...], in order."""
    count = sum([i.size for i in indices])
    if not is_large(count) or count < 64 * len(indices):
        return None
    constant = data[0].shape[indices[0].ndim :]
    if any(v.shape != i.shape + constant for i, v in zip(indices, data, strict=True)):
        return None
    rows = [as_rows(v, i.ndim) for i, v in zip(indices, data, strict=True)]
    return stitched(xp, [i.reshape(-1) for i in indices], rows)


def stitched(xp: Any, indices: Sequence[Any], values: Sequence[Any]) -> Any:
    """merged[indices[m][i]] = values[m][i] for every m and i in order; `indices` are flat, `values` are rows."""
    first = values[0]
    count, width = sum([len(i) for i in indices]), prod(first.shape[1:])
    row_bytes = width * first.itemsize
    if width == 0 or first.dtype.kind == "O":
        return None
    if any(index_kind(i.dtype) != "i4" for i in indices) or any(v.dtype != first.dtype for v in values):
        return None
    lists = [np.ascontiguousarray(i) for i in indices]
    sources = [np.ascontiguousarray(v) for v in values]
    key, work = row_key(row_bytes), count * min(width, 4)
    if row_bytes >= _MERGED:
        # Sorted lists end with the largest index; if they are not sorted, the loop notices.
        height = max([int(i[-1]) for i in lists if i.size]) + 1
        merging = find("merge", key, work=work)
        if merging is not None and 0 < height <= 2 * count:
            merged = xp.empty((height, *first.shape[1:]), first.dtype)
            addresses = [np.array([a.ctypes.data for a in arrays], np.int64) for arrays in (lists, sources)]
            counts = np.array([i.size for i in lists], np.int64)
            if merging(merged, *addresses, counts, np.zeros_like(counts), len(lists), height, row_bytes):
                return merged
            del merged  # its memory may serve again at once
    putting = find("put", key, "i4", 1, work=work)
    if putting is None:
        return None
    # As unsigned numbers negative ones are the largest.
    height = max([int(i.view(np.uint32).max()) for i in lists if i.size]) + 1
    if height > 1 << 31:
        return None
    merged, sizes = xp.zeros((height, *first.shape[1:]), first.dtype), np.array([height], np.int64)
    for index, rows in zip(lists, sources, strict=True):
        if putting(merged, rows, index, sizes, len(index), row_bytes) != len(index):
            return None
    return merged
