"""W11: arithmetic in front of and behind ops that go over rows: running sums, sums by id, rows read by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..case import Case, Family, Inputs, Program, Timed, count
from .transformations import floats

ROW = 16


def f(x: Any) -> Any:
    """What is computed before the op, or after it."""
    return x * 2.0 + 1.0


def cases(quick: bool) -> list[Case]:
    """Vectors and rows of 16 of 1e3, 1e5 and 1e7 elements."""
    made: list[Case] = []
    for n in (160,) if quick else (10**3, 10**5, 10**7):
        made += _sums(n) + _reads(n)
    return made


def _sums(n: int) -> list[Case]:
    name, rows = count(n), n // ROW
    segments = max(2, rows // 100)
    places = max(2, rows // 10)
    return [
        _case(f"cumsum of x * x, {name}", lambda rng: [floats(rng, n)], lambda e, x: e.running_sum(x * x)),
        _case(f"cumsum of x * x down rows, {name}", lambda rng: [floats(rng, rows, ROW)],
              lambda e, x: e.running_sum(x * x)),
        _case(f"f of cumsum, {name}", lambda rng: [floats(rng, n)], lambda e, x: f(e.running_sum(x))),
        _case(f"segment_sum of f, {name}", _with_ids(rows, segments, True),
              lambda e, x, ids: e.sums_by_id(f(x), ids, segments, True)),
        _case(f"unsorted_segment_sum of relu, {name}", _with_ids(rows, places, False),
              lambda e, x, ids: e.sums_by_id(e.relu(x) * 3.0, ids, places, False)),
    ]  # fmt: skip


def _reads(n: int) -> list[Case]:
    name, rows = count(n), n // ROW
    return [
        _case(f"gather(x, i) * w, {name}", lambda rng: [floats(rng, n), _numbers(rng, n, n), floats(rng, n)],
              lambda e, x, i, w: e.gather(x, i) * w),
        _case(f"relu(gather(E, i) + b), {name}", _table(rows), lambda e, x, i, b: e.relu(e.gather(x, i) + b)),
        _case(f"sum of 8 rows of gather(E, i), {name}", _table(rows // 8, 8),
              lambda e, x, i, b: e.sum(e.gather(x, i), 1)),
    ]  # fmt: skip


def _case(name: str, inputs: Inputs, program: Program) -> Timed:
    return Timed(name, inputs, program, tolerance=2e-3)


def _numbers(rng: np.random.Generator, below: int, *shape: int) -> Any:
    return rng.integers(0, below, shape, np.int32)


def _with_ids(rows: int, segments: int, in_order: bool) -> Inputs:
    def inputs(rng: np.random.Generator) -> list[Any]:
        ids = _numbers(rng, segments, rows)
        ids[-1] = segments - 1
        return [floats(rng, rows, ROW), np.sort(ids) if in_order else ids]

    return inputs


def _table(*index: int) -> Inputs:
    shape = tuple([max(1, n) for n in index])
    return lambda rng: [floats(rng, 10_000, ROW), _numbers(rng, 10_000, *shape), floats(rng, ROW)]


FAMILY = Family("W11", "Arithmetic before and behind running sums, sums by id and reads by number", cases)
