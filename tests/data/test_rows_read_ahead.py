"""Rows that are read ahead: orders of repeated shuffles that are taken in part are TensorFlow's, compiled gathers are
NumPy's, batches at hand belong to one pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.ops.datasets import row_streams
from penstock.runtime.kernels.loops.loop_cache import find_at_once

data = tf.data.Dataset
SHUFFLED: dict[str, tuple[Callable[[], Any], list[int]]] = {
    "part of a repeated shuffle": (
        lambda: data.zip((data.range(5), data.range(3).shuffle(5, seed=1).repeat())).map(lambda a, b: b).repeat(3),
        [1, 2, 0, 1, 0, 0, 1, 2, 0, 2, 0, 2, 1, 0, 1],
    ),
    "its end where another one ends": (
        lambda: data.zip((data.range(3), data.range(3).shuffle(5, seed=1).repeat())).map(lambda a, b: b).repeat(3),
        [1, 2, 0, 0, 1, 2, 0, 2, 1],
    ),
    "a shuffle behind a repeat": (
        lambda: data.range(6).shuffle(3, seed=1).repeat(3).shuffle(4, seed=2).take(4).repeat(4),
        [1, 0, 2, 1, 3, 4, 5, 0, 1, 2, 4, 0, 4, 1, 5, 1],
    ),
    "a shard": (
        lambda: data.range(5).shuffle(3, seed=1).repeat().shard(2, 1).take(4).repeat(4),
        [3, 4, 1, 0, 3, 4, 0, 1, 1, 4, 0, 3, 2, 3, 1, 2],
    ),
    "batches": (
        lambda: data.range(3).shuffle(3, seed=1).repeat().batch(2).take(2).repeat(4),
        [1, 2, 0, 1, 0, 1, 2, 0, 0, 2, 1, 0, 1, 0, 2, 1],
    ),
}  # fmt: skip
"""Pipelines of random orders, and what TensorFlow 2.21 gives for them."""


@pytest.mark.parametrize("name", SHUFFLED)
def test_the_order_is_that_of_tensorflow(name: str) -> None:
    build, expected = SHUFFLED[name]
    with tf.Graph().as_default(), tf.Session() as session:
        element = build().make_one_shot_iterator().get_next()
        taken: list[Any] = []
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                taken += np.ravel(session.run(element)).tolist()
    assert taken == expected


@pytest.mark.parametrize("shape, dtype", [((70,), "f4"), ((33, 9), "u1"), ((256,), "c16"), ((3, 100), "i8")])
def test_a_compiled_gather_gives_what_numpy_gives(shape: tuple[int, ...], dtype: str) -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 99, (50, *shape)).astype(dtype)
    find_at_once("gathered_rows")
    for numbers in (np.array([7]), np.array([49, 0, 49]), rng.integers(0, 50, 200), rng.integers(0, 50, 40)[::2]):
        np.testing.assert_array_equal(row_streams._gathered(rows, numbers), rows[numbers])


STREAMS: dict[str, Callable[[], row_streams.RowStream]] = {
    "slices": lambda: _slices(23),
    "taken": lambda: row_streams.TakenRows(_slices(23), 11),
    "stepped": lambda: row_streams.SteppedRows(_slices(23), 2, 3),
    "stepped after some": lambda: row_streams.SteppedRows(row_streams.TakenRows(_slices(23), 19), 7, 5),
    "repeated": lambda: row_streams.RepeatedRows(lambda: _slices(5), 4, False),
    "stepped and repeated": lambda: row_streams.SteppedRows(
        row_streams.RepeatedRows(lambda: _slices(5), 6, False), 1, 2
    ),
}


def _slices(count: int) -> row_streams.SliceStream:
    return row_streams.SliceStream((np.arange(count),), count)


@pytest.mark.parametrize("name", STREAMS)
def test_rows_come_in_order_however_they_are_asked_for(name: str) -> None:
    one_by_one, expected = STREAMS[name](), []
    while (element := one_by_one.next()) is not None:
        expected.append(int(element[0]))
    assert expected
    for seed in range(20):
        rng = np.random.default_rng(seed)
        stream, rows = STREAMS[name](), list(expected)
        for _ in range(30):
            way, count = rng.choice(["next", "some", "take", "skip"]), int(rng.integers(1, 8))
            if way == "next":
                one = stream.next()
                taken, most = [] if one is None else [int(one[0])], 1
            elif way == "skip":
                taken, most = rows[: stream.skip(count)], count
            else:
                numbers = stream.some(count) if way == "some" else stream.take(count)
                taken, most = stream.gathered(numbers)[0].tolist(), count
            fewest = min(len(rows), 1 if way == "some" else most)
            assert fewest <= len(taken) <= most and taken == rows[: len(taken)], (seed, way, count)
            rows = rows[len(taken) :]


def test_an_iterator_that_begins_again_gives_no_batch_of_the_pass_before() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.placeholder(tf.int32, [None])
        iterator = data.from_tensor_slices(rows).repeat().batch(2).make_initializable_iterator()
        element = iterator.get_next()
        session.run(iterator.initializer, {rows: [1, 2, 3, 4]})
        first = session.run(element)
        first[:] = 9
        session.run(iterator.initializer, {rows: [5, 6]})
        assert [session.run(element).tolist() for _ in range(3)] == [[5, 6], [5, 6], [5, 6]]
        assert first.tolist() == [9, 9]


def test_what_a_queue_gives_does_not_change_later() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(10, tf.int32, shapes=[[2]])
        rows = tf.placeholder(tf.int32, [None, 2])
        put, two, four = queue.enqueue_many([rows]), queue.dequeue_many(2), queue.dequeue_many(4)
        values = np.arange(8, dtype=np.int32).reshape(4, 2)
        session.run(put, {rows: values})
        values[:] = -1
        part = session.run(two)
        part[:] = 7
        session.run(put, {rows: values})
        assert session.run(four).tolist() == [[4, 5], [6, 7], [-1, -1], [-1, -1]]
        session.run(put, {rows: values})
        assert session.run(four).tolist() == [[-1, -1]] * 4
        assert part.tolist() == [[7, 7], [7, 7]]


def test_elements_at_hand_are_those_of_their_pass_and_promise() -> None:
    """Runs that begin with `get_next` take views that lie ready without asking the iterator."""
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = tf.data.Iterator.from_structure(tf.int64, tf.TensorShape([None, None]))
        wide = tf.data.Dataset.from_tensor_slices(np.arange(24).reshape(12, 2)).batch(2)
        narrow = tf.data.Dataset.from_tensor_slices(np.arange(12).reshape(12, 1)).batch(3)
        begin = [iterator.make_initializer(wide), iterator.make_initializer(narrow)]
        total = tf.reduce_sum(iterator.get_next() * 1)
        same = tf.data.Iterator.from_string_handle(iterator.string_handle(), tf.int64, tf.TensorShape([2, 2]))
        strict = tf.reduce_sum(same.get_next() + 0)
        wanted = [np.arange(24).reshape(6, -1).sum(1).tolist(), np.arange(12).reshape(4, -1).sum(1).tolist()]

        def rest(fetch: Any) -> list[int]:
            taken: list[int] = []
            with pytest.raises(tf.errors.OutOfRangeError):
                while True:
                    taken.append(int(session.run(fetch)))
            return taken

        for which in (0, 1, 0, 1):
            session.run(begin[which])
            assert rest(total) == wanted[which]
        session.run(begin[0])
        assert [int(session.run(each)) for each in (total, strict, total, strict)] == wanted[0][:4]
        session.run(begin[1])  # in the middle of a pass
        assert int(session.run(total)) == wanted[1][0]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3, 1\] as component 0"):
            session.run(strict)
        assert rest(total) == wanted[1][2:]
        session.run(begin[0])
        assert rest(strict) == wanted[0]
        (flow,) = session.data_flow().iterators
        assert flow.given == 6
