"""Fast kernels that read rows at given places: gather, gather_nd, boolean_mask.

Each either does all the work with compiled loops that check every index, or returns None. Then the op's plain kernel
does the work, and names a bad index. Both give the same results.

`docs/compiled.md` has the milliseconds of the plain kernels and of the loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import Any, Final

import numpy as np

from ...ops.index.row_indexing import as_rows
from .loops.loop_keys import IN_REGISTER, MOST_DEEP, index_kind, is_plain, row_key
from .loops.native_loops import find, in_shares, is_large, shares

_CACHE: Final = 4 << 20  # bytes that are found again soon


def gather(xp: Any, params: Any, indices: Any) -> Any:
    """params[indices[i...], :]."""
    return gather_nd(xp, params, indices[..., None])


def gather_nd(xp: Any, params: Any, indices: Any) -> Any:
    """params[indices[b..., 0], ..., indices[b..., K-1], :]."""
    if not is_large(indices.size) or not params.ndim or not 1 <= indices.shape[-1] <= params.ndim:
        return None
    depth = indices.shape[-1]
    found = taken(xp, as_rows(params, depth), indices.reshape((-1, depth)), params.shape[:depth])
    return None if found is None else found.reshape(indices.shape[:-1] + params.shape[depth:])


def taken(xp: Any, rows: Any, vectors: Any, outer: Sequence[int]) -> Any:
    """rows[place] for each of the index `vectors` [count, depth], where rows are numbered in shape `outer`.

    `rows` has the shape [prod(outer), ...].
    """
    (count, depth), width, kind = vectors.shape, prod(rows.shape[1:]), index_kind(vectors.dtype)
    if kind is None or depth > MOST_DEEP or width == 0 or not is_large(count) or not is_plain(rows):
        return None
    row_bytes = width * rows.itemsize
    loop = find("take", row_key(row_bytes), kind, depth, work=count * min(width, 4))
    if loop is None:
        return None
    out = xp.empty((count, *rows.shape[1:]), rows.dtype)
    index, sizes = np.ascontiguousarray(vectors), np.array(outer, np.int64)

    def take(_: int, a: int, b: int) -> int:
        return loop(out[a:b], rows, index[a:b], sizes, b - a, row_bytes)

    done = in_shares(shares(count, seconds_of_rows(count, row_bytes, rows.nbytes)), take)
    return out if sum(done) == count else None


def seconds_of_rows(count: int, row_bytes: int, size: int) -> float:
    """The time that one thread takes to read so many rows of an array of `size` bytes.

    They are in random order: 1e7 float32 out of 1e7 take 78 ms, out of 1e5 11.
    """
    return count * (0.8e-9 + row_bytes * 0.1e-9 + (5e-9 if size > _CACHE else 0))


def boolean_mask(xp: Any, tensor: Any, mask: Any, axis: Any) -> Any:
    """The rows where `mask` is true."""
    if not is_large(mask.size) or tensor.shape[: mask.ndim] != mask.shape:
        return None
    if axis is not None and (axis.ndim or int(axis) != 0):
        return None
    flat = np.ascontiguousarray(mask.reshape(-1).astype(bool, copy=False))
    found = divided(xp, as_rows(tensor, mask.ndim), flat, both=False)
    return None if found is None else found[1]


def divided(xp: Any, rows: Any, labels: Any, both: bool) -> Any:
    """[the rows whose label is 0 if `both`, the rows whose label is not]; for rows of one element.

    None too where one of `both` has a label that is neither 0 nor 1.
    """
    size, row_bytes = len(labels), prod(rows.shape[1:]) * rows.itemsize
    if row_bytes not in IN_REGISTER or not is_plain(rows):
        return None
    looking = find("mask_bits", labels.itemsize, both, work=size)
    moving = find("compact", row_bytes, both, work=size)
    if looking is None or moving is None:
        return None
    words = xp.empty((size + 63) >> 6, np.uint64)
    parts = shares(size, size * (0.3e-9 + rows.itemsize * 0.1e-9), 64)

    def look(_: int, a: int, b: int) -> int:
        return looking(words[a >> 6 : (b + 63) >> 6], labels[a:b], b - a)

    counts = in_shares(parts, look)
    if min(counts) < 0:
        return None
    ones = [0, *accumulate(counts)]  # before each share
    zeros = [a - n for (a, _), n in zip(parts, ones, strict=False)] + [size - ones[-1]]
    first, second = [
        xp.empty((n if is_wanted else 0, *rows.shape[1:]), rows.dtype)
        for n, is_wanted in ((zeros[-1], both), (ones[-1], True))
    ]

    def move(i: int, a: int, b: int) -> int:
        zero, one = slice(zeros[i], zeros[i + 1]), slice(ones[i], ones[i + 1])
        rooms = zero.stop - zero.start, one.stop - one.start
        return moving(first[zero], second[one], rows[a:b], words[a >> 6 : (b + 63) >> 6], b - a, *rooms)

    in_shares(parts, move)
    return [first, second]
