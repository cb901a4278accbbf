"""A tuple of tensors, such as the state of a cell, is fed a tuple of values."""

from __future__ import annotations

import numpy as np
import pytest

import penstock as tf


def test_a_nested_tuple_is_fed_part_by_part() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a, b, c = (tf.placeholder(tf.float32, [2], name=name) for name in "abc")
        total = a + 10.0 * b + 100.0 * c
        state = tf.nn.rnn_cell.LSTMStateTuple(a, b)
        feed = {(state, c): (([1, 2], np.array([3.0, 4.0])), [5, 6])}
        assert session.run(total, feed).tolist() == [531.0, 642.0]
        assert session.run(total, {state: np.array([[1.0, 2.0], [3.0, 4.0]]), c: [5, 6]}).tolist() == [531.0, 642.0]


def test_another_number_of_values_is_told() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        for value, words in (([1.0], "has 2 parts, and the value is 1 long"), (3.0, "the value is a float")):
            with pytest.raises(TypeError, match=words):
                session.run(a + b, {(a, b): value})
