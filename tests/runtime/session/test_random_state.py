"""The random streams of a session: counted for each op, independent of other sessions, plans, threads and failures."""

from __future__ import annotations

import os
import pickle
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.errors import InvalidArgumentError
from penstock.graph.declare.effects import DRAWING, EffectOrder
from penstock.ops.random.philox import Position, stream_start
from penstock.ops.random.random_kernels import uniform
from penstock.ops.random.random_nodes import random_uniform_op

from ...holders import twice


def seeded(graph: tf.Graph, count: int = 4) -> tf.Tensor:
    with graph.as_default():
        return tf.random_uniform([count], seed=1)


def test_a_state_brings_a_session_back() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x, y = tf.random_normal([3]), tf.random_uniform([2], seed=4)
    with tf.Session(graph=graph) as session:
        session.run([x, y])
        state = session.random_state()
        first = session.run([x, y])
        session.run(x)
        session.set_random_state(state)
        for a, b in zip(first, session.run([x, y]), strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_state_of_one_session_serves_another_and_survives_a_pickle() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.random_normal([3])
    one, other = tf.Session(graph=graph), tf.Session(graph=graph)
    one.run(x)
    state = pickle.loads(pickle.dumps(one.random_state()))
    other.set_random_state(state)
    np.testing.assert_array_equal(one.run(x), other.run(x))


def test_a_stream_that_began_later_starts_again() -> None:
    graph = tf.Graph()
    x = seeded(graph)
    session = tf.Session(graph=graph)
    empty = session.random_state()
    first = session.run(x)
    session.set_random_state(empty)
    assert not empty
    np.testing.assert_array_equal(session.run(x), first)


def test_a_state_is_given_back_and_nothing_else() -> None:
    with pytest.raises(TypeError, match=r"give what session.random_state\(\) returned"):
        tf.Session(graph=tf.Graph()).set_random_state({})  # type: ignore[arg-type]  # that is the test


def test_the_seeds_from_the_system_can_be_asked_for_and_given_to_an_op() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.random_normal([3], name="x")
    session = tf.Session(graph=graph)
    first = session.run(x)
    used = session.random_state()["x/RandomStandardNormal"]
    with tf.Graph().as_default() as again:
        tf.set_random_seed(used.seed)
        y = tf.random_normal([3], seed=used.seed2)
    np.testing.assert_array_equal(tf.Session(graph=again).run(y), first)


def test_plans_of_a_session_share_the_stream_of_an_op() -> None:
    graph = tf.Graph()
    x = seeded(graph)
    with graph.as_default():
        y, z = x + 1.0, tf.reduce_sum(x)
    one, other = tf.Session(graph=graph), tf.Session(graph=graph)
    wanted = [one.run(x) for _ in range(4)]
    np.testing.assert_array_equal(other.run(x), wanted[0])
    np.testing.assert_array_equal(other.run(y), wanted[1] + np.float32(1))
    np.testing.assert_array_equal(other.run([z, x])[1], wanted[2])
    np.testing.assert_array_equal(other.trace([x]).result[0], wanted[3])


def test_a_failed_run_keeps_the_numbers_that_it_took_and_breaks_nothing() -> None:
    graph = tf.Graph()
    x = seeded(graph)
    with graph.as_default():
        place = tf.placeholder(tf.int32, [])
        picked = tf.gather(x, place)
    reference = tf.Session(graph=graph)
    wanted = [reference.run(x) for _ in range(3)]
    session = tf.Session(graph=graph)
    assert session.run(picked, {place: 2}) == wanted[0][2]
    with pytest.raises(InvalidArgumentError):
        session.run(picked, {place: 9})
    assert session.run(picked, {place: 1}) == wanted[2][1]


def test_threads_that_run_one_session_get_different_numbers_and_none_is_lost() -> None:
    graph = tf.Graph()
    x = seeded(graph)
    reference = tf.Session(graph=graph)
    wanted = {reference.run(x).tobytes() for _ in range(200)}
    session = tf.Session(graph=graph)
    found: list[bytes] = []

    def work() -> None:
        for _ in range(50):
            found.append(session.run(x).tobytes())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 200 and set(found) == wanted


def test_an_op_inside_a_body_draws_new_numbers_each_time_the_body_runs() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.random_uniform([4], seed=1)
        (sums,) = twice(lambda a: a + tf.random_uniform([4], seed=1), [tf.zeros([4])])
    reference = tf.Session(graph=graph)
    wanted = [reference.run(x) for _ in range(4)]
    session = tf.Session(graph=graph)
    for run in range(2):
        np.testing.assert_array_equal(session.run(sums), wanted[2 * run] + wanted[2 * run + 1])


def test_a_random_op_runs_once_per_run_whatever_the_passes() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.random_uniform([3], seed=1)
        size, difference = tf.shape(x), x - x
    for passes in (None, ()):
        session = tf.Session(graph=graph, config=tf.SessionConfig(passes=passes))
        session.run([size, difference])
        session.run(size)
        (state,) = session.random_state().values()
        assert state.drawn == 2 * 3 * 256


def test_a_random_op_keeps_its_control_edges() -> None:
    with tf.Graph().as_default() as graph:
        first = tf.random_uniform([], seed=1, name="first")
        with tf.control_dependencies([first]):
            second = tf.random_uniform([], seed=2, name="second")
    plan = tf.Session(graph=graph).plan(second)
    nodes = [step.node for step in plan.steps]
    assert nodes.index("first/RandomUniform") in plan.steps[nodes.index("second/RandomUniform")].after


def test_two_random_ops_do_not_wait_for_each_other() -> None:
    order: EffectOrder[int] = EffectOrder()
    assert order.follow(0, DRAWING) == [] and order.follow(1, DRAWING) == []
    assert not DRAWING.conflicts_with(DRAWING)
    assert not DRAWING.is_pure and not DRAWING.may_drop and DRAWING.may_repeat


def test_a_profile_repeats_random_ops_and_explain_runs_none() -> None:
    graph = tf.Graph()
    x = seeded(graph)
    session = tf.Session(graph=graph)
    session.explain(x)
    assert not session.random_state()
    assert session.profile(x, runs=2).runs == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_process_goes_on_from_the_same_place() -> None:
    graph = tf.Graph()
    x = seeded(graph)
    session = tf.Session(graph=graph)
    session.run(x)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, session.run(x).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 16) == session.run(x).tobytes()
    os.close(read)
    os.close(write)


def test_a_kernel_that_takes_the_place_of_the_own_one_gets_the_place_in_the_stream() -> None:
    seen: list[int] = []

    def zeros(xp: Any, at: Position, shape: Any, dtype: Any, seed: int, seed2: int) -> Any:
        seen.append(at.counter)
        return xp.zeros(tuple(shape), np.float32)

    random_uniform_op.kernel_for("numpy")(zeros)
    try:
        graph = tf.Graph()
        tf.Session(graph=graph).run(seeded(graph))
    finally:
        del random_uniform_op.kernels["numpy"]
    assert seen == [1 << 64]


SIZES = (3, 5, 64)


@given(st.data())
def test_any_runs_and_restores_draw_what_a_count_for_each_op_says(data: st.DataObject) -> None:
    with tf.Graph().as_default() as graph:
        ops = [tf.random_uniform([size], seed=number) for number, size in enumerate(SIZES)]
        bad = tf.gather(ops[1], tf.placeholder_with_default(99, []))
    sessions = [tf.Session(graph=graph) for _ in range(2)]
    counts = [[0, 0, 0], [0, 0, 0]]
    kept: list[tuple[Any, list[int]]] = []
    for _ in range(data.draw(st.integers(1, 12))):
        which = data.draw(st.integers(0, 1))
        session, drawn = sessions[which], counts[which]
        action = data.draw(st.sampled_from(["run", "run", "fail", "keep", "go back"]))
        if action == "run":
            chosen = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=3))
            for number, value in zip(chosen, session.run([ops[number] for number in chosen]), strict=True):
                at = stream_start(87654321, number).skip(drawn[number])
                np.testing.assert_array_equal(value, uniform(at, SIZES[number], tf.float32))
            for number in set(chosen):
                drawn[number] += 256 * SIZES[number]
        elif action == "fail":
            with pytest.raises(InvalidArgumentError):
                session.run(bad)
            drawn[1] += 256 * SIZES[1]
        elif action == "keep":
            kept.append((session.random_state(), list(drawn)))
        elif kept:
            state, before = data.draw(st.sampled_from(kept))
            session.set_random_state(state)
            drawn[:] = before
