"""W10: x * 2 + 1 in front of a move and behind it, which need not take more than one pass over memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..case import Case, Family, Inputs, Program, Timed, count
from .transformations import floats


def f(x: Any) -> Any:
    """What is computed before a move, or after it."""
    return x * 2.0 + 1.0


def cases(quick: bool) -> list[Case]:
    """Matrices of 1e6 and 1e7 elements; rows that are gathered have 1,000."""
    made: list[Case] = []
    for side in (8,) if quick else (1000, 3200):
        made += _before(side) + _behind(side)
    return made


def _before(side: int) -> list[Case]:
    half, n = side // 2, count(side * side)
    rows, columns, whole = _several(2, half, side), _several(2, side, half), _several(1, side, side)
    return [
        _case(f"concat rows of f, {n}", rows, lambda e, x, y: e.concat([f(x), f(y)], 0)),
        _case(f"concat columns of f, {n}", columns, lambda e, x, y: e.concat([f(x), f(y)], 1)),
        _case(f"stack f along axis 1, {n}", rows, lambda e, x, y: e.stack([f(x), f(y)], 1)),
        _case(f"pad f, {n}", whole, lambda e, x: e.pad(f(x), [[1, 1], [2, 2]])),
        _case(f"tile f by columns, {n}", _several(1, side, half), lambda e, x: e.tile(f(x), [1, 2])),
        _case(f"split f by rows, {n}", whole, lambda e, x: e.split(f(x), 2, 0)),
        _case(f"reverse f by columns, {n}", whole, lambda e, x: e.reverse(f(x), 1)),
        _case(f"transpose f, {n}", whole, lambda e, x: e.transpose(f(x), [1, 0])),
        _case(f"gather rows of f, {n}", _rows(side), lambda e, x, i: e.gather(f(x), i)),
    ]


def _behind(side: int) -> list[Case]:
    half, n = side // 2, count(side * side)
    rows, columns, whole = _several(2, half, side), _several(2, side, half), _several(1, side, side)
    return [
        _case(f"f of concat of rows, {n}", rows, lambda e, x, y: f(e.concat([x, y], 0))),
        _case(f"f of concat of columns, {n}", columns, lambda e, x, y: f(e.concat([x, y], 1))),
        _case(f"f of stack along axis 1, {n}", rows, lambda e, x, y: f(e.stack([x, y], 1))),
        _case(f"f of pad, {n}", whole, lambda e, x: f(e.pad(x, [[1, 1], [2, 2]]))),
        _case(f"f of tile by columns, {n}", _several(1, side, half), lambda e, x: f(e.tile(x, [1, 2]))),
        _case(f"f of reverse by columns, {n}", whole, lambda e, x: f(e.reverse(x, 1))),
        _case(f"f of transpose, {n}", whole, lambda e, x: f(e.transpose(x, [1, 0]))),
        _case(f"f of gather of rows, {n}", _rows(side), lambda e, x, i: f(e.gather(x, i))),
        _case(f"f of concat of f, {n}", columns, lambda e, x, y: f(e.concat([f(x), f(y)], 1))),
    ]


def _case(name: str, inputs: Inputs, program: Program) -> Timed:
    return Timed(name, inputs, program)


def _several(k: int, *shape: int) -> Inputs:
    return lambda rng: [floats(rng, *shape) for _ in range(k)]


def _rows(side: int) -> Inputs:
    return lambda rng: [floats(rng, side, side), rng.integers(0, side, side, np.int32)]


FAMILY = Family("W10", "Arithmetic before and behind a move", cases)
