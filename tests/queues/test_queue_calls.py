"""Calls of queues are checked when they are built: components, dtypes, shapes, names."""

from __future__ import annotations

from typing import Any

import pytest

import penstock as tf


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
