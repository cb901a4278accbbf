"""Fast kernels of random ops: compiled loops over strips of 64 float32 or 32 float64.

1e6 numbers on one thread, in ms, NumPy's and the loop's: uniform float32 7.1 and 0.3, float64 10 and 0.6, normal 16 and
0.9 (float64 25 and 1.5), truncated normal 51 and 1.9, ints below 10 6.9 and 0.5; a shuffle of 1e6 ints 280 and 3.8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from ...graph.shapes.dtypes import DType, bfloat16, float16, float64
from ...ops.declare.shape_checks import product, sizes_of
from ...ops.random.philox import MASK32, MASK64, Position
from ...ops.random.random_nodes import bounded_sizes
from ...ops.random.random_shuffle import draws_of
from .fast_cast import cast
from .loops.native_loops import FEWEST, Loop, find, in_shares, shares

_Run: TypeAlias = Callable[[Any, int, int], int]
"""(memory for whole strips, number of the first strip, number of strips) -> 0."""

_STRIP: Final = {"f4": 64, "f8": 32, "u4": 64, "i4": 64}
_GROUPS: Final = 16
"""Groups of truncated normal numbers in a strip."""
_SECONDS: Final = {"random_uniform": 0.5e-9, "random_ints": 1e-9, "random_normal": 1.5e-9, "random_truncated": 3e-9}
"""What one thread takes for a number."""


def random_uniform(xp: Any, at: Position, shape: Any, dtype: DType, seed: int, seed2: int) -> Any:
    """Floats in [0, 1)."""
    sizes = sizes_of(shape)
    if dtype is not float16 and dtype is not bfloat16:
        return _floats(xp, "random_uniform", at, sizes, dtype)
    found = words(xp, at, product(sizes))
    if found is None:
        return None
    bits = 10 if dtype is float16 else 7
    found &= np.uint32((1 << bits) - 1)
    return (found.astype(np.float32) * np.float32(2.0**-bits)).astype(dtype.np).reshape(sizes)


def random_normal(xp: Any, at: Position, shape: Any, dtype: DType, seed: int, seed2: int) -> Any:
    """Normal floats."""
    return _floats(xp, "random_normal", at, sizes_of(shape), dtype)


def truncated_normal(xp: Any, at: Position, shape: Any, dtype: DType, seed: int, seed2: int) -> Any:
    """Normal floats in (-2, 2)."""
    return _floats(xp, "random_truncated", at, sizes_of(shape), dtype)


def random_uniform_int(xp: Any, at: Position, shape: Any, minval: Any, maxval: Any, seed: int, seed2: int) -> Any:
    """Ints in [minval, maxval)."""
    sizes = bounded_sizes(shape, minval, maxval)
    count, low, values = product(sizes), int(minval), int(maxval) - int(minval)
    if minval.dtype.itemsize == 8:
        found = words(xp, at, 2 * count)
        if found is None:
            return None
        drawn = found.view("<u8")  # the first word is the lower half
        drawn %= np.uint64(values)
        drawn += np.array(low).view(np.uint64)
        return drawn.view(np.int64).reshape(sizes)
    loop = _loop("random_ints", count)
    if loop is None:
        return None
    out = xp.empty(sizes, np.int32)
    _fill(out.reshape(-1), "i4", _SECONDS["random_ints"], _runner(loop, at, values, low & MASK32))
    return out


def random_shuffle(xp: Any, at: Position, value: Any, seed: int, seed2: int) -> Any:
    """The rows in a random order."""
    count = draws_of(value)
    loop = _loop("shuffle_order", count)
    drawn = None if loop is None else words(xp, at, count)
    if loop is None or drawn is None:
        return None
    order = np.arange(count + 1, dtype=np.int64)
    loop(order, drawn, count)
    return value[order]


def words(xp: Any, at: Position, count: int) -> Any:
    """The first `count` words from `at`; None if NumPy is to make them."""
    loop = _loop("random_uniform", count, "u4")
    if loop is None:
        return None
    out = xp.empty((count,), np.uint32)
    _fill(out, "u4", _SECONDS["random_uniform"], _runner(loop, at))
    return out


def _floats(xp: Any, template: str, at: Position, sizes: tuple[int, ...], dtype: DType) -> Any:
    kind = "f8" if dtype is float64 else "f4"
    loop = _loop(template, product(sizes), kind)
    if loop is None:
        return None
    out = xp.empty(sizes, np.dtype(kind))
    run = _runner_with_list(loop, at) if template == "random_truncated" else _runner(loop, at)
    _fill(out.reshape(-1), kind, _SECONDS[template], run)
    if out.dtype == dtype.np:
        return out
    narrow = cast(xp, out, dtype)
    return out.astype(dtype.np) if narrow is None else narrow


def _loop(template: str, count: int, *key: str) -> Loop | None:
    # NumPy takes 0.1 to 0.4 ms for any count, which is the time of thousands of numbers.
    return find(template, *key, work=count + FEWEST) if count else None


def _runner(loop: Loop, at: Position, *more: int) -> _Run:
    place = at.key, at.counter & MASK64, at.counter >> 64
    return lambda part, first, strips: loop(part, *place, first, strips, *more)


def _runner_with_list(loop: Loop, at: Position) -> _Run:
    place = at.key, at.counter & MASK64, at.counter >> 64
    return lambda part, first, strips: loop(part, np.empty(strips * _GROUPS, np.int64), *place, first, strips)


def _fill(out: Any, kind: str, seconds: float, run: _Run) -> None:
    """Fill the vector `out` by threads that each do some strips; the rest of a strip is made aside."""
    size = _STRIP[kind]
    whole = len(out) // size
    if whole:
        divided = shares(whole, seconds * len(out))
        in_shares(divided, lambda number, start, stop: run(out[start * size : stop * size], start, stop - start))
    if whole * size < len(out):
        last = np.empty(size, out.dtype)
        run(last, whole, 1)
        out[whole * size :] = last[: len(out) - whole * size]
