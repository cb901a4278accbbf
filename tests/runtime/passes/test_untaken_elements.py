"""Elements that only known shapes read are not taken, as in TensorFlow, whose numbers of rows these are.

A write runs all the same: TensorFlow, in which such a shape is a constant, leaves it out where the last number is 2 for
"of a write" and "of what stands behind a write".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.compat.v1 import Tensor


class Taken:
    """A queue of ten rows, of which `row` takes one."""

    def __init__(self) -> None:
        self.queue = tf.FIFOQueue(10, [tf.float32], [[3]])
        self.fill = self.queue.enqueue_many([np.arange(30, dtype="f4").reshape(10, 3)])
        self.row = self.queue.dequeue()
        self.fed = tf.placeholder(tf.float32, [None])
        self.variable = tf.Variable(1.0)

    def after(self, control: Callable[[], Any], build: Callable[[], Any]) -> Any:
        """What `build` makes behind what `control` makes."""
        with tf.control_dependencies([control()]):
            return build()

    def in_branch(self, condition: Tensor) -> Any:
        """The size of a row that is taken before the branch, or in it."""
        return tf.cond(condition, lambda: tf.size(self.row), lambda: tf.size(self.queue.dequeue()))


Build = Callable[[Taken], Any]
CASES: dict[str, tuple[Build, int, float]] = {
    "shape": (lambda q: tf.shape(q.row), 0, 1),
    "size and rank": (lambda q: (tf.size(q.row), tf.rank(q.row)), 0, 1),
    "behind other ops": (lambda q: tf.shape(tf.nn.relu(q.row) * 2.0)[0] + 1, 0, 1),
    "beside its value": (lambda q: (tf.shape(q.row), q.row), 1, 1),
    "of a size that the run knows": (lambda q: tf.shape(q.queue.dequeue_up_to(2)), 2, 1),
    "rank of a size that the run knows": (lambda q: tf.rank(q.queue.dequeue_up_to(2)), 0, 1),
    "of a write": (lambda q: tf.shape(tf.assign_add(q.variable, 1.0)), 0, 2),
    "behind a write": (
        lambda q: q.after(lambda: tf.assign_add(q.variable, 1.0), lambda: tf.shape(q.row)), 0, 2),
    "behind another element": (lambda q: q.after(q.queue.dequeue, lambda: tf.shape(q.row)), 1, 1),
    "beside what waits for it": (
        lambda q: (tf.shape(q.row), q.after(lambda: q.row, lambda: tf.identity(q.fed))), 1, 1),
    "of what stands behind a write": (
        lambda q: tf.shape(q.after(lambda: tf.assign_add(q.variable, 1.0), lambda: tf.identity(q.row))), 0, 2),
    "in a branch": (lambda q: tf.cond(tf.shape(q.fed)[0] > 1, lambda: tf.shape(q.row)[0], lambda: 0), 0, 1),
    "in a branch beside its value": (
        lambda q: tf.cond(tf.shape(q.fed)[0] > 1, lambda: tf.size(q.row), lambda: tf.cast(q.row[0], tf.int32)), 1, 1),
    "in a condition": (lambda q: tf.while_loop(lambda i: i < tf.shape(q.row)[0], lambda i: i + 1, [0]), 0, 1),
    "in the body of a loop": (
        lambda q: tf.while_loop(lambda i: i < 6, lambda i: i + tf.size(q.queue.dequeue()), [0]), 0, 1),
    "in a branch of a loop": (
        lambda q: tf.while_loop(lambda i: i < 6, lambda i: i + q.in_branch(i < 3), [0]), 0, 1),
    "of a promised shape": (lambda q: tf.shape(promised(q)), 0, 1),
}  # fmt: skip
"""What is fetched, how many rows it takes, the value of the variable behind it."""


def promised(q: Taken) -> Tensor:
    """A tensor whose shape the program states."""
    rows: Tensor = q.queue.dequeue_up_to(2)
    rows.set_shape([2, 3])
    return rows


@pytest.mark.filterwarnings("ignore:cond")  # a dequeue outside of a branch runs whatever the condition
@pytest.mark.parametrize("case", CASES)
def test_elements_that_only_known_shapes_read_are_not_taken(case: str) -> None:
    build, taken, value = CASES[case]
    for config in (None, tf.SessionConfig(passes=())):
        with tf.Graph().as_default():
            q = Taken()
            fetches = build(q)
            with tf.Session(config=config) as session:
                session.run([q.fill, q.variable.initializer])
                session.run(fetches, {q.fed: [1.0, 2.0]})
                assert 10 - session.run(q.queue.size()) == taken, config
                assert session.run(q.variable) == value, config
