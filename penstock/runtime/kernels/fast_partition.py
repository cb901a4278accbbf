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

from ...ops.index.row_indexing import as_rows
from ..memory.buffer_pool import SMALL
from .fast_gather import divided
from .loops.loop_keys import IN_REGISTER, IN_WINDOWS, LARGE_BLOCK, index_kind, is_plain, row_key
from .loops.native_loops import find, in_shares, is_large, shares

_MANY: Final = 48
"""Parts from which elements are collected in lines before they are written."""
_APART: Final = 16
"""Numbers of 8 bytes between what two threads write: two cache lines."""
_WINDOWS_PAY: Final = 1 << 16
"""Elements of two lists from which one more call, of 4 us, pays: 100,000 take 67 us, not 72; 500,000 195, not 255."""
_BEYOND_CACHE: Final = 4 << 20
"""Bytes of a result that is written past the caches."""


def dynamic_partition(xp: Any, data: Any, partitions: Any, num_partitions: int) -> list[Any] | None:
    """For each label the rows of `data` with that label, in order."""
    if not is_large(partitions.size) or data.shape[: partitions.ndim] != partitions.shape:
        return None
    return parted(xp, as_rows(data, partitions.ndim), partitions.reshape(-1), num_partitions)


def parted(xp: Any, rows: Any, labels: Any, count: int) -> list[Any] | None:
    """For each label k < count the rows with that label, in order; `labels` are flat."""
    width, size = prod(rows.shape[1:]), len(labels)
    if not 0 < 4 * count <= size or width == 0 or not is_plain(rows) or index_kind(labels.dtype) != "i4":
        return None
    labels, row_bytes = np.ascontiguousarray(labels), width * rows.itemsize
    if count == 2 and row_bytes in IN_REGISTER:
        found: list[Any] | None = divided(xp, rows, labels, both=True)
        return found
    tables = 4 if count <= 2048 else 1  # what fits into the first two caches
    narrow = np.dtype("u1" if count <= 1 << 8 else "u2" if count <= 1 << 16 else "u4")
    name = "part_by_lines" if _in_lines(rows, row_bytes, count) else "part"
    counting = find("count_labels", tables, narrow.itemsize, work=size)
    moving = find(name, row_key(row_bytes), narrow.itemsize, work=size * min(width, 4))
    if counting is None or moving is None:
        return None
    divisions = shares(size, size * (2e-9 + row_bytes * 0.1e-9))
    # Threads that count in one cache line would wait for each other.
    size_of_counts = tables * count
    counts, own = np.zeros((len(divisions), size_of_counts + _APART), np.int64), xp.empty(size, narrow)

    def look(i: int, a: int, b: int) -> int:
        return counting(counts[i], own[a:b], labels[a:b], b - a, count)

    if max(in_shares(divisions, look)) >= count:
        return None  # a label is out of range
    sizes = counts[:, :size_of_counts].reshape(len(divisions), tables, count).sum(axis=1)
    parts, starts = _new_parts(xp, rows, sizes.sum(axis=0))
    # Each share has a place of its own in every part, after those of the shares before it.
    firsts = (np.cumsum(sizes, axis=0) - sizes) * row_bytes + starts
    places = np.empty((len(divisions), count + _APART), np.int64)
    places[:, :count] = firsts

    def move(i: int, a: int, b: int) -> int:
        if name == "part":
            return moving(places[i], rows[a:b], own[a:b], b - a, row_bytes)
        return moving(places[i], firsts[i], _aligned(64 * count), rows[a:b], own[a:b], b - a, count)

    in_shares(divisions, move)
    return parts


def _in_lines(rows: Any, row_bytes: int, count: int) -> bool:
    """True if so many parts are faster written by lines. Their addresses are then multiples of a row's bytes."""
    return count > _MANY and row_bytes in IN_REGISTER and rows.nbytes > _BEYOND_CACHE


def _new_parts(xp: Any, rows: Any, sizes: Any) -> tuple[list[Any], Any]:
    """Arrays for the parts, and the address of each; many small parts are pieces of one array."""
    if len(sizes) <= 8 or rows.nbytes >= len(sizes) * SMALL:
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
    if all(map(_may_be_sorted, lists[:8])):
        merged = _merged(xp, lists, sources, count, work)
        if merged is not None:
            return merged
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


def _may_be_sorted(index: Any) -> bool:
    head = index[:64]
    return bool((head[1:] >= head[:-1]).all())


def _merged(xp: Any, lists: list[Any], sources: list[Any], count: int, work: int) -> Any:
    """What `stitched` gives, if no list steps back; else None."""
    # Sorted lists end with the largest index; if they are not sorted, the loop notices.
    height, (_, *inner) = max([int(i[-1]) for i in lists if i.size]) + 1, sources[0].shape
    if not 0 < height <= 2 * count:
        return None
    row_bytes = sources[0].itemsize * prod(inner)
    merged = xp.empty((height, *inner), sources[0].dtype)
    in_scratch = row_bytes in IN_REGISTER and merged.nbytes > _BEYOND_CACHE and not merged.ctypes.data % 64
    merging = find("merge", row_key(row_bytes), in_scratch, work=work)
    if merging is None:
        return None
    is_pair = len(lists) == 2 and row_bytes in IN_WINDOWS and count >= _WINDOWS_PAY
    by_windows = find("merge_two", row_bytes, in_scratch, work=work) if is_pair else None
    addresses = [np.array([a.ctypes.data for a in arrays], np.int64) for arrays in (lists, sources)]
    counts = np.array([i.size for i in lists], np.int64)
    divisions = shares(height, count * (1e-9 + row_bytes * 0.1e-9) if count > 2000 * len(lists) else 0.0, 64)
    # Where each share begins in each list. If a list is not sorted, one share does not end where the next one begins.
    starts = np.zeros((len(divisions) + 1, len(lists)), np.int64)
    for i, (low, _) in enumerate(divisions[1:], 1):
        starts[i] = [np.searchsorted(index, np.int32(low)) for index in lists]  # an int would make a copy of the list
    starts[-1] = counts
    dones = starts[:-1].copy()

    def fill(i: int, low: int, high: int) -> int:
        scratch = _aligned(LARGE_BLOCK)
        if by_windows is not None:
            low = by_windows(merged, *addresses, counts, dones[i], low, high)
        return merging(merged, scratch, *addresses, counts, dones[i], len(lists), low, high, row_bytes)

    if min(in_shares(divisions, fill)) == 1 and np.array_equal(dones, starts[1:]):
        return merged
    return None


def _aligned(size: int) -> Any:
    """Memory that begins with a line of the cache."""
    memory = np.empty(size + 63, np.uint8)
    return memory[-memory.ctypes.data % 64 :]
