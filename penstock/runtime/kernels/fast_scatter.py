"""Fast kernels that write rows at given places: tensor_scatter_nd_update, scatter_nd, and sums into rows of a variable.

As in `fast_gather`, a function does all the work, with every index checked by the loop, or returns None. The result is
then undefined, and the plain kernel starts again.

`docs/compiled.md` has the milliseconds of the plain kernels and of the loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from ...graph.declare.effects import PreparedWrite
from ...ops.declare.shape_checks import possible
from ...ops.index.row_indexing import all_in_range, as_rows, copied, private
from ...ops.index.scatter_checks import check_add, check_update, sizes_from
from .loops.loop_keys import MOST_DEEP, index_kind, is_plain, number_kind, row_key, sizes_of
from .loops.native_loops import CALL, Loop, find, find_for_few, is_large, prepared
from .shared_copies import copied_in_shares


def update(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    """A copy of `tensor` with `updates` at the places that `indices` name."""
    if not is_large(indices.size):
        return None
    check_update(tensor.shape, indices, updates)
    return update_in_place(xp, copied_in_shares(xp, tensor), indices, updates)


def update_in_place(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    """`tensor`, which is contiguous, with `updates` written into it; after None some may be written."""
    if not is_large(indices.size):
        return None
    check_update(tensor.shape, indices, updates)
    depth = indices.shape[-1]
    rows = updates.reshape((-1, *tensor.shape[depth:])) if updates.size else updates
    done = put(as_rows(tensor, depth), indices.reshape((-1, depth)), rows, tensor.shape[:depth])
    return tensor if done else None


def put(target: Any, vectors: Any, rows: Any, outer: Sequence[int]) -> bool:
    """target[place] = row for each of the index `vectors` [count, depth] and `rows`; `target` is contiguous.

    After False some rows may be written.
    """
    (count, depth), width, kind = vectors.shape, prod(target.shape[1:]), index_kind(vectors.dtype)
    if not is_large(count) or width == 0 or kind is None or not 1 <= depth <= MOST_DEEP or not is_plain(target):
        return False
    if rows.dtype != target.dtype or np.may_share_memory(target, rows) or np.may_share_memory(target, vectors):
        return False
    row_bytes = width * target.itemsize
    loop = find("put", row_key(row_bytes), kind, depth, work=count * min(width, 4))
    if loop is None:
        return False
    index, sizes = np.ascontiguousarray(vectors), np.array(outer, np.int64)
    return bool(loop(target, np.ascontiguousarray(rows), index, sizes, count, row_bytes) == count)


def scatter_nd(xp: Any, indices: Any, updates: Any, shape: Any) -> Any:
    """Zeros with `updates` added at the places that `indices` name, in order."""
    if not is_large(indices.size):
        return None
    sizes = sizes_from(shape)
    check_add(sizes, indices, updates)
    depth = indices.shape[-1]
    count, width = prod(indices.shape[:-1]), prod(sizes[depth:])
    kind, dtype = index_kind(indices.dtype), number_kind(updates.dtype)
    if not is_large(count) or width == 0 or kind is None or dtype is None or not 1 <= depth <= MOST_DEEP:
        return None
    loop = find("add", dtype, width if width <= 4 else 0, kind, depth, work=count * min(width, 4))
    if loop is None:
        return None
    out = xp.zeros(possible(sizes, updates.dtype.itemsize), updates.dtype)
    index, outer = np.ascontiguousarray(indices), np.array(sizes[:depth], np.int64)
    return out if loop(out, np.ascontiguousarray(updates), index, outer, count, width) == count else None


COMBINED: Final = {"add": "add", "sub": "subtract"}
"""How rows are combined -> the loop."""
_ELEMENT: Final = 1e-9
"""Seconds of a loop for an element; each may have to come from memory."""


def combined(xp: Any, tensor: Any, indices: Any, updates: Any, how: str, vectors: bool) -> Any:
    """A copy of `tensor` with rows added or subtracted at `indices`, in order."""
    loop = combining_loop(tensor, indices, updates, how, vectors)
    return None if loop is None else _made(loop, copied(xp, tensor), indices, updates)


def combined_in_place(xp: Any, tensor: Any, indices: Any, updates: Any, how: str, vectors: bool) -> Any:
    """The same in `tensor`, which is contiguous; after None some may be written."""
    loop = combining_loop(tensor, indices, updates, how, vectors)
    return None if loop is None else _made(loop, tensor, indices, updates)


def prepared_combination(
    xp: Any, tensor: Any, indices: Any, updates: Any, how: str, vectors: bool
) -> PreparedWrite | None:
    """The same as what is to be done later."""
    loop = combining_loop(tensor, indices, updates, how, vectors)
    if loop is None:
        return None
    index = private(indices)
    if not all_in_range(index, len(tensor)):
        return None
    count = index.size
    arrays = tensor, np.ascontiguousarray(updates), np.ascontiguousarray(index), sizes_of(len(tensor))
    call = prepared(loop, *arrays, count, updates.size // count)
    call.__dict__["arrays"] = arrays  # the call holds their addresses only
    return PreparedWrite(call, _ELEMENT * updates.size)


def combining_loop(tensor: Any, indices: Any, updates: Any, how: str, vectors: bool) -> Loop | None:
    """The loop that combines rows; None where NumPy does the work."""
    name, kind, dtype = COMBINED.get(how), index_kind(indices.dtype), number_kind(tensor.dtype)
    if name is None or kind is None or dtype is None or vectors or not tensor.ndim or not updates.size:
        return None
    if updates.shape != (*indices.shape, *tensor.shape[1:]) or updates.dtype != tensor.dtype or dtype == "b1":
        return None
    if np.may_share_memory(tensor, updates) or np.may_share_memory(tensor, indices):
        return None
    width = updates.size // indices.size
    return find_for_few(name, dtype, width if width <= 4 else 0, kind, 1, work=CALL + updates.size)


def _made(loop: Loop, target: Any, indices: Any, updates: Any) -> Any:
    count = indices.size
    done = loop(target, np.ascontiguousarray(updates), np.ascontiguousarray(indices), sizes_of(len(target)), count,
                updates.size // count)  # fmt: skip
    return target if done == count else None
