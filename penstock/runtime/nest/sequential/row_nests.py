"""Nests that move, choose and convert: rows between arrays with different strides, elements by a condition, casts.

    join            rows of several arrays one after another: concat and tile along the last axis
    cut             the inverse: every part of a split along the last axis, in one pass
    zip, unzip      elements of a few arrays side by side, and back
    transpose       two dimensions exchanged, in blocks in registers
    copy_rows       strided rows into contiguous rows: one part of a split along the last axis
    part            rows to the parts that labels name; part_by_lines: to hundreds of them; count_labels: how many
    pick            row i of the array that index[i] names: multiplex; select with a condition for whole rows
    select          one of two elements by a condition
    cast            elements of another dtype, where NumPy is slow
    reverse_starts  the first elements of each row reversed
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from typing import Any, Final

from ....graph.shapes.dtypes import bool_, float32, int64, uint32
from ...ir.scalar_ir import HALVES, MODULE
from ...kernels.loops.transpose_loop import side_of
from .nest_builder import NestBuilder, Number, bits_of, dtype_of_key, nest
from .sequential_ir import SequentialNest

_BLOCK: Final = 4096
"""Labels that are narrowed before they are counted."""
_COUNTED: Final = 4
"""Labels that are counted in one round."""
_WOVEN: Final = 32
"""Bytes of each part that are woven at a time."""


@nest("join", "out addresses strides", "count")
def join(n: NestBuilder, widths: tuple[int, ...]) -> SequentialNest:
    """loop(out, addresses, strides, count) -> 0: out[i] is row i of each array, one behind the other.

    widths: the bytes of a row of each array. addresses, strides: int64, of each array, the strides in bytes.
    """
    return join_rows(n, widths, [n.read(n.strides, [8 * p], int64) for p in range(len(widths))])


def join_rows(n: NestBuilder, widths: Sequence[Number], strides: Sequence[Number]) -> SequentialNest:
    """Row i of each array at `addresses`, one behind the other, into row i of `out`."""
    parts = [n.read(n.addresses, [8 * p], int64) for p in range(len(widths))]
    starts, whole = _starts(widths)
    with n.each("i", n.count) as i:
        for part, start, width, stride in zip(parts, starts, widths, strides, strict=True):
            n.put(n.out, [(i, whole), start], n.read_row(part, [(i, stride)], width))
    return n.done()


def _starts(widths: Sequence[Number]) -> tuple[list[Number], Number]:
    """Where each of some rows that lie one behind the other begins, and where they end."""
    *starts, whole = accumulate(widths)
    return [0, *starts], whole


@nest("cut", "x addresses", "count stride")
def cut(n: NestBuilder, row_bytes: int, parts: int) -> SequentialNest:
    """loop(x, addresses, count, stride of x) -> 0: row i of part p is what lies p rows behind byte i * stride of x.

    addresses: int64, of each part; the parts have no gaps.
    """
    return cut_rows(n, [row_bytes] * parts, n.stride)


def cut_rows(n: NestBuilder, widths: Sequence[Number], stride: Number) -> SequentialNest:
    """The inverse of `join_rows`, for parts without gaps; stride: the bytes from row to row of `x`."""
    parts = [n.read(n.addresses, [8 * p], int64) for p in range(len(widths))]
    with n.each("i", n.count) as i:
        for part, start, width in zip(parts, _starts(widths)[0], widths, strict=True):
            n.put(part, [(i, width)], n.read_row(n.x, [(i, stride), start], width))
    return n.done()


@nest("copy_rows", "out x", "count stride images x_image row")
def copy_rows(n: NestBuilder, row_bytes: int) -> SequentialNest:
    """loop(out, x, count, stride of x, images, image of x, bytes of a row) -> 0.

    Row i of image k of `x` becomes row k * count + i of `out`, which has no gaps. Strides are in bytes.
    """
    row = row_bytes or n.row
    with n.each("k", n.images) as k, n.each("i", n.count) as i:
        n.put(n.out, [(k * n.count + i, row)], n.read_row(n.x, [(k, n.x_image), (i, n.stride)], row))
    return n.done()


@nest("pick", "out addresses index", "count arrays row")
def pick(n: NestBuilder, row_bytes: int, kind: str) -> SequentialNest:
    """loop(out, addresses, index, count, arrays, bytes of a row) -> rows done: `count` if all of `index` are in range.

    out[i] = array index[i] [i]. addresses: int64, of each array. kind: "i4", "i8", or "b1" for bools, of which each
    that is not 0 is True. It stops at the first index that names no array.
    """
    row, dtype = row_bytes or n.row, dtype_of_key(kind)
    with n.each("i", n.count) as i:
        chosen = n.read(n.index, [(i, dtype.size)], dtype).astype(int64.np)
        n.check(chosen, n.arrays, i)
        n.put(n.out, [(i, row)], n.read_row(n.read(n.addresses, [(chosen, 8)], int64), [(i, row)], row))
    return n.done(n.count)


@nest("part", "places rows labels", "count row")
def part(n: NestBuilder, row_bytes: int, label_bytes: int) -> SequentialNest:
    """loop(places, rows, narrow labels, number of labels, bytes of a row) -> 0.

    places: for each part the address where its next row goes; it moves on.
    """
    row, dtype = row_bytes or n.row, dtype_of_key(f"u{label_bytes}")
    with n.each("i", n.count) as i:
        label = n.read(n.labels, [(i, label_bytes)], dtype).astype(int64.np)
        to = n.read(n.places, [(label, 8)], int64)
        n.put(to, [], n.read_row(n.rows, [(i, row)], row))
        n.put(n.places, [(label, 8)], to + row)
    return n.done()


@nest("count_labels", "counts narrow labels", "count parts")
def count_labels(n: NestBuilder, tables: int, label_bytes: int) -> SequentialNest:
    """loop(counts, narrow, labels, number of labels, parts) -> the largest label, read as a number without a sign.

    counts: i64 [tables, parts], zeros; of no use if a label is out of range. Several tables, used in turn, since a
    counter that was just written is not yet there to be read: 1e7 equal labels 4.5 ms instead of 6.0.
    narrow: the labels in `label_bytes` each; one out of range becomes the last one. Another thread may write into
    labels that were fed, so what moves rows reads only these: no checks, and less memory passes.

    A block is narrowed, in vectors, before it is counted: stores that miss the cache would hold up the counters behind
    them (all of a partition of 1e7 float32 into 16: 15 ms instead of 25).
    """
    short, largest, begin = dtype_of_key(f"u{label_bytes}"), n.kept(0, uint32), n.kept(0, int64)
    top = n.parts.astype(uint32.np) - 1

    def count_one(position: Any, table: int) -> None:
        label = n.read(n.narrow, [(begin, label_bytes), (position, label_bytes)], short).astype(int64.np)
        counter = [(n.parts, 8 * table), (label, 8)]
        n.put(n.counts, counter, n.read(n.counts, counter, int64) + 1)

    with n.repeat():
        n.leave(begin >= n.count)
        size = MODULE.minimum(n.count - begin, _BLOCK)
        with n.each("k", size, parallel=True) as k:
            label = n.read(n.labels, [(begin, 4), (k, 4)], uint32)
            n.keep(largest, MODULE.maximum(largest, label))
            narrowed = MODULE.minimum(label, top).astype(short.np)
            n.put(n.narrow, [(begin, label_bytes), (k, label_bytes)], narrowed)
        whole = size // _COUNTED
        with n.each("i", whole, vector=1) as i:
            for q in range(_COUNTED):
                count_one(i * _COUNTED + q, q % tables)
        with n.each("i", size - whole * _COUNTED, vector=1) as i:
            count_one(whole * _COUNTED + i, 0)
        n.keep(begin, begin + size)
    return n.done(largest.astype(int64.np))


@nest("part_by_lines", "places starts lines rows labels", "count parts")
def part_by_lines(n: NestBuilder, row_bytes: int, label_bytes: int) -> SequentialNest:
    """loop(places, starts, lines, elements, narrow labels, number of labels, parts) -> 0.

    With hundreds of parts, each element goes to another page. So those of a part are collected in a line of 64 bytes in
    the cache, and the line is written to memory at once, past the caches. places, starts: the address of the next and
    of the first element of each part, multiples of `row_bytes`. lines: 64 * parts bytes, aligned to 64.
    """
    bits, labels = bits_of(row_bytes), dtype_of_key(f"u{label_bytes}")

    def write_some(start: Any, end: Any, part: Any) -> None:
        with n.each("e", (end - start) // row_bytes, vector=1) as e:
            to = start + e * row_bytes
            n.put(to, [], n.read(n.lines, [(part, 64), to & 63], bits))

    with n.each("i", n.count, vector=1) as i:
        part = n.read(n.labels, [(i, label_bytes)], labels).astype(int64.np)
        place = n.read(n.places, [(part, 8)], int64)
        n.put(n.places, [(part, 8)], place + row_bytes)
        n.put(n.lines, [(part, 64), place & 63], n.read(n.rows, [(i, row_bytes)], bits))
        with n.when((place & 63) == 64 - row_bytes):
            start, line = n.read(n.starts, [(part, 8)], int64), place & -64
            with n.when(line >= start):
                n.put(line, [], n.read_row(n.lines, [(part, 64)], 64), past_caches=True)
            with n.when(line < start):
                write_some(start, line + 64, part)
    with n.each("f", n.parts) as f:
        end = n.read(n.places, [(f, 8)], int64)
        write_some(MODULE.maximum(end & -64, n.read(n.starts, [(f, 8)], int64)), end, f)
    return n.done()


@nest("zip", "whole addresses strides", "count images part_image whole_image")
def weave(n: NestBuilder, itemsize: int, parts: int) -> SequentialNest:
    """loop(whole, addresses, strides, count, images, image of a part, image of whole) -> 0.

        a0 a1 a2 ..., b0 b1 b2 ..., c0 c1 c2 ...   ->   a0 b0 c0 a1 b1 c1 a2 b2 c2 ...

    whole[k, i, p] = part p [k, i] for i < count, k < images, p < parts. addresses, strides: int64, of each part, the
    strides in bytes; LLVM makes shuffles of vectors where the stride of all is an element's size. Image strides are in
    bytes. Stacking along the last axis is a zip, and so is NCHW to NHWC with few channels.
    """
    return _woven(n, itemsize, parts, is_zip=True)


@nest("unzip", "whole addresses strides", "count images part_image whole_image")
def unweave(n: NestBuilder, itemsize: int, parts: int) -> SequentialNest:
    """The same backwards: the parts are written."""
    return _woven(n, itemsize, parts, is_zip=False)


def _woven(n: NestBuilder, size: int, parts: int, is_zip: bool) -> SequentialNest:
    starts, steps = ([n.read(x, [8 * p], int64) for p in range(parts)] for x in (n.addresses, n.strides))
    dense = reduce(operator.and_, [step == size for step in steps])
    for is_dense in (True, False):
        # Gathers and scatters of strided elements would take up to twice as long as one element after the other.
        how: Any = {"parallel": True, "vector": _WOVEN // size} if is_dense else {"vector": 1}
        condition = dense if is_dense else MODULE.logical_not(dense)
        with n.when(condition), n.each("k", n.images) as k, n.each("i", n.count, **how) as i:
            for p, (start, step) in enumerate(zip(starts, steps, strict=True)):
                part: tuple[Any, Any] = start, [(k, n.part_image), (i, size if is_dense else step)]
                place: tuple[Any, Any] = n.whole, [(k, n.whole_image), (i, parts * size), p * size]
                to, source = (place, part) if is_zip else (part, place)
                n.put(*to, n.read(*source, bits_of(size)))
    return n.done()


@nest("transpose", "out x", "rows columns x_row out_row images x_image out_image strip")
def transpose(n: NestBuilder, itemsize: int, most: int) -> SequentialNest:
    """loop(out, x, rows, columns, row of x, row of out, images, image of x, image of out, strip) -> 0.

    out[k, j, i] = x[k, i, j] for i < rows, j < columns, k < images, both of which hold their last dimension without
    gaps; strides are in bytes. most: 16, 8 or 4; rows and columns are not fewer. strip is a number of rows of x, and a
    multiple of 16.

    Blocks at the far edges are moved inwards until they fit, so that some elements are written twice, with the same
    value. A strip of blocks runs along the rows of the result, where writing is in order; it ends after some thousand
    bytes, so that the lines which the next strip reads again are still in the cache.
    """
    side, start = side_of(itemsize, most), n.kept(0, int64)
    with n.each("k", n.images, vector=1) as k:
        n.keep(start, 0)
        with n.repeat():
            n.leave(start >= n.rows)
            end = MODULE.minimum(start + n.strip, n.rows)
            with n.each("c", (n.columns + side - 1) // side, vector=1) as c:
                j = MODULE.minimum(c * side, n.columns - side)
                with n.each("r", (end - start + side - 1) // side, vector=1) as r:
                    i = MODULE.minimum(start + r * side, n.rows - side)
                    n.call(f"exchange{itemsize}", (n.out, [(k, n.out_image), (j, n.out_row), (i, itemsize)]),
                           (n.x, [(k, n.x_image), (i, n.x_row), (j, itemsize)]), n.x_row, n.out_row)  # fmt: skip
            n.keep(start, end)
    return n.done()


@nest("select", "out condition t e", "count")
def select(n: NestBuilder, itemsize: int) -> SequentialNest:
    """loop(out, condition, t, e, count) -> 0: out[i] = t[i] where byte i of `condition` is not 0, else e[i]."""
    with n.each("i", n.count, parallel=True) as i:
        t, e = (n.read(x, [(i, itemsize)], bits_of(itemsize)) for x in (n.t, n.e))
        n.put(n.out, [(i, itemsize)], MODULE.where(n.read(n.condition, [i], bool_), t, e))
    return n.done()


@nest("cast", "out x", "count")
def cast(n: NestBuilder, source: str, target: str) -> SequentialNest:
    """loop(out, x, count) -> 0: x in another dtype, for dtypes where NumPy is slow.

    To and from 16-bit floats, and floats to ints and bools. A value that becomes a 16-bit float is rounded to float32
    first. Dtypes have NumPy's short names; bfloat16 is "bf".
    """
    one, other = dtype_of_key(source), dtype_of_key(target)
    number = float32 if one in HALVES else one
    if not (other in HALVES or other.is_bool or number is other or (number.is_floating and not other.is_floating)
            or (number is float32 and other.size == 8)):  # fmt: skip
        raise ValueError(f"cast: there is no loop from {source} to {target}; NumPy's own is as fast")
    with n.each("i", n.count, parallel=True) as i:
        x = n.read(n.x, [(i, one.size)], one)
        n.put(n.out, [(i, other.size)], (x.astype(float32.np) if other in HALVES else x).astype(other.np))
    return n.done()


@nest("reverse_starts", "out x lengths", "rows width row")
def reverse_starts(n: NestBuilder, element_bytes: int, kind: str, width: int) -> SequentialNest:
    """loop(out, x, lengths, rows, width, bytes of an element) -> rows done: all, if all lengths are in range.

    The first lengths[i] elements of row i are turned around, the others kept. It stops at the first length that is
    negative or greater than the width. element_bytes: 0 if there are many. kind: of the lengths, "i4" or "i8".
    width: if rows are turned in registers, else 0.

    In registers, those elements of memory that end where the start of a row ends are read backwards and chosen for the
    first places. What is read begins before the row, so the first row goes element by element, as long rows do.

        length 3    memory   . . . r s | a b c d e          (r, s: the end of the row before)
                               [r s a b c]  backwards:  c b a s r
                                            and the row:  a b c d e   ->   c b a d e
    """
    size, dtype = element_bytes or n.row, dtype_of_key(kind)
    row = n.width * size
    with n.each("i", n.rows) as i:
        length = n.read(n.lengths, [(i, dtype.size)], dtype).astype(int64.np)
        n.check(length, n.width + 1, i)
        if not width:
            _by_elements(n, i, length, row, size)
        else:
            with n.when(i == 0):
                _by_elements(n, i, length, row, size)
            with n.when(i != 0), n.each("t", width, lanes=[width]) as t:
                bits = bits_of(element_bytes)
                turned = n.read(n.x, [(i, row), (length, size), -size, (t, -size)], bits)
                rest = n.read(n.x, [(i, row), (t, size)], bits)
                is_start = t.astype(bits.np) < length.astype(bits.np)
                n.put(n.out, [(i, row), (t, size)], MODULE.where(is_start, turned, rest))
    return n.done(n.rows)


def _by_elements(n: NestBuilder, i: Any, length: Any, row: Any, size: Any) -> None:
    rest = [(i, row), (length, size)]
    n.put(n.out, rest, n.read_row(n.x, rest, row - length * size))
    with n.each("t", length) as t:
        n.put(n.out, [(i, row), (t, size)], n.read_row(n.x, [(i, row), (length - 1 - t, size)], size))
