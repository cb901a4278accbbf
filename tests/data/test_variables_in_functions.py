"""Variables in the functions of datasets: their values when the iterator began, and writes refused at the call."""

from __future__ import annotations

from typing import Any

import pytest

import penstock as tf


@pytest.mark.parametrize("reads", ["the variable", "read_value", "value", "get_variable", "a branch"])
def test_a_function_sees_the_value_that_a_variable_had_when_the_iterator_began(reads: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", [], tf.int64, initializer=tf.constant_initializer(3))

        def value() -> Any:
            if reads == "get_variable":
                with tf.variable_scope(tf.get_variable_scope(), reuse=True):
                    return tf.get_variable("v", [], tf.int64)
            if reads == "a branch":
                return tf.cond(tf.constant(True), v.read_value, lambda: tf.constant(0, tf.int64))
            return {"the variable": lambda: v, "read_value": v.read_value, "value": v.value}[reads]()

        iterator = tf.data.Dataset.range(1, 5).map(lambda i: i * value()).make_initializable_iterator()
        element = iterator.get_next()
        session.run(v.initializer)
        session.run(iterator.initializer)
        assert session.run(element) == 3
        session.run(v.assign(10))
        assert session.run(element) == 6
        session.run(iterator.initializer)
        assert session.run(element) == 10


@pytest.mark.parametrize("method", ["map", "filter", "flat_map"])
def test_a_function_that_writes_a_variable_is_refused_where_it_is_given(method: str) -> None:
    with tf.Graph().as_default():
        v = tf.Variable(0, dtype=tf.int64, name="count")
        dataset = tf.data.Dataset.range(4)
        before = len(tf.get_default_graph().get_operations())

        def function(i: Any) -> Any:
            with tf.control_dependencies([v.assign_add(i)]):
                now = tf.identity(i) + v.read_value()
            if method == "flat_map":
                return tf.data.Dataset.range(now)
            return now if method == "map" else now > 1

        with pytest.raises(TypeError, match=r"writes the variable 'count' with .*write variables in the step"):
            getattr(dataset, method)(function)
        assert len(tf.get_default_graph().get_operations()) == before
