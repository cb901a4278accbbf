"""Record files that are compressed, damaged or made to do harm: one clear error, and little memory."""

from __future__ import annotations

import gzip
import os
import struct
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

import penstock as tf
from penstock.interchange.records.record_files import LONGEST_PACKED, _checksum, framed

PACK: dict[str, Callable[[bytes], bytes]] = {"": bytes, "ZLIB": zlib.compress, "GZIP": gzip.compress}
KINDS = list(PACK)


def head(length: int) -> bytes:
    """The head of a record that says it has so many bytes, with a true checksum."""
    size = struct.pack("<Q", length)
    return size + _checksum(size)


def records(path: Path, kind: str) -> list[bytes]:
    return list(tf.python_io.tf_record_iterator(path, kind))


@pytest.mark.parametrize("kind", KINDS)
def test_records_of_every_size_come_back(kind: str, tmp_path: Path) -> None:
    wanted = [b"", b"a", bytes(4096), os.urandom(3 << 20), b"", bytes(2 << 20)]
    path = tmp_path / "r"
    with tf.python_io.TFRecordWriter(path, kind) as writer:
        for record in wanted:
            writer.write(record)
    assert records(path, kind) == wanted


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [(1 << 20) + 1, 1 << 32, 1 << 39, 1 << 40, (1 << 63) - 1, (1 << 64) - 1])
def test_a_length_that_the_file_does_not_hold_is_refused_before_memory_is_asked_for(
    kind: str, length: int, tmp_path: Path
) -> None:
    path = tmp_path / "r"
    path.write_bytes(PACK[kind](framed(b"first") + head(length) + b"a few bytes"))
    found = []
    tracemalloc.start()
    try:
        with pytest.raises(tf.errors.DataLossError, match=f"at 21: it has {length} bytes"):
            for record in tf.python_io.tf_record_iterator(path, kind):
                found.append(record)
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()
    assert found == [b"first"]


@pytest.mark.parametrize("kind", ["ZLIB", "GZIP"])
def test_a_small_compressed_file_that_unpacks_to_much_is_read_a_record_at_a_time(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.write_bytes(PACK[kind](framed(b"") * 500_000))  # 8 MB in 16 KB
    assert path.stat().st_size < 50_000
    found = tf.python_io.tf_record_iterator(path, kind)
    tracemalloc.start()
    try:
        assert all(next(found) == b"" for _ in range(1000))
        assert tracemalloc.get_traced_memory()[1] < 1 << 20  # what is not asked for stays packed
    finally:
        tracemalloc.stop()
    found.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["ZLIB", "GZIP"])
def test_one_record_of_a_small_compressed_file_has_a_bound(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert LONGEST_PACKED == 64 << 20  # as documented
    monkeypatch.setattr("penstock.interchange.records.record_files.LONGEST_PACKED", 2 << 20)
    path = tmp_path / "r"
    path.write_bytes(PACK[kind](framed(bytes(2 << 20))))
    assert records(path, kind) == [bytes(2 << 20)]
    path.write_bytes(PACK[kind](framed(bytes((2 << 20) + 1))))
    with pytest.raises(tf.errors.DataLossError, match="at most 2097152, or 32 times the bytes of the file"):
        records(path, kind)
    large = os.urandom(3 << 20)  # as large as its file
    path.write_bytes(PACK[kind](framed(large)))
    assert records(path, kind) == [large]


def test_a_file_that_grows_while_it_is_read_gives_what_was_added(tmp_path: Path) -> None:
    path = tmp_path / "r"
    large = os.urandom(2 << 20)
    path.write_bytes(framed(b"one") + framed(b"two"))
    found = tf.python_io.tf_record_iterator(path)
    assert next(found) == b"one"
    with path.open("ab") as file:
        file.write(framed(large))
    assert list(found) == [b"two", large]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_has_no_size_and_is_read(tmp_path: Path) -> None:
    path, wanted = tmp_path / "pipe", [b"one", os.urandom(3 << 20)]
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(b"".join(map(framed, wanted))))
    writer.start()
    assert records(path, "") == wanted
    writer.join()


@pytest.mark.parametrize(
    ("at", "words"), [(0, "its length"), (9, "its length"), (12, "its content"), (20, "its content")]
)
def test_a_changed_byte_is_told_by_the_checksum_of_its_part(at: int, words: str, tmp_path: Path) -> None:
    damaged = bytearray(framed(b"first") * 2)
    damaged[21 + at] ^= 1
    (tmp_path / "r").write_bytes(damaged)
    found = tf.python_io.tf_record_iterator(tmp_path / "r")
    assert next(found) == b"first"
    with pytest.raises(tf.errors.DataLossError, match=f"at 21: the checksum of {words} is wrong"):
        next(found)
