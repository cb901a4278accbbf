"""The connection to a cluster: workers in order, actors, calls from many threads, errors, closing."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import distributed
import numpy as np
import pytest

import penstock as tf
from penstock.cluster.access.cluster_access import ClusterAccess
from penstock.cluster.access.cluster_worker import place_in_order
from penstock.cluster.access.connection import Buffer, Connection

from .echo_actor import EchoActor

CONFIG = tf.SessionConfig()


def open_client(address: str) -> Any:
    """A client as a user makes one."""
    return distributed.Client(address, set_as_default=False)  # type: ignore[no-untyped-call]  # Dask has no types here


def keys_on_workers(cluster: ClusterAccess) -> int:
    """How many tasks and actors the cluster's workers hold."""
    return sum(len(keys) for keys in cluster.client.has_what().values())


def test_workers_have_numbers_in_the_order_of_their_names(echoes: Connection) -> None:
    assert [(worker.number, worker.name, worker.threads) for worker in echoes.workers] == [(0, "0", 1), (1, "1", 1)]
    assert all(worker.address.startswith("tcp://127.0.0.1:") and worker.memory > 0 for worker in echoes.workers)


def test_numbers_inside_names_count_as_numbers() -> None:
    names = ["w-10", "w-9", "a", "2", "10"]
    assert sorted(names, key=lambda name: place_in_order(name, "tcp://h:1")) == ["2", "10", "a", "w-9", "w-10"]
    addresses = ["tcp://h:10000", "tcp://h:9999"]
    assert sorted(addresses, key=lambda address: place_in_order("n", address))[0] == "tcp://h:9999"


def test_an_actor_is_made_with_the_arguments(echoes: Connection) -> None:
    assert [echoes.call(worker, "made_with") for worker in (0, 1)] == [(b"made", ())] * 2


def test_bytes_return_as_they_were_sent(echoes: Connection) -> None:
    frames: list[Buffer] = [b"", b"abc", bytearray(b"xyz"), np.arange(200_000, dtype=np.uint8).data]
    header, back = echoes.call(1, "echo", b"head", frames)
    assert header == b"head"
    assert [bytes(frame) for frame in back] == [bytes(frame) for frame in frames]


def test_a_header_alone_may_be_sent_and_returned(echoes: Connection) -> None:
    assert echoes.call(0, "echo", b"") == (b"", ())
    assert echoes.call(0, "ping") == (b"", ())


def test_threads_call_at_the_same_time(echoes: Connection) -> None:
    with ThreadPoolExecutor(8) as pool:
        words = [f"{number}".encode() for number in range(64)]
        found = list(pool.map(lambda word: echoes.call(len(word) % 2, "echo", word)[0], words))
    assert found == words


def test_a_waiting_method_does_not_keep_others_waiting(echoes: Connection) -> None:
    async def both() -> list[bytes]:
        slow = asyncio.ensure_future(echoes.call_async(0, "sleep", b"30"))
        quick = await echoes.call_async(0, "echo", b"quick")
        slow.cancel()
        return [quick[0]]

    assert echoes.run_async(both(), 20.0) == [b"quick"]


def test_an_error_in_a_method_names_worker_and_method(echoes: Connection) -> None:
    with pytest.raises(tf.errors.InternalError, match=r"^worker 1 \(tcp://.*\), fail: ValueError: why$"):
        echoes.call(1, "fail", b"why")
    assert echoes.call(1, "ping") == (b"", ())


def test_a_call_that_takes_too_long_names_the_worker(echoes: Connection) -> None:
    with pytest.raises(tf.errors.DeadlineExceededError, match=r"worker 0 .* has not answered 'sleep' within 0.05 s"):
        echoes.call(0, "sleep", b"30", timeout=0.05)
    assert echoes.call(0, "ping") == (b"", ())


def test_a_call_on_the_loop_of_the_client_is_refused(echoes: Connection) -> None:
    async def wrong() -> None:
        echoes.call(0, "ping")

    with pytest.raises(tf.errors.SessionClosedError, match="the loop of the client"):
        echoes.run_async(wrong())


def test_a_closed_connection_leaves_nothing_on_the_workers(cluster: ClusterAccess, cluster_address: str) -> None:
    before = keys_on_workers(cluster)
    connection = Connection(cluster_address, CONFIG)
    connection.start_actors(EchoActor)
    assert not connection.is_own_cluster
    connection.call(0, "ping")
    connection.close()
    connection.close()
    with pytest.raises(tf.errors.SessionClosedError, match="is closed"):
        connection.call(0, "ping")
    for _ in range(500):
        if keys_on_workers(cluster) == before:
            break
        threading.Event().wait(0.02)
    assert keys_on_workers(cluster) == before


def test_a_client_of_the_user_stays_open(cluster: ClusterAccess) -> None:
    with open_client(cluster.client.scheduler.address) as client:
        connection = Connection(client, CONFIG)
        connection.start_actors(EchoActor, "client")
        assert connection.call(1, "made_with") == (b"client", ())
        connection.close()
        assert client.status == "running"
    with pytest.raises(tf.errors.ValueRuleError, match="the client is closed"):
        Connection(client, CONFIG)


def test_a_connection_does_not_become_the_default_client(echoes: Connection) -> None:
    with pytest.raises(ValueError, match="No client"):
        distributed.default_client()  # type: ignore[no-untyped-call]  # Dask has no types here


def test_a_target_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match=r"a text such as 'dask://host:8786' or a distributed.Client, not int"):
        Connection(3, CONFIG)


def test_a_scheduler_that_does_not_answer_is_named() -> None:
    config = tf.SessionConfig(worker_timeout=0.2)
    with pytest.raises(tf.errors.UnavailableError, match=r"no scheduler answers at tcp://127.0.0.1:9 within 0.2 s"):
        Connection("dask://127.0.0.1:9", config)


def test_a_class_that_workers_do_not_have_is_told(cluster_address: str) -> None:
    class Hidden:
        pass

    connection = Connection(cluster_address, CONFIG)
    with pytest.raises(tf.errors.InternalError, match="worker 0"):
        connection.start_actors(Hidden)
    connection.close()
