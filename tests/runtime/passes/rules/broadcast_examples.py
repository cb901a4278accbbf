"""Examples of the rules on broadcasts and shapes."""

from collections.abc import Iterator

import penstock as tf
from penstock.runtime.passes.rules.broadcasts import BroadcastLater, ShapeEarlier

from .rule_examples import Example, example, example_of, near_misses_of


@example_of(BroadcastLater)
def _() -> Example:
    x, g = tf.placeholder("float32", ["n", 3]), tf.placeholder("float32", [3])
    wide = tf.broadcast_to(g, tf.shape(x))
    return example([wide * x, tf.exp(wide) + 1.0], {x: [[1.0, 2.0, -0.0]], g: [2.0, 0.5, -1.0]})


@near_misses_of(BroadcastLater)
def _() -> Iterator[Example]:
    x, g = tf.placeholder("float32", ["n"]), tf.placeholder("float32", ["m"])
    yield example(tf.broadcast_to(g, tf.shape(x)) * x, {x: [1.0, 2.0], g: [3.0]}, "known before the run")
    y, z = tf.placeholder("float32", [1, 1]), tf.placeholder("float32", [None])
    ones = tf.broadcast_to(1.0, tf.shape(z))
    yield example(tf.maximum(ones, y), {y: [[2.0]], z: [1.0]}, "larger than each broadcast")
    n = tf.placeholder("int32", [3])
    tens = tf.broadcast_to(tf.constant(10), [3])
    yield example(tf.floordiv(tens, n), {n: [1, 2, 3]}, "may fail for values that an empty broadcast does not hold")


@example_of(ShapeEarlier)
def _() -> Example:
    x = tf.placeholder("float32", ["n", "m"])
    return example(tf.shape(tf.exp(x) * 2.0), {x: [[1.0, 2.0]]})


@near_misses_of(ShapeEarlier)
def _() -> Iterator[Example]:
    n = tf.placeholder("int32", ["n"])
    yield example(tf.shape(tf.floordiv(n, n)), {n: [1, 2]}, "may fail for some values")
