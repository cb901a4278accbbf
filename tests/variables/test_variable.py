"""`Variable`: its nodes, reads, writes and errors."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

import penstock as tf
from penstock.errors import FailedPreconditionError, OutOfRangeError


def test_a_variable_is_three_nodes_under_its_name() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable([1.0, 2.0], name="layer/w")
        again = tf.Variable(0, name="layer/w")
    assert [op.name for op in graph.get_operations()[:3]] == ["layer/w/initial_value", "layer/w", "layer/w/Assign"]
    assert (v.name, v.op.name, v.initializer.name) == ("layer/w:0", "layer/w", "layer/w/Assign")
    assert again.name == "layer/w_1:0"
    assert (v.dtype, v.shape.as_list(), v.trainable) == (tf.float32, [2], True)
    assert graph.get_collection("variables") == [v, again]
    assert graph.get_collection("trainable_variables") == [v, again]


def test_its_value_is_fetched_by_object_tensor_and_name() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([1, 2], name="v")
        session.run(v.initializer)
        found = session.run({"object": v, "tensor": v.value(), "name": "v:0"})
        assert [x.tolist() for x in found.values()] == [[1, 2]] * 3
        assert v.eval().tolist() == [1, 2]


def test_an_uninitialized_variable_is_named_with_its_line_and_the_initializer() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0, name="lonely")
        with pytest.raises(FailedPreconditionError) as caught:
            session.run(v * 2.0)
    text = str(caught.value)
    assert "Attempting to use uninitialized value lonely" in text
    assert 'v = tf.Variable(1.0, name="lonely")' in text
    assert "session.run(v.initializer)" in text


def test_a_read_inside_control_dependencies_sees_the_write() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)
        first = v.assign_add(1.0)
        with tf.control_dependencies([first]):
            between = v * 10.0
            second = v.assign_add(2.0)
        with tf.control_dependencies([second]):
            last = v.read_value()
        session.run(v.initializer)
        assert session.run([v, between, last, first, second]) == [1.0, 20.0, 4.0, 2.0, 4.0]
        assert session.run(v) == 4.0


def test_writes_that_are_not_needed_do_not_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)
        v.assign(7.0)
        session.run(v.initializer)
        session.run(v + 1.0)
        assert session.run(v) == 1.0


def test_feeding_a_variable_holds_for_one_run_and_forbids_writes() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0, name="v")
        double, more = v * 2.0, v.assign_add(1.0)
        with pytest.raises(FailedPreconditionError):
            session.run(double)
        assert session.run(double, {v: 5.0}) == 10.0  # without any value in the session
        session.run(v.initializer)
        assert session.run([double, tf.is_variable_initialized(v)], {v: 5.0})[0] == 10.0
        assert session.run(v) == 1.0
        with pytest.raises(ValueError, match=r"v:0 is fed, and the run writes that variable: 'AssignAdd'"):
            session.run(more, {v: 5.0})
        assert session.run(v) == 1.0


def test_values_belong_to_a_session_which_frees_them() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0)
        one, two = tf.Session(graph=graph), tf.Session(graph=graph)
        one.run(v.initializer)
        with pytest.raises(FailedPreconditionError):
            two.run(v)
        one.close()
        assert one.variables.names() == []


def test_a_fetched_value_never_changes() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.zeros(100_000, np.float32))
        more = v.assign_add(tf.ones([100_000]))
        session.run(v.initializer)
        kept = [session.run(v), session.run(more), session.run([more, v]), session.run(tf.reshape(more, [1000, 100]))]
        copies = [np.copy(each) for each in kept]
        for _ in range(3):
            session.run(more)
        for each, copy in zip(kept, copies, strict=True):
            assert np.array_equal(each, copy)


def test_an_update_takes_the_memory_of_the_old_value() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.zeros(100_000, np.float32))
        step = v.assign_sub(0.5 * (v - 1.0)).op
        session.run(v.initializer)
        assert "in place of" in str(session.plan(step))
        tf.config.jit.mode, before = "now", tf.config.jit.mode
        try:
            session.run(step)
            at = session.variables.get(v.resource)
            for _ in range(3):
                session.run(step)
            assert session.variables.get(v.resource) is at
        finally:
            tf.config.jit.mode = before
        assert np.all(session.run(v) == np.float32(1 - 0.5**4))


def slices(rows: list[list[float]], numbers: list[int]) -> tf.IndexedSlices:
    return tf.IndexedSlices(tf.constant(rows), tf.constant(numbers))


@pytest.mark.parametrize(
    ("write", "want"),
    [
        (lambda v: tf.scatter_update(v, [2, 0], [[9.0, 9.0], [8.0, 8.0]]), [[8, 8], [2, 3], [9, 9]]),
        (lambda v: tf.scatter_add(v, [1, 1], [[1.0, 2.0], [3.0, 4.0]]), [[0, 1], [6, 9], [4, 5]]),
        (lambda v: tf.scatter_sub(v, [0], [[1.0, 1.0]]), [[-1, 0], [2, 3], [4, 5]]),
        (lambda v: tf.scatter_mul(v, [1], 2.0), [[0, 1], [4, 6], [4, 5]]),
        (lambda v: tf.scatter_div(v, [2], [[2.0, 5.0]]), [[0, 1], [2, 3], [2, 1]]),
        (lambda v: tf.scatter_min(v, [1, 2], 2.5), [[0, 1], [2, 2.5], [2.5, 2.5]]),
        (lambda v: tf.scatter_max(v, [[0], [1]], 2.5), [[2.5, 2.5], [2.5, 3], [4, 5]]),
        (lambda v: tf.scatter_nd_update(v, [[0, 1], [2, 0]], [7.0, 8.0]), [[0, 7], [2, 3], [8, 5]]),
        (lambda v: tf.scatter_nd_add(v, [[0], [0]], [[1.0, 1.0], [1.0, 1.0]]), [[2, 3], [2, 3], [4, 5]]),
        (lambda v: tf.scatter_nd_sub(v, [[1, 1]], [1.0]), [[0, 1], [2, 2], [4, 5]]),
        (lambda v: v[1:].assign([[1.0, 1.0], [2.0, 2.0]]), [[0, 1], [1, 1], [2, 2]]),
        (lambda v: v[:, 0].assign([7.0, 8.0, 9.0]), [[7, 1], [8, 3], [9, 5]]),
        (lambda v: v.scatter_sub(slices([[1.0, 2.0]], [2])), [[0, 1], [2, 3], [3, 3]]),
    ],
)
def test_rows_and_slices_are_written(write: Any, want: list[list[float]]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2))
        written = write(v)
        session.run(v.initializer)
        before = session.run(v)
        assert np.array_equal(session.run(written), want)
        assert np.array_equal(session.run(v), want)
        assert np.array_equal(before, np.arange(6).reshape(3, 2))


def test_a_failed_update_of_rows_writes_nothing() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.zeros((100_000, 2), np.float32))
        rows = tf.placeholder(tf.int32, [None])
        more = tf.scatter_add(v, rows, 1.0)
        session.run(v.initializer)
        bad = np.arange(50_000, dtype=np.int32)
        bad[-1] = 100_000
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[49999\] = 100000 is not in \[0, 100000\)"):
            session.run(more, {rows: bad})
        assert not session.run(v).any()


def test_a_counter_stops_at_its_limit() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        n = tf.Variable(0)
        step = n.count_up_to(2)
        session.run(n.initializer)
        assert [session.run(step), session.run(step)] == [0, 1]
        with pytest.raises(OutOfRangeError, match="Reached limit of 2"):
            session.run(step)
        assert session.run(n) == 2


def test_a_failed_run_writes_nothing_and_the_session_goes_on() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v, w = tf.Variable(1.0), tf.Variable(2.0)
        x = tf.placeholder(tf.int32, [])
        failing = tf.gather(tf.constant([1.0, 2.0]), x)
        one = v.assign(5.0)
        with tf.control_dependencies([one]):
            two = w.assign(tf.identity(failing))
        session.run([v.initializer, w.initializer])
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run([one, two], {x: 7})
        assert session.run([v, w]) == [1.0, 2.0]
        session.run([one, two], {x: 1})
        assert session.run([v, w]) == [5.0, 2.0]


def test_the_initial_value_of_another_variable_may_be_used_in_the_same_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(3.0)
        twice = tf.Variable(v.initialized_value() * 2.0)
        session.run([twice.initializer, v.initializer])
        assert session.run([v, twice]) == [3.0, 6.0]
        session.run(v.assign(10.0))
        session.run(twice.initializer)
        assert session.run(twice) == 20.0


def test_gradients_of_a_variable_count_all_its_reads() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(3.0)
        first = tf.square(v)
        with tf.control_dependencies([first]):
            second = v * 10.0
        (g,) = tf.gradients(first + second, [v])
        session.run(v.initializer)
        assert session.run(g) == 16.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda v: v.assign([1.0]), r"the value has shape \(1,\), but the variable 'v' has shape \(2,\)"),
        (lambda v: v.assign(tf.constant([1, 2])), r"is int32, the variable 'v' is float32"),
        (lambda v: v.assign("text"), r"Assign of the variable 'v'"),
        (lambda v: v.load([1.0], tf.Session()), r"the value has shape \[1\], the variable 'v' has \(2,\)"),
        (lambda v: tf.assign(cast(Any, tf.constant([1.0, 2.0])), [1.0, 2.0]), r"only a tf.Variable can be written"),
        (lambda v: tf.Variable(), r"initial_value must be specified"),
        (lambda v: tf.Variable(tf.placeholder(tf.float32)), r"must have a shape specified"),
        (lambda v: v.count_up_to(3), r"a counter is int32 or int64"),
        (lambda v: tf.scatter_add(v, [0], [[1.0, 2.0]]), r"updates have shape"),
        (lambda v: list(v), r"is not iterable"),
    ],
)
def test_a_wrong_call_is_refused_and_adds_nothing(call: Any, words: str) -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable([1.0, 2.0], name="v")
        kept = {op.name for op in graph.get_operations()}
        with pytest.raises((TypeError, ValueError), match=words):
            call(v)
        extra = {op.name for op in graph.get_operations()} - kept
        assert not any(name.startswith(("Assign", "Scatter", "CountUp", "Variable")) for name in extra)


def test_a_profile_of_updates_puts_the_values_back() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)
        more = v.assign_add(1.0)
        session.run(v.initializer)
        session.profile(more, runs=3)
        assert session.run(v) == 1.0
        trace = session.trace(more)
        assert trace[more] == 2.0
        assert session.run(v) == 2.0


@pytest.mark.parametrize("passes", [None, ()], ids=["passes", "no passes"])
def test_a_feed_stands_for_the_value_of_a_variable_and_does_not_initialize_it(passes: Any) -> None:
    with tf.Graph().as_default(), tf.Session(config=tf.SessionConfig(passes=passes)) as session:
        v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0, name="w")
        there, double = tf.is_variable_initialized(v), v * 2.0
        inside = tf.cond(tf.is_variable_initialized(v), lambda: v.value(), lambda: v.value() - 100.0)
        missing = tf.report_uninitialized_variables()
        for is_there in (False, True):
            if is_there:
                session.run(v.initializer)
            feeds = {v: [5.0, 6.0]}
            assert session.run(there, feeds) == is_there and session.run(there) == is_there
            found, twice = session.run([there, double], feeds)
            assert found == is_there and twice.tolist() == [10, 12]
            assert session.run(inside, feeds).tolist() == ([5, 6] if is_there else [-95, -94])
            assert session.run(missing, {v: [5.0, 6.0], w: 1.0}).tolist() == ([b"w"] if is_there else [b"v", b"w"])
        assert session.run(v).tolist() == [1, 2]


@pytest.mark.parametrize("kind", ["assign", "assign_add", "assign_sub"])
def test_a_mask_of_the_wrong_size_writes_nothing(kind: str) -> None:
    """The number of kept rows is known in the run only, where it is compared with the variable's shape."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        kept = tf.boolean_mask(x, x > 0.0, name="kept")
        v, other = tf.Variable(np.ones(3, "f4"), name="v"), tf.Variable(0.0, name="other")
        update = getattr(v, kind)(kept)
        both = [update, other.assign_add(1.0)]
        session.run(tf.global_variables_initializer())
        wanted = {"assign": [1, 2, 3], "assign_add": [2, 3, 4], "assign_sub": [0, -1, -2]}[kind]
        for given, count in (([1.0, 2.0], 2), ([1.0, -1.0, 2.0, 3.0, 4.0], 4), ([-1.0], 0), ([-5.0, 7.0], 1)):
            words = rf"\[{count}\] is not compatible .*\[3\]"
            with pytest.raises(tf.errors.InvalidArgumentError, match=words) as caught:
                session.run(both, {x: given})
            assert caught.value.op is update.op and f'value  "{kept.name}" float32 [{count}]' in str(caught.value)
            assert "test_variable.py:" in str(caught.value)
            assert session.run([v, other])[0].tolist() == [1, 1, 1] and session.run(other) == 0.0
        assert session.run(both, {x: [1.0, -1.0, 2.0, -3.0, 3.0]})[0].tolist() == wanted
        assert session.run(v).tolist() == wanted
