"""The nests of steps in bodies: moves, computed places, reductions, places of extremes, checks of divisors.

All sizes are known when they are made, so they are constants of the nest; addresses are its parameters. Rows at several
indices have the nests of `nest.sequential.index_nests`. A check that fails gives the iteration back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any, Final

import numpy as np

from ...graph.declare.op_facts import ReductionRule
from ...graph.shapes.dtypes import DType, int64
from ..ir.scalar_ir import MODULE, CannotLower, Traced
from ..nest.sequential.index_nests import entries_of
from ..nest.sequential.nest_builder import NestBuilder, Terms
from ..nest.sequential.sequential_ir import SequentialNest

NARROW: Final = 16
"""The most bytes of pieces that LLVM chooses how many to move at a time."""


@contextmanager
def _each(n: NestBuilder, axis: str, count: int) -> Iterator[Any]:
    """A loop; without one the position 0 if there is only one round."""
    if count == 1:
        yield 0
        return
    with n.each(axis, count) as position:
        yield position


# ---- moves --------------------------------------------------------------------------------------


@cache
def strided_copy(axes: tuple[tuple[int, int, int], ...], piece: int) -> SequentialNest:
    """nest(out, x): the elements of `x` in `out`.

    axes: of pieces of so many bytes, each (number, bytes from one to the next one in `out`, in `x`).
    """
    n = NestBuilder("copy", "out x")
    to: Terms = []
    of: Terms = []
    with ExitStack() as loops:
        for number, (count, a, b) in enumerate(axes):
            together = (4, 1) if number == len(axes) - 1 and piece > NARROW else ()
            position = loops.enter_context(n.each(f"a{number}", count, together=together))
            to = [*to, *([(position, a)] if a else [])]
            of = [*of, *([(position, b)] if b else [])]
        n.put(n.out, to, n.read_row(n.x, of, piece))
    return n.done()


# ---- computed places ----------------------------------------------------------------------------


@cache
def place_at(size: int, stride: int) -> SequentialNest:
    """nest(index) -> the bytes to the element, after a check of its range; negative ones count from the end."""
    n = NestBuilder("place", "", "index")
    index = MODULE.where(n.index < 0, n.index + size, n.index)
    n.check(index, size, -1)
    return n.done(index * stride)


@cache
def place_of_row(kind: str, bounds: tuple[int, ...], strides: tuple[int, ...]) -> SequentialNest:
    """nest(index) -> the bytes to the row that an index vector names, of the dtype with that short name of NumPy's."""
    n = NestBuilder("place", "index")
    first, *others = [entry * stride for entry, stride in zip(entries_of(n, 0, kind, bounds), strides, strict=True)]
    return n.done(sum(others, start=first))


# ---- reductions ---------------------------------------------------------------------------------


def _result(rule: ReductionRule, total: Any, count: int, dtype: DType) -> Traced:
    """What a reduction makes of the total of `count` elements."""
    try:
        result = total if rule.finish is None else rule.finish(total, count, dtype)
        return result.astype(dtype.np)  # type: ignore[no-any-return]  # a stand-in gives a stand-in
    except (TypeError, AttributeError, ValueError) as error:
        raise CannotLower(f"its result does not take single numbers ({error})") from None


def row_reduction(rule: ReductionRule, fold: str, wide: DType, rows: int, count: int, dtype: DType) -> SequentialNest:
    """nest(out, x, total): each contiguous row of `x` reduced by the function `fold`; total: memory for a number."""
    n = NestBuilder("reduce", "out x total")
    with _each(n, "i", rows) as i:
        n.call(fold, (n.x, [(i, count * wide.size)]), count, (n.total, []))
        n.put(n.out, [(i, dtype.size)], _result(rule, n.read(n.total, [], wide), count, dtype))
    return n.done()


def column_reduction(rule: ReductionRule, wide: DType, rows: int, width: int, dtype: DType) -> SequentialNest:
    """nest(out, x, total): the rows of `x` combined one after the other in `total`, which may be `out`."""
    n = NestBuilder("reduce_columns", "out x total")
    size = wide.size
    if rule.ufunc is np.add and wide.is_floating:  # a sum begins with 0.0, which makes 0.0 of -0.0
        with n.each("c", width, parallel=True) as c:
            n.put(n.total, [(c, size)], n.read(n.x, [(c, size)], wide) + wide.np.type(0))
    else:
        n.put(n.total, [], n.read_row(n.x, [], width * size))
    if rows > 1:
        with n.each("i", rows - 1) as i, n.each("c", width, parallel=True) as c:
            x = n.read(n.x, [(i, width * size), width * size, (c, size)], wide)
            n.put(n.total, [(c, size)], getattr(MODULE, rule.ufunc.__name__)(n.read(n.total, [(c, size)], wide), x))
    if rule.finish is not None or wide is not dtype:
        with n.each("c", width, parallel=True) as c:
            total = n.read(n.total, [(c, size)], wide)
            n.put(n.out, [(c, dtype.size)], _result(rule, total, rows, dtype))
    return n.done()


@cache
def place_of_extreme(dtype: DType, rows: int, count: int, is_most: bool, out: DType) -> SequentialNest:
    """nest(out, x): the first place of the largest number of each row, or of the least one.

    A NaN counts as the other extreme: one at the beginning gives way to the first number that is not that extreme.
    """
    n = NestBuilder("argmax" if is_most else "argmin", "out x")

    def is_better(value: Any, than: Any) -> Any:
        return value > than if is_most else value < than

    with _each(n, "i", rows) as i:
        best = n.kept(n.read(n.x, [(i, count * dtype.size)], dtype), dtype)
        place = n.kept(0, int64)
        with n.each("k", count) as k:
            value = n.read(n.x, [(i, count * dtype.size), (k, dtype.size)], dtype)
            better = is_better(value, best)
            if dtype.is_floating:
                extreme = dtype.np.type(-np.inf if is_most else np.inf)
                better = better | ((best != best) & is_better(value, extreme))
            n.keep(place, MODULE.where(better, k, place))
            n.keep(best, MODULE.where(better, value, best))
        n.put(n.out, [(i, out.size)], place.astype(out.np))
    return n.done()


# ---- elements -----------------------------------------------------------------------------------


@cache
def divisor_check(dtype: DType, count: int) -> SequentialNest:
    """nest(x) -> the number of divisors before the first one that is zero, with which a check ends."""
    n = NestBuilder("divisors", "x")
    with n.each("i", count) as i:
        n.check((n.read(n.x, [(i, dtype.size)], dtype) == 0).astype(int64.np), 1, i)
    return n.done(count)


def row_calls(function: str, shape: Sequence[int], walks: Sequence[Sequence[int]]) -> SequentialNest:
    """nest(x0, x1 ...): a function of elements on each row of arrays.

    Args:
        function: its name.
        shape: the shape of what is walked over; rows are along the last axis.
        walks: for each array the bytes along each axis.
    """
    arrays = [f"x{k}" for k in range(len(walks))]
    n = NestBuilder("elements", " ".join(arrays))
    with ExitStack() as loops:
        positions = [loops.enter_context(n.each(f"a{k}", count)) for k, count in enumerate(shape[:-1])]
        places = [(getattr(n, name), [(p, step) for p, step in zip(positions, walk, strict=False) if step])
                  for name, walk in zip(arrays, walks, strict=True)]  # fmt: skip
        n.call(function, *places, shape[-1])
    return n.done()
