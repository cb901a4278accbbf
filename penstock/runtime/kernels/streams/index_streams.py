"""Streams of ops that read or write rows at places that indices name: gather, gather_nd, scatter_nd.

The loops are those of `fast_gather` and `fast_scatter`; they check every index, and stop at the first bad one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar

import numpy as np

from ....ops.declare.shape_checks import possible
from ....ops.index.row_indexing import as_rows
from ....ops.index.scatter_checks import check_add, sizes_from
from ..fast_gather import loop_of_rows, seconds_of_rows
from ..fast_scatter import loop_of_additions
from ..loops.native_loops import Loop, is_large


class GatherStream:
    """Rows of an array, in the order of index vectors [rows, vectors of a row, depth]."""

    is_parallel: ClassVar[bool] = True
    is_backwards = False

    def __init__(self, loop: Loop, rows: Any, vectors: Any, outer: Sequence[int]) -> None:
        self._loop = loop
        self._source = rows
        self._vectors = np.ascontiguousarray(vectors)
        self._outer = np.array(outer, np.int64)
        self._row_bytes = prod(rows.shape[1:]) * rows.itemsize
        self.rows: int = len(vectors)
        self.seconds = seconds_of_rows(self.rows * vectors.shape[1], self._row_bytes, rows.nbytes)

    def stop(self, first: int, most: int) -> int:
        """Any row."""
        return min(first + most, self.rows)

    def advance(self, first: int, last: int, rows: Any, place: Any) -> bool:
        """Read the rows of a piece."""
        vectors = self._vectors[first:last]
        count: int = vectors.shape[0] * vectors.shape[1]
        return self._loop(place, self._source, vectors, self._outer, count, self._row_bytes) == count

    def result(self) -> Any:
        """Nothing else."""


def gather(xp: Any, params: Any, indices: Any) -> GatherStream | None:
    """params[indices[i...], :]."""
    if not params.ndim or not indices.ndim:
        return None
    return _gathered(params, indices.reshape((len(indices), -1, 1)) if indices.size else indices, params.shape[:1])


def gather_nd(xp: Any, params: Any, indices: Any) -> GatherStream | None:
    """params[indices[b..., 0], ..., indices[b..., K-1], :]."""
    if indices.ndim < 2 or not indices.size or not 1 <= indices.shape[-1] <= params.ndim:
        return None
    depth = indices.shape[-1]
    return _gathered(as_rows(params, depth), indices.reshape((len(indices), -1, depth)), params.shape[:depth])


def _gathered(rows: Any, vectors: Any, outer: Sequence[int]) -> GatherStream | None:
    if not is_large(vectors.size):
        return None
    loop = loop_of_rows(rows, prod(vectors.shape[:-1]), vectors.shape[-1], vectors.dtype)
    return None if loop is None else GatherStream(loop, rows, vectors, outer)


class ScatterStream:
    """Rows added to zeros at the places of index vectors [rows, vectors of a row, depth], in order."""

    is_parallel: ClassVar[bool] = False
    is_backwards = False

    def __init__(self, loop: Loop, out: Any, vectors: Any) -> None:
        self._loop = loop
        self._out = out
        self._vectors = np.ascontiguousarray(vectors)
        depth = vectors.shape[-1]
        self._outer = np.array(out.shape[:depth], np.int64)
        self._width = prod(out.shape[depth:])
        self.rows = len(vectors)
        self.seconds = 0.0

    def stop(self, first: int, most: int) -> int:
        """Any row."""
        return min(first + most, self.rows)

    def advance(self, first: int, last: int, rows: Any, place: Any) -> bool:
        """Add the rows of a piece."""
        vectors = self._vectors[first:last]
        count: int = vectors.shape[0] * vectors.shape[1]
        return self._loop(self._out, rows, vectors, self._outer, count, self._width) == count

    def result(self) -> Any:
        """The sums."""
        return self._out


def scatter_nd(xp: Any, indices: Any, updates: Any, shape: Any) -> ScatterStream | None:
    """Zeros with `updates` added at the places that `indices` name."""
    if indices.ndim < 2 or not is_large(indices.size):
        return None
    sizes = sizes_from(shape)
    check_add(sizes, indices, updates)
    depth = indices.shape[-1]
    loop = loop_of_additions(indices, updates.dtype, prod(sizes[depth:]))
    if loop is None:
        return None
    out = xp.zeros(possible(sizes, updates.dtype.itemsize), updates.dtype)
    return ScatterStream(loop, out, indices.reshape((len(indices), -1, depth)))
