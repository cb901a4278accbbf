"""`dask://local` is for the session that started it: strangers on the same machine get no connection, and no page."""

from __future__ import annotations

import builtins
import os
import socket
import ssl
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock as tf
from penstock.cluster.access.cluster_access import ClusterAccess, open_access
from penstock.cluster.access.cluster_target import parse_target
from penstock.cluster.access.dask_import import distributed
from penstock.cluster.access.local_cluster import in_files, make_security, process_ids

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def access() -> Iterator[ClusterAccess]:
    """A cluster as sessions make it."""
    made = open_access("dask://local?workers=2&threads=1", 30.0)
    made.client.wait_for_workers(2, timeout=60)
    yield made
    made.close()


def addresses(access: ClusterAccess) -> list[str]:
    return [str(access.client.scheduler.address), *access.client.scheduler_info()["workers"]]


def asked(address: str, arguments: dict[str, Any]) -> Any:
    """What a server of Dask says of itself."""

    async def ask() -> Any:
        async with distributed().rpc(address, timeout=3, connection_args=arguments) as remote:
            return await remote.identity()

    return distributed().utils.LoopRunner(asynchronous=False).run_sync(ask)


def test_who_has_the_certificate_is_answered(access: ClusterAccess) -> None:
    arguments = access.client.security.get_connection_args("client")
    assert [asked(address, arguments)["type"] for address in addresses(access)] == ["Scheduler", "Worker", "Worker"]


def test_strangers_are_not(access: ClusterAccess) -> None:
    other = distributed().Security.temporary().get_connection_args("client")
    for address in addresses(access):
        assert address.startswith("tls://127.0.0.1:")
        with pytest.raises((OSError, TimeoutError)):
            asked(address, other)
        with pytest.raises((OSError, TimeoutError, ValueError)):
            asked(address.replace("tls", "tcp"), {})
        host, port = address.partition("://")[2].split(":")
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        plain = socket.create_connection((host, int(port)), 5)
        with pytest.raises(OSError), plain, context.wrap_socket(plain) as anonymous:
            anonymous.sendall(b"\0" * 64)
            if not anonymous.recv(1):
                raise ConnectionResetError


def test_processes_listen_for_nothing_else(access: ClusterAccess) -> None:
    pids = [*process_ids(access.cluster).values(), access.cluster.scheduler.process.pid]
    if not Path("/proc/self/net/tcp").exists():
        pytest.skip("it reads /proc")
    ports = {int(address.rpartition(":")[2]) for address in addresses(access)}
    assert {port for pid in pids for port in listening(pid)} == ports


def listening(pid: int) -> set[int]:
    """The ports at which a process listens."""
    links = [os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir() if entry.is_symlink()]
    own = {link[8:-1] for link in links if link.startswith("socket:[")}
    tables = [Path(f"/proc/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    lines = [line.split() for table in tables for line in table]
    return {int(words[1].rpartition(":")[2], 16) for words in lines if words[3] == "0A" and words[9] in own}


def test_the_key_is_for_this_user_and_goes_with_the_cluster() -> None:
    own = open_access("dask://local?workers=1&threads=1", 30.0)
    folder = Path(own.cluster.scratch)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for name in ("key.pem", "certificate.pem"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    own.close()
    assert not folder.exists()


def test_every_cluster_has_a_certificate_of_its_own(tmp_path: Path) -> None:
    first, second = make_security(), make_security()
    assert first.tls_client_key != second.tls_client_key
    assert Path(in_files(first, str(tmp_path))["tls_worker_key"]).read_text() == first.tls_client_key
    with pytest.raises(FileExistsError):  # whoever was there first wrote it, not we
        in_files(second, str(tmp_path))


def test_without_cryptography_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    find = builtins.__import__

    def absent(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == "cryptography":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return find(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ImportError, match=r"pip install penstock\[dask\].*security=none"):
        tf.Session("dask://local?workers=1")


def test_a_session_may_do_without() -> None:
    assert not parse_target("dask://local?security=none").is_secure
    assert parse_target("dask://local?workers=2").is_secure
    with tf.Graph().as_default() as graph:
        y = tf.constant([1.0, 2.0]) + 1.0
    with tf.Session("dask://local?workers=1&security=none", graph=graph) as session:
        assert session.run(y).tolist() == [2.0, 3.0]
