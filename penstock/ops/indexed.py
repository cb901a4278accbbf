"""Which row-moving work is given to compiled loops, and under what conditions?

Each function here does the whole work with a loop of `runtime.kernels` and checks every index on the way, or returns
None (False): then NumPy does the work, and where an index was bad, finds it and names it. So there is one place for
words, and results do not depend on which of the two it was.

    taken      out[i] = rows[place of vector i]
    put        target[place of vector i] = rows[i], in order
    added      target[place of vector i] += rows[i], in order
    stitched   put of several lists into one new array
    parted     for each label its rows
    kept       the rows where a mask is true

A loop is a bare function over addresses: what it relies on (contiguous memory, native integers) is established here.

Milliseconds with NumPy and with a loop, one thread. 1e7 float32: gathered in random order 104 and 78, in sorted order
16 and 10, at pairs of indices 169 and 99; apart by 2 labels 37 and 9.5, by 16 75 and 18, by 1000 212 and 63; by a
mask 12 and 5.0; two lists stitched 21 and 9.9; 1e6 updated 14 and 11, summed 14 and 9. 1e6 rows of 16: gathered 35
and 21; apart by 16 labels 32 and 7.5; stitched 17 and 7.6; summed 154 and 19.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any, Final

import numpy as np

from ..graph.dtypes import bfloat16
from .moving import MANY, is_plain
from .native import Loop, in_shares, native, shares_of

_KINDS: Final = ("i2", "u2", "i4", "i8")
_MOST_DEEP: Final = 4
_CACHE: Final = 4 << 20  # bytes that are found again soon
_REGISTERS: Final = (1, 2, 4, 8, 16)  # bytes of what is moved as one element
_LONGEST_ROW: Final = 256  # bytes; longer ones are one key, their size is an argument


def taken(xp: Any, rows: Any, vectors: Any, outer: Sequence[int]) -> Any:
    """rows[place] for each of the index `vectors` [count, depth], where rows are numbered in shape `outer`.

    `rows` has the shape [prod(outer), ...].
    """
    count, width = len(vectors), prod(rows.shape[1:])
    if count < MANY or width == 0 or not is_plain(rows):
        return None
    loop = _loop("take", vectors, width * rows.itemsize, width)
    if loop is None:
        return None
    out = xp.empty((count, *rows.shape[1:]), rows.dtype)
    index, sizes = np.ascontiguousarray(vectors), np.array(outer, np.int64)
    row_bytes = width * rows.itemsize

    def take(_: int, a: int, b: int) -> int:
        return loop(out[a:b], rows, index[a:b], sizes, b - a, row_bytes)

    # What is read lies anywhere: 1e7 float32 out of 1e7 take 78 ms, out of 1e5 11.
    away = 5e-9 if rows.nbytes > _CACHE else 0
    done = in_shares(shares_of(count, count * (0.8e-9 + row_bytes * 0.1e-9 + away)), take)
    return out if sum(done) == count else None


def put(target: Any, vectors: Any, rows: Any, outer: Sequence[int]) -> bool:
    """target[place] = row for each of the index `vectors` [count, depth] and `rows`; `target` is contiguous.

    False may leave some rows put.
    """
    count, width = len(vectors), prod(target.shape[1:])
    if count < MANY or width == 0 or not is_plain(target) or rows.dtype != target.dtype:
        return False
    if np.may_share_memory(target, rows) or np.may_share_memory(target, vectors):
        return False
    loop = _loop("put", vectors, width * target.itemsize, width)
    if loop is None:
        return False
    index, sizes = np.ascontiguousarray(vectors), np.array(outer, np.int64)
    done = loop(target, np.ascontiguousarray(rows), index, sizes, count, width * target.itemsize)
    return bool(done == count)


def added(target: Any, vectors: Any, rows: Any, outer: Sequence[int]) -> bool:
    """target[place] += row for each of the index `vectors` and `rows`, in order; `target` is contiguous and new.

    False may leave some rows added.
    """
    count, width = len(vectors), prod(target.shape[1:])
    kind, dtype = _kind_of(vectors.dtype), _number(target.dtype)
    if count < MANY or width == 0 or kind is None or dtype is None or not 1 <= vectors.shape[1] <= _MOST_DEEP:
        return False
    if rows.dtype != target.dtype:
        return False
    work = count * min(width, 4)
    loop = native("add", dtype, width if width <= 4 else 0, kind, vectors.shape[1], work=work)
    if loop is None:
        return False
    index, sizes = np.ascontiguousarray(vectors), np.array(outer, np.int64)
    return bool(loop(target, np.ascontiguousarray(rows), index, sizes, count, width) == count)


def _number(dtype: Any) -> str | None:
    """The name under which loops know a dtype that they add."""
    if dtype == bfloat16.np:
        return "bf"
    return str(dtype.str[1:]) if dtype.kind in "biufc" and dtype.isnative else None


def _loop(template: str, vectors: Any, row_bytes: int, width: int) -> Loop | None:
    kind = _kind_of(vectors.dtype)
    if kind is None or not 1 <= vectors.shape[1] <= _MOST_DEEP:
        return None
    return native(template, _row_key(row_bytes), kind, vectors.shape[1], work=len(vectors) * min(width, 4))


def _kind_of(dtype: Any) -> str | None:
    """The name under which loops know an integer dtype."""
    name = f"{dtype.kind}{dtype.itemsize}"
    return name if name in _KINDS and dtype.isnative else None


def _row_key(row_bytes: int) -> int:
    return row_bytes if row_bytes <= _LONGEST_ROW else 0


# ---- together -------------------------------------------------------------------------------------

_WIDE: Final = 32
"""Bytes of rows from which several lists are merged by blocks of the result (`kernels.merging` has the figures)."""


def stitched(xp: Any, indices: Sequence[Any], values: Sequence[Any]) -> Any:
    """merged[indices[m][i]] = values[m][i] for every m and i in order; int32 `indices` are flat, `values` are rows."""
    first = values[0]
    count, width = sum([len(i) for i in indices]), prod(first.shape[1:])
    row_bytes = width * first.itemsize
    if count < max(MANY, 64 * len(indices)) or width == 0 or first.dtype.kind == "O":
        return None
    if any(_kind_of(i.dtype) != "i4" for i in indices) or any(v.dtype != first.dtype for v in values):
        return None
    lists = [np.ascontiguousarray(i) for i in indices]
    sources = [np.ascontiguousarray(v) for v in values]
    key, work = _row_key(row_bytes), count * min(width, 4)
    if row_bytes >= _WIDE:
        # Sorted lists end with the largest index; if they are not sorted, the loop notices.
        height = max([int(i[-1]) for i in lists if i.size]) + 1
        merging = native("merge", key, work=work)
        if merging is not None and 0 < height <= 2 * count:
            merged = xp.empty((height, *first.shape[1:]), first.dtype)
            addresses = [np.array([a.ctypes.data for a in arrays], np.int64) for arrays in (lists, sources)]
            counts = np.array([i.size for i in lists], np.int64)
            if merging(merged, *addresses, counts, np.zeros_like(counts), len(lists), height, row_bytes):
                return merged
            del merged  # its memory may serve again at once
    putting = native("put", key, "i4", 1, work=work)
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


# ---- apart, by labels -----------------------------------------------------------------------------


def parted(xp: Any, rows: Any, labels: Any, count: int) -> list[Any] | None:
    """For each label k < count the rows whose label it is, in order; `labels` are flat int32."""
    width = prod(rows.shape[1:])
    if len(labels) < max(MANY, 4 * count) or width == 0 or not is_plain(rows) or _kind_of(labels.dtype) != "i4":
        return None
    labels, row_bytes = np.ascontiguousarray(labels), width * rows.itemsize
    if count == 2 and row_bytes in _REGISTERS:
        return _halves(xp, rows, labels, row_bytes)
    tables = 4 if count <= 2048 else 1  # what fits into the first two caches
    counting = native("count_labels", tables, work=len(labels))
    moving = native("part", _row_key(row_bytes), work=len(labels) * min(width, 4))
    if counting is None or moving is None:
        return None
    shares = shares_of(len(labels), len(labels) * (2e-9 + row_bytes * 0.1e-9))
    counts = np.zeros((len(shares), tables, count), np.int64)

    def look(i: int, a: int, b: int) -> int:
        return counting(counts[i], labels[a:b], b - a, count)

    if sum(in_shares(shares, look)) != len(labels):
        return None
    sizes = counts.sum(axis=1)
    parts, starts = _new_parts(xp, rows, sizes.sum(axis=0))
    # Each share has a place of its own in every part, after those of the shares before it.
    places = np.empty((len(shares), count, 2), np.int64)
    np.add(np.cumsum(sizes, axis=0) * row_bytes, starts, out=places[:, :, 1])
    np.subtract(places[:, :, 1], sizes * row_bytes, out=places[:, :, 0])

    def move(i: int, a: int, b: int) -> int:
        return moving(places[i], rows[a:b], labels[a:b], b - a, count, row_bytes)

    return parts if sum(in_shares(shares, move)) == len(labels) else None


def _halves(xp: Any, rows: Any, labels: Any, row_bytes: int) -> list[Any] | None:
    """`parted` for two labels and rows that are one element."""
    size = len(labels)
    looking, moving = native("bits", 4, True, work=size), native("halves", row_bytes, True, work=size)
    if looking is None or moving is None:
        return None
    return _divided(xp, rows, labels, looking, moving, (True, True))


def _divided(
    xp: Any, rows: Any, labels: Any, looking: Loop, moving: Loop, wanted: tuple[bool, bool]
) -> list[Any] | None:
    """The rows whose label is 0, if wanted, and those whose label is not."""
    size = len(labels)
    words = xp.empty((size + 63) >> 6, np.uint64)
    shares = shares_of(size, size * (0.3e-9 + rows.itemsize * 0.1e-9), 64)

    def look(_: int, a: int, b: int) -> int:
        return looking(words[a >> 6 : (b + 63) >> 6], labels[a:b], b - a)

    counts = in_shares(shares, look)
    if min(counts) < 0:
        return None
    ones = [0, *accumulate(counts)]  # before each share
    zeros = [a - n for (a, _), n in zip(shares, ones, strict=False)] + [size - ones[-1]]
    first, second = [
        xp.empty((n if is_wanted else 0, *rows.shape[1:]), rows.dtype)
        for n, is_wanted in zip((zeros[-1], ones[-1]), wanted, strict=True)
    ]

    def move(i: int, a: int, b: int) -> int:
        zero, one = slice(zeros[i], zeros[i + 1]), slice(ones[i], ones[i + 1])
        rooms = zero.stop - zero.start, one.stop - one.start
        return moving(first[zero], second[one], rows[a:b], words[a >> 6 : (b + 63) >> 6], b - a, *rooms)

    in_shares(shares, move)
    return [first, second]


def kept(xp: Any, rows: Any, mask: Any) -> Any:
    """The rows where the flat bool `mask` is true."""
    size, width = len(mask), prod(rows.shape[1:])
    row_bytes = width * rows.itemsize
    if size < MANY or row_bytes not in _REGISTERS or not is_plain(rows) or mask.dtype.kind != "b":
        return None
    looking, moving = native("bits", 1, False, work=size), native("halves", row_bytes, False, work=size)
    if looking is None or moving is None:
        return None
    found = _divided(xp, rows, np.ascontiguousarray(mask), looking, moving, (False, True))
    return None if found is None else found[1]


def _new_parts(xp: Any, rows: Any, sizes: Any) -> tuple[list[Any], Any]:
    """Arrays for the parts, and the address of each."""
    if len(sizes) <= 8:
        parts = [xp.empty((size, *rows.shape[1:]), rows.dtype) for size in sizes.tolist()]
        return parts, np.array([part.ctypes.data for part in parts], np.int64)
    whole = xp.empty(rows.shape, rows.dtype)
    bounds = np.cumsum(sizes)
    starts = whole.ctypes.data + (bounds - sizes) * (rows.itemsize * prod(rows.shape[1:]))
    return [whole[start:end] for start, end in pairwise([0, *bounds.tolist()])], starts
