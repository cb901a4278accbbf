"""Sessions on a cluster when runs are ended or fail, and what a closed one leaves behind."""

from __future__ import annotations

import gc
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.cluster.access.cluster_access import ClusterAccess

from ..helpers import cluster_of
from .sample_program import ON


class Slow:
    """A graph with a loop at worker 1 that takes longer than any test, and an ordinary sum over both workers."""

    def __init__(self) -> None:
        with tf.Graph().as_default() as self.graph:
            self.x = tf.placeholder(tf.float32, [None], name="x")
            with tf.device(ON[0]):
                before = tf.add(self.x, 1.0, name="before")
            with tf.device(ON[1]):
                count = tf.while_loop(lambda i, _: i < 2, lambda i, a: (i * 1, tf.sin(a)), (0, before))[1]
                self.endless = tf.identity(count, name="endless")
            with tf.device(ON[0]):
                self.checked = tf.gather([1.0, 2.0], tf.cast(before, tf.int32), name="checked")
                self.after = tf.multiply(self.endless, 2.0, name="after")
                self.sum = tf.reduce_sum(before * 2.0, name="sum")

    def works(self, session: tf.Session) -> bool:
        """Whether the session still gives right results."""
        return float(session.run(self.sum, {self.x: [1.0, 2.0]})) == 10.0


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def session(slow: Slow, cluster_address: str) -> Iterator[tf.Session]:
    with tf.Session(cluster_address, graph=slow.graph) as made:
        yield made


def soon(condition: Callable[[], bool]) -> bool:
    """Whether a condition holds within a minute."""
    until = time.monotonic() + 60.0
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def runs_at_workers(session: Any) -> int:
    """How many runs are under way at the workers of a session."""
    from penstock.cluster.client.cluster_run import ask

    connection = cluster_of(session).connection
    answers = [connection.run_async(ask(connection, each.number, "ping", {})) for each in connection.workers]
    return sum(int(head["runs"]) for head, _ in answers)


def test_ctrl_c_ends_the_run_at_the_workers_and_the_session_goes_on(slow: Slow, session: tf.Session) -> None:
    assert slow.works(session)
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        session.run(slow.after, {slow.x: [1.0]})
    timer.join()
    assert slow.works(session)
    assert soon(lambda: runs_at_workers(session) == 0)


def test_a_time_limit_ends_the_run_at_the_workers(slow: Slow, session: tf.Session) -> None:
    with pytest.raises(tf.errors.DeadlineExceededError, match=r"allows 300 ms"):
        session.run(slow.after, {slow.x: [1.0]}, options=tf.RunOptions(timeout_in_ms=300))
    assert slow.works(session)
    assert soon(lambda: runs_at_workers(session) == 0)


def test_an_error_at_one_worker_ends_what_the_others_do(slow: Slow, session: tf.Session) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run([slow.checked, slow.after], {slow.x: [7.0]})
    assert caught.value.op is slow.checked.op
    assert slow.works(session)
    assert soon(lambda: runs_at_workers(session) == 0)


def test_a_close_during_a_run_ends_the_run(slow: Slow, cluster_address: str) -> None:
    session = tf.Session(cluster_address, graph=slow.graph)
    raised: list[BaseException] = []

    def run() -> None:
        try:
            session.run(slow.after, {slow.x: [1.0]})
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert soon(lambda: runs_at_workers(session) > 0)
    session.close()
    thread.join(60.0)
    assert not thread.is_alive()
    assert isinstance(raised[0], tf.errors.SessionClosedError | tf.errors.CancelledError)
    with pytest.raises(tf.errors.SessionClosedError):
        session.run(slow.sum, {slow.x: [1.0]})


def test_two_sessions_on_one_cluster_have_variables_of_their_own(cluster_address: str) -> None:
    with tf.Graph().as_default() as graph, tf.device(ON[1]):
        v = tf.get_variable("v", initializer=tf.constant([1.0, 2.0]))
        more = tf.assign_add(v, [1.0, 1.0])
    with tf.Session(cluster_address, graph=graph) as one, tf.Session(cluster_address, graph=graph) as other:
        one.run(v.initializer)
        other.run(v.initializer)
        for _ in range(3):
            one.run(more)
        other.run(more)
        assert one.run(v).tolist() == [4.0, 5.0] and other.run(v).tolist() == [2.0, 3.0]
        one.close()
        assert other.run(more).tolist() == [3.0, 4.0]


def test_threads_share_a_session(slow: Slow, session: tf.Session) -> None:
    found: list[float] = []

    def work(number: int) -> None:
        for _ in range(3):
            found.append(float(session.run(slow.sum, {slow.x: [float(number)]})) - 2.0 * (number + 1))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    assert found == [0.0] * 12


def resources(cluster: ClusterAccess) -> list[tuple[int, int]]:
    """For each worker: how many actors and tasks it holds, and how many threads run there."""

    import gc as collector  # the function is sent as it stands
    import threading as threads

    def count(dask_worker: Any) -> tuple[int, int]:
        collector.collect()
        names = [thread.name for thread in threads.enumerate()]
        return len(dask_worker.state.actors) + len(dask_worker.data), sum("penstock" in name for name in names)

    return list(cluster.client.run(count).values())


def test_closed_sessions_leave_nothing_at_the_workers(slow: Slow, cluster: ClusterAccess, cluster_address: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # sockets of Dask to what other tests have killed
        gc.collect()
    before = resources(cluster)
    for number in range(3):
        session = tf.Session(cluster_address, graph=slow.graph)
        assert slow.works(session)
        if number % 2:
            del session  # dropped without a close
        else:
            session.close()
    assert soon(lambda: gc.collect() >= 0 and resources(cluster) == before)


def test_a_value_that_is_too_large_for_a_worker_is_the_users_error(cluster_address: str) -> None:
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int64, [])
        with tf.device(ON[1]):
            large = tf.reduce_sum(tf.range(n))
            small = tf.add(n, 1)
    with tf.Session(cluster_address, graph=graph) as session:
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"range"):
            session.run(large, {n: 2**55})
        assert session.run(small, {n: np.int64(1)}) == 2
