"""The pass that leaves out unused results of loops and branches, and moves out of loops what does not change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def plan(fetches: Any, feeds: Any) -> Any:
    return tf.Session(graph=tf.get_default_graph(), config=tf.SessionConfig(verify=True)).plan(fetches, feeds)


def holder(plan: Any) -> Any:
    (step,) = [step for step in plan.steps if step.op in ("While", "If")]
    return step


def test_a_loop_variable_that_nothing_reads_is_left_out() -> None:
    x = tf.placeholder(tf.float32, [3])
    _, y, _ = tf.while_loop(lambda i, y, z: i < 4, lambda i, y, z: (i + 1, y + x, z * y), [0, x, x])
    step = holder(plan(y, [x]))
    assert step.args[4] == 2
    assert [inner.op for inner in step.args[3].steps] == ["Add", "Add"]
    _, _, z = y.op.outputs[:3]
    assert holder(plan(z, [x])).args[4] == 3


def test_what_does_not_change_stands_before_the_loop() -> None:
    x, w = tf.placeholder(tf.float32, [3, 3]), tf.placeholder(tf.float32, [3, 3])
    y = tf.foldl(lambda a, row: tf.matmul(a, tf.matmul(w, w)) + row, x, initializer=x)
    made = plan(y, [x, w])
    assert [step.op for step in made.steps] == ["MatMul", "While"]
    assert "MatMul" in [inner.op for inner in holder(made).args[3].steps]


def test_a_value_that_repeats_an_operand_or_may_fail_stays() -> None:
    x, i = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.int32, [])
    y = tf.while_loop(lambda n, y: n < 4, lambda n, y: (n + 1, y + tf.tile(x, [3]) + tf.gather(x, i)),
                      [0, tf.zeros([9])])[1]  # fmt: skip
    made = plan(y, [x, i])
    assert "Gather" in [inner.op for inner in holder(made).args[3].steps]
    assert "Tile" not in [step.op for step in made.steps]


def test_effects_inside_that_a_needed_result_waits_for_stay() -> None:
    ran: list[float] = []
    x = tf.placeholder(tf.float32, [])

    def noted(value: Any) -> Any:
        return tf.py_func(lambda v: ran.append(float(v)) or v, [value], tf.float32)  # type: ignore[func-returns-value]

    def body(i: Any, y: Any) -> Any:
        with tf.control_dependencies([noted(y)]):
            return i + 1, y * 2.0

    i, _ = tf.while_loop(lambda i, y: i < 3, body, [0, x])
    assert tf.Session(graph=i.graph).run(i, {x: 1.0}) == 3
    assert ran == [1.0, 2.0, 4.0]


def test_unused_results_of_branches_are_left_out() -> None:
    p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [3])
    a, _ = tf.cond(p, lambda: (x + 1.0, tf.exp(x)), lambda: (x, tf.sin(x)))
    step = holder(plan(a, [p, x]))
    assert [inner.op for body in step.args[2:4] for inner in body.steps] == ["Add"]


def test_values_are_the_same_without_the_pass() -> None:
    x, w = tf.placeholder(tf.float32, [3, 3]), tf.placeholder(tf.float32, [3, 3])
    y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.tanh(tf.matmul(y, tf.transpose(w)) + tf.exp(x))),
                      [0, x])[1]  # fmt: skip
    fetches = [y, *tf.gradients(y, [x, w])]
    feeds = {x: np.linspace(-1, 1, 9).reshape(3, 3), w: np.linspace(2, -1, 9).reshape(3, 3)}
    graph = tf.get_default_graph()
    kept = tf.Session(graph=graph, config=tf.SessionConfig(passes=())).run(fetches, feeds)
    for a, b in zip(kept, tf.Session(graph=graph).run(fetches, feeds), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_constant_that_waits_for_something_stays_with_it() -> None:
    x = tf.placeholder(tf.float64, [], name="x")

    def body(i: tf.Tensor, v: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        one = x + 0.75
        with tf.control_dependencies([one]):
            return i + 1, v * (one - 0.25)

    last = tf.while_loop(lambda i, v: i < 2, body, [0, x])[1]
    with tf.Session(config=tf.SessionConfig(verify=True)) as session:
        assert session.run(last, {x: 1.0}) == 2.25
