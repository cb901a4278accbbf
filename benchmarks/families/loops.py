"""W9: loops, from bodies of two numbers to bodies of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..case import Case, Family, Timed, count
from ..engine import Array, Engine


def two_numbers(n: int) -> Timed:
    """A counter and a float."""
    return Timed(
        f"{count(n)} iterations of a * 0.999 + x, two numbers",
        lambda rng: [np.array(0.5, np.float32), np.array(1.5, np.float32)],
        lambda e, a, x: e.repeat(n, lambda i, a: [a * np.float32(0.999) + x], [a])[0],
        limited=False,
    )


def _tanh_loop(e: Engine, n: int, a: Any, x: Any) -> Any:
    return e.repeat(n, lambda i, a: [e.tanh(a) * np.float32(0.9) + x], [a])[0]


def hundred_floats(n: int) -> list[Case]:
    """A body of 100 float32, and its gradient."""

    def inputs(rng: np.random.Generator) -> list[Array]:
        return [rng.random(100, np.float32), rng.random(100, np.float32)]

    name = f"{count(n)} iterations of tanh(a) * 0.9 + x, 100 float32"
    return [
        Timed(name, inputs, lambda e, a, x: _tanh_loop(e, n, a, x), tolerance=1e-4, limited=False),
        Timed(
            f"{name}: sum and its gradient",
            inputs,
            lambda e, a, x: e.with_gradients(lambda a, x: e.sum(_tanh_loop(e, n, a, x)), [a, x], [1]),
            lambda a, x: _sum_and_slope(n, a, x),
            tolerance=1e-3,
            unsupported={"numexpr": "no loops"},
            limited=False,
        ),
    ]


def _sum_and_slope(n: int, a: Array, x: Array) -> list[Array]:
    """By the chain rule in float64."""
    a, x = a.astype(np.float64), x.astype(np.float64)
    slope = np.zeros_like(a)
    for _ in range(n):
        t = np.tanh(a)
        slope = slope * 0.9 * (1 - t * t) + 1
        a = t * 0.9 + x
    return [np.array(a.sum(), np.float32), slope.astype(np.float32)]


def mandelbrot(height: int, width: int, n: int) -> Timed:
    """How many iterations the points stay within 2 of the origin, altogether.

    Next to the border that number is chaotic: fused multiplications, as JAX has them, change it for single points.
    """

    def inputs(rng: np.random.Generator) -> list[Array]:
        x = np.linspace(-2.0, 0.5, width, dtype=np.float32)
        y = np.linspace(-1.1, 1.1, height, dtype=np.float32)
        return [np.tile(x, (height, 1)), np.tile(y[:, None], (1, width)), np.zeros((height, width), np.float32)]

    def program(e: Engine, real: Any, imaginary: Any, zeros: Any) -> Any:
        def body(i: Any, a: Any, b: Any, steps: Any) -> list[Any]:
            aa, bb = a * a, b * b
            inside = aa + bb <= np.float32(4)
            return [
                e.where(inside, aa - bb + real, a), e.where(inside, (a + a) * b + imaginary, b),
                steps + e.cast(inside, "float32"),
            ]  # fmt: skip

        return e.sum(e.repeat(n, body, [zeros, zeros, zeros])[2])

    return Timed(f"Mandelbrot set, {width}x{height}, {n} iterations", inputs, program, limited=False, tolerance=1e-3)


def cases(quick: bool) -> list[Case]:
    """Loops whose bodies take from nanoseconds to a millisecond."""
    n = 20 if quick else 10_000
    image = (5, 4, 6) if quick else (400, 500, 200)
    return [two_numbers(n), *hundred_floats(n), mandelbrot(*image)]


FAMILY = Family("W9", "Loops", cases)
