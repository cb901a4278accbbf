"""A write that one branch uses and that was built outside of it runs in any case: a warning says so."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import penstock as tf


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def warned(build: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        build()
    assert all(each.filename == __file__ for each in found)
    return [str(each.message) for each in found]


def test_a_write_outside_that_one_branch_uses_is_told_with_its_line() -> None:
    v, p = tf.Variable(1.0, name="v"), tf.placeholder(tf.bool, [])
    a = v.assign_add(1.0)
    (text,) = warned(lambda: tf.cond(p, lambda: a * 2.0, lambda: v.value()))
    assert text.startswith("cond: AssignAdd, built at test_outside_effects.py:30, runs whatever the condition")


def test_an_operation_outside_that_a_branch_returns_is_told_and_runs() -> None:
    v, p = tf.Variable(1.0, name="v"), tf.placeholder(tf.bool, [], name="p")
    step = tf.train.GradientDescentOptimizer(0.5).minimize(v * 1.0, name="step")
    found: list[Any] = []
    (text,) = warned(lambda: found.append(tf.cond(p, lambda: step, tf.no_op)))
    assert text.startswith("cond: step/update_v/AssignSub, built at")
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(found[0], {p: False})
        assert session.run(v) == 0.5


def test_what_leads_only_to_the_branch_is_looked_at_too() -> None:
    v, p = tf.Variable(1.0, name="v"), tf.placeholder(tf.bool, [])
    with tf.control_dependencies([tf.identity(v.assign(3.0))]):
        x = tf.constant(1.0) * 2.0
    (text,) = warned(lambda: tf.cond(p, lambda: v.value(), lambda: x))
    assert text.startswith("cond: Assign, built at")


def test_there_is_no_warning_where_nothing_is_wrong() -> None:
    v, p, x = tf.Variable(1.0), tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [])
    ordered = v.assign(7.0)

    def after() -> Any:
        with tf.control_dependencies([ordered]):
            return v * 1.0

    assert not warned(lambda: tf.cond(p, after, lambda: x))
    drawn = tf.random_uniform([])
    both = v.assign_add(1.0)
    assert not warned(lambda: tf.cond(p, lambda: v + x, lambda: v.assign(x)))
    assert not warned(lambda: tf.cond(p, lambda: drawn, lambda: x))
    assert not warned(lambda: tf.cond(p, lambda: both, lambda: both * 2.0))
    assert not warned(lambda: tf.while_loop(lambda i: i < 3, lambda i: i + tf.cast(both, tf.int32), [0]))
    assert not warned(lambda: tf.case([(p, lambda: x), (tf.logical_not(p), lambda: v + 1.0)], exclusive=True))
