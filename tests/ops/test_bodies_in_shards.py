"""Branches and loops that cannot run in shards say why."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import penstock as tf
from penstock.graph.declare.distributing import distribute
from penstock.graph.declare.distribution import WHOLE, Along, Distributed, Partial, Refused, State
from penstock.graph.model.nodes import Operation, Tensor


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def x() -> Tensor:
    return tf.placeholder(tf.float32, ["batch", 3])


def answer(made: Tensor) -> Distributed | Refused:
    """What the op that made a tensor says if all inputs that have the dimension are cut."""
    op: Operation = made.op
    states: list[State] = []
    for tensor in op.inputs:
        axes = [i for i, dim in enumerate(tensor.shape.raw or ()) if dim == "batch"]
        states.append(Along(axes[0]) if axes else WHOLE)
    return distribute(op, states, "batch")


def why(made: Tensor) -> str:
    found = answer(made)
    assert isinstance(found, Refused), found
    return found.why


def loop(body: Callable[[Any], Any], start: Any) -> Tensor:
    """The last value of one loop variable."""
    found: Tensor = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, body(v)), [0, start])[1]
    return found


def test_a_body_that_combines_rows_is_refused() -> None:
    given = x()
    assert "it needs what all shards give together" in why(loop(lambda v: v - tf.reduce_sum(v, 0), given))
    assert "it needs all of axis 0" in why(loop(lambda v: tf.softmax(v, 0), given))


def test_a_sum_that_each_iteration_adds_to_is_a_part() -> None:
    given = x()
    found = answer(loop(lambda v: v + tf.reduce_sum(given, 0), tf.zeros([3])))
    assert isinstance(found, Distributed)
    assert found.results[1] == Partial("sum")


@pytest.mark.parametrize("body", [
    lambda v, part: v * 2.0 + part, lambda v, part: v + part + v, lambda v, part: tf.tanh(v + part),
    lambda v, part: v - part,
], ids=["scaled", "added twice", "squashed", "subtracted"])  # fmt: skip
def test_a_sum_that_is_read_in_between_is_refused(body: Callable[[Any, Any], Any]) -> None:
    given = x()
    assert "together" in why(loop(lambda v: body(v, tf.reduce_sum(given, 0)), tf.zeros([3])))


def test_a_sum_that_does_not_begin_with_zeros_is_refused() -> None:
    given = x()
    assert "together" in why(loop(lambda v: v + tf.reduce_sum(given, 0), tf.ones([3])))


def test_a_condition_that_depends_on_cut_rows_is_refused() -> None:
    given = x()
    until = tf.while_loop(lambda v: tf.reduce_sum(v) < 9.0, lambda v: v + 1.0, [given])
    assert why(until) == "how often the loop runs would differ from shard to shard"


def test_a_scan_over_cut_rows_is_refused() -> None:
    summed = tf.scan(lambda a, row: a + row, x(), tf.ones([3]))
    assert why(summed) == "each iteration needs loop variable 0 of the one before"


def test_branches_that_differ_are_refused() -> None:
    given, p = x(), tf.placeholder(tf.bool, [])
    assert "its branches give" in why(tf.cond(p, lambda: tf.reduce_sum(given, 1), lambda: tf.reduce_sum(given, 0)[:1]))


def test_an_error_inside_names_the_operation() -> None:
    given = x()
    assert why(loop(lambda v: tf.cumsum(v, name="running"), given)).startswith("in while/body/running:")
