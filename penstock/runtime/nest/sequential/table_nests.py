"""Nests that tables tell what to do: groups over strided operands or in turns for a join, sorted lists that are merged.
"""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any, Final

from ....graph.shapes.dtypes import int32, int64, uint8, uint32
from ...ir.scalar_ir import MODULE
from ...kernels.loops.loop_keys import BLOCK, IN_REGISTER, LARGE_BLOCK, MANY_LISTS, ROWS_OF_LIST
from ...kernels.loops.strided_rows_loop import AHEAD as TURN_AHEAD
from ...kernels.loops.strided_rows_loop import FIELDS, GATHERED, HEAD, ROWS, TRANSPOSED
from ...kernels.loops.transpose_loop import side_of
from ...kernels.loops.woven_rows import AHEAD, COPY, LINES, MOST
from .nest_builder import NestBuilder, bits_of, nest
from .sequential_ir import SequentialNest

_LINE: Final = 64
"""Bytes of a line of the cache."""
_TOGETHER: Final = 4
"""Indices that are compared at a time."""
_LISTS_AHEAD: Final = 8
"""Lists between the one that is read and the one that is fetched; 16 gave the same, 4 took a tenth longer."""


@nest("woven_rows", "table", "first last")
def woven_rows(n: NestBuilder) -> SequentialNest:
    """loop(table, first, last) -> 0: the rows `first` to `last` of all parts. table: `woven_rows.table_of`."""
    args, steps, dims = n.own_memory(8 * MOST), n.own_memory(8 * MOST), n.own_memory(8)
    parts, at = n.read(n.table, [0], int64), n.kept(0, int64)
    with n.each("r", n.last - n.first, vector=1) as r:
        i = n.first + r
        n.keep(at, 8)
        with n.each("p", parts, vector=1):
            code, length, count = (n.read(n.table, [at, 8 * k], int64) for k in range(3))
            n.put(dims, [], length)
            with n.each("k", count, vector=1) as k:
                address, by_row, step, index = (n.read(n.table, [at, (k, 32), 24 + 8 * f], int64) for f in range(4))
                row = n.kept(i, int64)
                with n.when(index != 0):
                    n.keep(row, n.read(index, [(i, 8)], int64))
                    soon = n.read(index, [(MODULE.minimum(i + AHEAD, n.last - 1), 8)], int64)
                    for line in range(LINES):
                        n.fetch(address, [(soon, by_row), _LINE * line])
                n.put(args, [(k, 8)], address + row * by_row)
                n.put(steps, [(k, 8)], step)
            with n.when(code == COPY):
                source, target = (n.read(args, [8 * k], int64) for k in range(2))
                n.put(target, [], n.read_row(source, [], length))
            with n.when(code != COPY):
                n.call(code, (args, []), (dims, []), (steps, []), 0)
            n.keep(at, at + 24 + count * 32)
    return n.done()


@nest("strided_rows", "table", "code scratch first last")
def strided_rows(n: NestBuilder, transposed: tuple[int, ...], gathered: tuple[int, ...]) -> SequentialNest:
    """loop(table, address of the code, address of scratch memory, first, last) -> 0: the blocks `first` to `last` of
    all images: see `kernels.loops.strided_rows_loop`.

    transposed, gathered: the bytes of the elements of such operands.
    """
    rows, columns, count, blocks, most = (n.read(n.table, [8 * k], int64) for k in range(HEAD))
    args, steps, onward, sources = (n.own_memory(8 * MOST) for _ in range(4))
    dims, at, room = n.own_memory(8), n.kept(0, int64), most + ROWS

    def field(k: Any, number: int) -> Any:
        return n.read(n.table, [(k, 8 * FIELDS), 8 * (HEAD + number)], int64)

    with n.each("s", count, vector=1) as s:
        n.put(steps, [(s, 8)], field(s, FIELDS - 1))
    with n.repeat():
        n.leave(at >= columns)
        m = MODULE.where(columns - at <= room, columns - at, most)
        n.put(dims, [], m)
        with n.each("b", n.last - n.first, vector=1) as b:
            image, number = (n.first + b) // blocks, (n.first + b) % blocks
            row = number * ROWS
            whole = MODULE.minimum(row, MODULE.maximum(rows - ROWS, 0))  # where a block of all its rows begins
            with n.each("k", count, vector=1) as k:
                address, by_image, by_row, by_column, size, kind, place = (field(k, f) for f in range(FIELDS - 1))
                is_turned, is_gathered = kind == TRANSPOSED, kind == GATHERED
                first = MODULE.where(is_turned, whole, row)
                source = address + image * by_image + first * by_row + at * by_column
                to, width = n.scratch + place, room * size
                near = MODULE.where(is_gathered, to, source)
                n.put(args, [(k, 8)], MODULE.where(is_turned, to + width * (row - whole), near))
                n.put(onward, [(k, 8)], MODULE.where(is_turned, width, MODULE.where(is_gathered, 0, by_row)))
                n.put(sources, [(k, 8)], MODULE.where(is_gathered, source, 0))
                for each in transposed:
                    with n.when(is_turned & (size == each)):
                        _turn(n, to, source, by_column, m, width, each)
            with n.each("r", MODULE.minimum(rows - row, ROWS), vector=1):
                if gathered:
                    with n.each("g", count, vector=1) as g:
                        source = n.read(sources, [(g, 8)], int64)
                        with n.when(source != 0):
                            n.put(sources, [(g, 8)], source + field(g, 2))
                            to, size = n.read(args, [(g, 8)], int64), field(g, 4)
                            for each in gathered:
                                with n.when(size == each):
                                    _gather(n, to, source, field(g, 3), m, each)
                n.call(n.code, (args, []), (dims, []), (steps, []), 0)
                with n.each("o", count, vector=1) as o:
                    n.put(args, [(o, 8)], n.read(args, [(o, 8)], int64) + n.read(onward, [(o, 8)], int64))
        n.keep(at, at + m)
    return n.done()


def _turn(n: NestBuilder, to: Any, source: Any, stride: Any, m: Any, width: Any, size: int) -> None:
    """m elements of 16 rows that lie element beside element, to rows of `width` bytes."""
    side = side_of(size)
    with n.each("q", ROWS // side, vector=1) as q, n.each("c", (m + side - 1) // side, vector=1) as c:
        column = MODULE.minimum(c * side, m - side)
        for k in range(side):
            n.fetch(source, [(q, side * size), (column, stride), (stride, k), TURN_AHEAD])
        n.call(f"exchange{size}", (to, [(q * side, width), (column, size)]),
               (source, [(q, side * size), (column, stride)]), stride, width)  # fmt: skip


def _gather(n: NestBuilder, to: Any, source: Any, stride: Any, m: Any, size: int) -> None:
    """m elements that lie `stride` bytes apart, backwards and every second one by vectors.

    What lies backwards is read forwards and written backwards: the processor fetches ahead over the ends of rows.
    """
    bits, steps = bits_of(size), (-size, 2 * size)
    for step in steps:
        with n.when(stride == step), n.each("v", m, parallel=True, vector=64 // size) as v:
            at = m - 1 - v if step < 0 else v
            n.put(to, [(at, size)], n.read(source, [(at, step)], bits))
    with n.when((stride != steps[0]) & (stride != steps[1])), n.each("v", m, vector=1) as v:
        n.put(to, [(v, size)], n.read(source, [(v, stride)], bits))


@nest("merge", "result scratch indices rows counts dones", "lists low height row")
def merge(n: NestBuilder, row_bytes: int, in_scratch: bool) -> SequentialNest:
    """loop(result, scratch, indices, rows, counts, dones, lists, low, height, row) -> 1, or 0 after a step back.

    The lists that `dynamic_partition` gives are sorted. They are merged block by block of the result: a block is
    cleared, filled from every list, and written to memory once. Rows that stand earlier than the block at hand end the
    attempt, as the order of equal indices would be lost: then the caller puts one list after the other (`put`). Four
    indices are compared at a time, and some lists further on is fetched what this block or the next reads of them.

    Fills rows `low` to `height` of the result. scratch: `LARGE_BLOCK` bytes, of use if `in_scratch`; then the bytes of
    a row divide 64, and row `low` begins at a multiple of 64 bytes, as does the scratch. indices, rows: addresses, one
    for each list, of int32s and rows. counts: i64, the entries of each. dones: i64, the entries of each that stand
    before `low`; the loop counts in it, and the caller compares it with what it should be. row: the bytes of a row.

    A block stays in the first cache if it has `ROWS_OF_LIST` rows of each list there. So that each list's lines are
    there when they are read, those further on in it are fetched as well: the processor follows few lists by itself.
    Milliseconds for 1e7 float32 in 2, 16, 64 and 1,000 lists: 5.6, 9.6, 9.9 and 18, a copy takes 3.4; in blocks of 64
    KiB (256 for 1,000) without fetching in a list 9.0, 16.5, 15.2, 18.
    """
    row, begin = row_bytes or n.row, n.kept(n.low, int64)
    block = MODULE.minimum(MODULE.maximum(n.lists * row * ROWS_OF_LIST, BLOCK), LARGE_BLOCK)
    step = MODULE.maximum(block // row, 1)
    bytes_ahead = MODULE.where(n.lists < MANY_LISTS, 512, 256)
    ahead = MODULE.minimum(n.lists - 1, _LISTS_AHEAD)
    base: Any = n.scratch if in_scratch else n.result
    with n.repeat():
        n.leave(begin >= n.height)
        size, start = MODULE.minimum(n.height - begin, step), [] if in_scratch else [(begin, row)]
        with n.each("z", size * row, parallel=True) as z:
            n.put(base, [*start, z], n.kept(0, uint8))
        with n.each("m", n.lists, vector=1) as m:
            count, index, source = (n.read(of, [(m, 8)], int64) for of in (n.counts, n.indices, n.rows))
            i, following = n.kept(n.read(n.dones, [(m, 8)], int64), int64), m + ahead
            following = MODULE.where(following < n.lists, following, following - n.lists)
            for of, width in ((n.indices, 4), (n.rows, row)):
                for line in (0, _LINE):
                    done = n.read(n.dones, [(following, 8)], int64)
                    n.fetch(n.read(of, [(following, 8)], int64), [(done, width), line])

            def move(place: Any, number: Any, source: Any = source, start: Any = start) -> None:
                n.put(base, [*start, (place, row)], n.read_row(source, [(number, row)], row))

            with n.repeat():
                n.leave(i + _TOGETHER > count)
                places = [n.read(index, [(i, 4), 4 * q], uint32) - begin.astype(uint32.np) for q in range(_TOGETHER)]
                are_here = [place < size.astype(uint32.np) for place in places]
                n.leave(MODULE.logical_not(reduce(operator.and_, are_here)))
                for q, place in enumerate(places):
                    move(place.astype(int64.np), i + q)
                if row_bytes in IN_REGISTER:
                    n.fetch(index, [(i, 4), bytes_ahead])
                    n.fetch(source, [(i, row), bytes_ahead])
                n.keep(i, i + _TOGETHER)
            with n.repeat():
                n.leave(i >= count)
                place = n.read(index, [(i, 4)], int32).astype(int64.np) - begin
                n.check(place, 1 << 62, 0)
                n.leave(place >= size)
                move(place, i)
                n.keep(i, i + 1)
            n.put(n.dones, [(m, 8)], i)
        if in_scratch:
            lines, rest = size * row // _LINE, size * row & _LINE - 1
            with n.each("w", lines, vector=1) as w:
                line = n.read_row(n.scratch, [(w, _LINE)], _LINE)
                n.put(n.result, [(begin, row), (w, _LINE)], line, past_caches=True)
            n.put(n.result, [(begin, row), (lines, _LINE)], n.read_row(n.scratch, [(lines, _LINE)], rest))
        n.keep(begin, begin + size)
    return n.done(1)
