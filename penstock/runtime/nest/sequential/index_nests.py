"""Nests that read, write and add rows at places that index vectors name.

    take      out[i] = rows[place i]
    put       out[place i] = rows[i], in order, so that the last of equal places stays
    add       out[place i] += rows[i], in order, each sum rounded to the dtype: what NumPy's `add.at` gives
    subtract  out[place i] -= rows[i], as `subtract.at`
    add_runs  the same, with the sums of a place in registers as long as it stays the same

Every entry is checked before it is used. A loop stops at the first vector that is out of range, and gives the number
of vectors before it: `count` if all are in range. A row is the unit that one vector moves: an element, or everything
behind the indexed dimensions. A small number of its bytes is part of the key, so that it moves through registers;
longer rows, with key 0, are copied by `memcpy`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from ....graph.shapes.dtypes import DType, bool_, int64
from .nest_builder import NestBuilder, dtype_of_key, nest
from .sequential_ir import SequentialNest

Element: TypeAlias = Callable[[Any, Any], Any]
"""(number of a row, of an element in it) -> the element, as it is read or computed."""


def entries_of(n: NestBuilder, i: Any, kind: str, bounds: Sequence[Any], done: Any = None) -> Iterator[Any]:
    """The entries of vector i of `index`; the nest ends with i, or `done`, unless each one is in range."""
    dtype = dtype_of_key(kind)
    for d, bound in enumerate(bounds):
        entry = n.read(n.index, [(i, len(bounds) * dtype.size), d * dtype.size], dtype).astype(int64.np)
        n.check(entry, bound, i if done is None else done)
        yield entry


def find_place(n: NestBuilder, i: Any, kind: str, bounds: Sequence[Any], done: Any = None) -> Any:
    """The number of the row that vector i of `index` names; the nest ends with i, or `done`, unless all its entries are
    in range."""
    place = None
    for entry, bound in zip(entries_of(n, i, kind, bounds, done), bounds, strict=True):
        place = entry if place is None else place * bound + entry
    return place


def sizes_of_index(n: NestBuilder, depth: int) -> list[Any]:
    """The bounds of the entries of an index vector."""
    return [n.read(n.sizes, [8 * d], int64) for d in range(depth)]


@nest("take", "out rows index sizes", "count row", of_arrays=True)
def take(n: NestBuilder, row_bytes: int, kind: str, depth: int) -> SequentialNest:
    """loop(out, rows, index, sizes, count, bytes of a row)."""
    row, sizes = row_bytes or n.row, sizes_of_index(n, depth)
    with n.each("i", n.count) as i:
        place = find_place(n, i, kind, sizes)
        n.put(n.out, [(i, row)], n.read_row(n.rows, [(place, row)], row))
    return n.done(n.count)


@nest("put", "out rows index sizes", "count row")
def put(n: NestBuilder, row_bytes: int, kind: str, depth: int) -> SequentialNest:
    """loop(out, rows, index, sizes, count, bytes of a row)."""
    row, sizes = row_bytes or n.row, sizes_of_index(n, depth)
    with n.each("i", n.count) as i:
        place = find_place(n, i, kind, sizes)
        n.put(n.out, [(place, row)], n.read_row(n.rows, [(i, row)], row))
    return n.done(n.count)


def elements(dtype: str, width: Any) -> tuple[DType, Any]:
    """The dtype of what is added, and how many of it are `width` elements: a complex number is added in two parts."""
    whole = dtype_of_key(dtype)
    return (whole.real_dtype, width * 2) if whole.is_complex else (whole, width)


@nest("add", "out rows index sizes", "count row", of_arrays=True)
def add(n: NestBuilder, dtype: str, width: int, kind: str, depth: int) -> SequentialNest:
    """loop(out, rows, index, sizes, count, elements of a row).

    dtype: NumPy's short name, bfloat16 "bf". width: elements of a row, where they are few; 0 leaves them to the call.
    """
    return _combined(n, operator.add, dtype, width, kind, depth)


@nest("subtract", "out rows index sizes", "count row", of_arrays=True)
def subtract(n: NestBuilder, dtype: str, width: int, kind: str, depth: int) -> SequentialNest:
    """As `add`."""
    return _combined(n, operator.sub, dtype, width, kind, depth)


def _combined(
    n: NestBuilder, combine: Callable[[Any, Any], Any], dtype: str, width: int, kind: str, depth: int
) -> SequentialNest:
    one, length = elements(dtype, width or n.row)
    return combine_rows(n, combine, one, length, kind, depth, element_of_rows(n, one, length))


def element_of_rows(n: NestBuilder, one: DType, length: Any) -> Element:
    """Element c of row i of `rows`."""
    return lambda i, c: n.read(n.rows, [(i, length * one.size), (c, one.size)], one)


def combine_rows(
    n: NestBuilder, combine: Callable[[Any, Any], Any], one: DType, length: Any, kind: str, depth: int, element: Element
) -> SequentialNest:  # fmt: skip
    """Combine each row with the row of `out` that `index` names for it. element: its elements, of dtype `one`."""
    sizes, step = sizes_of_index(n, depth), length * one.size
    with n.each("i", n.count) as i:
        place = find_place(n, i, kind, sizes)
        with n.each("c", length, parallel=True) as c:
            total = n.read(n.out, [(place, step), (c, one.size)], one)
            n.put(n.out, [(place, step), (c, one.size)], combine(total, element(i, c)))
    return n.done(n.count)


@nest("add_runs", "out rows index sizes", "count row")
def add_runs(n: NestBuilder, dtype: str, width: int, kind: str) -> SequentialNest:
    """loop(out, rows, index, sizes, count, elements of a row), for vectors of one entry and rows of one vector.

    dtype: of ints or of float32 and float64, real or complex. width: elements of a row.
    """
    one, length = elements(dtype, width)
    return add_rows_in_runs(n, one, length, kind, element_of_rows(n, one, length))


def add_rows_in_runs(n: NestBuilder, one: DType, length: Any, kind: str, element: Element) -> SequentialNest:
    """Add rows; the sum of consecutive rows of one index is in registers. The other parameters as of `combine_rows`."""
    step, sizes, last = length * one.size, sizes_of_index(n, 1), n.kept(-1, int64)
    with n.each("c", length, lanes=[length]) as c:
        total = n.kept(0, one)
        n.keep(last, -1)
        with n.each("i", n.count) as i:
            place = find_place(n, i, kind, sizes)
            with n.when(place != last):
                with n.when(last >= 0):
                    n.put(n.out, [(last, step), (c, one.size)], total)
                n.keep(total, n.read(n.out, [(place, step), (c, one.size)], one))
                n.keep(last, place)
            n.keep(total, total + element(i, c))
        with n.when(last >= 0):
            n.put(n.out, [(last, step), (c, one.size)], total)
    return n.done(n.count)


@nest("where", "out condition sizes", "total")
def where(n: NestBuilder, rank: int) -> SequentialNest:
    """loop(out, condition, sizes, total) -> how many indices were written, at most `total`.

    out: int64 [total, rank], the indices of the bytes of `condition` that are not 0, in order. Each index is written
    where the next one goes, and stays if the byte is not 0, so there is no branch to predict. condition: bools of the
    shape `sizes`.
    """
    sizes, end = sizes_of_index(n, rank), n.kept(0, int64)

    def level(positions: list[Any], flat: Any) -> None:
        if len(positions) == rank:
            with n.when(end < n.total):
                for k, position in enumerate(positions):
                    n.put(n.out, [(end, 8 * rank), 8 * k], position)
                n.keep(end, end + n.read(n.condition, [flat], bool_).astype(int64.np))
            return
        with n.each("abcdefgh"[len(positions)], sizes[len(positions)]) as i:
            level([*positions, i], i if flat is None else flat * sizes[len(positions)] + i)

    level([], None)
    return n.done(end)
