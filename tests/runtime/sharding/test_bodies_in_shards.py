"""Branches and loops in shards: each shard runs the body on its rows, and gradients are parts of sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf

RANDOM = np.random.default_rng(0)


def variable(*shape: int) -> tf.Variable:
    return tf.Variable(RANDOM.random(shape).astype(np.float32) - 0.5)


def scanned() -> tuple[Any, Any]:
    """A recurrent network over time, with the gradient of its weights."""
    x, w = tf.placeholder(tf.float32, ["batch", "time", 4]), variable(7, 3)
    start = tf.zeros([tf.shape(x)[0], 3])
    states = tf.scan(lambda h, v: tf.tanh(tf.matmul(tf.concat(1, [v, h]), w)), tf.transpose(x, [1, 0, 2]), start)
    return [states, *tf.gradients(tf.reduce_mean(tf.square(states[-1])), [w, x])], {x: RANDOM.random((5, 6, 4))}


def looped() -> tuple[Any, Any]:
    """A counted loop with a bias, whose gradient is added up over iterations and rows."""
    x, w, b = tf.placeholder(tf.float32, ["batch", 3]), variable(3, 3), variable(3)
    _, h = tf.while_loop(lambda i, h: i < 4, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w) + b)), [0, x])
    return [h, *tf.gradients(tf.reduce_mean(h), [w, b])], {x: RANDOM.random((5, 3))}


def mapped(rows: int) -> tuple[Any, Any]:
    """A function of each row, whose iterations are divided among the shards."""
    x, w = tf.placeholder(tf.float32, ["batch", 4]), variable(4)
    y = tf.map_fn(lambda row: tf.reduce_sum(row * w), x)
    return [y, *tf.gradients(tf.reduce_mean(y * y), [w, x])], {x: RANDOM.random((rows, 4))}


def chosen(pred: bool) -> tuple[Any, Any]:
    """A branch, with gradients of what both branches read."""
    x, w, p = tf.placeholder(tf.float32, ["batch", 4]), variable(4), tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: x * w, lambda: tf.tanh(x) + w)
    return [y, *tf.gradients(tf.reduce_sum(y * y), [x, w])], {x: RANDOM.random((5, 4)), p: pred}


PROGRAMS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "scan": scanned, "while_loop": looped, "map_fn": lambda: mapped(5), "map_fn with an empty shard": lambda: mapped(1),
    "then": lambda: chosen(True), "else": lambda: chosen(False),
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_bodies_run_in_shards_and_give_the_whole(program: Callable[[], tuple[Any, Any]]) -> None:
    with tf.Graph().as_default() as graph:
        fetches, feeds = program()
        start = tf.initialize_all_variables()
    with tf.Session(graph=graph) as whole, tf.Session(graph=graph, config=tf.SessionConfig(shard={"batch": 2})) as cut:
        whole.run(start)
        cut.run(start)
        for a, b in zip(whole.run(fetches, feeds), cut.run(fetches, feeds), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
        report = cut.explain(fetches, list(feeds)).shards
    assert report is not None
    assert report.refused == ()
