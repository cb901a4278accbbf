"""Sequential nests of kernels that only a GPU has: joins of any widths, maps of an array, stitches.

join, cut          rows of several arrays one behind the other, and back; on the CPU the widths are in the key
pad                an array with zeros around it
reverse_sequence   the first elements of each row in reverse order
claim, fetch       a stitch: which row of the data comes last at each place, then that row
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any, Final

from ...graph.shapes.dtypes import int32, int64
from ..ir.scalar_ir import MODULE
from ..nest.sequential.nest_builder import NestBuilder, bits_of, dtype_of_key
from ..nest.sequential.row_nests import cut_rows, join_rows
from ..nest.sequential.sequential_ir import SequentialNest

_AXES: Final = "abcdefghijklmnopqrstuvwxyz"


def _numbers(n: NestBuilder, letter: str, count: int) -> list[Any]:
    return [getattr(n, f"{letter}{k}") for k in range(count)]


def _names(letter: str, count: int) -> str:
    return " ".join([f"{letter}{k}" for k in range(count)])


@cache
def join_nest(count: int) -> SequentialNest:
    """join(out, addresses, rows, bytes of a row of each array)."""
    n = NestBuilder("join", "out addresses", f"count {_names('w', count)}")
    widths = _numbers(n, "w", count)
    return join_rows(n, widths, widths)


@cache
def cut_nest(count: int) -> SequentialNest:
    """cut(x, addresses, rows, bytes of a row of each part)."""
    n = NestBuilder("cut", "x addresses", f"count {_names('w', count)}")
    widths = _numbers(n, "w", count)
    *_, whole = accumulate(widths)
    return cut_rows(n, widths, whole)


@cache
def pad_nest(rank: int, size: int) -> SequentialNest:
    """pad(out, x, sizes of out, sizes of x, elements before): along `rank` axes, of elements of `size` bytes."""
    n = NestBuilder("pad", "out x", " ".join([_names(letter, rank) for letter in "dcb"]))
    sizes, own, before = (_numbers(n, letter, rank) for letter in "dcb")
    to, source = _steps(sizes, size), _steps(own, size)

    def level(positions: list[Any]) -> None:
        k = len(positions)
        if k < rank:
            with n.each(_AXES[k], sizes[k], parallel=True) as position:
                level([*positions, position])
            return
        at = [position - b for position, b in zip(positions, before, strict=True)]
        inside = None
        for place, width in zip(at, own, strict=True):
            within = (place >= 0) & (place < width)
            inside = within if inside is None else inside & within
        nearest = [MODULE.maximum(MODULE.minimum(a, width - 1), 0) for a, width in zip(at, own, strict=True)]
        x = n.read(n.x, list(zip(nearest, source, strict=True)), bits_of(size))
        n.put(n.out, list(zip(positions, to, strict=True)), MODULE.where(inside, x, x.dtype.type(0)))

    level([])
    return n.done()


def _steps(sizes: Sequence[Any], size: int) -> list[Any]:
    """The bytes from one element to the next along each axis."""
    return [*accumulate(reversed(sizes[1:]), lambda a, b: a * b, initial=size)][::-1]


@cache
def reverse_sequence_nest(kind: str) -> SequentialNest:
    """reverse_sequence(out, x, lengths, batch, between, width, bytes of an element).

    out[b, m, t] = x[b, m, length - 1 - t] for t < length, else x[b, m, t]; the length is lengths[b].
    """
    n, dtype = NestBuilder("reverse_sequence", "out x lengths", "batch between width row"), dtype_of_key(kind)
    line = n.width * n.row
    with n.each("b", n.batch, parallel=True) as b:
        length = n.read(n.lengths, [(b, dtype.size)], dtype).astype(int64.np)
        with n.each("m", n.between, parallel=True) as m, n.each("t", n.width, parallel=True) as t:
            source = MODULE.where(t < length, length - 1 - t, t)
            row = n.read_row(n.x, [(b * n.between + m, line), (source, n.row)], n.row)
            n.put(n.out, [(b * n.between + m, line), (t, n.row)], row)
    return n.done()


@cache
def claim_nest() -> SequentialNest:
    """claim(owner, table, rows, lists): owner[place of row i] = i, the largest of equal places.

    table: for each list the address of its places, int32, the address of its rows, and the number of its first row.
    owner: int32, -1 where there is no row yet.
    """
    n = NestBuilder("claim", "owner table", "count lists")
    with n.each("i", n.count) as i:
        which, within = _list_of(n, i)
        place = n.read(n.read(n.table, [(which, 8)], int64), [(within, 4)], int32).astype(int64.np)
        last = n.read(n.owner, [(place, 4)], int32)
        n.put(n.owner, [(place, 4)], MODULE.maximum(last, i.astype(int32.np)))
    return n.done()


@cache
def fetch_nest() -> SequentialNest:
    """fetch(out, owner, table, height, lists, rows, bytes of a row): out[o] = row owner[o]."""
    n = NestBuilder("fetch", "out owner table", "height lists count row")
    with n.each("o", n.height) as o:
        i = n.read(n.owner, [(o, 4)], int32).astype(int64.np)
        n.check(i, n.count, o)
        which, within = _list_of(n, i)
        rows = n.read(n.table, [(n.lists + which, 8)], int64)
        n.put(n.out, [(o, n.row)], n.read_row(rows, [(within, n.row)], n.row))
    return n.done(n.height)


def _list_of(n: NestBuilder, i: Any) -> tuple[Any, Any]:
    """The list that row i belongs to, and its number there."""
    low, high = n.kept(0, int64), n.kept(n.lists, int64)
    with n.repeat():
        n.leave(high - low <= 1)
        middle = (low + high) >> 1
        is_there = n.read(n.table, [(n.lists * 2 + middle, 8)], int64) <= i
        n.keep(high, MODULE.where(is_there, high, middle))
        n.keep(low, MODULE.where(is_there, middle, low))
    return low, i - n.read(n.table, [(n.lists * 2 + low, 8)], int64)
