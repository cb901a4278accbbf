"""Asynchronous runs compute their updates at the same time, and take turns only to update."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import penstock as tf

CONFIG = tf.SessionConfig(asynchronous=True)
PATIENCE = 120.0
"""Seconds after which a test fails that waits for another thread."""


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made


def paused(x: Any, pause: Callable[[], Any]) -> tf.Tensor:
    """`x`, after a function of this process has ended."""

    def call(value: Any) -> Any:
        pause()
        return value

    out: tf.Tensor = tf.py_func(call, [x], x.dtype)
    out.set_shape(x.shape)
    return out


class Gate:
    """A pause that one run waits in until another one has ended."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()

    def __call__(self) -> None:
        self.reached.set()
        assert self.opened.wait(PATIENCE)


def test_two_runs_compute_their_updates_at_the_same_time() -> None:
    meeting = threading.Barrier(2)
    x = tf.placeholder(tf.float32, [], name="x")
    w = tf.get_variable("w", initializer=1.0)
    train = tf.train.MomentumOptimizer(0.5, 0.9).minimize(paused(x, lambda: meeting.wait(PATIENCE)) * w)
    with tf.Session(config=CONFIG) as session, ThreadPoolExecutor(2) as pool:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            list(pool.map(lambda value: session.run(train, {x: value}), (1.0, 2.0)))


def test_runs_take_turns_without_the_choice() -> None:
    gate = Gate()
    w = tf.get_variable("w", initializer=1.0)
    slow, quick = w.assign_add(paused(tf.constant(1.0), gate)), w.assign_add(1.0)
    with tf.Session() as session, ThreadPoolExecutor(1) as pool:
        session.run(w.initializer)
        running = pool.submit(session.run, slow)
        assert gate.reached.wait(PATIENCE)
        with pytest.raises(tf.errors.DeadlineExceededError, match="waited for another run"):
            session.run(quick, options=tf.RunOptions(timeout_in_ms=20))
        gate.opened.set()
        assert running.result(PATIENCE) == 2.0


@pytest.mark.parametrize("cached", [False, True], ids=["first run", "later run"])
def test_an_update_starts_from_what_other_runs_have_made_of_the_variable_meanwhile(cached: bool) -> None:
    gate = Gate()
    x = tf.placeholder(tf.float32, [], name="x")
    w = tf.get_variable("w", initializer=4.0)
    loss = tf.square(w) * paused(x, gate)
    step = tf.Variable(0, trainable=False, name="step")
    train = tf.train.GradientDescentOptimizer(0.25).minimize(loss, global_step=step)
    with tf.Session(config=CONFIG) as session, ThreadPoolExecutor(1) as pool:
        session.run(tf.global_variables_initializer())
        if cached:
            gate.opened.set()
            session.run([loss, train], {x: 0.0})
            gate.opened.clear()
            gate.reached.clear()
        running = pool.submit(session.run, [loss, train], {x: 1.0})
        assert gate.reached.wait(PATIENCE)
        session.run([w.assign_add(100.0), step.assign_add(10)])
        gate.opened.set()
        assert running.result(PATIENCE)[0] == 16.0
        assert session.run([w, step]) == [102.0, 11 + cached]  # 104 less a quarter of the gradient at 4, which is 8


def test_a_plain_read_is_the_value_at_the_start_and_an_assignment_overwrites() -> None:
    gate = Gate()
    w = tf.get_variable("w", initializer=1.0)
    double = w.assign(paused(w * 2.0, gate))
    with tf.Session(config=CONFIG) as session, ThreadPoolExecutor(1) as pool:
        session.run(w.initializer)
        running = pool.submit(session.run, double)
        assert gate.reached.wait(PATIENCE)
        session.run(w.assign_add(100.0))
        gate.opened.set()
        assert running.result(PATIENCE) == 2.0
        assert session.run(w) == 2.0


def test_no_update_of_many_threads_is_lost() -> None:
    x = tf.placeholder(tf.float64, [None], name="x")
    w = tf.get_variable("w", [3], tf.float64, tf.zeros_initializer())
    rows = tf.get_variable("rows", [4, 2], tf.float64, tf.zeros_initializer())
    changed = tf.IndexedSlices(tf.ones([2, 2], tf.float64), tf.constant([1, 3]))
    more = [w.assign_add(tf.square(x) + 0.0 * w), rows.scatter_sub(changed)]
    with tf.Session(config=CONFIG) as session, ThreadPoolExecutor(4) as pool:
        session.run(tf.global_variables_initializer())
        list(pool.map(lambda value: session.run(more, {x: np.full(3, float(value))}), range(60)))
        assert session.run(w).tolist() == [sum(i * i for i in range(60))] * 3
        assert session.run(rows).tolist() == [[0.0] * 2, [-60.0] * 2] * 2


def test_values_after_an_update_are_those_of_the_own_run() -> None:
    x = tf.placeholder(tf.int64, [], name="x")
    w = tf.get_variable("w", initializer=np.int64(0))
    before = tf.identity(w.read_value(), name="before")
    added = w.assign_add(tf.identity(x))
    with tf.control_dependencies([added]):
        after = w.read_value() * 10
    with tf.Session(config=CONFIG) as session, ThreadPoolExecutor(4) as pool:
        session.run(w.initializer)
        found = list(pool.map(lambda _: session.run([before, added, after], {x: 1}), range(40)))
        assert sorted(int(made) for _, made, _ in found) == list(range(1, 41))
        assert all(then == made * 10 and first < made for first, made, then in found)


def test_a_branch_that_may_write_leaves_the_updates_of_others() -> None:
    gate = Gate()
    x = tf.placeholder(tf.float32, [], name="x")
    w = tf.get_variable("w", initializer=1.0)
    chosen = tf.cond(paused(x, gate) > 0.0, lambda: w.assign(7.0).op, lambda: tf.no_op())
    with tf.Session(config=CONFIG) as session, ThreadPoolExecutor(1) as pool:
        session.run(w.initializer)
        running = pool.submit(session.run, chosen, {x: -1.0})
        assert gate.reached.wait(PATIENCE)
        session.run(w.assign_add(100.0))
        gate.opened.set()
        running.result(PATIENCE)
        assert session.run(w) == 101.0


def test_a_run_that_fails_in_either_half_changes_nothing_and_can_be_debugged() -> None:
    x = tf.placeholder(tf.int32, [], name="x")
    w = tf.get_variable("w", initializer=[1.0, 2.0])
    before = tf.add(w, 0.0, name="before")
    drawn = tf.random_uniform([2], seed=3)
    early = w.assign_add(drawn * tf.gather([1.0, 2.0], x, name="early"))
    late = w.assign_add(drawn + tf.gather(w.assign_sub([1.0, 1.0]), x, name="late"))
    with tf.Session(config=CONFIG) as session, tf.Session(graph=session.graph) as other:
        for each in (session, other):
            each.run(w.initializer)
        for fetch, name in ((early, "early"), (late, "late")):
            with pytest.raises(tf.errors.InvalidArgumentError, match=name):
                session.run([before, fetch], {x: 5})
            stopped = session.debug_last_error()
            assert stopped.value(before).tolist() == [1.0, 2.0]
            assert stopped.value(drawn).tolist() == other.run(drawn).tolist()
            assert session.run(w).tolist() == [1.0, 2.0]
        session.set_random_state(other.random_state())
        for one, two in zip(session.run([early, late], {x: 1}), other.run([early, late], {x: 1}), strict=True):
            assert one.tolist() == two.tolist()


def test_a_run_without_values_says_so_and_a_recorded_run_is_one() -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    w = tf.get_variable("w", initializer=1.0)
    train = tf.train.AdamOptimizer(0.5).minimize(w * x)
    with tf.Session(config=CONFIG) as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value w"):
            session.run(train, {x: 1.0})
        session.run(tf.global_variables_initializer())
        metadata = tf.RunMetadata()
        session.run(train, {x: 1.0}, run_metadata=metadata)
        assert metadata.record is not None
        assert len(metadata.record.steps) == len(session.plan(train).steps)


def test_the_choice_is_true_or_false() -> None:
    with pytest.raises(TypeError, match=r"SessionConfig\(asynchronous='yes'\): give True or False"):
        tf.SessionConfig(asynchronous="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize("is_second", [False, True], ids=["before the update", "after it"])
def test_a_shape_that_the_run_does_not_have_is_an_error_in_either_half(is_second: bool) -> None:
    x = tf.placeholder(tf.float32, name="x")
    v = tf.Variable([1.0], name="v", validate_shape=False)
    update = tf.assign(v, x, validate_shape=False)
    claimed = tf.square(v.assign_add(x) if is_second else x)
    claimed.set_shape([2])
    result = claimed * 2.0
    with tf.Session(config=CONFIG) as session:
        session.run([v.initializer])
        assert session.run([result, update], {x: [1.0, 2.0]})[0].shape == (2,)
        before = session.run(v)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"has shape \(2,\), but the run gave \(1,\)"):
            session.run([result, update], {x: [3.0]})
        assert session.run(v).tolist() == before.tolist()
