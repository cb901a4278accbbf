"""Calls of queues are checked when they are built: components, dtypes, shapes, names; runs that wait are woken."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.base import session_objects


def queue() -> tf.FIFOQueue:
    return tf.FIFOQueue(5, [tf.int32, tf.float32], shapes=[[], [2]])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda q: q.enqueue([1]), ValueError, "has 2 components, got 1"),
        (lambda q: q.enqueue([1.5, [1.0, 2.0]]), TypeError, "int32"),
        (lambda q: q.enqueue([1, [1.0, 2.0, 3.0]]), ValueError, r"component 1 has shape \(3,\)"),
        (lambda q: q.enqueue({"a": 1}), ValueError, "no names"),
        (lambda q: q.enqueue_many([1, [[1.0, 2.0]]]), ValueError, "component 0 is a scalar"),
        (lambda q: q.dequeue_many(-1), ValueError, "must not be negative"),
        (lambda q: tf.QueueBase.from_list(0, []), ValueError, "it is empty"),
        (lambda q: tf.QueueBase.from_list(0, [q, tf.FIFOQueue(1, tf.int32)]), TypeError, "component dtypes"),
        (lambda q: tf.TextLineReader().read(q), TypeError, "takes names of files"),
        (lambda q: tf.train.QueueRunner(q, []), ValueError, "enqueue_ops is empty"),
        (lambda q: tf.train.add_queue_runner(q), TypeError, "is no QueueRunner"),
        (lambda q: tf.RandomShuffleQueue(5, 5, tf.int32), ValueError, "min_after_dequeue"),
        (lambda q: tf.FIFOQueue(5, [tf.int32], shapes=[[], []]), ValueError, "2 shapes and 1 dtypes"),
        (lambda q: tf.FIFOQueue(5, [tf.int32], names=["a", "b"]), ValueError, "2 names"),
        (lambda q: tf.PaddingFIFOQueue(5, tf.int32, None), ValueError, "shapes must be given"),
        (lambda q: tf.train.batch([tf.placeholder(tf.float32)], 2), ValueError, "set_shape"),
        (lambda q: tf.train.batch([], 2), ValueError, "at least one tensor"),
        (lambda q: tf.train.string_input_producer([]), ValueError, "non-null"),
        (lambda q: tf.train.limit_epochs([1], 0), ValueError, "must be > 0"),
        (lambda q: tf.train.start_queue_runners(5), TypeError, r"tf\.Session"),
        (lambda q: tf.train.start_queue_runners(), ValueError, "No default session"),
    ],
)
def test_a_wrong_call_is_refused_and_adds_nothing(call: Any, error: type[Exception], words: str) -> None:
    with tf.Graph().as_default() as graph:
        made = queue()
        before = {op.name for op in graph.get_operations() if "ueue" in op.type}
        with pytest.raises(error, match=words):
            call(made)
        after = {op.name for op in graph.get_operations() if op.type in ("QueueEnqueueV2", "QueueDequeueV2")}
        assert after <= before


def test_elements_have_the_stated_shapes() -> None:
    with tf.Graph().as_default():
        made = queue()
        assert [t.shape.as_list() for t in made.dequeue()] == [[], [2]]
        assert [t.shape.as_list() for t in made.dequeue_many(3)] == [[3], [3, 2]]
        assert [t.shape.as_list() for t in made.dequeue_up_to(3)] == [[None], [None, 2]]
        assert [t.shape.as_list() for t in made.dequeue_many(tf.placeholder(tf.int32, []))] == [[None], [None, 2]]
        names = tf.FIFOQueue(3, [tf.int32], names="n").dequeue()
        assert list(names) == ["n"]


def test_runs_at_the_same_time_are_served_in_the_order_in_which_they_came() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        made = tf.FIFOQueue(100, tf.int32, shapes=[])
        session.run(made.enqueue_many([list(range(60))]))
        three = made.dequeue_many(3)
        seen = [session.run(three).tolist() for _ in range(20)]
    assert seen == [[3 * i, 3 * i + 1, 3 * i + 2] for i in range(20)]


@pytest.mark.parametrize("seed", range(12))
def test_every_change_wakes_who_waits_for_it(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of several threads put blocks in and take others out; none of them goes on only because time has passed."""
    monkeypatch.setattr(session_objects, "_AGAIN", 3600.0)
    rng = np.random.default_rng(seed)
    blocks = [int(each) for each in rng.integers(1, 12, rng.integers(1, 4))]
    count = 12 * sum(blocks)  # twelve of each block
    capacity = int(rng.integers(1, 9))
    sizes = [int(each) for each in rng.integers(1, 12, 20)]
    with tf.Graph().as_default(), tf.Session() as session:
        if seed % 3 == 2:
            queue: Any = tf.RandomShuffleQueue(capacity, capacity - 1, tf.int64, shapes=[[]], seed=1)
        else:
            queue = (tf.FIFOQueue, tf.PaddingFIFOQueue)[seed % 3](capacity, tf.int64, shapes=[[]])
        puts = [queue.enqueue(7) if size == 1 else queue.enqueue_many([tf.fill([size], tf.constant(7, tf.int64))])
                for size in blocks]  # fmt: skip
        end = queue.close()
        takes = {size: queue.dequeue_many(size) for size in {*sizes, *range(1, 12)}}
        wanted: list[list[int]] = [[], []]
        left = count
        while left:
            size = min(left, sizes[left % len(sizes)])
            wanted[left % 2].append(size)
            left -= size
        taken: list[int] = []

        def put(operation: Any) -> None:
            for _ in range(12):
                session.run(operation)

        def take(numbers: list[int]) -> None:
            for number in numbers:
                taken.extend(session.run(takes[number]).tolist())

        threads = [threading.Thread(target=put, args=[each], daemon=True) for each in puts]
        threads += [threading.Thread(target=take, args=[each], daemon=True) for each in wanted]
        for each in threads:
            each.start()
        for each in threads[: len(puts)]:
            each.join(60)
        session.run(end)  # a shuffled queue gives its last elements then
        for each in threads:
            each.join(60)
        assert not [each for each in threads if each.is_alive()]
        assert taken == [7] * count


def test_queue_runners_never_wait_for_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_objects, "_AGAIN", 3600.0)
    with tf.Graph().as_default(), tf.Session(config=tf.SessionConfig(timeout_in_ms=60_000)) as session:
        rows = tf.train.slice_input_producer([np.arange(100), np.arange(100) * 2], capacity=8)
        x, y = tf.train.batch(rows, 12, capacity=6, num_threads=2)
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        for _ in range(40):
            numbers, doubles = session.run([x, y])
            assert (numbers * 2 == doubles).all()
        coordinator.request_stop()
        coordinator.join(threads)
