"""Workers that end, fall silent or are only busy, and a scheduler that ends, as a connection sees them."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

import penstock as tf
from penstock.cluster.access.cluster_access import ClusterAccess
from penstock.cluster.access.connection import Connection
from penstock.cluster.access.local_cluster import process_ids

from .echo_actor import EchoActor


@contextmanager
def own_cluster(workers: int = 2, patience: float = 60.0) -> Iterator[tuple[Connection, dict[int, int]]]:
    """A connection to a cluster of its own, and the process ids of its workers."""
    connection = Connection(f"dask://local?workers={workers}&threads=1", tf.SessionConfig(worker_timeout=patience))
    try:
        assert connection.is_own_cluster
        connection.start_actors(EchoActor)
        yield connection, process_ids(connection.local_cluster)
    finally:
        connection.close()


def during(call: Callable[[], object], act: Callable[[], object]) -> BaseException | None:
    """What a call raises while `act` is done, once it has begun."""
    timer = threading.Timer(0.1, act)
    timer.start()
    try:
        call()
    except BaseException as error:
        return error
    finally:
        timer.join()
    return None


def test_a_worker_that_is_killed_is_named_at_once_and_the_others_go_on(
    cluster: ClusterAccess, cluster_address: str
) -> None:
    cluster.cluster.scale(3)
    cluster.client.wait_for_workers(3, timeout=60)
    connection = Connection(cluster_address, tf.SessionConfig())
    connection.start_actors(EchoActor)
    (worker,) = (each for each in connection.workers if each.number == 2)
    began = time.monotonic()
    error = during(
        lambda: connection.call(2, "sleep", b"60"), lambda: os.kill(process_ids(cluster.cluster)[2], signal.SIGKILL)
    )
    later = Connection(cluster_address, tf.SessionConfig())  # for all that the scheduler may not have seen it yet
    assert [each.number for each in later.workers] == [0, 1]
    later.close()
    assert isinstance(error, tf.errors.UnavailableError)
    assert str(error).startswith(f"worker 2 ({worker.address}) is lost: ")
    assert time.monotonic() - began < 25.0  # far below the 30 s of silence
    with pytest.raises(tf.errors.UnavailableError, match=r"worker 2 .* is lost"):
        connection.call(2, "ping")
    assert [each.number for each in connection.alive()] == [0, 1]
    assert connection.call(1, "echo", b"still") == (b"still", ())
    connection.close()


@pytest.mark.slow
def test_a_worker_that_was_killed_between_calls_is_lost_at_the_next() -> None:
    with own_cluster() as (connection, processes):
        assert connection.call(0, "ping") == (b"", ())
        os.kill(processes[0], signal.SIGKILL)
        with pytest.raises(tf.errors.UnavailableError, match=r"worker 0 .* is lost"):
            connection.call(0, "ping")
        assert connection.call(1, "ping") == (b"", ())


@pytest.mark.slow
def test_a_silent_worker_is_lost_after_the_timeout_and_a_busy_one_is_not() -> None:
    with own_cluster(patience=3.0) as (connection, processes):
        assert connection.call(0, "sleep", b"5") == (b"slept", ())
        os.kill(processes[1], signal.SIGSTOP)
        try:
            with pytest.raises(tf.errors.UnavailableError, match=r"worker 1 .* no sign of life for \d+ s"):
                connection.call(1, "ping")
        finally:
            os.kill(processes[1], signal.SIGCONT)
        assert [each.number for each in connection.alive()] == [0]


@pytest.mark.slow
def test_a_worker_that_falls_silent_for_a_while_is_waited_for() -> None:
    with own_cluster() as (connection, processes):
        os.kill(processes[0], signal.SIGSTOP)
        assert during(lambda: connection.call(0, "ping"), lambda: os.kill(processes[0], signal.SIGCONT)) is None


@pytest.mark.slow
def test_a_scheduler_that_is_gone_is_named() -> None:
    with own_cluster() as (connection, _):
        error = during(
            lambda: connection.call(0, "sleep", b"60"), lambda: connection.local_cluster.scheduler.process.kill()
        )
        assert isinstance(error, tf.errors.UnavailableError) and "Dask's scheduler at tls://" in str(error)
        assert str(error).endswith("is gone")
        began = time.monotonic()
        connection.close()
        assert time.monotonic() - began < 20.0


@pytest.mark.slow
def test_a_close_during_a_call_ends_the_call() -> None:
    with own_cluster() as (connection, _):
        error = during(lambda: connection.call(0, "sleep", b"60"), connection.close)
        assert isinstance(error, tf.errors.SessionClosedError | tf.errors.UnavailableError)


@pytest.mark.slow
def test_a_connection_that_is_dropped_is_closed() -> None:
    with own_cluster() as (connection, processes):
        again = Connection("dask://local?workers=1", tf.SessionConfig())
        process = process_ids(again.local_cluster)[0]
        del again
        gc.collect()  # its parts refer to each other
        until = time.monotonic() + 60.0
        while time.monotonic() < until and _lives(process):
            time.sleep(0.05)
        assert not _lives(process) and all(map(_lives, processes.values()))
        assert connection.call(0, "ping") == (b"", ())


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
