"""Programs with branches, loops and TensorArrays, written as GraphDefs by the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import penstock as tf

ROWS = np.array([[1.0, 2.0], [-0.5, 0.25], [3.0, 1.0]], np.float32)
FEEDS: dict[str, Any] = {"x:0": ROWS, "p:0": np.array(True), "n:0": np.int32(4), "k:0": np.int32(2)}


def _x() -> tf.Tensor:
    return tf.placeholder(tf.float32, [None, 2], name="x")


def branches_and_counts() -> list[tf.Tensor]:
    x, p = _x(), tf.placeholder(tf.bool, [], name="p")
    n = tf.placeholder(tf.int32, [], name="n")
    chosen = tf.cond(p, lambda: x * 2.0, lambda: tf.exp(x))
    i, total = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + x * tf.to_float(i)), [0, tf.zeros_like(x)])
    return [chosen, i, total]


def choices() -> list[tf.Tensor]:
    x, k = _x(), tf.placeholder(tf.int32, [], name="k")
    inner = lambda: tf.cond(k > 1, lambda: -x, lambda: x * x)  # noqa: E731
    return [tf.switch_case(k, [lambda: x, lambda: x + 1.0, inner]), tf.cond(k > 0, inner, lambda: x)]


def limited() -> list[tf.Tensor]:
    x, n = _x(), tf.placeholder(tf.int32, [], name="n")
    return list(tf.while_loop(lambda i, a: i < 100, lambda i, a: (i + 1, a * 2.0), [0, x], maximum_iterations=n))


def maps_and_scans() -> list[tf.Tensor]:
    x = _x()
    mapped = tf.map_fn(lambda row: tf.tanh(row) * row, x)
    scanned = tf.scan(lambda a, row: a * 0.5 + row, x, initializer=tf.zeros([2]))
    return [mapped, scanned, tf.foldr(lambda a, row: a + row, x, initializer=tf.zeros([2]))]


def arrays() -> list[tf.Tensor]:
    x = _x()
    array = tf.TensorArray(tf.float32, size=3, element_shape=[2], clear_after_read=False)
    body = lambda i, t: (i + 1, t.write(i, x[0] * tf.to_float(i)))  # noqa: E731
    _, array = tf.while_loop(lambda i, t: i < 3, body, [0, array])
    rows = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
    return [array.stack(), array.size(), array.read(1), rows.gather([2, 0])]


def loops_inside() -> list[tf.Tensor]:
    x = _x()
    def inner(b: tf.Tensor) -> tf.Tensor:
        found: tf.Tensor = tf.while_loop(lambda j, b: j < 2, lambda j, b: (j + 1, tf.sin(b) + x), [0, b])[1]
        return found

    _, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, inner(a) * 0.5), [0, x])
    return [a]


def gradients() -> list[tf.Tensor]:
    x = _x()
    _, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.sin(a) * x), [0, x])
    mapped = tf.map_fn(lambda row: tf.exp(row) * row, x)
    return [*tf.gradients(a, [x]), *tf.gradients(mapped, [x])]


PROGRAMS: dict[str, Callable[[], list[tf.Tensor]]] = {
    f.__name__: f for f in (branches_and_counts, choices, limited, maps_and_scans, arrays, loops_inside, gradients)
}


def built(name: str) -> tuple[tf.Graph, list[str], dict[str, Any]]:
    """A program: its graph, what to fetch and what to feed, by name."""
    with tf.Graph().as_default() as graph:
        fetches = [t.name for t in PROGRAMS[name]()]
    there = {op.name for op in graph.get_operations()}
    return graph, fetches, {key: value for key, value in FEEDS.items() if key[:-2] in there}
