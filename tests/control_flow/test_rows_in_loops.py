"""Gradients of tables of which a loop reads rows: an `IndexedSlices` of the rows of all iterations."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as tf

TABLE = np.arange(24, dtype=np.float64).reshape(6, 4) / 10 - 1
IDS = np.array([[0, 1], [3, 1], [5, 5]])


def looked_up(table: Any, ids: Any, count: Any) -> Any:
    """Each iteration adds `count(i)` rows of the table to a state."""

    def body(i: Any, state: Any) -> Any:
        rows = tf.gather(table, tf.gather(ids, i)[: count(i)])
        return i + 1, tf.tanh(state + tf.reduce_sum(rows, 0))

    return tf.while_loop(lambda i, _: i < tf.shape(ids)[0], body, [0, tf.zeros([4], tf.float64)])[1]


def unrolled(table: Any, ids: Any, counts: list[int]) -> Any:
    state = tf.zeros([4], tf.float64)
    for row, count in zip(ids, counts, strict=True):
        state = tf.tanh(state + tf.reduce_sum(tf.gather(table, row[:count]), 0))
    return state


def test_the_rows_of_all_iterations_are_the_gradient() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        table, ids = tf.placeholder(tf.float64, ["n", 4]), tf.placeholder(tf.int32, [None, 2])
        (slope,) = tf.gradients(looked_up(table, ids, lambda i: 2), table)
        assert isinstance(slope, tf.IndexedSlices) and str(slope.shape) == "(n, 4)"
        found = session.run(slope, {table: TABLE, ids: IDS})
        assert found.indices.tolist() == IDS.reshape(-1).tolist() and found.values.shape == (6, 4)
        (want,) = tf.gradients(unrolled(table, IDS, [2, 2, 2]), table)
        dense, expected = session.run([tf.convert_to_tensor(slope), tf.convert_to_tensor(want)],
                                      {table: TABLE, ids: IDS})  # fmt: skip
        assert np.allclose(dense, expected, rtol=1e-12, atol=1e-12)
        none = session.run(slope, {table: TABLE, ids: np.zeros((0, 2), np.int32)})
        assert none.values.shape == (0, 4) and none.indices.shape == (0,)


def test_rows_of_which_each_iteration_has_another_number_are_added_up() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        table, ids = tf.placeholder(tf.float64, [6, 4]), tf.placeholder(tf.int32, [None, 2])
        (slope,) = tf.gradients(looked_up(table, ids, lambda i: i), table)
        (want,) = tf.gradients(unrolled(table, IDS, [0, 1, 2]), table)
        dense, expected = session.run([tf.convert_to_tensor(slope), tf.convert_to_tensor(want)],
                                      {table: TABLE, ids: IDS})  # fmt: skip
        assert np.allclose(dense, expected, rtol=1e-12, atol=1e-12)


def test_a_loop_in_a_loop_hands_the_rows_on() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        table, ids = tf.placeholder(tf.float64, [6, 4]), tf.placeholder(tf.int32, [3, 2])
        total = tf.while_loop(lambda k, _: k < 2, lambda k, s: (k + 1, s * looked_up(table, ids, lambda i: 2)),
                              [0, tf.ones([4], tf.float64)])[1]  # fmt: skip
        (slope,) = tf.gradients(total, table)
        state = unrolled(table, IDS, [2, 2, 2])
        (want,) = tf.gradients(state * state, table)
        dense, expected = session.run([tf.convert_to_tensor(slope), tf.convert_to_tensor(want)],
                                      {table: TABLE, ids: IDS})  # fmt: skip
        assert np.allclose(dense, expected, rtol=1e-12, atol=1e-12)


def test_an_optimizer_updates_only_the_rows_that_the_loop_read() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        table = tf.Variable(TABLE)
        state = looked_up(table, tf.constant(IDS, tf.int32), lambda i: 2)
        step = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(state))
        session.run(tf.global_variables_initializer())
        session.run(step)
        changed = (session.run(table) != TABLE).any(1)
        assert changed.tolist() == [True, True, False, True, False, True]
