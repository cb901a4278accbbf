"""A worker whose software differs is refused in one line with what it has, what is here, and the cure."""

from __future__ import annotations

from dataclasses import replace

import pytest

import penstock as tf
from penstock.cluster.access.cluster_access import Software, check_software, own_software
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
