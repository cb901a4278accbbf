"""Messages between workers that are late or get lost, and workers that say nothing: no run waits for ever."""

from __future__ import annotations

import pytest

import penstock as tf
from penstock.cluster.client import session_cluster
from penstock.cluster.worker.worker_actor import WorkerHost

from .bad_transport import DelayingHost, DroppingHost, HangingHost, LateHost, MuteHost
from .sample_program import ON, drawn_before_a_failure


def run_with(kind: type[WorkerHost], monkeypatch: pytest.MonkeyPatch, target: str, timeout: float) -> float:
    """The result of a run over two workers with actors of a class."""
    monkeypatch.setattr(session_cluster, "WorkerHost", kind)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
        with tf.device(ON[0]):
            there = tf.add(x, 1.0, name="there")
        with tf.device(ON[1]):
            result = tf.reduce_sum(there * 2.0, name="result")
    with tf.Session(target, graph=graph, config=tf.SessionConfig(worker_timeout=timeout)) as session:
        return float(session.run(result, {x: [1.0, 2.0]}))


def test_values_that_arrive_late_are_waited_for(monkeypatch: pytest.MonkeyPatch, cluster_address: str) -> None:
    assert run_with(DelayingHost, monkeypatch, cluster_address, 30.0) == 10.0


def test_what_a_worker_drew_counts_though_its_answer_comes_after_the_error_of_another(
    monkeypatch: pytest.MonkeyPatch, cluster_address: str
) -> None:
    monkeypatch.setattr(session_cluster, "WorkerHost", LateHost)
    graph, x, noise, picked = drawn_before_a_failure()
    with tf.Session(cluster_address, graph=graph) as session:
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run([picked, noise], {x: 5})
        assert "768 blocks drawn" in str(session.random_state())


@pytest.mark.slow
def test_a_value_that_is_lost_between_workers_is_named(monkeypatch: pytest.MonkeyPatch, cluster_address: str) -> None:
    with pytest.raises(tf.errors.UnavailableError) as caught:
        run_with(DroppingHost, monkeypatch, cluster_address, 2.0)
    message = str(caught.value)
    assert message.startswith("Session.run stands still: worker 1 (tcp://")
    assert "waits for 'there:0' from worker 0 (tcp://" in message and "every worker" not in message


@pytest.mark.slow
def test_a_worker_that_confirms_nothing_is_named(monkeypatch: pytest.MonkeyPatch, cluster_address: str) -> None:
    with pytest.raises(tf.errors.UnavailableError, match=r"worker 0 .*: worker 1 at tcp://.* did not take a value"):
        run_with(HangingHost, monkeypatch, cluster_address, 2.0)


@pytest.mark.slow
def test_a_worker_that_says_nothing_is_lost(monkeypatch: pytest.MonkeyPatch, cluster_address: str) -> None:
    with pytest.raises(tf.errors.UnavailableError, match=r"no sign of life|are lost"):
        run_with(MuteHost, monkeypatch, cluster_address, 2.0)
