"""Files and bytes as tensors: read_file, write_file, decode_raw, decode_compressed, tensors as strings."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
import penstock.compat.v1 as v1

V1: Any = v1


def run(build: Any, feeds: Any = None) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build())


def test_a_file_is_read_in_each_run(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    with tf.Graph().as_default(), tf.Session() as session:
        name = tf.constant(str(path))
        content = tf.read_file(name)
        fed = tf.placeholder(tf.string, [])
        write = tf.write_file(name, fed)
        with pytest.raises(tf.errors.NotFoundError, match="file; No such file or directory"):
            session.run(content)
        for text in (b"one", b"\x00\xff", b""):
            session.run(write, {fed: text})
            assert session.run(content) == text
        with pytest.raises(tf.errors.FailedPreconditionError, match="; Is a directory"):
            session.run(content, {name: str(tmp_path)})
        with pytest.raises(tf.errors.FailedPreconditionError, match="write_file: Is a directory"):
            session.run(write, {name: str(tmp_path), fed: b""})
        with pytest.raises(tf.errors.UnimplementedError, match="gs"):
            session.run(content, {name: "gs://bucket/file"})


def test_a_read_after_a_write_sees_what_was_written(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        name = tf.constant(str(tmp_path / "file"))
        with tf.control_dependencies([tf.write_file(name, "text")]):
            content = tf.read_file(name)
        assert session.run(content) == b"text"


def test_patterns_match_in_order(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.csv", ".d.txt"):
        (tmp_path / name).write_text(name)
    found = run(lambda: tf.matching_files([f"{tmp_path}/*.csv", f"{tmp_path}/*.txt"]))
    assert [Path(each.decode()).name for each in found] == [".d.txt", "a.txt", "b.txt", "c.csv"]
    assert run(lambda: tf.matching_files(f"{tmp_path}/none*")).shape == (0,)


@pytest.mark.parametrize(
    ("text", "dtype", "little", "wanted"),
    [
        ([b"ab\0\0", b"cd\1\0"], "int16", True, [[25185, 0], [25699, 1]]),
        ([b"ab\0\0"], "int16", False, [[24930, 0]]),
        (b"abcd", "uint8", False, [97, 98, 99, 100]),
        ([b"", b""], "float32", True, [[], []]),
        (b"\0\0\x80?\0\0\0@", "complex64", True, [1 + 2j]),
        (b"?\x80\0\0@\0\0\0", "complex64", False, [1 + 2j]),
        (b"\0\1", "bool", True, [False, True]),
    ],
)
def test_bytes_become_numbers(text: Any, dtype: str, little: bool, wanted: Any) -> None:
    values = run(lambda: tf.decode_raw(text, dtype, little))
    assert values.dtype == tf.as_dtype(dtype).as_numpy_dtype
    assert values.tolist() == wanted
    assert run(lambda: V1.decode_raw(bytes=text, out_type=dtype, little_endian=little)).tolist() == wanted


@pytest.mark.parametrize(
    ("text", "dtype", "words"),
    [
        ([b"ab", b"abcd"], "int16", "same size, but element 1 has size 4 != 2"),
        ([b"abc"], "int16", "length 3 that is not a multiple of 2, the size of int16"),
        (b"\2", "bool", "neither 0 nor 1"),
    ],
)
def test_bytes_that_are_no_numbers_are_refused(text: Any, dtype: str, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(lambda: tf.decode_raw(text, dtype))


def test_decode_raw_refuses_other_dtypes_while_building() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="has DataType string not in list of allowed values"):
        tf.decode_raw(b"", tf.string)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="missing 1 positional argument: 'out_type'"):
        V1.decode_raw(b"")


def test_compressed_strings_are_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [b"hello", b"", bytes(100_000)]
    assert run(lambda: tf.decode_compressed([gzip.compress(each) for each in texts], "GZIP")).tolist() == texts
    assert run(lambda: tf.decode_compressed([zlib.compress(each) for each in texts], "ZLIB")).tolist() == texts
    assert run(lambda: tf.decode_compressed(texts)).tolist() == texts
    for text in (b"hello", gzip.compress(b"hello")[:-9]):
        with pytest.raises(tf.errors.DataLossError):
            run(lambda text=text: tf.decode_compressed([text], "GZIP"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Only ZLIB, GZIP or NONE"):
        run(lambda: tf.decode_compressed(texts, "LZMA"))
    monkeypatch.setattr("penstock.ops.records.raw_bytes._MOST", 1000)
    with pytest.raises(tf.errors.DataLossError, match="holds more than 1000 bytes"):
        run(lambda: tf.decode_compressed([zlib.compress(bytes(1001))], "ZLIB"))
    assert run(lambda: tf.decode_compressed([zlib.compress(bytes(1000))], "ZLIB")).tolist() == [bytes(1000)]


@pytest.mark.parametrize("kind", ["ZLIB", "GZIP"])
def test_a_string_that_holds_too_much_takes_little_memory(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.ops.records.raw_bytes._MOST", 16 << 20)
    monkeypatch.setattr("penstock.ops.records.raw_bytes._UNCOUNTED", 1 << 20)
    bomb = gzip.compress(bytes(17 << 20)) if kind == "GZIP" else zlib.compress(bytes(17 << 20))
    with tf.Graph().as_default(), tf.Session() as session:
        text = tf.placeholder(tf.string, [])
        unpacked = tf.decode_compressed(text, kind)
        tracemalloc.start()
        try:
            with pytest.raises(tf.errors.DataLossError, match="holds more than 16777216 bytes"):
                session.run(unpacked, {text: bomb})
            assert tracemalloc.get_traced_memory()[1] < 8 << 20
        finally:
            tracemalloc.stop()
        assert session.run(unpacked, {text: zlib.compress(bytes(3 << 20)) if kind == "ZLIB" else gzip.compress(
            bytes(3 << 20))}) == bytes(3 << 20)  # fmt: skip


# Recorded from TensorFlow 2.21.
SERIALIZED = [
    (np.array([[1.5, 2]], "f4"), b'\x08\x01\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02"\x08\x00\x00\xc0?\x00\x00\x00@'),
    (np.array(1, "i4"), b'\x08\x03\x12\x00"\x04\x01\x00\x00\x00'),
    (np.array([b"a", b""], object), b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x00"),
    (np.array([True, False]), b'\x08\n\x12\x04\x12\x02\x08\x02"\x02\x01\x00'),
    (np.zeros((0, 3)), b"\x08\x02\x12\x06\x12\x00\x12\x02\x08\x03"),
    (np.array([1 + 2j], "c8"), b'\x08\x08\x12\x04\x12\x02\x08\x01"\x08\x00\x00\x80?\x00\x00\x00@'),
    (np.array([1], "f2"), b'\x08\x13\x12\x04\x12\x02\x08\x01"\x02\x00<'),
    (np.array(-1, "i8"), b'\x08\t\x12\x00"\x08\xff\xff\xff\xff\xff\xff\xff\xff'),
]


@pytest.mark.parametrize(("array", "content"), SERIALIZED, ids=[str(each.dtype) for each, _ in SERIALIZED])
def test_tensors_have_tensorflows_bytes(array: Any, content: bytes) -> None:
    assert run(lambda: tf.serialize_tensor(array)) == content
    dtype = tf.string if array.dtype == object else tf.as_dtype(array.dtype)
    again = np.asarray(run(lambda: tf.parse_tensor(content, dtype)))
    assert again.shape == array.shape
    assert again.tolist() == array.tolist()


def test_strings_that_are_no_tensor_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="as TensorProto"):
        run(lambda: tf.parse_tensor(b"\xff", tf.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"parsed tensor \(float32\) and dtype \(int32\)"):
        run(lambda: tf.parse_tensor(SERIALIZED[0][1], tf.int32))
    huge = b"\x08\x01\x12\x0b\x12\x09\x08\xff\xff\xff\xff\xff\xff\x0f"  # 2**48 floats
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(lambda: tf.parse_tensor(huge, tf.float32))
