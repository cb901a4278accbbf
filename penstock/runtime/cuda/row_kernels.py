"""Rows that a GPU gathers, scatters and stitches: the nests of index vectors, each unit of a row by itself.

A vector of indices names a row of an array, which is seen as an array of rows. An index out of range is no error here:
its result is zero, its update is left out, as TensorFlow documents for GPUs.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from ...graph.shapes.dtypes import bfloat16
from ..kernels.loops.loop_keys import sizes_of
from .cuda_source import contiguous
from .place_launch import run_places, shared_nest
from .place_nests import claim_nest, fetch_nest

_INDEX: Final = {4: "i4", 8: "i8"}
ADDED_AS: Final = {
    np.dtype(narrow): np.dtype(wide)
    for narrow, wide in (("?", "i4"), ("i1", "i4"), ("u1", "u4"), ("i2", "i4"), ("u2", "u4"), ("f2", "f4"))
} | {bfloat16.np: np.dtype("f4")}  # fmt: skip
"""The dtypes in which narrower numbers are summed: ints wrap alike in both, and a bool is true if any was."""
MOST_DEPTH: Final = 8


def can_index(index: Any, outer: Sequence[int]) -> bool:
    """Whether these kernels take such indices."""
    return index.dtype.kind == "i" and index.dtype.itemsize in _INDEX and 0 < len(outer) <= MOST_DEPTH


def take_rows(xp: Any, rows: Any, index: Any, depth: int) -> Any:
    """rows[index[i, 0], ..., index[i, depth - 1]] for each i of the contiguous `index` (n, depth); 0 out of range."""
    inner, count = rows.shape[depth:], index.size // depth
    out = xp.empty((count, *inner), rows.dtype)
    if out.size:
        if not rows.size:
            out[...] = 0
            return out
        rows, width = contiguous(xp, rows), prod(inner) * rows.dtype.itemsize
        nest = shared_nest("take", 0, _INDEX[index.dtype.itemsize], depth)
        run_places(xp, nest, out, rows, index, sizes_of(*rows.shape[:depth]), count, width)
    return out


def put_rows(xp: Any, target: Any, index: Any, rows: Any, depth: int) -> None:
    """target[index[i, ...]] = rows[i] for each i in range, in any order. All arrays are contiguous."""
    if index.size and target.size:
        width = prod(target.shape[depth:]) * target.dtype.itemsize
        nest = shared_nest("put", 0, _INDEX[index.dtype.itemsize], depth)
        run_places(xp, nest, target, rows, index, sizes_of(*target.shape[:depth]), index.size // depth, width)


def add_rows(xp: Any, target: Any, index: Any, rows: Any, depth: int, name: str = "add") -> None:
    """target[index[i, ...]] += rows[i] for each i in range, in any order. name: "subtract" for the difference."""
    if index.size and target.size:
        dtype = target.dtype
        nest = shared_nest(name, f"{dtype.kind}{dtype.itemsize}", 0, _INDEX[index.dtype.itemsize], depth)
        sizes, each = sizes_of(*target.shape[:depth]), prod(target.shape[depth:])
        run_places(xp, nest, target, rows, index, sizes, index.size // depth, each)


def stitch(xp: Any, indices: Sequence[Any], data: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Rows of several arrays merged into `shape`; of equal indices the last one wins.

    One launch finds for each row of the result the last row of `data` with its index, the other one copies these rows.
    indices: flat int32, in range. data: contiguous, a row for each index. Fewer than 2**31 rows altogether.
    """
    out = xp.empty(shape, data[0].dtype)
    if not out.size:
        return out
    owner = xp.full(shape[:1], -1, np.int32)
    *firsts, count = np.cumsum([0, *[i.size for i in indices]]).tolist()
    table = [*[i.data.ptr for i in indices], *[d.data.ptr for d in data], *firsts]
    there = xp.asarray(np.array(table, np.uint64).view(np.int64))
    run_places(xp, claim_nest(), owner, there, count, len(data))
    width = prod(shape[1:]) * out.dtype.itemsize
    run_places(xp, fetch_nest(), out, owner, there, shape[0], len(data), count, width, rows=data)
    return out
