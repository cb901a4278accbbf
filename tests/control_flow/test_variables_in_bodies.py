"""Variables that branches and loops read and write: docs/state.md, "Inside branches and loops"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import FailedPreconditionError


def made(build: Callable[[], Any], initialize: bool = True) -> tuple[tf.Session, Any]:
    """A session of the graph that `build` makes, and what it returned."""
    graph = tf.Graph()
    with graph.as_default():
        fetches = build()
        start = tf.global_variables_initializer()
    session = tf.Session(graph=graph)
    if initialize:
        session.run(start)
    return session, fetches


def value(session: tf.Session, name: str = "w") -> Any:
    return session.run(session.graph.get_tensor_by_name(f"{name}:0")).tolist()


def test_a_loop_adds_to_a_variable_in_each_iteration() -> None:
    def build() -> Any:
        w = tf.Variable(1.0, name="w")

        def body(i: Any) -> Any:
            with tf.control_dependencies([w.assign_add(2.0)]):
                return i + 1

        return tf.while_loop(lambda i: i < 3, body, [0])

    session, i = made(build)
    assert session.run(i) == 3 and value(session) == 7.0
    assert session.run(i) == 3 and value(session) == 13.0


def test_only_the_taken_branch_writes() -> None:
    def build() -> Any:
        w = tf.Variable(1.0, name="w")
        p = tf.placeholder(tf.bool, [])
        return p, tf.cond(p, lambda: w.assign_add(5.0), lambda: w * 2.0)

    session, (p, y) = made(build)
    assert session.run(y, {p: False}) == 2.0 and value(session) == 1.0
    assert session.run(y, {p: True}) == 6.0 and value(session) == 6.0


def test_a_use_stands_for_the_start_of_the_iteration_and_a_read_after_a_write_sees_it() -> None:
    def build() -> Any:
        w = tf.Variable(1.0, name="w")

        def body(i: Any, seen: Any) -> Any:
            with tf.control_dependencies([w.assign_add(1.0)]):
                after = tf.pack([w.read_value(), w + 0.0, w.value()])
            return i + 1, seen + tf.concat(0, [tf.pack([w * 1.0]), after])

        return tf.while_loop(lambda i, seen: w < 4.0, body, [0, tf.zeros([4])])

    session, fetches = made(build)
    count, seen = session.run(fetches)
    assert count == 3 and seen.tolist() == [6.0, 9.0, 9.0, 9.0] and value(session) == 4.0


def test_nested_bodies_hand_a_variable_on() -> None:
    def build() -> Any:
        w = tf.Variable(1.0, name="w")

        def step(j: Any) -> Any:
            with tf.control_dependencies([
                tf.cond(tf.equal(j % 2, 0), lambda: w.assign_add(1.0), lambda: w.assign(w * 2.0))
            ]):  # fmt: skip
                return j + 1

        def body(i: Any) -> Any:
            with tf.control_dependencies([tf.while_loop(lambda j: j < 3, step, [0])]):
                return i + 1

        return tf.while_loop(lambda i: i < 2, body, [0])

    session, i = made(build)
    session.run(i)
    assert value(session) == 13.0  # 1 2 4 5 6 12 13


def test_a_branch_may_ask_whether_a_variable_has_a_value_and_give_it_one() -> None:
    def build() -> Any:
        w = tf.Variable(1.0, name="w")
        return tf.cond(tf.is_variable_initialized(w), lambda: w.assign_add(1.0), lambda: w.assign(7.0))

    session, y = made(build, initialize=False)
    assert [session.run(y) for _ in range(3)] == [7.0, 8.0, 9.0] and value(session) == 9.0


def test_a_branch_that_does_not_run_needs_no_value() -> None:
    def build() -> Any:
        w = tf.Variable(1.0, name="w")
        p = tf.placeholder(tf.bool, [])
        return p, tf.cond(p, lambda: w + 100.0, lambda: tf.constant(3.0)), tf.cond(
            p, lambda: w.assign_add(1.0), lambda: tf.constant(4.0))  # fmt: skip

    session, (p, *both) = made(build, initialize=False)
    assert session.run(both, {p: False}) == [3.0, 4.0]
    with session.graph.as_default():
        assert session.run(tf.report_uninitialized_variables()).tolist() == [b"w"]
    for fetch in both:
        with pytest.raises(FailedPreconditionError, match=r"Attempting to use uninitialized value w\n.*'w'  made at"):
            session.run(fetch, {p: True})


def test_reads_outside_see_what_a_loop_wrote_where_a_path_leads_to_them() -> None:
    def build() -> Any:
        w = tf.Variable([1.0, 2.0], name="w")

        def body(i: Any) -> Any:
            with tf.control_dependencies([tf.scatter_add(w, [1], [10.0])]):
                return i + 1

        first = w.assign_add([1.0, 1.0])
        loop = tf.while_loop(lambda i: i < 2, body, [0])
        last = w.assign_add([0.5, 0.5])
        with tf.control_dependencies([loop]):
            after = w.read_value()
            plain = w * 1.0
        return w, first, loop, last, after, plain, tf.cond(tf.constant(True), lambda: w * 1.0, lambda: w * 3.0)

    session, fetches = made(build)
    w, first, _, last, after, plain, captured = session.run(fetches)
    assert (w.tolist(), first.tolist(), last.tolist()) == ([1, 2], [2, 3], [2.5, 23.5])
    assert after.tolist() == plain.tolist() == [2, 23] and captured.tolist() == [1, 2]
    assert value(session) == [2.5, 23.5]


def test_a_branch_built_after_a_write_uses_what_it_wrote() -> None:
    def build() -> Any:
        w = tf.Variable(1.0, name="w")
        with tf.control_dependencies([w.assign(5.0)]):
            return tf.cond(tf.constant(True), lambda: w * 1.0, lambda: w * 2.0)

    session, y = made(build)
    assert session.run(y) == 5.0


def test_a_variable_of_changing_shape_grows_in_a_loop() -> None:
    def build() -> Any:
        w = tf.Variable(tf.zeros([1]), validate_shape=False, name="w")
        w.set_shape([None])

        def body(i: Any) -> Any:
            longer = tf.concat(0, [w, tf.ones([1])])
            with tf.control_dependencies([w.assign(longer)]):
                return i + 1

        return tf.while_loop(lambda i: i < 3, body, [0])

    session, i = made(build)
    session.run(i)
    assert value(session) == [0, 1, 1, 1]


def test_a_counter_in_a_loop_fails_at_its_limit_and_keeps_the_old_value() -> None:
    def build() -> Any:
        w = tf.Variable(0, name="w")

        def body(i: Any) -> Any:
            return i + w.count_up_to(3)

        return tf.while_loop(lambda i: i < 100, body, [0])

    session, i = made(build)
    with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 3"):
        session.run(i)
    assert value(session) == 0


def test_a_condition_must_not_write() -> None:
    def build() -> Any:
        w = tf.Variable(0.0, name="w")
        return tf.while_loop(lambda i: w.assign_add(1.0) < 5.0, lambda i: i + 1, [0])

    session, i = made(build)
    with pytest.raises(TypeError, match="writes the variable 'w' in the cond of 'while'"):
        session.run(i)


def test_a_variable_that_is_fed_is_read_but_not_written_inside() -> None:
    def build() -> Any:
        w = tf.Variable([1.0], name="w")
        p = tf.placeholder(tf.bool, [])
        return p, w, tf.cond(p, lambda: w * 2.0, lambda: w), tf.cond(p, lambda: w.assign([3.0]), lambda: w)

    session, (p, w, reads, writes) = made(build)
    assert session.run(reads, {p: True, w: [5.0]}).tolist() == [10.0]
    with pytest.raises(ValueError, match="is fed, and the run writes that variable"):
        session.run(writes, {p: True, w: [5.0]})
    assert np.array_equal(value(session), [1.0])


def test_a_loop_updates_rows_in_place_and_only_what_nothing_else_holds() -> None:
    def build() -> Any:
        w = tf.Variable(tf.zeros([3, 2]), name="w")

        def body(i: Any, held: Any) -> Any:
            return i + 1, tf.scatter_add(w, [i], tf.ones([1, 2]))

        def counted(i: Any) -> Any:
            with tf.control_dependencies([tf.scatter_add(w, [i], tf.ones([1, 2]))]):
                return i + 1

        alone = tf.while_loop(lambda i: i < 3, counted, [0], name="alone")
        held = tf.while_loop(lambda i, held: i < 3, body, [0, tf.zeros([3, 2])], name="held")
        return w, alone, held

    session, (w, alone, held) = made(build)
    before = session.run(w)
    assert "add) in place of t1" in str(session.explain(alone))
    assert "in place of" not in str(session.explain(held))
    assert session.run(alone) == 3 and session.run(w).tolist() == [[1, 1]] * 3 and before.tolist() == [[0, 0]] * 3
    assert session.run(held)[1].tolist() == session.run(w).tolist() == [[2, 2]] * 3


def test_a_failed_loop_leaves_what_it_would_have_overwritten() -> None:
    def build() -> Any:
        w = tf.Variable(tf.zeros([3]), name="w")

        def body(i: Any) -> Any:
            with tf.control_dependencies([tf.scatter_add(w, [i], [1.0])]):
                return i + 1

        return tf.while_loop(lambda i: i < 5, body, [0])

    session, i = made(build)
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(i)
    assert value(session) == [0, 0, 0]
