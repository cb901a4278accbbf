"""W8: steps of training of a recurrent network, one LSTM cell over 28 rows of an image, unrolled and as a loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..case import Case, Family, Inputs, Timed
from ..engine import Array, Engine, Training
from .derivatives import network_reference

RATE = 1e-2
CLASSES = 10


def sequences(steps: int, batch: int, features: int, units: int) -> Inputs:
    """The rows of all steps one below the other, one-hot labels, a state of zeros, and the parameters."""

    def inputs(rng: np.random.Generator) -> list[Array]:
        labels = np.eye(CLASSES, dtype=np.float32)[rng.integers(0, CLASSES, batch)]
        shapes = [(features + units, 4 * units), (4 * units,), (units, CLASSES), (CLASSES,)]
        parameters = [(rng.standard_normal(shape) * 0.1).astype(np.float32) for shape in shapes]
        rows, zeros = rng.random((steps * batch, features), np.float32), np.zeros((batch, units), np.float32)
        return [rows, labels, zeros, *parameters]

    return inputs


def with_axis(inputs: Inputs, steps: int) -> Inputs:
    """The same inputs with the rows of each step along an axis of their own."""

    def made(rng: np.random.Generator) -> list[Array]:
        rows, *rest = inputs(rng)
        return [rows.reshape(steps, -1, rows.shape[1]), *rest]

    return made


def lstm_loss(e: Engine, x: Any, labels: Any, zeros: Any, w: Any, b: Any, v: Any, c: Any) -> Any:
    """The mean cross entropy of the last state; the gates are input, new value, forget and output.

    It is unrolled where the rows of all steps stand one below the other, a loop where they have an axis of their own.
    """
    batch = int(labels.shape[0])

    def step(row: Any, h: Any, state: Any) -> list[Any]:
        i, new, forget, o = e.split(e.matmul(e.concat([row, h], 1), w) + b, 4, 1)
        state = e.sigmoid(forget + 1.0) * state + e.sigmoid(i) * e.tanh(new)
        return [e.sigmoid(o) * e.tanh(state), state]

    h = state = zeros
    if len(x.shape) == 3:
        h, state = e.fold(step, [h, state], x)
    else:
        for row in e.split(x, int(x.shape[0]) // batch, 0):
            h, state = step(row, h, state)
    return e.sum(labels * e.log_softmax(e.matmul(h, v) + c)) * (-1.0 / batch)


def after_step(x: Array, labels: Array, zeros: Array, *parameters: Array) -> list[Array]:
    """The parameters after a step of gradient descent, by back-propagation through time in float64."""
    w, b, v, c = [each.astype(np.float64) for each in parameters]
    batch, units = zeros.shape
    x = x.reshape(-1, x.shape[-1])
    h = state = zeros.astype(np.float64)
    kept: list[tuple[Array, ...]] = []
    for row in np.split(x.astype(np.float64), len(x) // batch):
        both = np.concatenate([row, h], 1)
        i, new, forget, o = np.split(both @ w + b, 4, 1)
        i, new, forget, o = _sigmoid(i), np.tanh(new), _sigmoid(forget + 1), _sigmoid(o)
        before, state = state, forget * state + i * new
        t = np.tanh(state)
        kept.append((both, i, new, forget, o, before, t))
        h = o * t
    dv, dc = [g.astype(np.float64) for g in network_reference(h, labels, v, c)[1:]]
    logits = h @ v + c
    powers = np.exp(logits - logits.max(1, keepdims=True))
    dh = ((powers / powers.sum(1, keepdims=True) - labels) / batch) @ v.T
    dw, db, ds = np.zeros_like(w), np.zeros_like(b), np.zeros_like(dh)
    for both, i, new, forget, o, before, t in reversed(kept):
        ds = ds + dh * o * (1 - t * t)
        g = np.concatenate([ds * new * i * (1 - i), ds * i * (1 - new * new), ds * before * forget * (1 - forget),
                            dh * t * o * (1 - o)], 1)  # fmt: skip
        dw, db, ds, dh = dw + both.T @ g, db + g.sum(0), ds * forget, (g @ w.T)[:, -units:]
    return [(p - RATE * g).astype(np.float32) for p, g in zip((w, b, v, c), (dw, db, dv, dc), strict=True)]


def _sigmoid(x: Array) -> Array:
    made: Array = 1 / (1 + np.exp(-x))
    return made


def cases(quick: bool) -> list[Case]:
    """One step of training."""
    steps, batch, features, units = (3, 4, 5, 6) if quick else (28, 64, 28, 128)
    missing = dict.fromkeys(("numexpr", "numpy"), "no gradients")
    rows = sequences(steps, batch, features, units)
    return [
        Timed(f"LSTM of {units} units, {steps} steps of {batch} rows, {form}: loss and a step of gradient descent",
              inputs, lstm_loss, after_step, tolerance=1e-3, unsupported=missing, limited=False,
              training=Training("sgd", RATE, (3, 4, 5, 6)))
        for form, inputs in (("unrolled", rows), ("as a loop", with_axis(rows, steps)))
    ]  # fmt: skip


FAMILY = Family("W8", "Recurrent networks", cases)
