"""Fast kernels of reductions that threads divide: each reduces some of the rows, or some of the columns.

    axes (of 4)   the operand is seen as   divided are
    2, 3          rows, elements           rows; blocks of elements, if there are few rows
    1, 2          images, rows, columns    images; else columns
    0, 1          1, rows, columns         columns

An element of the result is made by one thread, in the order of the plain kernel, so the bits do not depend on the
number of threads.
"""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any, Final

from ...graph.declare.op_declaration import find_op
from ...graph.declare.op_facts import ReductionRule
from ...graph.shapes.dtypes import of_numpy
from ...ops.declare.reduction_decl import axes_of, is_short
from ...ops.declare.reduction_order import BLOCK, finished, is_trailing, partials, reduce_table, reduced, split_shape
from .loops.native_loops import in_shares, pays, shares
from .shared_copies import NEIGHBOURS, PER_BYTE, copy_in_shares

_CALL: Final = 10e-9
"""Seconds of an inner call of NumPy, one for each row; half of them, as for `PER_BYTE`."""
_FEWEST: Final = 1 << 16
"""Elements that are worth a look: their rows may be short."""


def reduced_in_shares(name: str, xp: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """The reduction of the op `name` by several threads; None if one thread should make it."""
    if x.size < _FEWEST or x.dtype.kind == "O" or not x.flags.c_contiguous:
        return None
    axes, rule = axes_of(axis, x.ndim), find_op(name).reduction
    if not axes or rule is None:
        return None
    if is_trailing(axes, x.ndim):
        return _of_rows(rule, x, axes, keepdims)
    return _of_columns(xp, rule, x, axes, keepdims)


reduce_all = partial(reduced_in_shares, "All")
reduce_any = partial(reduced_in_shares, "Any")
reduce_max = partial(reduced_in_shares, "Max")
reduce_min = partial(reduced_in_shares, "Min")
reduce_prod = partial(reduced_in_shares, "Prod")


def _of_rows(rule: ReductionRule, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """Along the last axes, block by block (`ops.declare.reduction_order`)."""
    rows, count = split_shape(x.shape, axes)
    seconds = x.nbytes * PER_BYTE + rows * _CALL
    if not pays(seconds):
        return None
    table, results = x.reshape((rows, count)), partials(rule, x.dtype, rows, count)
    blocks = results.shape[1]
    if rows >= blocks:
        in_shares(shares(rows, seconds), lambda _, a, b: reduce_table(rule, table[a:b], results[a:b]))
    else:
        in_shares(
            shares(blocks, seconds),
            lambda _, a, b: reduce_table(rule, table[:, a * BLOCK : b * BLOCK], results[:, a:b]),
        )
    return finished(rule, results, count, x.dtype).reshape(reduced(x.shape, axes, keepdims))


def _of_columns(xp: Any, rule: ReductionRule, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """Along neighbouring axes before the last one: NumPy combines row after row."""
    first, end = axes[0], axes[-1] + 1
    images, rows, columns = prod(x.shape[:first]), prod(x.shape[first:end]), prod(x.shape[end:])
    grains = (1, rows, max(1, NEIGHBOURS // x.itemsize))
    seconds = x.nbytes * PER_BYTE + images * rows * _CALL
    if end - first != len(axes) or columns < 2 or not pays(seconds):
        return None
    wide = rule.wide(of_numpy(x.dtype)).np
    out = xp.empty((images, 1, columns), wide)

    def combine(target: Any, source: Any) -> None:
        if is_short(source.dtype):
            source = source.astype(wide)
        # Not into `target`: its rows are written again and again, and two threads may share a line of the cache.
        target[...] = rule.ufunc.reduce(source, axis=1, dtype=wide, keepdims=True)

    copy_in_shares(out, x.reshape((images, rows, columns)), combine, seconds, grains)
    return finished(rule, out.reshape((-1, 1)), rows, x.dtype).reshape(reduced(x.shape, axes, keepdims))
