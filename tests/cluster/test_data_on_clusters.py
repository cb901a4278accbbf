"""Data flows into a session on a cluster: elements are taken here, and the workers get them as feeds, or before."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.cluster.client.cluster_run import ClusterRun
from penstock.cluster.client.sent_ahead import SentAhead
from penstock.ops.datasets import prefetching

from ..helpers import cluster_of

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


# ---- elements that are sent ahead -------------------------------------------------------------

LARGE = np.random.RandomState(3).rand(60, 4000).astype("f4")
"""Batches of ten rows have more bytes than a message carries along."""


NEVER = 10**9
"""After so many slow elements `prefetch` has a thread: whoever asks makes them, also where the machine is busy."""


class Sent:
    """What the messages of runs held, and what was sent ahead of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.with_runs: list[int] = []
        self.ahead = 0
        self.found = 0
        messages, send, take = ClusterRun._messages, SentAhead.send, SentAhead.take

        def counted_messages(run: ClusterRun, *args: Any) -> Any:
            heads, arrays = messages(run, *args)
            self.with_runs.append(sum(each.nbytes for sent in arrays.values() for each in sent))
            return heads, arrays

        def counted_send(ahead: SentAhead, *args: Any) -> None:
            send(ahead, *args)
            self.ahead += bool(ahead._next)

        def counted_take(ahead: SentAhead, *args: Any) -> Any:
            found = take(ahead, *args)
            self.found += found is not None
            return found

        monkeypatch.setattr(ClusterRun, "_messages", counted_messages)
        monkeypatch.setattr(SentAhead, "send", counted_send)
        monkeypatch.setattr(SentAhead, "take", counted_take)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    return Sent(monkeypatch)


def batches(how: str = "prefetch") -> tf.Tensor:
    rows = tf.data.Dataset.from_tensor_slices(LARGE).map(lambda row: row + 1.0).batch(10)
    rows = rows.prefetch(2) if how == "prefetch" else rows
    element = rows.make_one_shot_iterator().get_next()
    assert isinstance(element, tf.Tensor)
    return element


def sums(first: int = 0, last: int = 6) -> list[float]:
    return [float((LARGE[10 * i : 10 * i + 10] + 1.0).sum(dtype="f8")) for i in range(first, last)]


@pytest.mark.parametrize("slow", [0, NEVER], ids=["thread", "no thread"])
def test_what_is_prefetched_is_sent_while_workers_compute(
    cluster_address: str, sent: Sent, slow: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefetching, "SLOW", slow)
    with tf.Graph().as_default(), tf.device("/job:worker/task:1"):
        total = tf.reduce_sum(tf.cast(batches(), tf.float64))
        with tf.Session(cluster_address) as session:
            for expected in sums():
                assert session.run(total) == pytest.approx(expected)
                end = time.monotonic() + 30  # a thread has to have made the next one
                while slow == 0 and expected == sums()[0] and time.monotonic() < end:
                    if session.data_flow().iterators[0].stage.level[0]:  # type: ignore[union-attr, index]
                        break
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(total)
    assert sent.found == sent.ahead >= (4 if slow == 0 else 5)
    assert sent.with_runs.count(0) == sent.found


def test_without_prefetch_nothing_is_taken_before_its_run(cluster_address: str, sent: Sent) -> None:
    with tf.Graph().as_default(), tf.device("/job:worker/task:1"):
        total = tf.reduce_sum(tf.cast(batches("at once"), tf.float64))
        with tf.Session(cluster_address) as session:
            assert [session.run(total) for _ in range(3)] == pytest.approx(sums(0, 3))
    assert sent.ahead == 0 and 0 not in sent.with_runs


def test_each_worker_gets_its_shard_ahead(
    cluster_address: str, sent: Sent, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefetching, "SLOW", NEVER)
    with tf.Graph().as_default():
        x = tf.data.Dataset.from_tensor_slices(LARGE).batch(10).prefetch(2).make_one_shot_iterator().get_next()
        x.set_shape(["batch", 4000])
        w = tf.Variable(np.zeros((4000, 1), "f4"))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        train = tf.train.GradientDescentOptimizer(1e-4).minimize(loss)
        config = tf.SessionConfig(shard={"batch": 2})
        with tf.Session(cluster_address, config=config) as session:
            session.run(w.initializer)
            losses = [session.run([loss, train])[0] for _ in range(6)]
            weights = session.run(w)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["batch", 4000])
        w = tf.Variable(np.zeros((4000, 1), "f4"))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        train = tf.train.GradientDescentOptimizer(1e-4).minimize(loss)
        with tf.Session() as session:
            session.run(w.initializer)
            expected = [session.run([loss, train], {x: LARGE[i : i + 10]})[0] for i in range(0, 60, 10)]
            assert losses == pytest.approx(expected, rel=1e-4)
            np.testing.assert_allclose(weights, session.run(w), rtol=1e-4)
    assert sent.found == 5
    assert max(sent.with_runs[2:]) < LARGE[:5].nbytes  # nothing of the batch; in the first run, two halves
    assert not caplog.records


def test_an_element_that_another_run_takes_is_sent_again(cluster_address: str, sent: Sent) -> None:
    with tf.Graph().as_default():
        element = batches()
        with tf.device("/job:worker/task:1"):
            total = tf.reduce_sum(tf.cast(element, tf.float64))
        other = tf.identity(element[0])
        with tf.Session(cluster_address) as session:
            assert session.run(total) == pytest.approx(sums()[0])
            np.testing.assert_array_equal(session.run(other), LARGE[10] + 1.0)
            assert [session.run(total) for _ in range(4)] == pytest.approx(sums(2))
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(total)


def test_an_error_of_an_element_is_that_of_its_own_run(cluster_address: str) -> None:
    with tf.Graph().as_default():
        def slow_or_bad(i: np.ndarray) -> np.ndarray:
            if i == 2:
                raise ValueError("no third one")
            return np.full(40_000, float(i), "f4")

        rows = tf.data.Dataset.range(4).map(lambda i: tf.py_func(slow_or_bad, [i], tf.float32)).prefetch(1)
        with tf.device("/job:worker/task:0"):
            total = tf.reduce_sum(rows.make_one_shot_iterator().get_next())
        with tf.Session(cluster_address) as session:
            assert [float(session.run(total)) for _ in range(2)] == [0.0, 40_000.0]
            with pytest.raises(tf.errors.OpError, match="no third one"):
                session.run(total)
            assert float(session.run(total)) == 120_000.0
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(total)


def test_workers_keep_nothing_of_what_was_sent_ahead(
    cluster_address: str, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefetching, "SLOW", NEVER)
    with tf.Graph().as_default(), tf.device("/job:worker/task:1"):
        element = batches()
        total = tf.reduce_sum(tf.cast(element, tf.float64))
        with tf.Session(cluster_address) as session:
            for _ in range(6):
                session.run(total)
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(total)
            values = cluster_of(session)._values
            assert values.take_garbage() == {}
    assert sent.found == 5
