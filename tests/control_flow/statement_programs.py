"""Random programs of statements on variables, in branches and loops too, for Penstock and for TensorFlow alike.

Each statement is built under a control dependency on the one before, so their order is that of the text, in both. The
module imports neither: `build` is given one of them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

VARIABLES, RUNS = 3, 3


@dataclass
class Program:
    """What was built: the variables, the initializer, and a tensor that needs all statements."""

    variables: list[Any]
    start: Any
    last: Any


def build(tf: Any, seed: int) -> Program:
    """The program of a seed in the default graph. tf: `penstock.compat.v1` or `tensorflow.compat.v1`."""
    return _Builder(tf, random.Random(seed)).program()


class _Builder:
    def __init__(self, tf: Any, rng: random.Random) -> None:
        self.tf = tf
        self.rng = rng
        self.variables = [
            tf.Variable(np.array([rng.randint(-3, 3) for _ in range(3)]), name=f"v{i}", use_resource=True)
            for i in range(VARIABLES)
        ]

    def program(self) -> Program:
        start = self.tf.global_variables_initializer()
        first = self.tf.constant(np.array([1, -2, 3]))
        return Program(self.variables, start, self.block(first, 3))

    def block(self, x: Any, depth: int) -> Any:
        """Some statements, one after the other; a tensor of three ints that comes after all."""
        for _ in range(self.rng.randint(1, 4)):
            with self.tf.control_dependencies([x]):
                x = self.statement(x, depth)
        return x

    def statement(self, x: Any, depth: int) -> Any:
        kind = self.rng.random()
        if kind < 0.15 and depth:
            return self.cond(x, depth - 1)
        if kind < 0.3 and depth:
            return self.loop(x, depth - 1)
        if kind < 0.5:
            return self.read() * self.rng.randint(-2, 2) + x
        with self.tf.control_dependencies([self.write(self.read() + x)]):
            return self.read() - x

    def read(self) -> Any:
        """A variable as it is now."""
        return self.rng.choice(self.variables).read_value()

    def write(self, value: Any) -> Any:
        tf, variable = self.tf, self.rng.choice(self.variables)
        how = self.rng.choice(["assign", "assign_add", "assign_sub", "update", "add"])
        if how == "update":
            return tf.scatter_update(variable, [2, 0], value[:2])
        if how == "add":
            return tf.scatter_add(variable, [1, 1], value[1:])
        return getattr(variable, how)(value)

    def cond(self, x: Any, depth: int) -> Any:
        pred = self.tf.reduce_sum(self.read() + x) > self.rng.randint(-5, 5)
        x = self.tf.identity(x)
        return self.tf.cond(pred, lambda: self.block(self.tf.identity(x), depth),
                            lambda: self.block(self.tf.identity(x), depth))  # fmt: skip

    def loop(self, x: Any, depth: int) -> Any:
        tf = self.tf
        most, limit = self.rng.randint(0, 3), self.rng.randint(0, 20)
        watched = self.rng.choice(self.variables) if self.rng.random() < 0.4 else None

        def goes_on(i: Any, y: Any) -> Any:
            if watched is None:
                return i < most
            with tf.control_dependencies([y]):
                return tf.logical_and(i < most, tf.reduce_sum(watched.read_value()) < limit)

        def body(i: Any, y: Any) -> Any:
            after = self.block(y, depth)
            with tf.control_dependencies([after]):
                return i + 1, tf.identity(after)

        start = [tf.constant(0), tf.identity(x)]
        return tf.while_loop(goes_on, body, start, parallel_iterations=1)[1]
