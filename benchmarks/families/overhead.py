"""W1: the cost of a node apart from its arithmetic, and of a run apart from its nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..case import Case, Family, Probe, Timed, count
from ..engine import Array, Engine
from ..probes import overhead

COMPILES = "minutes of compiling"
SMALL = {
    "numexpr": "one expression, and no graph",
    "tinygrad": COMPILES,
    "inductor": COMPILES,
    "pytensor": "more than 20 s of compiling",
}
LARGE = {**SMALL, "jax": COMPILES, "onnxruntime": "minutes of optimising"}


def two_vectors() -> list[Array]:
    """Four floats, and a half: operands that keep the values of a long program in range."""
    return [np.arange(4, dtype=np.float32), np.full(4, 0.5, np.float32)]


def chain(n: int) -> Callable[..., Any]:
    """Each node needs the one before it."""

    def program(_: Engine, x: Any, half: Any) -> Any:
        t = x
        for i in range(n):
            t = t * half if i % 2 else t + x
        return t

    return program


def fan(n: int) -> Callable[..., Any]:
    """One half are different nodes of the same operand, the other half joins them in pairs."""

    def program(_: Engine, x: Any, half: Any) -> Any:
        level = [x * half + x if i == 0 else x * (i / n) for i in range(n // 2)]
        while len(level) > 1:
            pairs = [one + other for one, other in zip(level[::2], level[1::2], strict=False)]
            level = pairs + level[len(pairs) * 2 :]
        return level[0]

    return program


def dag(n: int) -> Callable[..., Any]:
    """Sums of two of the 25 last means, and their halves: means, which stay in range however many there are."""
    chosen = (np.random.default_rng(7).integers(0, 25, (n, 2)) * 2 + 1).tolist()

    def program(_: Engine, x: Any, half: Any) -> Any:
        nodes = [half, x, x, half]  # means stand at odd places
        for i, (one, other) in enumerate(chosen):
            size = len(nodes)
            nodes.append(nodes[-1] * half if i % 2 else nodes[-min(one, size - 1)] + nodes[-min(other, size - 1)])
        return nodes[-1]

    return program


def cases(quick: bool) -> list[Case]:
    """Graphs of three forms and three sizes, and the fixed cost of a call."""
    made: list[Case] = []
    for n in (50,) if quick else (1_000, 10_000, 100_000):
        left_out = SMALL if n <= 1000 else LARGE
        for name, program in (("chain", chain), ("fan", fan), ("dag", dag)):
            made.append(Probe(f"{name} {count(n)}", overhead(program(n), two_vectors, n), left_out))
    one_way = dict.fromkeys(("numpy", "jax", "torch", "inductor", "numexpr", "pytensor", "tinygrad", "onnxruntime"),
                            "has one way to run")  # fmt: skip
    for through in ("run", "callable"):
        made.append(
            Timed(
                "Session.run, one addition" if through == "run" else "make_callable, one addition",
                lambda rng: [rng.random(4, dtype=np.float32)],
                lambda _, x: x + x,
                through="run" if through == "run" else "callable",
                unsupported={} if through == "run" else one_way,
                limited=False,
            )
        )
    return made


FAMILY = Family("W1", "Overhead: graphs of tiny operations", cases)
