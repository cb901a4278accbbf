"""A worker whose software differs is refused in one line with what it has, what is here, and the cure; one that has
just ended is left out."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

import penstock as tf
from penstock.cluster.access import cluster_access
from penstock.cluster.access.cluster_access import (
    ClusterAccess,
    Software,
    check_software,
    check_workers,
    own_software,
)
from penstock.cluster.access.cluster_worker import ClusterWorker

WORKER = ClusterWorker(1, "blue", "tcp://10.0.0.2:4000", "10.0.0.2", 1, 0)
HERE = Software("1.2.0", "/here/penstock", "3.11.4", "2.1.0", "little")


def refusal(own: bool = False, **changes: str | None) -> str:
    with pytest.raises(tf.errors.FailedPreconditionError) as caught:
        check_software(WORKER, replace(HERE, **changes), HERE, own)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_equal_software_is_accepted() -> None:
    check_software(WORKER, HERE, HERE, own=True)
    assert own_software().penstock == tf.__version__


def test_a_last_number_and_another_folder_may_differ() -> None:
    check_software(WORKER, replace(HERE, python="3.11.9", numpy="2.1.3", folder="/there"), HERE, own=False)


def test_a_worker_without_penstock_is_told_what_to_install() -> None:
    message = refusal(penstock=None)
    assert message.startswith("Session: worker 1 'blue' (tcp://10.0.0.2:4000) has no package penstock; here is 1.2.0")
    assert "pip install penstock==1.2.0" in message


def test_another_version_is_refused() -> None:
    assert "has penstock 1.1.0, here is 1.2.0" in refusal(penstock="1.1.0")


def test_another_python_or_numpy_is_refused() -> None:
    assert "has Python 3.12.1, here is 3.11.4" in refusal(python="3.12.1")
    assert "has numpy 1.26.0, here is 2.1.0" in refusal(numpy="1.26.0")
    assert "has numpy (none), here is 2.1.0" in refusal(numpy=None)


def test_another_order_of_bytes_is_refused() -> None:
    assert "is a big-endian machine, this one is little-endian" in refusal(byteorder="big")


def test_a_local_worker_runs_the_same_files() -> None:
    assert "'/other/penstock'" in refusal(own=True, folder="/other/penstock")


class Scheduler:
    """A scheduler that still has a worker when it is asked the first times."""

    def __init__(self, times: int) -> None:
        self.times = times

    async def ncores(self) -> dict[str, int]:
        """The workers that it has, as Dask's scheduler tells them."""
        self.times -= 1
        return {WORKER.address: 1} if self.times >= 0 else {}


class ClientOfEnded:
    """A client whose connections to workers break."""

    def __init__(self, times: int) -> None:
        self.scheduler = Scheduler(times)

    def rpc(self, address: str) -> ClientOfEnded:
        return self

    async def versions(self) -> None:
        """What a worker runs."""
        raise ConnectionResetError("reset by peer")


def test_a_worker_that_its_scheduler_sees_end_a_moment_later_is_none_of_the_session() -> None:
    assert not asyncio.run(check_workers(ClusterAccess("Session(...)", ClientOfEnded(2), True), (WORKER,)))


def test_a_worker_that_is_there_and_cannot_be_reached_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_access, "_NOTICED", 0.0)
    access = ClusterAccess("Session(...)", ClientOfEnded(9), True)
    with pytest.raises(tf.errors.UnavailableError, match=r"cannot be reached from here \(reset by peer\)"):
        asyncio.run(check_workers(access, (WORKER,)))
