"""What may be built inside a branch or loop: variables, training steps, gradients, collections, control inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphError


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def start() -> tf.Session:
    session = tf.Session(graph=tf.get_default_graph())
    session.run(tf.global_variables_initializer())
    return session


def loop(step: Any, times: int = 3) -> Any:
    """A loop that runs what `step` builds, before it counts."""

    def body(i: Any) -> Any:
        with tf.control_dependencies([step(i)]):
            return i + 1

    return tf.while_loop(lambda i: i < times, body, [0])


def test_variables_of_bodies_are_made_outside_of_them() -> None:
    graph = tf.get_default_graph()

    def body(i: Any, x: Any) -> Any:
        assert tf.get_default_graph() is not graph
        with tf.variable_scope("cell"), tf.name_scope("inside"):
            w = tf.get_variable("w", [2], initializer=tf.constant_initializer(2.0))
            b = tf.Variable([1.0, 1.0], name="b")
            c = tf.Variable(lambda: tf.ones([2]), name="c")
        assert w.graph is b.graph is c.graph is graph
        return i + 1, x * w + b * c

    _, x = tf.while_loop(lambda i, x: i < 3, body, [0, tf.ones([2])])
    assert [v.op.name for v in tf.global_variables()] == ["cell/w", "while/cell/inside/b", "while/cell/inside/c"]
    assert [v.op.name for v in tf.trainable_variables()] == [v.op.name for v in tf.global_variables()]
    assert start().run(x).tolist() == [15.0, 15.0]


def test_a_body_that_is_built_twice_makes_its_variables_once() -> None:
    calls = []

    def body(x: Any) -> Any:
        calls.append(x)
        w = tf.get_variable("w", [1], initializer=tf.ones_initializer())
        step = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(tf.square(w)), name="step")
        with tf.control_dependencies([step]):
            return tf.concat(0, [x, w])

    x = tf.while_loop(lambda x: tf.shape(x)[0] < 4, body, [tf.placeholder(tf.float32, ["n"], name="x")])
    assert len(calls) == 2
    assert [v.op.name for v in tf.global_variables()] == ["w", "while/beta1_power", "while/beta2_power", "w/Adam",
                                                          "w/Adam_1"]  # fmt: skip
    assert start().run(x, {"x:0": [5.0]})[0] == 5.0


def test_an_initial_value_inside_a_body_is_refused() -> None:
    with pytest.raises(GraphError, match=r"the initial value of 'v' is .*inside a branch or loop"):
        tf.while_loop(lambda x: x < 3.0, lambda x: x + tf.Variable(x * 2.0, name="v"), [1.0])
    with pytest.raises(GraphError, match=r"the function of the initial value of .* uses a tensor inside a branch"):
        tf.while_loop(lambda x: x < 3.0, lambda x: x + tf.Variable(lambda: x * 2.0, name="v"), [1.0])
    assert tf.global_variables() == []


def test_collections_of_a_body_are_those_outside() -> None:
    def body(i: Any) -> Any:
        tf.add_to_collection("mine", "here")
        tf.get_collection_ref("ours").append(1)
        assert tf.get_collection("mine") == ["here"]
        return i + 1

    tf.while_loop(lambda i: i < 3, body, [0])
    assert tf.get_collection("mine") == ["here"] and tf.get_collection("ours") == [1]
    with pytest.raises(ValueError, match="no good"):

        def failing() -> Any:
            tf.add_to_collection("mine", "gone")
            raise ValueError("no good")

        tf.cond(tf.constant(True), failing, failing)
    assert tf.get_collection("mine") == ["here"]


def test_the_global_step_is_found_and_made_inside() -> None:
    def step(i: Any) -> Any:
        found: Any = tf.train.get_or_create_global_step()
        return found.assign_add(1)

    i = loop(step)
    found: Any = tf.train.get_global_step()
    assert found.op.name == "global_step"
    session = start()
    session.run(i)
    assert session.run(found) == 3


@pytest.mark.parametrize("optimizer", [
    tf.train.GradientDescentOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9), tf.train.AdamOptimizer(0.1),
    tf.train.AdagradOptimizer(0.1), tf.train.RMSPropOptimizer(0.01), tf.train.FtrlOptimizer(0.1),
], ids=lambda o: type(o).__name__)  # fmt: skip
def test_a_training_loop_in_one_run_gives_the_bits_of_as_many_runs(optimizer: Any) -> None:
    def model() -> tuple[Any, Any]:
        w = tf.get_variable("w", initializer=np.array([1.0, -2.0, 3.0], "f4"))
        rows = tf.get_variable("rows", initializer=np.array([[1.0], [2.0], [4.0]], "f4"))
        loss = tf.reduce_sum(tf.square(w - 0.5)) + tf.reduce_sum(tf.gather(rows, [0, 2]) * tf.exp(w[0]))
        return loss, optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())

    with tf.Graph().as_default():
        step = model()[1]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(5):
                session.run(step)
            wanted = {v.name: session.run(v) for v in tf.global_variables()}
    with tf.Graph().as_default():
        i = loop(lambda i: model()[1], 5)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(i)
            got = {v.name.replace("while/", ""): session.run(v) for v in tf.global_variables()}
    assert sorted(got) == sorted(wanted)
    for name, value in wanted.items():
        assert np.array_equal(got[name], value), name


def test_two_updates_one_of_them_in_a_loop_follow_each_other() -> None:
    w = tf.Variable(0.0, name="w")
    descent = tf.train.GradientDescentOptimizer(1.0)
    i = loop(lambda i: descent.minimize(-w))
    last = descent.minimize(-w)
    session = start()
    session.run([i, last])
    assert session.run(w) == 4.0


def test_moving_averages_in_a_loop() -> None:
    w = tf.Variable(0.0, name="w")
    ema = tf.train.ExponentialMovingAverage(0.5)

    def step(i: Any) -> Any:
        with tf.control_dependencies([w.assign_add(8.0)]):
            return ema.apply([w])

    i = loop(step)
    session = start()
    session.run(i)
    assert session.run([w, ema.average(w)]) == [24.0, 17.0]


def test_gradients_inside_a_body_of_what_is_outside_and_inside() -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    y = x * x

    def body(i: Any, a: Any) -> Any:
        (by_x, by_a) = tf.gradients(a * x * x, [x, a])
        (outer,) = tf.gradients(y, x)
        return i + 1, a + by_x + by_a + outer

    _, a = tf.while_loop(lambda i, a: i < 2, body, [0, tf.constant(1.0)])
    with tf.Session() as session:
        assert session.run(a, {x: 3.0}) == (1 + 6 + 9 + 6) + 6 * 22 + 9 + 6


def test_a_body_waits_for_operations_outside_that_it_names() -> None:
    w = tf.Variable(1.0, name="w")
    write = w.assign(5.0)

    def branch() -> Any:
        with tf.control_dependencies([write]):
            return w * 2.0

    y = tf.cond(tf.constant(True), branch, lambda: tf.constant(0.0))
    assert y.op.control_inputs == (write.op,)
    session = start()
    assert session.run(y) == 10.0 and session.run(w) == 5.0


def test_a_nested_body_waits_for_operations_of_the_body_around_it() -> None:
    w = tf.Variable(1.0, name="w")

    def body(i: Any, x: Any) -> Any:
        write = w.assign_add(1.0)

        def branch() -> Any:
            with tf.control_dependencies([write]):
                return x + w.read_value()

        return i + 1, tf.cond(i < 5, branch, lambda: x)

    _, x = tf.while_loop(lambda i, x: i < 3, body, [0, tf.constant(0.0)])
    assert start().run(x) == 2 + 3 + 4


def test_names_stay_inside_the_body_whatever_scope_is_left() -> None:
    def body(i: Any) -> Any:
        with tf.name_scope(None):
            a = tf.add(i, 1, name="a")
        with tf.name_scope("other/"):
            b = tf.add(a, 0, name="b")
        assert (a.op.name, b.op.name) == ("while/body/a", "while/body/other/b")
        return b

    tf.while_loop(lambda i: i < 3, body, [0])


def test_a_gradient_that_a_read_inside_a_branch_stops_is_an_error() -> None:
    w = tf.Variable(2.0, name="w")
    y = tf.cond(tf.constant(True), lambda: w.read_value() * 3.0, lambda: tf.constant(0.0))
    with pytest.raises(LookupError, match=r"'cond', .* reads the variable 'w' inside with read_value"):
        tf.gradients(y, w)
    assert tf.gradients(tf.constant(1.0) * 2.0, w) == [None]
    plain = tf.cond(tf.constant(True), lambda: w * 3.0, lambda: tf.constant(0.0))
    assert start().run(tf.gradients(plain, w)[0]) == 3.0
