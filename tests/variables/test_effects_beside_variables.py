"""Prints, assertions and Python functions beside variables: what they see, and what a failure leaves."""

import contextlib
import io
from typing import Any

import numpy as np
import pytest

import penstock as tf

WAYS = [tf.SessionConfig(), tf.SessionConfig(passes=()), tf.SessionConfig(threads=4), tf.SessionConfig(threads=1)]


@pytest.mark.parametrize("config", WAYS, ids=str)
def test_reads_and_prints_see_the_version_after_the_writes_they_wait_for(config: Any) -> None:
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        v = tf.Variable(1.0)
        shown = []
        before = tf.Print(v, [v], "before ")
        written = v.assign_add(1.0)
        with tf.control_dependencies([written]):
            shown.append(tf.print("after", v.read_value()))
            shown.append(tf.py_func(lambda x: x * 10, [v.read_value()], tf.float32))
        session.run(v.initializer)
        with contextlib.redirect_stderr(io.StringIO()) as out:
            found = session.run([before, *shown])
        assert (found[0], found[2], session.run(v)) == (1.0, 20.0, 2.0)
        assert out.getvalue().splitlines() == ["before [1]", "after 2"]


@pytest.mark.parametrize("config", WAYS, ids=str)
def test_a_failed_assertion_leaves_the_variables_as_they_were(config: Any) -> None:
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        v, w = tf.Variable(1.0), tf.Variable(2.0)
        x = tf.placeholder(tf.float32, [])
        first = w.assign_add(x)
        with tf.control_dependencies([first, tf.assert_positive(x)]):
            second = v.assign_add(x)
        session.run([v.initializer, w.initializer])
        assert session.run(second, {x: 1.0}) == 2
        with pytest.raises(tf.errors.InvalidArgumentError, match="x > 0 did not hold"):
            session.run(second, {x: -1.0})
        assert session.run([v, w]) == [2.0, 3.0]


def test_a_python_function_may_run_the_session_that_it_runs_in() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.float32(1.0))
        other = v.assign_add(10.0)
        inside = tf.py_func(lambda: session.run(other), [], tf.float32)
        session.run(v.initializer)
        assert session.run(inside) == 11
        assert session.run(v) == 11


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_a_function_that_fails_after_a_write_leaves_old_or_new_values(kind: Any) -> None:
    def fail(x: Any) -> Any:
        raise kind

    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.zeros(1000, "f4"))
        written = v.assign_add(np.ones(1000, "f4"))
        failing = tf.py_func(fail, [written], tf.float32)
        session.run(v.initializer)
        with pytest.raises((tf.errors.OpError, KeyboardInterrupt)):
            session.run(failing)
        assert len(np.unique(session.run(v))) == 1
        session.run(written)


def test_a_read_is_in_the_graph_of_the_variable() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0)
    assert v.read_value().graph is graph and tf.is_variable_initialized(v).graph is graph
    with tf.Graph().as_default() as other:
        with pytest.raises(ValueError, match="belongs to"):
            v.read_value()
        assert len(other) == 0
