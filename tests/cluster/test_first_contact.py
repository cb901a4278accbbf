"""What a session says of an address where no scheduler is."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import dask
import pytest

import penstock as tf
from penstock.cluster.access.cluster_access import ClusterAccess, check_scheduler


@contextmanager
def listening(says: bytes | None) -> Iterator[str]:
    """The address of a listener that answers every connection with some bytes, or takes it and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        kept: list[socket.socket] = []

        def serve() -> None:
            taken, _ = listener.accept()
            kept.append(taken)
            if says is not None:
                taken.sendall(says)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(60)
        for taken in kept:
            taken.close()


def refusal(address: str, patience: float = 60.0) -> str:
    with pytest.raises(tf.errors.UnavailableError) as caught:
        check_scheduler("Session(...)", address, patience)
    message = str(caught.value)
    assert message.startswith("Session(...): ") and "\n" not in message
    return message


def test_a_listener_that_says_nothing_is_not_waited_for() -> None:
    with listening(None) as address:
        assert f"no scheduler answers at {address} within 0.3 s" in refusal(address, 0.3)


@pytest.mark.parametrize("says", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n"])
def test_what_speaks_otherwise_is_no_scheduler(says: bytes) -> None:
    with listening(says) as address:
        assert f"{address} is no scheduler of Dask" in refusal(address)


def test_the_address_of_a_worker_is_told_with_that_of_its_scheduler(cluster: ClusterAccess) -> None:
    worker = next(iter(cluster.client.scheduler_info()["workers"]))
    scheduler = str(cluster.client.scheduler.address)
    assert refusal(worker) == (
        f"Session(...): at {worker} there is a worker of Dask, not a scheduler; give the address of its scheduler, "
        f"{scheduler.replace('tcp', 'dask', 1)}"
    )


def test_tls_needs_certificates() -> None:
    assert "distributed.comm.tls" in refusal("tls://127.0.0.1:1")


def test_a_configuration_that_allows_only_tls_is_told_before_a_connection_is_tried() -> None:
    with dask.config.set({"distributed.comm.require-encryption": True}):
        assert "write dask+tls://host:port" in refusal("tcp://127.0.0.1:1")


def test_a_scheduler_that_answers_is_taken(cluster: ClusterAccess) -> None:
    check_scheduler("Session(...)", str(cluster.client.scheduler.address), 30.0)
