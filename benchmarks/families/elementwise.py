"""W2: arithmetic on whole arrays, and the time that is saved by not writing intermediate values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from ..case import Case, Family, Timed, count
from ..engine import Array, Engine
from ..verify import TOLERANCE

DTYPES = ("float32", "float64", "int32", "int64", "float16", "bfloat16")
FLOATS = ("float32", "float64", "float16", "bfloat16")
SHORT = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "float16": "f16", "bfloat16": "bf16"}


def chain(_: Engine, x: Any, y: Any) -> Any:
    """Ten operations, each on the result of the one before."""
    t = x
    for _round in range(2):
        t = ((t * y + x) - y) * x + y
    return t


def polynomial(_: Engine, x: Any) -> Any:
    """Degree seven, as a balanced tree."""
    square = x * x
    low = (x * 2 + 1) + square * (x * 4 + 3)
    high = (x * 6 + 5) + square * (x * 8 + 7)
    return low + (square * square) * high


def transcendental(e: Engine, x: Any, y: Any) -> Any:
    """Functions that cost more than the memory does."""
    return e.sigmoid(x) * e.tanh(y) + e.exp(x - y)


def broadcast(_: Engine, x: Any, row: Any, column: Any) -> Any:
    """A matrix with a row and a column."""
    return (x + row) * column - row


def select(to: str) -> Callable[..., Any]:
    """A comparison, a choice and a change of dtype."""

    def program(e: Engine, x: Any, y: Any) -> Any:
        return e.cast(e.where(x > y, x - y, x + y), to)

    return program


def sum_rows(e: Engine, x: Any, y: Any) -> Any:
    """The squared distance of rows."""
    return e.sum((x - y) * (x - y), 1)


def sum_all(e: Engine, x: Any, y: Any) -> Any:
    """The squared distance of everything."""
    return e.sum((x - y) * (x - y))


def cases(quick: bool) -> list[Case]:
    """Every program in every dtype and size it makes sense for."""
    made: list[Case] = []
    for n in (48,) if quick else (10_000, 1_000_000, 10_000_000):
        for dtype in DTYPES:
            made += [
                _case("chain of 10", chain, dtype, n, _vectors(2)),
                _case("polynomial", polynomial, dtype, n, _vectors(1)),
                *([_case("exp tanh sigmoid", transcendental, dtype, n, _vectors(2))] if dtype in FLOATS else []),
                _case("row and column", broadcast, dtype, n, _matrix_row_column),
                _case(
                    "compare select cast", select("float64" if dtype == "float32" else "float32"), dtype, n, _vectors(2)
                ),
                _case("sum of rows", sum_rows, dtype, n, _matrices),
            ]
        made += [_case("sum of all", sum_all, dtype, n, _vectors(2), 1e-3) for dtype in ("float32", "float64")]
    return made


Shapes = Callable[[int], list[tuple[int, ...]]]


def _case(
    name: str, program: Callable[..., Any], dtype: str, n: int, shapes: Shapes, tolerance: float | None = None
) -> Timed:
    def inputs(rng: np.random.Generator) -> list[Array]:
        return [_values(rng, dtype, shape) for shape in shapes(n)]

    if tolerance is None and dtype in ("float16", "bfloat16"):
        tolerance = TOLERANCE[dtype]  # of the operands, whatever the dtype of the result

    return Timed(f"{name}, {SHORT[dtype]} {count(n)}", inputs, program, tolerance=tolerance)


def _values(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> Array:
    if dtype.startswith("int"):
        return rng.integers(-9, 10, shape, dtype)
    values = rng.random(shape, np.float32) * np.float32(0.5) + np.float32(0.5)
    return values.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def _vectors(k: int) -> Shapes:
    return lambda n: [(n,)] * k


def _sides(n: int) -> tuple[int, int]:
    rows = {48: 6, 10_000: 100, 1_000_000: 1000, 10_000_000: 3125}[n]
    return rows, n // rows


def _matrices(n: int) -> list[tuple[int, ...]]:
    return [_sides(n)] * 2


def _matrix_row_column(n: int) -> list[tuple[int, ...]]:
    rows, columns = _sides(n)
    return [(rows, columns), (columns,), (rows, 1)]


FAMILY = Family("W2", "Elementwise programs", cases)
