"""W5: gradients of a chain of elementwise operations and of a small network."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..case import Case, Family, Inputs, Timed, count
from ..engine import Array, Engine

STEPS = 10
LAYERS = (784, 256, 256, 10)
BATCH = 128


def chain_gradient(e: Engine, x: Any) -> Any:
    """The gradient of sum(y) through ten steps, y * 1.01 + 0.1 and y * y * 0.1 + y in turn."""

    def loss(y: Any) -> Any:
        for step in range(STEPS):
            y = y * y * 0.1 + y if step % 2 else y * 1.01 + 0.1
        return e.sum(y)

    return e.with_gradients(loss, [x], [0])[1]


def chain_reference(x: Array) -> Array:
    """The same by the chain rule."""
    y, slope = x.astype(np.float64), np.ones(x.shape)
    for step in range(STEPS):
        slope = slope * (0.2 * y + 1 if step % 2 else 1.01)
        y = y * y * 0.1 + y if step % 2 else y * 1.01 + 0.1
    return slope.astype(np.float32)


def small_vector(n: int) -> Inputs:
    """Numbers near 0, so that the chain does not overflow."""
    return lambda rng: [rng.random(n, np.float32) * np.float32(0.1)]


def network(batch: int, layers: tuple[int, ...]) -> Inputs:
    """A batch, one-hot labels, and a matrix and a row of biases for each layer."""

    def inputs(rng: np.random.Generator) -> list[Array]:
        found = [rng.random((batch, layers[0]), np.float32), np.eye(layers[-1], dtype=np.float32)[
            rng.integers(0, layers[-1], batch)]]  # fmt: skip
        for rows, columns in itertools.pairwise(layers):
            found += [(rng.standard_normal((rows, columns)) * 0.05).astype(np.float32), np.zeros(columns, np.float32)]
        return found

    return inputs


def network_gradients(e: Engine, *inputs: Any) -> Any:
    """The loss of the network and its gradients with respect to all matrices and biases."""
    return e.with_gradients(lambda *xs: network_loss(e, *xs), inputs, range(2, len(inputs)))


def network_loss(e: Engine, x: Any, labels: Any, *parameters: Any) -> Any:
    """The mean cross entropy; a relu behind each layer but the last."""
    return network_loss_of(int(x.shape[0]), e, x, labels, *parameters)


def network_loss_of(batch: int, e: Engine, x: Any, labels: Any, *parameters: Any) -> Any:
    """The same of so many rows, where the shape of x may not be known."""
    last = len(parameters) - 2
    for place in range(0, len(parameters), 2):
        x = e.matmul(x, parameters[place]) + parameters[place + 1]
        if place != last:
            x = e.relu(x)
    return e.sum(labels * e.log_softmax(x)) * (-1.0 / batch)


def network_reference(x: Array, labels: Array, *parameters: Array) -> list[Array]:
    """The same in NumPy."""
    kept, h, last = [], x.astype(np.float64), len(parameters) - 2
    for place in range(0, len(parameters), 2):
        kept.append(h)
        h = h @ parameters[place] + parameters[place + 1]
        h = h if place == last else np.maximum(h, 0)
    shifted = h - h.max(1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    g = (np.exp(logs) * labels.sum(1, keepdims=True) - labels) / len(x)
    found: list[Array] = []
    for place in range(last, -1, -2):
        before = kept[place // 2]
        found = [before.T @ g, g.sum(0), *found]
        g = (g @ parameters[place].T.astype(np.float64)) * (before > 0)
    return [np.float32((labels * logs).sum() * (-1.0 / len(x))), *[each.astype(np.float32) for each in found]]  # type: ignore[list-item]


def cases(quick: bool) -> list[Case]:
    """The chain at two sizes, and the network."""
    sizes = (480,) if quick else (1_000_000, 10_000_000)
    layers = (12, 8, 8, 3) if quick else LAYERS
    expressions = {"numexpr": "no gradients", "numpy": "no gradients"}
    rows: list[Case] = [
        Timed(f"gradient of a chain of {STEPS} steps, {count(n)} f32", small_vector(n), chain_gradient, chain_reference,
              tolerance=1e-5, unsupported=expressions)
        for n in sizes
    ]  # fmt: skip
    name = "-".join(map(str, layers))
    rows.append(Timed(f"network {name}, batch {BATCH}: loss and gradients", network(BATCH, layers), network_gradients,
                      network_reference, tolerance=1e-3, unsupported=expressions, limited=False))  # fmt: skip
    return rows


FAMILY = Family("W5", "Gradients", cases)
