"""W4: a program of the documentation at every size, the first result of a process, the memory of a long chain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..case import Case, Family, Inputs, Probe, Timed, count
from ..engine import Array, Engine
from ..probes import first_result, peak_memory


def add_one_where(e: Engine, x: Any) -> Any:
    """The page's program: partition by `x != -1`, add one to a part, stitch the parts together."""
    chosen = e.cast(e.not_equal(x, -1.0), "int32")
    parts = e.partition(x, chosen, 2)
    places = e.partition(e.positions(x), chosen, 2)
    return e.stitch(places, [parts[0], parts[1] + 1.0])


def as_select(e: Engine, x: Any) -> Any:
    """The same values as one choice: what a person would write who knows."""
    return e.where(e.not_equal(x, -1.0), x + 1.0, x)


def long_chain(operations: int) -> Callable[..., Any]:
    """A chain of so many operations on one array."""

    def program(_: Engine, x: Any) -> Any:
        t = x
        for _i in range(operations // 2):
            t = t * 0.5 + x
        return t

    return program


def reference(x: Array) -> Array:
    """What both must give."""
    return np.where(x != -1, x + np.float32(1), x)


def third_is_minus_one(n: int) -> Inputs:
    """A vector of which a third, here and there, is -1."""
    def inputs(rng: np.random.Generator) -> list[Array]:
        x = rng.random(n, np.float32)
        x[rng.random(n) < 1 / 3] = -1
        return [x]

    return inputs


def cases(quick: bool) -> list[Case]:
    """The page's program at six sizes, its short form at the largest, and two figures that need fresh processes."""
    sizes = (48,) if quick else (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
    late = 48 if quick else 1_000_000
    large = 4_800 if quick else 10_000_000
    one_expression = {"numexpr": "elementwise expressions only"}
    return [
        *(Timed(f"x != -1, {count(n)}", third_is_minus_one(n), add_one_where, reference) for n in sizes),
        Timed(f"x != -1 as one select, {count(sizes[-1])}", third_is_minus_one(sizes[-1]), as_select, reference),
        Probe(f"first result, chain of 10 on {count(late)}", first_result(long_chain(10), late)),
        Probe(f"peak memory, chain of 20 on {count(large)} f32", peak_memory(long_chain(20), large)),
        Probe("first result of the page's program, 6 elements", first_result(add_one_where, 6), one_expression),
    ]


FAMILY = Family("W4", "The dynamic_stitch page, first results, peak memory", cases)
