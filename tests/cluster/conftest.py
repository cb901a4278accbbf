"""One local cluster of two workers for all tests of a folder; its start takes about a second.

It ends with the folder: an idle cluster takes a fiftieth of a core.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

import penstock as tf
from penstock.cluster.access.cluster_access import ClusterAccess, open_access
from penstock.cluster.access.connection import Connection

from .echo_actor import EchoActor

CALM = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false", "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms"}
"""Without samples of every thread and ticks of every loop each 10 to 20 ms an idle cluster takes a quarter as long."""


@pytest.fixture(autouse=True)
def collector_stays_on() -> Iterator[None]:
    """Switch garbage collection on again: Dask leaves it as it was when its arrays were imported, off while tests are
    collected."""
    yield
    gc.enable()


@pytest.fixture(scope="package")
def cluster() -> Iterator[ClusterAccess]:
    """A cluster of two workers with one thread each."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in CALM.items():
            patch.setenv(name, value)
        access = open_access("dask://local?workers=2&threads=1&security=none", 30.0)
    access.client.wait_for_workers(2, timeout=60)
    yield access
    access.close()


@pytest.fixture(scope="package")
def cluster_address(cluster: ClusterAccess) -> str:
    """The address of that cluster's scheduler, as a session's target."""
    return "dask://" + str(cluster.client.scheduler.address).partition("://")[2]


@pytest.fixture(scope="package")
def echoes(cluster_address: str) -> Iterator[Connection]:
    """A connection to that cluster with an `EchoActor` on each worker."""
    connection = Connection(cluster_address, tf.SessionConfig())
    connection.start_actors(EchoActor, "made")
    yield connection
    connection.close()
