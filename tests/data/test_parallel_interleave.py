"""`interleave` whose datasets are read at the same time: order, time, errors, and no threads left."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

import penstock as tf


def elements(dataset: Any) -> list[int]:
    with tf.Session() as session:
        element = dataset.make_one_shot_iterator().get_next()
        found: list[int] = []
        try:
            while True:
                found.append(int(session.run(element)))
        except tf.errors.OutOfRangeError:
            return found


def slow_rows(pause: float, count: int = 6) -> Any:
    def wait(i: Any) -> Any:
        time.sleep(pause)
        return np.int64(i)

    return lambda n: tf.data.Dataset.range(n * 100, n * 100 + count).map(lambda i: tf.py_func(wait, [i], tf.int64))


OTHERS = [pytest.param(*each, marks=pytest.mark.nightly) for each in ((0.0, 1), (0.002, 2))]


@pytest.mark.parametrize(("pause", "block"), [(0.0, 2), (0.002, 1), *OTHERS])
def test_the_order_is_that_of_one_thread(pause: float, block: int) -> None:
    with tf.Graph().as_default():
        found = [
            elements(tf.data.Dataset.range(5).interleave(slow_rows(pause), 3, block, num_parallel_calls=calls))
            for calls in (None, 1, 2, 3, 9, tf.data.experimental.AUTOTUNE)
        ]
        turns = tf.data.experimental.parallel_interleave(slow_rows(pause), 3, block)
        found.append(elements(tf.data.Dataset.range(5).apply(turns)))
    assert all(each == found[0] for each in found) and len(found[0]) == 30


def test_slow_datasets_are_read_at_the_same_time() -> None:
    taken = []
    for calls in (None, 4):
        with tf.Graph().as_default():
            dataset = tf.data.Dataset.range(4).interleave(slow_rows(0.01, 10), 4, num_parallel_calls=calls)
            start = time.perf_counter()
            elements(dataset)
            taken.append(time.perf_counter() - start)
    assert taken[1] < 0.7 * taken[0]


def test_a_sloppy_order_has_every_element_and_does_not_wait_for_the_slowest() -> None:
    def rows(n: Any) -> Any:
        def wait(i: Any) -> Any:
            time.sleep(0.03 if i < 100 else 0.001)
            return np.int64(i)

        return tf.data.Dataset.range(n * 100, n * 100 + 8).map(lambda i: tf.py_func(wait, [i], tf.int64))

    with tf.Graph().as_default():
        turns = tf.data.experimental.parallel_interleave(rows, 3, sloppy=True)
        found = elements(tf.data.Dataset.range(3).apply(turns))
    assert sorted(found) == [*range(8), *range(100, 108), *range(200, 208)]
    assert max(found.index(each) for each in (107, 207)) < found.index(7)
    assert [each for each in found if each < 100] == list(range(8))


def test_an_error_of_one_dataset_comes_in_its_turn_and_no_thread_outlives_the_session() -> None:
    def rows(n: Any) -> Any:
        def wait(i: Any) -> Any:
            time.sleep(0.001)
            if i == 103:
                raise ValueError("row 103 is damaged")
            return np.int64(i)

        return tf.data.Dataset.range(n * 100, n * 100 + 8).map(lambda i: tf.py_func(wait, [i], tf.int64))

    before = threading.active_count()
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.Dataset.range(2).interleave(rows, 2, num_parallel_calls=2)
        element = dataset.make_one_shot_iterator().get_next()
        found = [int(session.run(element)) for _ in range(7)]
        assert found == [0, 100, 1, 101, 2, 102, 3]
        with pytest.raises(tf.errors.OpError, match="row 103 is damaged"):
            session.run(element)
    for _ in range(200):
        if threading.active_count() <= before:
            break
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_a_number_of_calls_below_one_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="num_parallel_calls must be at least 1"):
        tf.data.Dataset.range(2).interleave(tf.data.Dataset.from_tensors, 2, num_parallel_calls=0)
