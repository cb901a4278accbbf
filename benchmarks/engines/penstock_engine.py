"""This project: the graph is built by calls, `Session.run` plans and runs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final

import penstock as tf
from penstock.config import jit

from ..engine import Array, Engine, Run, State, Training

WARM: Final = 0.3
"""Seconds of runs before the background has compiled all that pays."""


class Penstock(Engine):
    """Placeholders of known shape; the process is pinned to one core, which is all that threads are made for."""

    name = "penstock"

    def __init__(self) -> None:
        self.version = tf.__version__

    def build(self, program: Callable[..., Any], inputs: Sequence[Array], through: str = "run") -> Run:
        graph = tf.Graph()
        with graph.as_default():
            fed = [tf.placeholder(tf.string if x.dtype == object else tf.as_dtype(x.dtype), x.shape) for x in inputs]
            fetches = program(self, *fed)
        session = tf.Session(graph=graph)
        if through == "callable":
            call = session.make_callable(fetches, fed)
            return lambda: call(*inputs)
        feeds = dict(zip(fed, inputs, strict=True))
        return lambda: session.run(fetches, feeds)

    def train(
        self, training: Training, loss: Callable[..., Any], inputs: Sequence[Array], through: str = "run"
    ) -> tuple[Run, State]:
        graph = tf.Graph()
        with graph.as_default():
            parameters = {i: tf.Variable(inputs[i]) for i in training.parameters}
            others = [i for i in range(len(inputs)) if i not in parameters]
            shapes = {i: inputs[i].shape if training.sized else None for i in others}
            fed = {i: tf.placeholder(tf.as_dtype(inputs[i].dtype), shapes[i]) for i in others}
            kinds = {"sgd": tf.train.GradientDescentOptimizer, "adam": tf.train.AdamOptimizer}
            optimizer = kinds[training.optimizer](training.rate)
            trained = list(parameters.values())
            if training.gradients:
                given = [fed[i] for i in training.gradients]
                fetches: Any = optimizer.apply_gradients(list(zip(given, trained, strict=True)))
            else:
                value = loss(self, *[parameters[i] if i in parameters else fed[i] for i in range(len(inputs))])
                fetches = [value, optimizer.minimize(value)]
            slots = ["m", "v"] if training.optimizer == "adam" else []
            kept = [each for x in trained for each in (x, *[optimizer.get_slot(x, name) for name in slots])]
            first = tf.global_variables_initializer()
        session = tf.Session(graph=graph)
        session.run(first)
        if through == "callable":
            call = session.make_callable(fetches, list(fed.values()))
            arrays = [inputs[i] for i in fed]
            return lambda: call(*arrays), lambda: session.run(kept)
        feeds = {tensor: inputs[i] for i, tensor in fed.items()}
        return lambda: session.run(fetches, feeds), lambda: session.run(kept)

    def settle(self, call: Run) -> None:
        """Run until what pays is compiled: a group is after some hundred short runs."""
        for _ in range(2):
            until = perf_counter() + WARM
            while perf_counter() < until:
                call()
            jit.wait(10)

    def exp(self, x: Any) -> Any:
        return tf.exp(x)

    def tanh(self, x: Any) -> Any:
        return tf.tanh(x)

    def sigmoid(self, x: Any) -> Any:
        return tf.sigmoid(x)

    def minimum(self, x: Any, y: Any) -> Any:
        return tf.minimum(x, y)

    def not_equal(self, x: Any, y: Any) -> Any:
        return tf.not_equal(x, y)

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        return tf.select(condition, x, y)

    def cast(self, x: Any, dtype: str) -> Any:
        return tf.cast(x, dtype)

    def sum(self, x: Any, axis: int | None = None) -> Any:
        return tf.reduce_sum(x, axis)

    def relu(self, x: Any) -> Any:
        return tf.relu(x)

    def log_softmax(self, x: Any) -> Any:
        return tf.log_softmax(x)

    def matmul(self, x: Any, y: Any) -> Any:
        return tf.matmul(x, y)

    def with_gradients(self, loss: Callable[..., Any], xs: Sequence[Any], of: Sequence[int]) -> list[Any]:
        value = loss(*xs)
        return [value, *tf.gradients(value, [xs[i] for i in of])]

    def repeat(self, count: int, body: Callable[..., Sequence[Any]], state: Sequence[Any]) -> list[Any]:
        made = tf.while_loop(
            lambda i, *kept: tf.less(i, count), lambda i, *kept: [i + 1, *body(i, *kept)], [tf.constant(0), *state]
        )
        return list(made[1:])

    def fold(self, body: Callable[..., Sequence[Any]], state: Sequence[Any], rows: Any) -> list[Any]:
        count = int(rows.shape[0])
        return self.repeat(count, lambda i, *kept: body(rows[i], *kept), state)

    def uniform(self, key: Any, size: int) -> Any:
        return tf.random_uniform([size], seed=1)

    def normal(self, key: Any, size: int) -> Any:
        return tf.random_normal([size], seed=1)

    def truncated_normal(self, key: Any, size: int) -> Any:
        return tf.truncated_normal([size], seed=1)

    def partition(self, x: Any, labels: Any, parts: int) -> list[Any]:
        return tf.dynamic_partition(x, labels, parts)

    def stitch(self, indices: list[Any], data: list[Any]) -> Any:
        return tf.dynamic_stitch(indices, data)

    def positions(self, x: Any) -> Any:
        return tf.range(tf.shape(x)[0])

    def gather(self, x: Any, indices: Any) -> Any:
        return tf.gather(x, indices)

    def scatter(self, x: Any, indices: Any, updates: Any) -> Any:
        return tf.tensor_scatter_nd_update(x, indices, updates)

    def running_sum(self, x: Any) -> Any:
        return tf.cumsum(x)

    def sums_by_id(self, x: Any, ids: Any, count: int, in_order: bool) -> Any:
        return tf.segment_sum(x, ids) if in_order else tf.unsorted_segment_sum(x, ids, count)

    def reverse_sequence(self, x: Any, lengths: Any) -> Any:
        return tf.reverse_sequence(x, lengths, 1)

    def transpose(self, x: Any, perm: Sequence[int]) -> Any:
        return tf.transpose(x, list(perm))

    def concat(self, values: list[Any], axis: int) -> Any:
        return tf.concat(axis, values)

    def split(self, x: Any, parts: int, axis: int) -> list[Any]:
        return tf.split(axis, parts, x)

    def pad(self, x: Any, widths: Sequence[Sequence[int]]) -> Any:
        return tf.pad(x, [list(pair) for pair in widths])

    def tile(self, x: Any, times: Sequence[int]) -> Any:
        return tf.tile(x, list(times))

    def stack(self, values: list[Any], axis: int) -> Any:
        return tf.stack(values, axis)

    def reverse(self, x: Any, axis: int) -> Any:
        return tf.reverse(x, [at == axis for at in range(len(x.shape))])

    def multiplex(self, values: list[Any], index: Any) -> Any:
        return tf.multiplex(values, index)

    def to_number(self, x: Any) -> Any:
        return tf.string_to_number(x)
