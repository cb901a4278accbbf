"""Data flows into a session on a cluster: elements are taken here, and the workers get them as feeds."""

from __future__ import annotations

import numpy as np
import pytest

import penstock as tf

ROWS = np.arange(12, dtype="f4").reshape(6, 2)


def test_a_training_step_takes_its_batch_here(cluster_address: str) -> None:
    with tf.Graph().as_default():
        rows = tf.data.Dataset.from_tensor_slices(ROWS).batch(2).prefetch(1).make_initializable_iterator()
        w = tf.Variable(np.ones((2, 1), "f4"))
        total = tf.reduce_sum(tf.matmul(rows.get_next(), w))
        step = w.assign_add(tf.ones_like(w))
        with tf.Session(cluster_address) as session:
            session.run([w.initializer, rows.initializer][0])
            session.run(rows.initializer)
            assert [float(session.run(total)) for _ in range(2)] == [6.0, 22.0]
            session.run(step)
            assert float(session.run(total)) == 76.0
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(total)


def test_queues_are_filled_here_and_what_would_need_both_is_refused(cluster_address: str) -> None:
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(5, tf.float32, shapes=[])
        w = tf.Variable(3.0)
        with tf.Session(cluster_address) as session:
            session.run(w.initializer)
            session.run(queue.enqueue(2.0))
            assert session.run(queue.size()) == 1
            assert session.run(queue.dequeue() * w) == 6.0
            with pytest.raises(tf.errors.UseError, match=r"uses a queue or an iterator.*feed it in a run of its own"):
                session.run(queue.enqueue(w * 2.0))
