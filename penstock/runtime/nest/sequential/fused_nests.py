"""Nests with elementwise groups in them, where they read an element or before they write one.

    add_made        out[place i] += f(...)[i]: f is computed where `add` reads a row
    add_runs_made   the same with sums in registers, as `add_runs`
    scan_rows       out[i] = g(f[0] + ... + f[i]), row after row; the sums are kept apart, in a row of their own
    scan_elements   the same along the last axis, with the sums in registers
    take_made       out[i] = g(rows[place i])
    take_sums       out[i] = rows[place i, 0] + rows[place i, 1] + ...

A group comes as an `ElementProgram`, a part of the key. Its operands are in a table: for each the address and, in
bytes, the strides of the axes outside of a row. So they may have strides of any kind there; along a row their elements
lie together, or are one number.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from ....graph.shapes.dtypes import DType, int64
from ...ir.element_program import ElementProgram
from ...ir.fused_ir import Value
from ...ir.scalar_ir import MODULE
from .index_nests import Element, add_indexed_runs, combine_rows, find_place, sizes_of_index
from .nest_builder import NestBuilder, Number, Stand, dtype_of_key, nest
from .sequential_ir import SequentialNest

_TOGETHER = (4, 1)
"""Rows that are added at a time."""


class ElementReader:
    """The elements that a program computes.

    Args:
        n: the nest.
        table: where the operands are.
        program: the program.
        outer: how many strides the table has for each operand.
        first: the number of the first operand in the table.
    """

    def __init__(self, n: NestBuilder, table: Stand, program: ElementProgram, outer: int, first: int = 0) -> None:
        self._nest = n
        self._program = program
        self._operands = {}
        for k, p in enumerate(program.read(), first):
            words = [n.read(table, [8 * ((1 + outer) * k + d)], int64) for d in range(1 + outer)]
            self._operands[p] = words
        self.after = first + len(self._operands)

    def at(self, positions: Sequence[Number], c: Number, own: Stand = None) -> Stand:
        """The element at these positions of the outer axes and at c of the row; own: the operand of the nest's own."""
        program, values = self._program, []
        for p, dtype in enumerate(program.inputs):
            if p == program.own:
                values.append(own)
                continue
            base, *strides = self._operands[p]
            place = [*zip(positions, strides, strict=True), *([(c, dtype.size)] if program.along[p] else [])]
            values.append(self._nest.read(base, place, dtype))
        for step in program.steps:
            args = tuple([values[a].value if isinstance(a, Value) else a for a in step.args])
            values.append(self._nest.write(step.primitive, args, step.dtype.np))
        return values[program.output]


@nest("add_made", "out table index sizes", "count row")
def add_made(n: NestBuilder, program: ElementProgram, dtype: str, width: int, kind: str, depth: int) -> SequentialNest:
    """loop(out, table, index, sizes, count, elements of a row): as "add"."""
    one = dtype_of_key(dtype)
    return combine_rows(n, operator.add, one, width or n.row, kind, depth, _computed_element(n, program, one))


@nest("add_runs_made", "out table index sizes", "count row")
def add_runs_made(n: NestBuilder, program: ElementProgram, dtype: str, width: int, kind: str) -> SequentialNest:
    """loop(out, table, index, sizes, count, elements of a row): as "add_runs", of real numbers."""
    one = dtype_of_key(dtype)
    return add_indexed_runs(n, one, width, kind, _computed_element(n, program, one))


def _computed_element(n: NestBuilder, program: ElementProgram, one: DType) -> Element:
    reader = ElementReader(n, n.table, program, 1)
    return lambda i, c: reader.at([i], c).astype(one.np)


@nest("scan_rows", "sums table", "images rows width")
def scan_rows(
    n: NestBuilder, before: ElementProgram, after: ElementProgram, ufunc: str, neutral: int, exclusive: bool
) -> SequentialNest:
    """loop(sums, table, images, rows, width) -> 0: running sums or products down the rows of each image.

    sums: memory for a row. table: address, stride of an image and of a row: of the result, then of the operands of
    `before` and of `after`. neutral: where an exclusive scan begins.
    """
    one, combine = before.dtype, getattr(MODULE, ufunc)
    out, reader, writer = _scan_operands(n, before, after)
    with n.each("k", n.images) as k:
        with n.each("c", n.width, parallel=True) as c:
            first = n.kept(neutral, one) if exclusive else reader.at([k, 0], c)
            n.put(n.sums, [(c, one.size)], first)
            n.put(out[0], [(k, out[1]), (c, after.dtype.size)], writer.at([k, 0], c, first))
        with n.each("i", n.rows - 1) as i, n.each("c", n.width, parallel=True) as c:
            x = reader.at([k, i if exclusive else i + 1], c)
            total = combine(n.read(n.sums, [(c, one.size)], one), x)
            n.put(n.sums, [(c, one.size)], total)
            place = [(k, out[1]), (i, out[2]), out[2], (c, after.dtype.size)]
            n.put(out[0], place, writer.at([k, i + 1], c, total))
    return n.done()


@nest("scan_elements", "table", "images rows")
def scan_elements(
    n: NestBuilder, before: ElementProgram, after: ElementProgram, ufunc: str, neutral: int, exclusive: bool
) -> SequentialNest:
    """loop(table, images, rows) -> 0: as "scan_rows" with a single column."""
    one, combine = before.dtype, getattr(MODULE, ufunc)
    out, reader, writer = _scan_operands(n, before, after)
    with n.each("k", n.images, together=_TOGETHER) as k:
        total = n.kept(neutral, one)
        if not exclusive:
            n.keep(total, reader.at([k, 0], 0))
        n.put(out[0], [(k, out[1])], writer.at([k, 0], 0, total))
        with n.each("i", n.rows - 1) as i:
            n.keep(total, combine(total, reader.at([k, i if exclusive else i + 1], 0)))
            n.put(out[0], [(k, out[1]), (i, out[2]), out[2]], writer.at([k, i + 1], 0, total))
    return n.done()


def _scan_operands(
    n: NestBuilder, before: ElementProgram, after: ElementProgram
) -> tuple[list[Any], ElementReader, ElementReader]:
    """Where the result is, what is read, and what is computed with the sums."""
    out = [n.read(n.table, [8 * d], int64) for d in range(3)]
    reader = ElementReader(n, n.table, before, 2, 1)
    return out, reader, ElementReader(n, n.table, after, 2, reader.after)


@nest("take_made", "out rows index sizes table", "count row")
def take_made(n: NestBuilder, program: ElementProgram, width: int, kind: str, depth: int) -> SequentialNest:
    """loop(out, rows, index, sizes, table, count, elements of a row): as "take"; `rows` is the program's own operand.
    """
    one, other, length = program.inputs[program.own], program.dtype, width or n.row
    sizes = sizes_of_index(n, depth)
    made = ElementReader(n, n.table, program, 1)
    with n.each("i", n.count) as i:
        place = find_place(n, i, kind, sizes)
        with n.each("c", length, parallel=True) as c:
            x = n.read(n.rows, [(place, length * one.size), (c, one.size)], one)
            n.put(n.out, [(i, length * other.size), (c, other.size)], made.at([i], c, x))
    return n.done(n.count)


@nest("take_sums", "out rows index sizes", "count each_row row")
def take_sums(n: NestBuilder, dtype: str, width: int, kind: str, depth: int) -> SequentialNest:
    """loop(out, rows, index, sizes, count, index vectors of a sum, elements of a row) -> sums done: `count`.

    out[i] = 0 + rows[place i, 0] + rows[place i, 1] + ... width: elements of a row that are a vector; 0: any number.
    """
    one, length = dtype_of_key(dtype), width or n.row
    sizes, step = sizes_of_index(n, depth), length * one.size
    with n.each("i", n.count) as i:
        if width:
            with n.each("c", width, lanes=[width]) as c:
                total = n.kept(0, one)
                with n.each("k", n.each_row) as k:
                    place = find_place(n, i * n.each_row + k, kind, sizes, i)
                    n.keep(total, total + n.read(n.rows, [(place, step), (c, one.size)], one))
                n.put(n.out, [(i, step), (c, one.size)], total)
        else:
            with n.each("c", length, parallel=True) as c:
                n.put(n.out, [(i, step), (c, one.size)], n.kept(0, one))
            with n.each("k", n.each_row) as k:
                place = find_place(n, i * n.each_row + k, kind, sizes, i)
                with n.each("c", length, parallel=True) as c:
                    x = n.read(n.rows, [(place, step), (c, one.size)], one)
                    n.put(n.out, [(i, step), (c, one.size)], n.read(n.out, [(i, step), (c, one.size)], one) + x)
    return n.done(n.count)
