"""The order in which a reduction over trailing axes combines elements.

The operand is seen as rows of `count` elements, row-major. A row is cut into blocks of 32,768 elements; NumPy reduces
each block, and then the row of their results. The order depends on dtype and shape alone, so it is the same whether a
row is reduced at once, by several threads, or tile by tile inside a fused group:

    row      |--- block ---|--- block ---|- rest -|
    partials       p0             p1          p2        result = finish(p0 + p1 + p2)

16-bit floats are widened to float32 first. This is the definition on the CPU; other array modules have their own order.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...graph.declare.op_facts import ReductionRule
from ...graph.shapes.dtypes import of_numpy

BLOCK = 1 << 15
"""Elements; a part of what a sum is: another number gives other last bits."""


def is_trailing(axes: tuple[int, ...], rank: int) -> bool:
    """Whether the sorted `axes` are the last ones."""
    return bool(axes) and axes == tuple(range(rank - len(axes), rank))


def split_shape(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, int]:
    """The number of rows, and the elements of a row, for trailing `axes`."""
    kept = len(shape) - len(axes)
    return prod(shape[:kept]), prod(shape[kept:])


def reduced(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """The shape without `axes`, or with 1 in their place."""
    if keepdims:
        return tuple([1 if i in axes else d for i, d in enumerate(shape)])
    return tuple([d for i, d in enumerate(shape) if i not in axes])


def partials(rule: ReductionRule, dtype: Any, rows: int, count: int) -> Any:
    """Memory for the blocks' results, one row for each row."""
    return np.empty((rows, -(-count // BLOCK)), rule.wide(of_numpy(dtype)).np)


def reduce_block(rule: ReductionRule, block: Any, out: Any) -> None:
    """Each row of `block` (rows, at most 32,768 elements; contiguous rows) into an element of `out`."""
    wide = out.dtype
    if block.dtype.itemsize == 2 and wide.kind == "f":
        block = block.astype(wide)
    rule.ufunc.reduce(block, axis=-1, dtype=wide, out=out)


def finished(rule: ReductionRule, partial: Any, count: int, dtype: Any) -> Any:
    """The results of all rows from the results of their blocks."""
    total = partial[:, 0] if partial.shape[1] == 1 else rule.ufunc.reduce(partial, axis=1, dtype=partial.dtype)
    return total.astype(dtype, copy=False) if rule.finish is None else rule.finish(total, count, of_numpy(dtype))


def reduce_blocks(rule: ReductionRule, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """`x` (not empty) along its last axes."""
    rows, count = split_shape(x.shape, axes)
    table = (x if x.flags.c_contiguous else x.copy(order="C")).reshape(rows, count)
    partial = partials(rule, x.dtype, rows, count)
    reduce_table(rule, table, partial)
    return finished(rule, partial, count, x.dtype).reshape(reduced(x.shape, axes, keepdims))


def reduce_table(rule: ReductionRule, table: Any, partial: Any) -> None:
    """The blocks of all rows of `table` into `partial`; both may be parts of larger ones, cut between blocks."""
    rows, count = table.shape
    if partial.dtype == table.dtype:
        whole = count // BLOCK
        if whole and rows:
            blocks = table[:, : whole * BLOCK].reshape(rows, whole, BLOCK)
            reduce_block(rule, blocks, partial[:, :whole])
        if count > whole * BLOCK:
            reduce_block(rule, table[:, whole * BLOCK :], partial[:, whole])
    else:  # widened block by block, so that the block stays in the cache
        step = max(1, BLOCK // count)
        for row in range(0, rows, step):
            for k in range(partial.shape[1]):
                block = table[row : row + step, k * BLOCK : (k + 1) * BLOCK]
                reduce_block(rule, block, partial[row : row + step, k])
