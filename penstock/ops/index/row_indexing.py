"""Indices into rows: checks of ranges and shapes, words for bad ones, and ordered assignment.

An array is seen as rows: its first dimensions are indexed, the rest of a row moves as one piece. NumPy counts a
negative index from the end and assigns repeated ones in an order it does not promise. So every index is checked before
it is used, the first bad one is named, and assignments run over one flat, contiguous index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from operator import setitem
from typing import Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.declare.effects import PreparedWrite
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import Dim
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import listed, same_size

# ---- words --------------------------------------------------------------------------------------


def shape_text(shape: TensorShape) -> str:
    """`[?,3]`: a static shape in the same form."""
    return "?" if shape.raw is None else "[" + ",".join(map(str, shape.raw)) + "]"


def entry_text(what: str, shape: Sequence[int], flat: int) -> str:
    """`indices[1,0]`: the entry of an array at a flat position; the bare name for a scalar."""
    return what + (listed([int(i) for i in np.unravel_index(flat, tuple(shape))]) if shape else "")


# ---- what is known at build ---------------------------------------------------------------------


def dims_at_least(tensor: Tensor, least: int, operand: int, cure: str | None = None) -> tuple[Dim, ...] | None:
    """The dimensions of `tensor`, None for unknown rank; ShapeError where the rank is known to be below `least`."""
    dims = tensor.shape.raw
    if dims is not None and len(dims) < least:
        raise ShapeError(f"Shape must be at least rank {least} but is rank {len(dims)}", operand=operand, cure=cure)
    return dims


def dims_after(value: Tensor, operand: int, prefix: Tensor, cure: str) -> tuple[Dim, ...] | None:
    """The dimensions of `value` after those of `prefix`, with which it must start; None if a rank is not known.

    cure: the rule, and what to do where it is broken.
    """
    first = prefix.shape.raw
    if first is None:
        return None
    dims = dims_at_least(value, len(first), operand, cure)
    if dims is None:
        return None
    for i, (a, b) in enumerate(zip(dims, first, strict=False)):
        same_size(a, b, operand, i, cure)
    return dims[len(first) :]


# ---- checks of a run ----------------------------------------------------------------------------


def private(index: Any) -> Any:
    """A copy of `index`, so that checked entries stay valid while another thread writes into a fed array.

    NumPy reads an index again after its own check too, and `add.at` or `bincount` then write outside of their arrays.
    Compiled loops check each entry as they read it, and need no copy.
    """
    return index.copy()


def check_range(what: str, index: Any, size: int) -> None:
    """InvalidArgumentError that names the first entry of `index` outside [0, size)."""
    if all_in_range(index, size):
        return
    flat = int(((index < 0) | (index >= size)).reshape(-1).argmax())
    value = int(index.reshape(-1)[flat])
    raise InvalidArgumentError(message=f"{entry_text(what, index.shape, flat)} = {value} is not in [0, {size})")


def all_in_range(index: Any, size: int) -> bool:
    """True if every entry of the integer array `index` is in [0, size)."""
    if index.size == 0:
        return True
    # Read as unsigned, negative numbers are the largest: one pass instead of two (49 us against 98 for 1e6 int32).
    # A signed type's own largest number bounds the size, or int16's -1 would pass as 65535.
    bits = 8 * index.dtype.itemsize
    limit = min(size, 1 << (bits - 1)) if index.dtype.kind == "i" else size
    return int(index.view(f"u{bits // 8}").max()) < limit


def flat_index(xp: Any, indices: Any, outer: Sequence[int], into: str) -> Any:
    """The number of the row that each vector `indices[b..., :]` points at, for rows laid out in shape `outer`.

    The result is flat, of any integer dtype. `into` ends the message about the first vector that points outside:
    "shape [3,2]".
    """
    batch = indices.shape[:-1]
    vectors = private(indices).reshape((prod(batch), len(outer)))
    if not all(all_in_range(vectors[:, k], size) for k, size in enumerate(outer)):
        raise InvalidArgumentError(message=_outside(xp, vectors, batch, outer, into))
    if not outer:
        return xp.zeros(len(vectors), np.int64)
    if len(outer) == 1:
        return vectors[:, 0]
    flat = vectors[:, 0].astype(np.int64)
    for k, size in enumerate(outer[1:], start=1):
        flat *= size
        flat += vectors[:, k]
    return flat


def _outside(xp: Any, vectors: Any, batch: tuple[int, ...], outer: Sequence[int], into: str) -> str:
    bad = xp.zeros(len(vectors), bool)
    for k, size in enumerate(outer):
        bad |= (vectors[:, k] < 0) | (vectors[:, k] >= size)
    row = int(bad.argmax())
    vector = ", ".join(str(int(i)) for i in vectors[row])
    return f"{entry_text('indices', batch, row)} = [{vector}] does not index into {into}"


# ---- moving rows --------------------------------------------------------------------------------


def as_rows(array: Any, depth: int) -> Any:
    """`array` with its first `depth` dimensions made one."""
    outer = prod(array.shape[:depth])
    return array.reshape((outer, *array.shape[depth:]))


def last_of_each(xp: Any, index: Any) -> Any:
    """For each distinct value of the flat `index`, the position of its last occurrence."""
    order = xp.argsort(index, kind="stable")
    ordered = index[order]
    is_last = xp.ones(len(order), bool)
    is_last[:-1] = ordered[1:] != ordered[:-1]
    return order[is_last]


def assign_rows(xp: Any, target: Any, index: Any, rows: Any) -> None:
    """target[index[i]] = rows[i] for each i in order, so that the last of equal indices wins."""
    write = prepared_rows(xp, target, index, rows)
    if write is not None:
        write.call()


def prepared_rows(xp: Any, target: Any, index: Any, rows: Any) -> PreparedWrite | None:
    """What `assign_rows` does, ready to be done.

    `target` is contiguous; `index` is flat and was checked. NumPy promises no order where an index repeats; over a flat
    contiguous index it is the order of the index (`tests/ops/test_row_indexing.py` would notice a change).
    """
    if rows.size == 0:
        return None
    # 3 to 11 ns for a row, 31 for one of 256 bytes in 256 MB.
    seconds = 5e-9 * len(rows) + (1e-8 * rows.size if target.dtype.kind == "O" else 0.15e-9 * rows.nbytes)
    if not isinstance(target, np.ndarray):  # a device assigns in any order: each index must occur once
        last = last_of_each(xp, index)
        index, rows = index[last], rows[last]
    elif target.dtype.kind != "O":
        # A row as one element of raw bytes: 2.5 ms against 14.4 for 1e6 rows of 2 float32, 15.6 against 43 for 8.
        target, rows = _opaque(target), _opaque(np.ascontiguousarray(rows))
    return PreparedWrite(partial(setitem, target, xp.ascontiguousarray(index, np.intp), rows), seconds)


def written(array: Any, prepare: Callable[[Any], PreparedWrite | None]) -> Any:
    """`array` after the write that `prepare` makes for it."""
    write = prepare(array)
    if write is not None:
        write.call()
    return array


def _opaque(array: Any) -> Any:
    """A contiguous array of rows as a vector with one element of raw bytes for each row."""
    return array.reshape(-1).view(f"V{array.nbytes // len(array)}")


def copied(xp: Any, array: Any) -> Any:
    """A row-major copy; a large one in memory that `xp` gives, which was touched before."""
    if array.size < 1 << 13:
        return array.copy()
    out = xp.empty(array.shape, array.dtype)
    out[...] = array
    return out


def zero_rows(xp: Any, shape: Sequence[int], dtype: Any) -> Any:
    """An array of zeros; of empty strings for strings."""
    return xp.full(shape, b"", dtype) if dtype.kind == "O" else xp.zeros(shape, dtype)
