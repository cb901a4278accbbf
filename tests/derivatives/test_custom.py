"""Functions that are called again for their gradient: their random ops."""

from __future__ import annotations

import numpy as np
import pytest

import penstock as tf


def test_what_is_recomputed_has_the_random_numbers_of_the_first_time() -> None:
    def layer(t: tf.Tensor) -> tf.Tensor:
        found: tf.Tensor = tf.tanh(tf.nn.dropout(t * tf.random_normal([50], stddev=0.1), rate=0.5))
        return found

    def outer(t: tf.Tensor) -> tf.Tensor:
        found: tf.Tensor = tf.recompute_grad(layer)(tf.nn.dropout(t, rate=0.3))
        return found

    for function in (layer, outer):
        with tf.Graph().as_default() as graph, tf.Session() as session:
            x = tf.constant(np.linspace(0.5, 1.5, 50), tf.float32)
            y = tf.recompute_grad(function)(x)
            (slope,) = tf.gradients(y, x)
            value, found = session.run([y, slope])
            np.testing.assert_array_equal(found != 0, value != 0)
            assert 0 < np.count_nonzero(value) < 50
            random = [op for op in graph.get_operations() if op.opdef.draws_rule is not None]
            assert len(random) == (2 if function is layer else 3)


def test_a_function_that_draws_otherwise_when_it_is_called_again_is_an_error() -> None:
    calls: list[None] = []

    def changing(t: tf.Tensor) -> tf.Tensor:
        calls.append(None)
        drawn = tf.random_normal([3]) if len(calls) == 1 else tf.random_uniform([3])
        return tf.square(t * drawn)

    with tf.Graph().as_default():
        x = tf.ones([3])
        y = tf.recompute_grad(changing)(x)
        words = "makes a random op, RandomUniform, where its first call made RandomStandardNormal"
        with pytest.raises(TypeError, match=words):
            tf.gradients(y, x)
