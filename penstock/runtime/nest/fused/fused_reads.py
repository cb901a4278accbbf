"""Rows read at places that indices name, and what is computed with them, or their sums, without an array of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ....ops.index.row_indexing import as_rows
from ...kernels.fast_gather import seconds_of_rows
from ...kernels.loops.loop_keys import LONGEST_ROW, MOST_DEEP, index_kind, is_plain, number_kind
from ...kernels.loops.native_loops import find, in_shares, is_large, shares
from .group_elements import GroupElements
from .row_sums import RowSums

_NARROW = 16
"""Elements of a row that are a part of the key, so that the loop over them is unrolled."""


def gather(xp: Any, before: None, after: GroupElements | RowSums, params: Any, indices: Any) -> Any:
    """What is computed with params[indices[i...], :]."""
    return gather_nd(xp, before, after, params, indices[..., None])


def gather_nd(xp: Any, before: None, after: GroupElements | RowSums, params: Any, indices: Any) -> Any:
    """What is computed with params[indices[b..., 0], ..., indices[b..., K-1], :]."""
    if not is_large(indices.size) or indices.ndim < 2 or not 1 <= indices.shape[-1] <= params.ndim:
        return None
    depth = indices.shape[-1]
    return _read(xp, after, as_rows(params, depth), indices, params.shape[:depth])


def _read(xp: Any, after: GroupElements | RowSums, rows: Any, vectors: Any, outer: Sequence[int]) -> Any:
    """What is computed with rows[place] for each of the index `vectors` [..., depth]."""
    kind, width = index_kind(vectors.dtype), prod(rows.shape[1:])
    if kind is None or vectors.shape[-1] > MOST_DEEP or width == 0 or not is_plain(rows) or not rows.dtype.isnative:
        return None
    if isinstance(after, RowSums):
        return _summed(xp, after, rows, vectors, outer, kind)
    *batch, depth = vectors.shape
    count, placed = prod(batch), after.placed([len(batch)])
    if placed is None:
        return None
    program, table = placed
    loop = find("take_made", program, width if width <= _NARROW else 0, kind, depth, work=count * min(width, 4))
    if loop is None:
        return None
    out = xp.empty(after.shape, program.dtype.np)
    index, sizes, words = np.ascontiguousarray(vectors), np.array(outer, np.int64), np.array(table, np.int64)
    flat_index, flat_out = index.reshape((count, depth)), out.reshape((count, width))

    def some(_: int, start: int, stop: int) -> int:
        own = words.copy()
        if len(own):
            own[:, 0] += start * own[:, 1]
        return loop(flat_out[start:stop], rows, flat_index[start:stop], sizes, own, stop - start, width)

    done = in_shares(shares(count, seconds_of_rows(count, width * rows.itemsize, rows.nbytes)), some)
    return out if sum(done) == count else None


def _summed(xp: Any, after: RowSums, rows: Any, vectors: Any, outer: Sequence[int], kind: str) -> Any:
    """The sums of the rows that the index vectors of a first position name."""
    count, *more, depth = vectors.shape
    width, dtype, each = prod(rows.shape[1:]), number_kind(rows.dtype), prod(more)
    if after.axes != tuple(range(1, 1 + len(more))) or width < 2 or dtype is None:
        return None
    if rows.dtype.kind not in "fiu" or rows.dtype.itemsize < 4:
        return None
    is_vector = width * rows.itemsize <= LONGEST_ROW and width & (width - 1) == 0
    work = count * each * min(width, 4)
    loop = find("take_sums", dtype, width if is_vector else 0, kind, depth, work=work)
    if loop is None:
        return None
    out = xp.empty(after.shape, rows.dtype)
    index, sizes = np.ascontiguousarray(vectors).reshape((count, each, depth)), np.array(outer, np.int64)
    flat = out.reshape((count, width))

    def some(_: int, start: int, stop: int) -> int:
        return loop(flat[start:stop], rows, index[start:stop], sizes, stop - start, each, width)

    seconds = seconds_of_rows(count * each, width * rows.itemsize, rows.nbytes)
    done = in_shares(shares(count, seconds), some)
    return out if sum(done) == count else None
