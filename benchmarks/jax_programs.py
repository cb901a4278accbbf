"""The programs of `tf1_programs` as a user of JAX writes them; `first_steps` times them beside the other two packages.

    python -m benchmarks.jax_programs "line through 4 points" 200 values.npz

runs one. The file (`first_steps.write_start`) has what is fed, and the first values of the variables in the order in
which `tf1_programs` makes them, so that all packages compute the same numbers. A step is one function that `jax.jit`
compiles: the loss with its gradient, and the optimizer, whose old values are donated. It is fed NumPy arrays, as a
session is.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np

from .tf1_programs import BEGAN, PROGRAMS

Values = list[Any]
Loss = Callable[..., Any]
"""(variables, feeds) -> the loss."""
Step = Callable[[Values, Values, Any, Any], tuple[Values, Any]]
"""(variables, gradients, what the optimizer keeps, number of the step from 1) -> new variables, what it keeps."""


class JaxProgram(NamedTuple):
    """A program of `tf1_programs`: its loss, what an optimizer keeps at first, its step, what is added to the loss."""

    loss: Loss
    kept: Callable[[Values], Any]
    step: Step
    penalty: Callable[[Values], Any] = lambda values: 0.0


def _descent(rate: float) -> tuple[Callable[[Values], Any], Step]:
    return lambda values: (), lambda v, g, kept, n: ([a - rate * b for a, b in zip(v, g, strict=True)], kept)


def _adam(rate: float) -> tuple[Callable[[Values], Any], Step]:
    jnp = import_module("jax.numpy")

    def step(values: Values, gradients: Values, kept: Any, n: Any) -> tuple[Values, Any]:
        m = [0.9 * a + 0.1 * g for a, g in zip(kept[0], gradients, strict=True)]
        v = [0.999 * a + 0.001 * g * g for a, g in zip(kept[1], gradients, strict=True)]
        now = rate * jnp.sqrt(1 - 0.999**n) / (1 - 0.9**n)
        return [a - now * b / (jnp.sqrt(c) + 1e-8) for a, b, c in zip(values, m, v, strict=True)], (m, v)

    return lambda values: tuple([jnp.zeros_like(value) for value in values] for _ in range(2)), step


def _adagrad(rate: float) -> tuple[Callable[[Values], Any], Step]:
    jnp = import_module("jax.numpy")

    def step(values: Values, gradients: Values, kept: Any, n: Any) -> tuple[Values, Any]:
        kept = [a + g * g for a, g in zip(kept, gradients, strict=True)]
        return [a - rate * g / jnp.sqrt(c) for a, g, c in zip(values, gradients, kept, strict=True)], kept

    return lambda values: [jnp.full_like(value, 0.1) for value in values], step


def _cross_entropy(logits: Any, labels: Any) -> Any:
    jax, jnp = import_module("jax"), import_module("jax.numpy")
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))


def line() -> JaxProgram:
    """y = slope * x + offset by gradient descent."""
    return JaxProgram(lambda v, x, y: ((v[0] * x + v[1] - y) ** 2).sum(), *_descent(0.01))


def network(optimizer: tuple[Callable[[Values], Any], Step]) -> JaxProgram:
    """784-128-10 with relu and softmax cross entropy."""
    jax = import_module("jax")
    return JaxProgram(
        lambda v, x, labels: _cross_entropy(jax.nn.relu(x @ v[0] + v[1]) @ v[2] + v[3], labels), *optimizer
    )


def words() -> JaxProgram:
    """The mean of 8 of 10,000 word vectors, classified by Adagrad."""
    return JaxProgram(lambda v, ids, labels: _cross_entropy(v[0][ids].mean(1) @ v[1], labels), *_adagrad(0.1))


def gru() -> JaxProgram:
    """A GRU of 64 units over 50 steps of 32 rows, by `lax.scan`."""
    jax, jnp = import_module("jax"), import_module("jax.numpy")

    def loss(v: Values, x: Any) -> Any:
        w, b, u, c = v

        def cell(h: Any, row: Any) -> Any:
            reset, update = jnp.split(jax.nn.sigmoid(jnp.concatenate([row, h], 1) @ w + b), 2, 1)
            new = jnp.tanh(jnp.concatenate([row, reset * h], 1) @ u + c)
            h = update * h + (1.0 - update) * new
            return h, h

        states = jax.lax.scan(cell, jnp.zeros(x.shape[1:]), x)[1]
        return jnp.mean((states - 0.5) ** 2)

    return JaxProgram(loss, *_descent(0.1))


def lstm(by_scan: bool) -> JaxProgram:
    """An LSTM of 128 units over 28 steps of 64 rows, by `lax.scan` or unrolled."""
    jax, jnp = import_module("jax"), import_module("jax.numpy")

    def loss(v: Values, x: Any) -> Any:
        w, b = v

        def cell(state: Any, row: Any) -> Any:
            h, c = state
            i, f, o, g = jnp.split(jnp.concatenate([row, h], 1) @ w + b, 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        state = (jnp.zeros(x.shape[1:]), jnp.zeros(x.shape[1:]))
        if by_scan:
            state, _ = jax.lax.scan(cell, state, x)
        else:
            for row in x:
                state, _ = cell(state, row)
        return jnp.mean((state[0] - 0.5) ** 2)

    return JaxProgram(loss, *_descent(0.1))


def graph_convolution() -> JaxProgram:
    """Two layers on a graph of the size of Cora; a sparse matrix is its places and its values."""
    jax, jnp = import_module("jax"), import_module("jax.numpy")
    nodes = 2708

    def product(matrix: Any, dense: Any) -> Any:
        places, values = matrix
        return jax.ops.segment_sum(values[:, None] * dense[places[:, 1]], places[:, 0], nodes, indices_are_sorted=True)

    def loss(v: Values, *feeds: Any) -> Any:
        x, edges, labels = feeds[:2], feeds[2:4], feeds[4]
        h = jax.nn.relu(product(edges, product(x, v[0])))
        return _cross_entropy(product(edges, h @ v[1]), labels)

    return JaxProgram(loss, *_adam(0.01), lambda v: 5e-4 * 0.5 * jnp.sum(v[0] ** 2))


JAX_PROGRAMS: Final[dict[str, Callable[[], JaxProgram]]] = dict(
    zip(
        PROGRAMS,
        (
            line,
            line,
            lambda: network(_descent(0.1)),
            lambda: network(_adam(0.001)),
            lambda: network(_adam(0.001)),
            words,
            gru,
            gru,
            lambda: lstm(by_scan=True),
            lambda: lstm(by_scan=False),
            graph_convolution,
        ),
        strict=True,
    )
)
"""By the names of `tf1_programs`. Arrays have shapes, and a loop over an array is a scan, so some are the same."""


def train(program: str, steps: int, values: Values, feeds: list[Any]) -> dict[str, Any]:
    """The times of so many steps, and the loss after them."""
    jax, jnp = import_module("jax"), import_module("jax.numpy")
    loss, first, update, penalty = JAX_PROGRAMS[program]()
    gradient = jax.value_and_grad(lambda values, *feeds: loss(values, *feeds) + penalty(values))

    def step(values: Values, kept: Any, n: Any, *feeds: Any) -> tuple[Any, Values, Any, Any]:
        value, gradients = gradient(values, *feeds)
        return value, *update(values, gradients, kept, n), n + 1

    compiled = jax.jit(step, donate_argnums=(0, 1, 2))
    held = [jnp.asarray(value) for value in values]
    kept, n = first(held), jnp.float32(1)
    times, cpu = [], []
    for _ in range(steps):
        _, held, kept, n = jax.block_until_ready(compiled(held, kept, n, *feeds))
        times.append(time.time() - BEGAN)
        cpu.append(time.process_time())
    return {"times": times, "cpu": cpu, "loss": float(loss(held, *feeds))}


def main() -> None:
    """Run one program and print its times and its last loss."""
    program, steps, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with np.load(path) as file:
        values, feeds = ([file[name] for name in file if name.startswith(kind)] for kind in ("value", "feed"))
    print(json.dumps(train(program, steps, values, feeds)))


if __name__ == "__main__":
    main()
