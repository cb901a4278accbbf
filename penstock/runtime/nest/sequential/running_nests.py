"""Nests of running sums and products, and of sums over the first axes.

    running_sums           out[k, i + 1] = out[k, i] + x[k, i], row after row, in the order of memory
    running_sums_of_rows   the same along the last axis; an addition waits for the one before it, so four rows at a time
    column_sums            out[j] = 0 + x[0, j] + x[1, j] + ..., in registers

NumPy goes down one column after the other, and reads a line of the cache for each element; for sums of columns it calls
an inner loop for each row.
"""

from __future__ import annotations

from ...ir.scalar_ir import MODULE
from .index_nests import elements
from .nest_builder import NestBuilder, dtype_of_key, nest
from .sequential_ir import SequentialNest

_TOGETHER = (4, 1)
"""Rows that are added at a time."""
_BLOCKS = (128, 16, 1)
"""Columns that are summed at a time in wide rows."""


@nest("running_sums", "out x", "rows width out_row x_row images out_image x_image")
def running_sums(n: NestBuilder, dtype: str, in_place: bool, ufunc: str = "add") -> SequentialNest:
    """loop(out, x, rows, width, row of out, row of x, images, image of out, image of x) -> 0.

    out[k, i + 1] = out[k, i] + x[k, i] for i < rows, k < images, each sum rounded to the dtype. in_place: out[k] =
    out[k] + x[k, i] instead. Strides are in bytes; the elements of a row lie side by side. dtype: as in "add". ufunc:
    "add", or "multiply" of real numbers.
    """
    one, length = elements(dtype, n.width)
    with n.each("k", n.images) as k, n.each("i", n.rows) as i, n.each("c", length, parallel=True) as c:
        before = [(k, n.out_image), *([] if in_place else [(i, n.out_row)]), (c, one.size)]
        x = n.read(n.x, [(k, n.x_image), (i, n.x_row), (c, one.size)], one)
        total = getattr(MODULE, ufunc)(n.read(n.out, before, one), x)
        n.put(n.out, before if in_place else [*before, n.out_row], total)
    return n.done()


@nest("running_sums_of_rows", "out x", "rows width out_row x_row out_step x_step")
def running_sums_of_rows(n: NestBuilder, dtype: str, ufunc: str = "add") -> SequentialNest:
    """loop(out, x, rows, width, row of out, row of x, step of out, step of x) -> 0.

    out[k, i + 1] = out[k, i] + x[k, i] for i < width, k < rows, each sum rounded to the dtype. Strides and steps are in
    bytes. dtype, ufunc: as in "running_sums".
    """
    one = dtype_of_key(dtype)
    with n.each("k", n.rows, together=_TOGETHER) as k:
        total = n.kept(n.read(n.out, [(k, n.out_row)], one), one)
        with n.each("i", n.width) as i:
            x = n.read(n.x, [(k, n.x_row), (i, n.x_step)], one)
            n.keep(total, getattr(MODULE, ufunc)(total, x))
            n.put(n.out, [(k, n.out_row), (i, n.out_step), n.out_step], total)
    return n.done()


@nest("column_sums", "out x", "rows width", of_arrays=True)
def column_sums(n: NestBuilder, kind: str, width: int) -> SequentialNest:
    """loop(out, x, rows, width) -> 0: out[j] = 0 + x[0, j] + x[1, j] + ...

    kind: "f4" or "f8". width: the columns, or 0 for any number.
    """
    one, columns = dtype_of_key(kind), width or n.width
    row = columns * one.size
    with n.each("c", columns, lanes=[width] if width else _BLOCKS) as c:
        total = n.kept(0, one)
        with n.each("i", n.rows) as i:
            n.keep(total, total + n.read(n.x, [(i, row), (c, one.size)], one))
        n.put(n.out, [(c, one.size)], total)
    return n.done()
