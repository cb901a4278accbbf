"""What the text of a session's target asks for, and what its mistakes are told."""

from __future__ import annotations

import pytest

import penstock as tf
from penstock.cluster.access.cluster_target import ClusterTarget, is_cluster_target, parse_target
from penstock.runtime.base.cores import cores


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("dask://host:1234", "tcp://host:1234"),
        ("dask://host", "tcp://host:8786"),
        ("dask://10.0.0.1:80/", "tcp://10.0.0.1:80"),
        ("dask://[::1]:9000", "tcp://[::1]:9000"),
        ("dask+tls://host:1234", "tls://host:1234"),
        ("dask://localhost:8786", "tcp://localhost:8786"),
    ],
)
def test_a_scheduler_is_named_by_its_host_and_port(text: str, address: str) -> None:
    found = parse_target(text)
    assert (found.address, found.is_local, found.text) == (address, False, text)


def test_workers_of_its_own_share_the_machine_where_nothing_is_said() -> None:
    assert parse_target("dask://local") == ClusterTarget("dask://local", "", cores(), 1, None)


def test_workers_of_its_own_are_as_asked() -> None:
    found = parse_target("dask://local?workers=3&threads=2&memory=1.5GiB")
    assert (found.is_local, found.workers, found.threads, found.memory) == (True, 3, 2, 3 * 2**29)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dask://", "there is no host"),
        ("dask://host:port", "the port is a number from 1 to 65535, not 'port'"),
        ("dask://host:99999", "not '99999'"),
        ("dask://host:0", "not '0'"),
        ("dask://[::1", "write dask://host:port"),
        ("dask://local workers=2", "'local workers=2' is no name of a machine"),
        ("dask://one,two", "'one,two' is no name of a machine"),
        ("dask://host:1/path", "'/path'"),
        ("dask://me@host:1", "host and a port only"),
        ("dask://host:1?workers=2", "dask://local?workers=2"),
        ("dask://local:8786", "dask://localhost:8786"),
        ("dask://local:2", "dask://local?workers=2"),
        ("dask://local?worker=2", "did you mean 'workers'?"),
        ("dask://local?workers=2;threads=1", "between two options comes &"),
        ("dask://local?workers=2,threads=1", "between two options comes &"),
        ("dask://local?workers=two", "workers=two"),
        ("dask://local?workers=0", "at least 1"),
        ("dask://local?workers=²", "at least 1"),
        ("dask://local?workers=1&workers=2", "twice"),
        ("dask://local?memory=much", "512MiB"),
        ("dask://local?memory=0", "512MiB"),
        ("dask+tls://local", "dask://local"),
        ("dask://local?security=no", "temporary (certificates of this cluster's own) or none"),
        ("tcp://host:8786", "write dask://host:8786"),
        ("tls://host:8786", "write dask+tls://host:8786"),
        ("grpc://host:1", "a server of TensorFlow"),
        ("http://host:8787/status", "the address of a page"),
        ("host:8786", "write dask://host:8786"),
        ("local", "write dask://local"),
        ("Dask://host:8786", "write dask://host:8786"),
        (" dask://host:8786", "write dask://host:8786"),
        ("daks://host:8786", "did you mean dask://host:8786?"),
        ("dask", "leave it empty for this machine"),
    ],
)
def test_a_wrong_target_is_told_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(tf.errors.ValueRuleError) as caught:
        parse_target(text)
    message = str(caught.value)
    assert message.startswith(f"Session({text!r}): ") and words in message and "\n" not in message


@pytest.mark.parametrize("text", ["", "tcp://host:1", "local", "dask", "dask:host"])
def test_other_targets_do_not_mean_a_cluster(text: str) -> None:
    assert not is_cluster_target(text)
