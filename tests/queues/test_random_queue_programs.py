"""Random calls of a queue give what a list gives: rows in order, fewer at the end where that is allowed, all back where
there are too few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf


def _outcome(session: tf.Session, fetch: Any, feed: dict[Any, Any]) -> Any:
    try:
        return np.ravel(session.run(fetch, feed)).tolist()
    except tf.errors.OutOfRangeError:
        return "too few"


@pytest.mark.parametrize("kind", ["fifo", "padding", "priority"])
def test_a_queue_is_a_list(kind: str) -> None:
    with tf.Graph().as_default():
        if kind == "priority":
            queue: Any = tf.PriorityQueue(40, [tf.int64], [[]])
        else:
            queue = (tf.FIFOQueue if kind == "fifo" else tf.PaddingFIFOQueue)(40, [tf.int64], [[]])
        keyed = [tf.int64] * (kind == "priority")
        number, rows = tf.placeholder(tf.int32, []), tf.placeholder(tf.int64, [None])
        put = queue.enqueue_many([*[rows for _ in keyed], rows])
        one, many, up_to = (
            each[-1] if keyed else each
            for each in (queue.dequeue(), queue.dequeue_many(number), queue.dequeue_up_to(number))
        )
        size, close = queue.size(), queue.close()
        for seed in range(12):
            rng = np.random.default_rng(seed)
            session = tf.Session()  # in which the queue is another
            held: list[int] = []
            is_closed = False
            for step in range(25):
                way, count = rng.choice(["put", "one", "many", "up to", "close"], p=[0.3, 0.2, 0.2, 0.2, 0.1]), 0
                if way == "put" and not is_closed:
                    fresh = rng.integers(0, 50, int(rng.integers(1, 5))).tolist()
                    if len(held) + len(fresh) <= 40:
                        session.run(put, {rows: fresh})
                        held = sorted(held + fresh) if keyed else held + fresh
                elif way == "close":
                    if not is_closed and step > 10:
                        session.run(close)
                        is_closed = True
                elif way != "put":
                    count = 1 if way == "one" else int(rng.integers(1, 6))
                    if len(held) < count and not is_closed:
                        continue  # it would wait
                    fetch = {"one": one, "many": many, "up to": up_to}[str(way)]
                    fits = len(held) >= count or (way == "up to" and bool(held))
                    expected = held[:count] if fits else "too few"
                    assert _outcome(session, fetch, {number: count}) == expected, (seed, step, way, count)
                    held = held[len(expected) :] if fits else held
                assert session.run(size) == len(held), (seed, step)
            session.close()
