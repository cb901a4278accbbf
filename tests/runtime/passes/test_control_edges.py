"""Control inputs are left out where writes have become data flow, and nobody can notice."""

import re
from collections.abc import Callable

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.effects import CHANGING_OBJECTS, DRAWING, MAKING_OBJECTS, SAVING, VOLATILE, Effects, union


def steps(text: str) -> list[str]:
    """The ops of a plan's steps in their order."""
    return re.findall(r"^(?:t[\w, ]+ = )?(\w+)\(", text, re.MULTILINE)


def told_of(seen: list[float]) -> tf.Tensor:
    """A node that appends to a list when it runs."""

    def tell() -> np.float32:
        seen.append(1.0)
        return np.float32(0)

    made: tf.Tensor = tf.py_func(tell, [], tf.float32, stateful=True)
    return made


def initialize(session: tf.Session) -> None:
    session.run([v.initializer for v in session.graph.get_collection("variables")])


def test_one_step_of_adam_is_one_pass_for_each_variable() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        for name in ("a", "b"):
            tf.Variable(np.ones((50, 40), np.float32), name=name)
        loss = tf.add_n([tf.reduce_sum(tf.square(v)) for v in session.graph.get_collection("trainable_variables")])
        update = tf.train.AdamOptimizer(0.1).minimize(loss)
        text = str(session.plan(update))
        # One group computes the learning rate, one updates each variable and its two slots, in place.
        assert sorted(steps(text)) == ["Fused", "Fused", "Fused", "Mul", "Mul"]
        assert text.count("in place of") >= 2
        assert text.count("write ") == 8


def test_a_group_of_writes_is_no_step() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        v = tf.Variable(1.0)
        both = tf.group(v.assign_add(2.0), tf.group(tf.no_op()))
        assert "NoOp" not in str(session.plan(both))
        initialize(session)
        session.run(both)
        assert session.run(v) == 3.0


def test_a_check_before_a_write_still_runs() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, [])
        v = tf.Variable(1.0)
        with tf.control_dependencies([tf.check_numerics(x, "x is not finite")]):
            update = tf.group(v.assign_add(2.0))
        initialize(session)
        with pytest.raises(tf.errors.InvalidArgumentError, match="x is not finite"):
            session.run(update, {x: np.nan})
        session.run(update, {x: 1.0})
        assert session.run(v) == 3.0


def test_an_effect_after_a_write_does_not_happen_if_the_write_fails() -> None:
    seen = list[float]()
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.int32, [])
        v = tf.Variable(1)
        with tf.control_dependencies([tf.group(v.assign(4 // x))]):
            told = told_of(seen)
        initialize(session)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(told, {x: 0})
        assert seen == []
        session.run(told, {x: 2})
        assert seen == [1.0] and session.run(v) == 2


def test_what_only_a_control_input_needs_still_runs() -> None:
    seen = list[float]()
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        v = tf.Variable(1.0)
        told = told_of(seen)
        with tf.control_dependencies([told]):
            update = tf.group(v.assign_add(2.0))
        with tf.control_dependencies([update]):
            last = tf.no_op()
        initialize(session)
        session.run(last)
        assert seen == [1.0] and session.run(v) == 3.0


def told_once(seen: list[float]) -> tf.Tensor:
    """The int zero, by a node that appends to a list when it runs."""
    zero = tf.cast(told_of(seen), tf.int32)
    zero.set_shape([])
    return zero


def writes_in_groups(with_loop: bool = False, rate: float = 0.0) -> int:
    """The steps of a training step of Adam that are not the loss, its gradients or a loop."""
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        w = tf.Variable(np.ones((50, 40), np.float32))
        kept = tf.nn.dropout(w, rate=rate) if rate else w
        loss = tf.reduce_sum(tf.square(kept))
        if with_loop:
            loss = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 1.5), [0, loss])[1]
        update = tf.train.AdamOptimizer(0.1).minimize(loss)
        return len([step for step in session.plan([loss, update]).steps if step.node.startswith("Adam")])


def test_a_loop_in_the_loss_keeps_no_update_from_being_one_group() -> None:
    assert writes_in_groups(with_loop=True) == writes_in_groups(with_loop=False)


def test_random_numbers_in_the_loss_keep_no_update_from_being_one_group() -> None:
    assert writes_in_groups(rate=0.5) == writes_in_groups()


def test_random_numbers_that_wait_for_a_check_are_not_drawn_if_it_fails() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, [])
        v = tf.Variable(1.0)
        with tf.control_dependencies([tf.check_numerics(x, "x is not finite")]):
            drawn = tf.random_uniform([], seed=1)
        update = tf.group(v.assign(drawn))
        initialize(session)
        session.run(update, {x: 1.0})
        first = session.run(v)
        with pytest.raises(tf.errors.InvalidArgumentError, match="x is not finite"):
            session.run(update, {x: np.nan})
        session.run(update, {x: 1.0})
        second = session.run(v)
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        drawn = tf.random_uniform([], seed=1)
        assert [session.run(drawn), session.run(drawn)] == [first, second]


def test_an_element_is_put_before_a_write_that_waits_for_it() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]])
        v = tf.Variable(1.0)
        with tf.control_dependencies([queue.enqueue(3.0)]):
            update = tf.group(v.assign(2.0))
        initialize(session)
        session.run(update)
        assert session.run([queue.size(), v]) == [1, 2.0]


def test_a_loop_with_effects_that_a_write_waits_for_still_runs_before_it() -> None:
    seen: list[float] = []
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        v = tf.Variable(1.0)
        loop = tf.while_loop(lambda i: i < 3, lambda i: i + 1 + told_once(seen), [0])
        with tf.control_dependencies([loop]):
            update = tf.group(v.assign_add(2.0))
        initialize(session)
        session.run(update)
        assert seen == [1.0, 1.0, 1.0]
        assert session.run(v) == 3.0


def put() -> tf.Operation:
    """A node that puts an element into a queue."""
    return tf.FIFOQueue(2, [tf.float32], shapes=[[]]).enqueue(3.0)


def taken() -> tf.Operation:
    """A node that takes an element out of a queue."""
    element: tf.Tensor = tf.FIFOQueue(2, [tf.float32], shapes=[[]]).dequeue(name="taken")
    return element.op


def next_one() -> tf.Operation:
    """A node that takes the next element of a dataset."""
    element: tf.Tensor = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
    return element.op


@pytest.mark.parametrize("effect", [put, taken, next_one])
def test_a_check_stays_behind_what_changes_an_object_of_the_session(effect: Callable[[], tf.Operation]) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])
        v = tf.Variable(1.0)
        before = effect()
        with tf.control_dependencies([before]):  # if the check fails, the element has been put or taken all the same
            checked = tf.check_numerics(x, "x is not finite", name="checked")
        update = tf.group(v.assign(checked))
        plan = tf.Session(graph=graph).plan([update, *before.outputs], [x])
    (step,) = [step for step in plan.steps if "checked" in step.node]
    assert before.name in [plan.steps[i].node for i in step.after]


def test_only_what_no_other_touches_is_private() -> None:
    assert Effects().is_private and DRAWING.is_private
    assert not any(each.is_private for each in (MAKING_OBJECTS, CHANGING_OBJECTS, VOLATILE, SAVING))
    assert not union([DRAWING, CHANGING_OBJECTS]).is_private
    assert not Effects(reads=frozenset({"v"})).is_private
