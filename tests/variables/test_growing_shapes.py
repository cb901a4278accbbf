"""`assign(validate_shape=False)` of a variable of known shape: what was derived from its sizes is derived again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf


@pytest.mark.parametrize("runs_first", [False, True])
def test_a_value_of_another_size_is_read_by_all_that_was_built(runs_first: bool) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        v = tf.Variable(np.zeros([0, 2], "f"))
        before: list[Any] = [v, v * 2.0, tf.size(v), tf.shape(v), v.read_value(), tf.reduce_sum(v, 0)]
        session.run(v.initializer)
        if runs_first:  # its plan relies on the sizes
            session.run(before)
        x = tf.placeholder(tf.float32, [None, 2])
        longer = tf.assign(v, tf.concat(0, [v, x]), validate_shape=False)
        assert [each.shape.as_list() for each in before] == [[None, 2], [None, 2], [], [2], [None, 2], [2]]
        rows = np.zeros([0, 2], "f")
        for count in (3, 1, 0, *[2] * 20):
            more = np.full([count, 2], count, "f")
            rows = np.concatenate([rows, more])
            np.testing.assert_array_equal(session.run(longer, {x: more}), rows)
            wanted = [rows, rows * 2, rows.size, rows.shape, rows, rows.sum(0)]
            for got, want in zip(session.run(before), wanted, strict=True):
                np.testing.assert_array_equal(got, want)
        session.run(v.initializer)
        assert session.run(v).shape == (0, 2)


def test_a_callable_that_was_made_before_gives_the_values_of_the_grown_variable() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        v = tf.Variable(np.ones(2, "f"))
        sizes = session.make_callable([tf.size(v), tf.reduce_sum(v * 2.0)])
        session.run(v.initializer)
        assert [float(each) for each in sizes()] == [2, 4]
        longer = tf.assign(v, np.ones(5, "f"), validate_shape=False)
        assert [float(each) for each in sizes()] == [2, 4]
        session.run(longer)
        assert [float(each) for each in sizes()] == [5, 10]


def test_other_ranks_gradients_and_written_models() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        v = tf.Variable([1.0, 2.0], name="v")
        tf.assign(v, [[1.0, 2.0]], validate_shape=False)
        assert v.shape.ndims is None
        step = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(v * v))
        session.run(v.initializer)
        session.run("Assign:0")
        session.run(step)
        np.testing.assert_array_equal(session.run(v), [[0.0, 0.0]])
        written = tf.Graph()
        with written.as_default():
            tf.import_graph_def(session.graph.as_graph_def(), name="")
            with tf.Session() as other:
                other.run("Assign")
                np.testing.assert_array_equal(other.run("v:0"), [[1.0, 2.0]])


def test_nothing_changes_where_a_node_needs_the_sizes() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable([1.0, 2.0])
        needs = tf.while_loop(lambda i: i < 3, lambda i: i + tf.size(v), [tf.constant(0)])
        count = len(graph)
        with pytest.raises(TypeError, match="relies on the shape"):
            tf.assign(v, [1.0], validate_shape=False)
        assert v.shape == (2,) and needs.shape == () and len(graph) == count
        assert tf.assign(v, [3.0, 4.0], validate_shape=False).shape == (2,)  # nothing to forget
        with pytest.raises(ValueError, match="the variable"):
            tf.assign(v, [1.0])
