"""Native forms of small reductions: NumPy's own loops, called as its reductions call them.

The operand is seen as `before` rows of `count` rows of `after` elements, of which the middle ones are combined. Where
the last axes are reduced, a loop whose first operand is its result combines a row; elsewhere row after row is combined.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from ...graph.declare.op_facts import ReductionRule
from ...graph.shapes.dtypes import of_numpy
from ...ops.declare.reduction_order import BLOCK
from ..llvm.native_calls import NativeCall, NativeMemory, loop_call
from ..llvm.ufunc_loops import Loop, numpy_loop
from .native_row_forms import copied_rows

_MOST_ROWS: Final = 64
"""The most rows among which the place of an extreme is found."""
MOST_CALLS: Final = 256
"""The most calls of loops."""
_CALL: Final = 20e-9
"""Seconds that a call takes."""


def reduced(rule: ReductionRule, args: Sequence[Any], out: Any, memory: NativeMemory) -> list[NativeCall] | None:
    """The calls of a sum, a mean or an extreme of numbers; None where it takes other loops or too many.

    Args:
        rule: how the op combines elements.
        args: the arguments of the op: an array, axes, whether they are kept.
        out: the array for the result.
        memory: see `NativeMemory`.
    """
    x = args[0]
    dtype = of_numpy(x.dtype)
    axes = rule.axes(x.ndim, *args[1:])
    is_mean = rule.how == "mean" and dtype.is_floating
    if rule.wide(dtype) is not dtype or not (is_mean or rule.finish is None) or x.dtype != out.dtype:
        return None
    if not axes or axes != tuple(range(axes[0], axes[-1] + 1)) or not out.flags.c_contiguous:
        return None
    sizes = x.shape[: axes[0]], x.shape[axes[0] : axes[-1] + 1], x.shape[axes[-1] + 1 :]
    before, count, after = [prod(each) for each in sizes]
    calls = before if after == 1 else before * count
    copied, combined = _loop("positive", x.dtype, 1), _loop(rule.ufunc.__name__, x.dtype, 2)
    if calls > MOST_CALLS or (after == 1 and count > BLOCK) or copied is None or combined is None:
        return None
    first: list[NativeCall] = []
    if not x.flags.c_contiguous:  # NumPy's kernel copies it too
        dense = memory.scratch(x.shape, x.dtype)
        moved = copied_rows(x, dense, memory)
        if moved is None:
            return None
        first, x = moved, dense
    memory.seconds += _CALL * calls + 1e-10 * x.nbytes
    first += _started(rule, x, out, (before, count, after), copied, memory)
    begin = 0 if rule.ufunc is np.add else 1
    size, to, source = x.itemsize, out.ctypes.data, x.ctypes.data
    for i in range(before):
        target = to + i * after * size
        row = source + i * count * after * size
        if after == 1 and count > begin:
            first.append(loop_call(combined, (target, row + begin * size, target), (count - begin,), (0, size, 0)))
        for k in range(begin, count if after > 1 else 0):
            each = row + k * after * size
            first.append(loop_call(combined, (target, each, target), (after,), (size, size, size)))
    return [*first, divided(out, count, memory)] if is_mean else first


def divided(totals: Any, count: int, memory: NativeMemory) -> NativeCall:
    """The call that makes means of float32 or float64 totals."""
    loop = numpy_loop("divide", f"{totals.dtype.char * 2}->{totals.dtype.char}")
    assert loop is not None  # of these dtypes there is one
    number = memory.constant(np.full((), count, totals.dtype))
    addresses = [x.ctypes.data for x in (totals, number, totals)]
    return loop_call(loop, addresses, (totals.size,), (totals.itemsize, 0, totals.itemsize))


def places_of_extremes(
    largest: bool, args: Sequence[Any], _: Sequence[Any], results: Sequence[Any], memory: NativeMemory
) -> list[NativeCall] | None:
    """The place of the first extreme along the first axis, of few rows. NaN is none.

    largest: whether it is that of the largest number rather than of the smallest.
    """
    x, axis = args[:2]
    (out,) = results
    count, n, size = len(x), out.size, x.itemsize
    if x.dtype.char not in "fdilq" or count > _MOST_ROWS or int(axis) % x.ndim or out.dtype.kind != "i":
        return None
    letter = x.dtype.char
    compares = numpy_loop("greater" if largest else "less", f"{letter}{letter}->?")
    best_of = numpy_loop("fmax" if largest else "fmin", f"{letter}{letter}->{letter}")
    times, most, same = (numpy_loop(name, form) for name, form in (("multiply", "BB->B"), ("maximum", "BB->B"),
                                                                   ("positive", "B->B")))  # fmt: skip
    if None in (compares, best_of, times, most, same) or not (x.flags.c_contiguous and out.flags.c_contiguous):
        return None
    assert compares and best_of and times and most and same  # for mypy
    limits = np.finfo(x.dtype) if x.dtype.kind == "f" else np.iinfo(x.dtype)
    worst = limits.min if largest else limits.max
    if x.dtype.kind == "f":
        worst = -np.inf if largest else np.inf
    memory.seconds += 4 * count * (_CALL + n * 0.2e-9)
    numbers = memory.constant(np.arange(count, dtype=np.uint8))
    start = memory.constant(np.full((), worst, x.dtype)).ctypes.data
    best = memory.scratch((n,), x.dtype).ctypes.data
    better, place, wide = [memory.scratch((n,), np.dtype(np.uint8)) for _ in range(3)]
    first, zero = x.ctypes.data, numbers.ctypes.data
    calls = [loop_call(best_of, (first, start, best), (n,), (size, 0, size)),
             loop_call(same, (zero, place.ctypes.data), (n,), (0, 1)),
             loop_call(same, (zero, out.ctypes.data), (out.nbytes,), (0, 1))]  # fmt: skip
    for k in range(1, count):
        row, is_better, scaled = first + k * n * size, better.ctypes.data, wide.ctypes.data
        calls += [loop_call(compares, (row, best, is_better), (n,), (size, size, 1)),
                  loop_call(times, (is_better, zero + k, scaled), (n,), (1, 0, 1)),
                  loop_call(most, (place.ctypes.data, scaled, place.ctypes.data), (n,), (1, 1, 1)),
                  loop_call(best_of, (best, row, best), (n,), (size, size, size))]  # fmt: skip
    low = 0 if sys.byteorder == "little" else out.itemsize - 1
    return [*calls, NativeCall(memory.copy, (out, place, low, out.itemsize, 1, n, 1))]


def _started(
    rule: ReductionRule, x: Any, out: Any, sizes: tuple[int, int, int], copied: Loop, memory: NativeMemory
) -> list[NativeCall]:
    """The call that puts in the result what the elements are combined with: the neutral number, or the first ones."""
    before, count, after = sizes
    size = x.itemsize
    if rule.ufunc is not np.add:
        return [NativeCall(memory.copy, (out, x, 0, after * size, count * after * size, before, after * size))]
    # -0.0 where NumPy keeps the sign of zeros.
    start = memory.constant(np.full((), np.add.reduce(np.full(1, -0.0).astype(x.dtype)), x.dtype))
    return [loop_call(copied, (start.ctypes.data, out.ctypes.data), (out.size,), (0, size))]


def _loop(name: str, dtype: Any, operands: int) -> Loop | None:
    """A loop of NumPy that combines numbers in order; None for other functions."""
    if name not in ("add", "maximum", "minimum", "positive"):
        return None
    return numpy_loop(name, dtype.char * operands + "->" + dtype.char)
