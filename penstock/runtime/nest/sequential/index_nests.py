"""Nests that read, write and add rows at places that index vectors name.

    take      out[i] = rows[place i]
    gathered_rows  the same for long rows in random order, the next of which are fetched ahead
    put       out[place i] = rows[i], in order, so that the last of equal places stays
    add       out[place i] += rows[i], in order, each sum rounded to the dtype: what NumPy's `add.at` gives
    subtract  out[place i] -= rows[i], as `subtract.at`
    add_runs  the same, with the sums of a place in registers as long as it stays the same
    sparse_product  so out[left[i]] += values[i] * b[right[i]]: a sparse matrix times a dense one
    shuffle_order, shuffle_buffer   places exchanged with places that random words name
    sorted_match    of ascending keys each one's value in an ascending list

Every entry is checked before it is used. A loop stops at the first vector that is out of range, and gives the number
of vectors before it: `count` if all are in range. A row is the unit that one vector moves: an element, or everything
behind the indexed dimensions. A small number of its bytes is part of the key, so that it moves through registers;
longer rows, with key 0, are copied by `memcpy`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from ....graph.shapes.dtypes import DType, bool_, int64, uint32
from ...ir.scalar_ir import MODULE
from .nest_builder import NestBuilder, dtype_of_key, nest
from .sequential_ir import SequentialNest

_ROWS_AHEAD: Final = 3
"""Rows between one that is fetched and the one that is copied meanwhile."""
_BLOCKS: Final = (64, 8, 1)
"""Columns of a sparse product that are computed at a time in wide rows."""
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


@nest("gathered_rows", "out rows numbers", "count row", of_arrays=True)
def gathered_rows(n: NestBuilder) -> SequentialNest:
    """loop(out, rows, numbers, count, bytes of a row) -> 0: out[i] = rows[numbers[i]], in random order: see
    `ops.datasets.row_streams`.

    The processor fetches memory ahead within a row, and waits at the beginning of each. So the lines of a row are
    fetched while an earlier one is copied: 100 rows of 3,136 bytes out of 188 MB take two thirds of the time of
    `np.take`.
    """
    lines = n.row // 64
    with n.each("i", n.count, vector=1) as i:
        coming = MODULE.minimum(i + _ROWS_AHEAD, n.count - 1)
        source, soon = ((n.read(n.numbers, [(at, 8)], int64), n.row) for at in (i, coming))
        with n.each("k", lines, vector=1) as k:
            n.fetch(n.rows, [soon, (k, 64)])
            n.put(n.out, [(i, n.row), (k, 64)], n.read_row(n.rows, [source, (k, 64)], 64))
        n.put(n.out, [(i, n.row), (lines, 64)], n.read_row(n.rows, [source, (lines, 64)], n.row - lines * 64))
    return n.done()


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
    return add_indexed_runs(n, one, length, kind, element_of_rows(n, one, length))


def add_indexed_runs(n: NestBuilder, one: DType, length: Any, kind: str, element: Element) -> SequentialNest:
    """As `add_rows_in_runs`, at the places that vectors of one entry name."""
    sizes = sizes_of_index(n, 1)
    return add_rows_in_runs(n, one, length, [length], length, lambda i: find_place(n, i, kind, sizes), element)


def add_rows_in_runs(
    n: NestBuilder, one: DType, length: Any, lanes: Sequence[int], apart: Any, place_of: Callable[[Any], Any],
    element: Element,
) -> SequentialNest:  # fmt: skip
    """Add rows; the sum of consecutive rows of one place is in registers.

    Args:
        n: the nest.
        one: the dtype of an element.
        length: elements of a row.
        lanes: so many of them at a time.
        apart: the elements from row to row of `out`.
        place_of: number of a row -> the row of `out`.
        element: as of `combine_rows`.
    """
    step, last = apart * one.size, n.kept(-1, int64)
    with n.each("c", length, lanes=lanes) as c:
        total = n.kept(0, one)
        n.keep(last, -1)
        with n.each("i", n.count) as i:
            place = place_of(i)
            with n.when(place != last):
                with n.when(last >= 0):
                    n.put(n.out, [(last, step), (c, one.size)], total)
                n.keep(total, n.read(n.out, [(place, step), (c, one.size)], one))
                n.keep(last, place)
            n.keep(total, total + element(i, c))
        with n.when(last >= 0):
            n.put(n.out, [(last, step), (c, one.size)], total)
    return n.done(n.count)


@nest("sparse_product", "out values left right b", "count rows inner columns apart")
def sparse_product(
    n: NestBuilder, dtype: str, kinds: tuple[str, str], step: int, width: int, weighted: bool
) -> SequentialNest:
    """loop(out, values, left, right, b, count, rows, inner, columns, apart) -> the values in range before one that is
    not.

    dtype: "f4" or "f8". kinds: the dtypes of `left`, the rows of the result, of which there are `rows`, and of `right`,
    which are below `inner`; step: the entries from one of them to the next. width: `columns`, or 0 for any number.
    weighted: whether there are values. apart: the elements from one row of `out` and of `b` to the next.
    """
    one, of_b, stride = dtype_of_key(dtype), None, n.apart * dtype_of_key(dtype).size

    def row_of(i: Any) -> Any:
        nonlocal of_b
        row, of_b = (n.read(of, [(i, step * k.size)], k).astype(int64.np)
                     for of, k in zip((n.left, n.right), map(dtype_of_key, kinds), strict=True))  # fmt: skip
        n.check(row, n.rows, i)
        n.check(of_b, n.inner, i)
        return row

    def element(i: Any, c: Any) -> Any:
        y = n.read(n.b, [(of_b, stride), (c, one.size)], one)
        return n.read(n.values, [(i, one.size)], one) * y if weighted else y

    return add_rows_in_runs(n, one, width or n.columns, [width] if width else _BLOCKS, n.apart, row_of, element)


@nest("sorted_match", "out values of_values keys", "size count")
def sorted_match(n: NestBuilder, item_bytes: int) -> SequentialNest:
    """loop(out, values, of_values, keys, values' count, count) -> count: out[j] = the first value whose key is keys[j].

    It is zero where there is none. Both lists of keys are int64 and ascend; values have `item_bytes` (4 or 8).
    """
    bits, at = dtype_of_key(f"u{item_bytes}"), n.kept(0, int64)
    with n.each("j", n.count) as j:
        key, result = n.read(n.keys, [(j, 8)], int64), n.kept(0, bits)
        with n.repeat():
            n.leave(at >= n.size)
            other = n.read(n.of_values, [(at, 8)], int64)
            with n.when(other == key):
                n.keep(result, n.read(n.values, [(at, item_bytes)], bits))
            n.leave(other >= key)
            n.keep(at, at + 1)
        n.put(n.out, [(j, item_bytes)], result)
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


@nest("shuffle_order", "order words", "count")
def shuffle_order(n: NestBuilder) -> SequentialNest:
    """loop(order, words, count) -> 0: exchange place i of `order` with place i + words[i] % (count + 1 - i), for each
    i below `count`."""
    with n.each("i", n.count, vector=1) as i:
        left = (n.count + 1 - i).astype(uint32.np)
        other = i + (n.read(n.words, [(i, 4)], uint32) % left).astype(int64.np)
        a, b = n.read(n.order, [(i, 8)], int64), n.read(n.order, [(other, 8)], int64)
        n.put(n.order, [(i, 8)], b)
        n.put(n.order, [(other, 8)], a)
    return n.done()


@nest("shuffle_buffer", "out held words items", "count first number packed", of_arrays=True)
def shuffle_buffer(n: NestBuilder) -> SequentialNest:
    """loop(out, held, words, items, count, first, number, size | whether items come in << 62) -> 0.

    `held` is a ring of `size` places, of which `number` are in use from `first` on. In each of `count` steps the next
    item is put behind the last one, where items come in; then comes what is words[i] % number places behind the first
    one, which is moved there: the buffer of a shuffled dataset, `ops.datasets.random_order`.
    """
    come, size = (n.packed >> 62) != 0, n.packed & ((1 << 62) - 1)
    first, number = n.kept(n.first, int64), n.kept(n.number, int64)

    def around(place: Any) -> Any:
        return MODULE.where(place >= size, place - size, place)

    with n.each("i", n.count, vector=1) as i:
        with n.when(come):
            n.put(n.held, [(around(first + number), 8)], n.read(n.items, [(i, 8)], int64))
            n.keep(number, number + 1)
        place = around(first + n.read(n.words, [(i, 4)], uint32).astype(int64.np) % number)
        n.put(n.out, [(i, 8)], n.read(n.held, [(place, 8)], int64))
        n.put(n.held, [(place, 8)], n.read(n.held, [(first, 8)], int64))
        n.keep(number, number - 1)
        n.keep(first, around(first + 1))
    return n.done()
