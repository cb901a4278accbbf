"""Messages between processes: arrays of all kinds return as they were, in aligned memory, without a pickle."""

from __future__ import annotations

import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import penstock as tf
from penstock.cluster.access.cluster_access import ClusterAccess
from penstock.cluster.access.connection import Connection
from penstock.cluster.client.plain_messages import SMALL, pack, unpack
from penstock.graph.shapes.dtypes import as_dtype

from .echo_actor import EchoActor

ARRAYS: list[Any] = [
    np.float64(2.5),
    np.array([True, False, True]),
    np.arange(7, dtype=np.int8),
    np.arange(6, dtype=np.complex128).reshape(2, 3).T,
    np.zeros((0, 4), np.float32),
    np.array([1.5, -2.0], ml_dtypes.bfloat16),
    np.array([[b"", b"text"], [b"\x00\xff", "grüße".encode()]], object),
    np.arange(SMALL, dtype=np.float32)[::-1],
    np.arange(SMALL + 1, dtype=np.uint8),
    np.arange(SMALL, dtype=np.int64),
]


def test_arrays_return_as_they_were() -> None:
    head, arrays = unpack(pack({"run": 1}, ARRAYS))
    assert head["run"] == 1
    for sent, got in zip(ARRAYS, arrays, strict=True):
        assert np.shape(sent) == got.shape and got.dtype == np.asarray(sent).dtype
        np.testing.assert_array_equal(sent, got)


def test_arrays_that_dask_brings_are_aligned(echoes: Connection) -> None:
    text, *frames = pack({}, ARRAYS)
    assert len(frames) == 4
    header, back = echoes.call(1, "echo", text, frames)
    _, arrays = unpack([header, *back])
    assert all(array.ctypes.data % 16 == 0 for array in arrays if array.size)
    assert all(np.array_equal(sent, got) for sent, got in zip(ARRAYS, arrays, strict=True))


def test_large_frames_are_aligned_without_a_copy(echoes: Connection) -> None:
    text, *frames = pack({}, ARRAYS)
    _, back = echoes.call(0, "echo", text, frames)
    large: list[np.ndarray[Any, Any]] = [np.frombuffer(frame, np.uint8) for frame in back[1:]]
    assert [array.ctypes.data % 16 for array in large] == [0, 0, 0]


def test_objects_that_are_no_strings_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="a value of dtype variant cannot be sent"):
        pack({}, [np.zeros(2, as_dtype("variant").np)])


@pytest.mark.parametrize("parts", [[b"no json"], [b"{}"], [b'{"arrays": [["float32", [2], 0, 0, 8]]}', b"123"]])
def test_what_is_no_message_is_refused(parts: list[bytes]) -> None:
    with pytest.raises(tf.errors.InternalError, match="cannot be read"):
        unpack(parts)


def test_actors_start_without_penstock_at_the_scheduler(cluster: ClusterAccess, cluster_address: str) -> None:
    def forget(dask_scheduler: Any) -> list[str]:
        import sys as system  # the function is sent as it stands

        found = [name for name in system.modules if name.partition(".")[0] in ("penstock", "tests")]
        for name in found:
            del system.modules[name]
        return found

    cluster.client.run_on_scheduler(forget)  # tasks of other tests may have brought it
    connection = Connection(cluster_address, tf.SessionConfig())
    connection.start_actors(EchoActor)
    connection.close()
    assert cluster.client.run_on_scheduler(forget) == []


def test_values_are_sent_without_pickling(echoes: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    pickled: list[object] = []
    dumps = pickle.dumps

    def note(value: object, *rest: Any, **named: Any) -> bytes:
        pickled.append(value)
        return dumps(value, *rest, **named)

    monkeypatch.setattr(pickle, "dumps", note)
    text, *frames = pack({}, ARRAYS)
    echoes.call(0, "echo", text, frames)
    assert {value for value in pickled if value is not memoryview} == set()
