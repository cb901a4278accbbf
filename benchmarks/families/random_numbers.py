"""W7: random numbers of three distributions.

Each engine has a generator of its own, so only shape, dtype and range of the numbers are verified: the reference is a
constant, and the tolerance as wide as the distribution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..case import Case, Family, Inputs, Timed, count
from ..engine import Array, Engine

UNIFORM, NORMAL, TRUNCATED = "uniform", "normal", "truncated normal"
MIDDLE = {UNIFORM: (0.5, 1.0), NORMAL: (8.0, 2.0), TRUNCATED: (2.0, 2.0)}
"""The reference, and the largest difference from it in units of it."""


def program(kind: str, size: int) -> Callable[[Engine, Any], Any]:
    """Numbers of a distribution."""

    def numbers(e: Engine, key: Any) -> Any:
        if kind == UNIFORM:
            return e.uniform(key, size)
        return e.normal(key, size) if kind == NORMAL else e.truncated_normal(key, size)

    return numbers


def reference(kind: str, size: int) -> Callable[[Array], Array]:
    """The constant that the numbers lie around."""
    return lambda key: np.full(size, MIDDLE[kind][0], np.float32)


def keys() -> Inputs:
    """Two words."""
    return lambda rng: [rng.integers(0, 1 << 32, 2, np.uint32)]


def cases(quick: bool) -> list[Case]:
    """Three distributions, at two sizes."""
    return [
        Timed(f"{kind}, {count(size)} f32", keys(), program(kind, size), reference(kind, size),
              tolerance=MIDDLE[kind][1], unsupported={"numexpr": "no random numbers"})
        for size in ((480,) if quick else (10_000, 1_000_000))
        for kind in MIDDLE
    ]  # fmt: skip


FAMILY = Family("W7", "Random numbers", cases)
