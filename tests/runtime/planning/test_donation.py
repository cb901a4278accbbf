"""Steps work in place where they may, and no result shows it."""

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.planning.memory_plan import MemoryPlan

from ...helpers import op_of
from ...reference import expected


def updated(before: Any, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """(before, before with entry 1 set to x[0])."""
    return before, tf.tensor_scatter_nd_update(before, [[1]], x[:1], name="update")


def donors(session: tf.Session, fetches: Any, feeds: list[tf.Tensor]) -> list[str]:
    """The nodes that work in place."""
    return [step.node for step in session.plan(fetches, feeds).steps if step.donor is not None]


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def test_an_update_of_a_value_nobody_else_reads_is_in_place(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, ["n"])
    _, after = updated(tf.sqrt(x), x)
    data = np.array([16.0, 4.0, 9.0], "f4")
    with tf.Session() as session:
        assert donors(session, after, [x]) == ["update"]
        np.testing.assert_array_equal(session.run(after, {x: data}), [4, 16, 3])
        np.testing.assert_array_equal(session.run(after, {x: data}), [4, 16, 3])
    np.testing.assert_array_equal(data, [16, 4, 9])


@pytest.mark.parametrize("who", ["a feed", "a constant", "a fetch", "a later reader", "a view that lives on", "itself"])
def test_an_update_is_a_copy_where_the_old_value_is_still_wanted(graph: tf.Graph, who: str) -> None:
    x = tf.placeholder(tf.float32, [3])
    values = {"a feed": x, "a constant": tf.constant([4.0, 2.0, 3.0])}
    before, after = updated(values.get(who, tf.sqrt(x)), x)
    fetches: list[tf.Tensor] = [after]
    if who == "a fetch":
        fetches.append(before)
    elif who == "a later reader":
        fetches.append(tf.matmul(before[None, :], after[:, None]))
    elif who == "a view that lives on":
        view = tf.reshape(before, [3, 1])
        _, after = updated(before, x)
        with tf.control_dependencies([after]):
            fetches = [after, tf.matmul(view, [[1.0]])]
    elif who == "itself":
        fetches = [tf.tensor_scatter_nd_update(before, [[0], [1], [2]], before)]
    data = np.array([16.0, 4.0, 9.0], "f4")
    with tf.Session() as session, tf.Session(config=tf.SessionConfig(passes=())) as plain:
        assert donors(session, fetches, [x]) == []
        for _ in range(2):
            for got, want in zip(session.run(fetches, {x: data}), plain.run(fetches, {x: data}), strict=True):
                np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(data, [16, 4, 9])


def test_a_chain_of_updates_lives_in_one_buffer(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, ["n"])
    value = tf.sqrt(x)
    for _ in range(5):
        _, value = updated(value, x)
    with tf.Session() as session:
        assert len(donors(session, value, [x])) == 5
        plan: MemoryPlan = session.memory(value, {x: np.ones(10_000, "f4")})
    # The feed and one buffer of 40,000 bytes; the rest is the one entry that is written.
    assert 80_000 <= plan.peak < 81_000


def test_a_bad_update_in_place_leaves_the_session_usable(graph: tf.Graph) -> None:
    x, at = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.int32, [None, 1])
    after = tf.tensor_scatter_nd_update(tf.sqrt(x), at, x[:1])
    data = np.array([4.0, 9.0], "f4")
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not index into shape"):
            session.run(after, {x: data, at: [[7]]})
        np.testing.assert_array_equal(session.run(after, {x: data, at: [[0]]}), [4, 3])


def column_major(x: Any) -> Any:
    return np.array(x, order="F")


def read_only(x: Any) -> Any:
    made = x.copy()
    made.flags.writeable = False
    return made


@pytest.mark.parametrize("kernel", [column_major, read_only, np.copy])
def test_memory_that_cannot_be_changed_in_place_is_copied(graph: tf.Graph, kernel: Any) -> None:
    """Only the run sees how a result lies in memory: the plan may say "in place" all the same."""
    x = tf.placeholder(tf.float32, [3, 4])
    with op_of(kernel, fresh=True) as made:
        after = tf.tensor_scatter_nd_update(made(x), [[1], [0]], x[1:] + 7.0, name="update")
        data = np.arange(12, dtype="f4").reshape(3, 4)
        with tf.Session() as session:
            assert donors(session, after, [x]) == ["update"]
            for _ in range(2):
                np.testing.assert_array_equal(session.run(after, {x: data}), expected([after], {x: data})[0])


def written_over(session: tf.Session, fetches: Any, feeds: list[tf.Tensor]) -> list[bool]:
    """For each step whether it writes a new value over the memory of its variable."""
    return [any(slot is not None for slot in step.over) for step in session.plan(fetches, feeds).steps]


def test_a_step_that_reads_a_variable_which_another_one_overwrites_makes_a_copy(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [4096])
    v, w = tf.Variable(np.arange(4096, dtype="f4")), tf.Variable(np.ones(4096, "f4"))
    both = tf.group(v.assign(v * w - x).op, w.assign(w * 2.0 + x).op)
    with tf.Session() as session:
        assert written_over(session, both, [x]) == [False, True]
        assert written_over(session, v.assign(v * w - x).op, [x]) == [True]
        session.run([v.initializer, w.initializer])
        session.run(both, {x: np.full(4096, 3.0)})
        assert [value[:3].tolist() for value in session.run([v, w])] == [[-3.0, -2.0, -1.0], [5.0, 5.0, 5.0]]


def test_a_value_that_two_variables_take_is_not_written_over_a_third_one(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [4096])
    v, w, z = (tf.Variable(np.full(4096, start, "f4")) for start in (1.0, 2.0, 3.0))
    taken = v * 2.0 + x
    updates = tf.group(v.assign(taken).op, w.assign(taken).op, z.assign(z * 3.0 + taken).op)
    with tf.Session() as session:
        assert written_over(session, updates, [x]) == [False]
        session.run([v.initializer, w.initializer, z.initializer])
        session.run(updates, {x: np.full(4096, 0.5)})
        assert [value[0] for value in session.run([v, w, z])] == [2.5, 2.5, 11.5]


def test_what_a_product_reads_is_kept_for_the_update_in_place_behind_it(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [64, 64])
    v = tf.Variable(np.zeros((64, 64), "f4"))
    update = v.assign_sub(tf.matmul(tf.tanh(x), x) * 0.1).op
    later = tf.matmul(tf.sin(tf.matmul(tf.exp(x), x)), x)
    with tf.Session() as session:
        steps = session.plan([update, later], [x]).steps
        (read,) = [step.outputs[0] for step in steps if step.op == "Tanh"]
        assert [step.op for step in steps].index("Sin") > [any(step.over) for step in steps].index(True)
        offsets = session.memory([update, later], {x: np.ones((64, 64))}).arena.offsets
    assert offsets and read not in offsets  # memory that other steps take later
