"""Sums of computed rows at places that ids or indices name: the elements are computed where they are added."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ....ops.declare.shape_checks import possible
from ....ops.index.row_indexing import all_in_range
from ....ops.index.scatter_checks import check_add, sizes_from
from ....ops.reduce.segment_rows import wide_dtype, widest_int
from ....ops.reduce.unsorted_segments import unsorted_places
from ...kernels.fast_segments import adds_in_registers, of_sorted
from ...kernels.loops.loop_keys import MOST_DEEP, index_kind, number_kind
from ...kernels.loops.native_loops import find, is_large
from .group_elements import GroupElements


def segment_sum(xp: Any, before: GroupElements, after: None, data: Any, segment_ids: Any) -> Any:
    """The sum of each segment of computed rows; single elements are summed in pairs, by NumPy."""
    return _of_sorted(before, data, segment_ids, data.dtype, is_mean=False)


def segment_mean(xp: Any, before: GroupElements, after: None, data: Any, segment_ids: Any) -> Any:
    """The mean of each segment of computed rows."""
    return _of_sorted(before, data, segment_ids, widest_int(data[:0]).dtype, is_mean=True)


def _of_sorted(before: GroupElements, data: Any, segment_ids: Any, dtype: Any, is_mean: bool) -> Any:
    wide = wide_dtype(dtype)
    return of_sorted(data, segment_ids, is_mean,
                     lambda ids, shape: _added(before, ids[:, None], np.zeros(shape, wide), in_order=True))  # fmt: skip


def unsorted_segment_sum(
    xp: Any, before: GroupElements, after: None, data: Any, segment_ids: Any, num_segments: Any
) -> Any:
    """The sum of the computed rows of each id."""
    if not is_large(data.size) or not segment_ids.ndim:
        return None
    ids, shape = unsorted_places(data, segment_ids, num_segments)
    if not all_in_range(ids, shape[0]):
        return None  # rows of negative ids are left out
    total = _added(before, ids[..., None], np.zeros(shape, wide_dtype(data.dtype)), in_order=False)
    return None if total is None else total.astype(data.dtype, copy=False)


def scatter_nd(xp: Any, before: GroupElements, after: None, indices: Any, updates: Any, shape: Any) -> Any:
    """Zeros with computed rows added at the places that `indices` name, in order."""
    if not is_large(indices.size) or indices.ndim < 2:
        return None
    sizes = sizes_from(shape)
    check_add(sizes, indices, updates)
    if not 1 <= indices.shape[-1] <= MOST_DEEP:
        return None
    return _added(before, indices, xp.zeros(possible(sizes, updates.dtype.itemsize), updates.dtype))


def _added(before: GroupElements, vectors: Any, out: Any, in_order: bool | None = None) -> Any:
    """`out` with the rows added at the places of index vectors, whose shape but for the last axis is that of the rows;
    None where there is no loop, or a place is out of range.

    in_order: whether the places are sorted; None if each sum is to be rounded in memory.
    """
    *batch, depth = vectors.shape
    count, width = prod(batch), prod(out.shape[depth:])
    kind, dtype = index_kind(vectors.dtype), number_kind(out.dtype)
    placed = before.placed([len(batch)])
    if width == 0 or kind is None or dtype is None or placed is None:
        return None
    program, table = placed
    work = max(count * min(width, 4), count * width // 2)
    loop = None
    if in_order is not None and adds_in_registers(width, out.dtype, in_order, count / max(len(out), 1)):
        loop = find("add_runs_made", program, dtype, width, kind, work=work)
    if loop is None:
        loop = find("add_made", program, dtype, width if width <= 4 else 0, kind, depth, work=work)
    if loop is None:
        return None
    index, outer = np.ascontiguousarray(vectors), np.array(out.shape[:depth], np.int64)
    done = loop(out, np.array(table, np.int64), index, outer, count, width)
    return out if done == count else None

