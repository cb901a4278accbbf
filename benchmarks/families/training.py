"""W6: steps of training: a line through four points, a small network, and Adam alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..case import Case, Family, Timed, count
from ..engine import Array, Engine, Training
from .derivatives import LAYERS, network, network_loss_of, network_reference

RATE = 1e-3


def line(rng: np.random.Generator) -> list[Array]:
    """Four points of a line, and a slope and an offset to begin with."""
    x = np.array([1, 2, 3, 4], np.float32)
    return [x, np.array([0, -1, -2, -3], np.float32), np.full((1,), 0.3, np.float32), np.full((1,), -0.3, np.float32)]


def line_loss(e: Engine, x: Any, y: Any, slope: Any, offset: Any) -> Any:
    """The sum of squared errors."""
    error = slope * x + offset - y
    return e.sum(error * error)


def line_reference(x: Array, y: Array, slope: Array, offset: Array) -> list[Array]:
    """The parameters after one step."""
    error = slope * x + offset - y
    return [slope - np.float32(RATE * 2) * (error * x).sum(), offset - np.float32(RATE * 2) * error.sum()]


def after_step(kind: str) -> Callable[..., list[Array]]:
    """The parameters of the network, and Adam's moments, after one step in NumPy."""

    def reference(*inputs: Array) -> list[Array]:
        return [each for p, g in zip(inputs[2:], network_reference(*inputs)[1:], strict=True)
                for each in (_after_sgd(p, g) if kind == "sgd" else _after_adam(p, g))]  # fmt: skip

    return reference


def _after_sgd(p: Array, g: Array) -> list[Array]:
    return [p - np.float32(RATE) * g]


def _after_adam(p: Array, g: Array) -> list[Array]:
    m, v = np.float32(0.1) * g, np.float32(0.001) * g * g
    rate = RATE * np.sqrt(0.001) / 0.1
    return [p - np.float32(rate) * m / (np.sqrt(v) + np.float32(1e-8)), m, v]


def parameters_and_gradients(n: int) -> Callable[[np.random.Generator], list[Array]]:
    """Parameters, and numbers that stand for their gradients."""
    return lambda rng: [rng.random(n, np.float32), rng.random(n, np.float32) + np.float32(0.1)]


def no_loss(e: Engine, *inputs: Any) -> Any:
    """Nothing: the gradients are given."""


def cases(quick: bool) -> list[Case]:
    """The line, the network with both optimizers, and Adam alone."""
    n, batches = (48, (8,)) if quick else (1_000_000, (32, 128))
    layers = (12, 8, 8, 3) if quick else LAYERS
    missing = {"numexpr": "no gradients", "numpy": "no gradients"}
    descent = Training("sgd", RATE, (2, 3))
    rows: list[Case] = [
        Timed(f"line through 4 points, a step of gradient descent, {where}", line, line_loss, line_reference,
              unsupported=missing, limited=False, training=descent, through=through)  # type: ignore[arg-type]
        for where, through in (("Session.run", "run"), ("make_callable", "callable"))
    ]  # fmt: skip
    not_given = {**missing, **dict.fromkeys(("jax", "torch", "tinygrad", "pytensor"), "arrays have shapes")}
    rows.append(Timed("line through 4 points, a step of gradient descent, Session.run, shapes not given", line,
                      line_loss, line_reference, unsupported=not_given, limited=False,
                      training=replace(descent, sized=False)))  # fmt: skip
    name = "-".join(map(str, layers))
    places = tuple(range(2, 2 * len(layers)))
    for batch, kind in [*[(batch, "sgd") for batch in batches], (batches[-1], "adam")]:
        word = {"sgd": "gradient descent", "adam": "Adam"}[kind]
        for ending, sized in (("", True), (", shapes not given", False)):
            rows.append(Timed(f"network {name}, batch {batch}: loss and a step of {word}{ending}",
                              network(batch, layers), partial(network_loss_of, batch), after_step(kind),
                              tolerance={"adam": 2e-2}.get(kind, 1e-3), unsupported=missing if sized else not_given,
                              limited=False,
                              training=Training(kind, RATE, places, sized=sized)))  # type: ignore[arg-type]  # fmt: skip
    rows.append(Timed(f"Adam alone, {count(n)} f32", parameters_and_gradients(n), no_loss,
                      lambda p, g: _after_adam(p, g), reads=lambda inputs: 4 * inputs[0].nbytes, tolerance=1e-4,
                      unsupported=missing, training=Training("adam", RATE, (0,), (1,))))  # fmt: skip
    return rows


FAMILY = Family("W6", "Training", cases)
