"""parse_example: TensorFlow's values and errors, by the compiled scan and by Python, and bytes that are not trusted."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
import penstock.compat.v1 as v1
from penstock.ops.records import example_table as table_module
from penstock.ops.records.example_table import example_table

from .compiled_scan import WAYS, read_by

CASES = json.loads((Path(__file__).parent / "parsed_by_tensorflow.json").read_text())
T = tf.train
V1: Any = v1


def feature_of(spec: list[Any]) -> Any:
    if spec[0] == "var":
        return tf.VarLenFeature(spec[1])
    default: Any = None
    if spec[3]:
        value = {"float32": 1.5, "int64": 7, "string": b"d"}[spec[1]]
        if spec[0] == "fixed":
            default = np.full(spec[2], value, object if spec[1] == "string" else spec[1]).tolist()
        elif not spec[2]:
            default = value
    if spec[0] == "fixed":
        return tf.FixedLenFeature(spec[2], spec[1], default)
    return tf.FixedLenSequenceFeature(spec[2], spec[1], True, default)


def plain(value: Any) -> dict[str, Any]:
    array = np.asarray(value)
    if array.dtype == object:
        return {"dtype": "string", "shape": [*array.shape], "values": [each.hex() for each in array.reshape(-1)]}
    return {"dtype": array.dtype.name, "shape": [*array.shape], "values": array.tobytes().hex()}


def parts(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]


def static(tensor: tf.Tensor) -> list[int | None] | None:
    return None if tensor.shape.ndims is None else tensor.shape.as_list()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_values_shapes_and_errors_are_tensorflows(
    case: dict[str, Any], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_by(way, monkeypatch)
    features = {key: feature_of(spec) for key, spec in case["spec"].items()}
    texts = np.array([bytes.fromhex(text) for text in case["texts"]] + [b""], object)[:-1]
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.string, [] if case["single"] else [None])
        parsed = (v1.parse_single_example if case["single"] else v1.parse_example)(fed, features)
        feeds = {fed: texts[0] if case["single"] else texts}
        if "error" in case:
            with pytest.raises(tf.errors.InvalidArgumentError) as error:
                session.run(parsed, feeds)
            if "parse" not in case["error"]:  # of damaged bytes, and of single examples, TensorFlow says less
                words = ("required", "don't match", "!= expected", "multiple")
                assert any(word in case["error"] for word in words)
                # Where another example is damaged, that is told first.
                assert any(word in str(error.value) for word in (*words, "Could not parse example"))
            return
        values = session.run(parsed, feeds)
        assert {key: [plain(each) for each in parts(values[key])] for key in values} == case["values"]
        assert {key: [static(each) for each in _tensors(parsed[key])] for key in parsed} == case["static"]


def _tensors(value: Any) -> list[tf.Tensor]:
    return [value.indices, value.values, value.dense_shape] if isinstance(value, tf.SparseTensor) else [value]


def batch(rows: int = 50, width: int = 6, seed: int = 0) -> list[bytes]:
    rng = random.Random(seed)
    texts = []
    for _ in range(rows):
        example = T.Example()
        for number in range(width):
            feature = example.features.feature[f"key_{number}"]
            count = rng.randrange(4)
            if number % 3 == 0:
                feature.bytes_list.value.extend([rng.randbytes(rng.randrange(200)) for _ in range(count)])
            elif number % 3 == 1:
                feature.float_list.value.extend([rng.gauss(0, 1) for _ in range(count)])
            else:
                feature.int64_list.value.extend([rng.randrange(-(1 << 63), 1 << 63) >> rng.randrange(64)
                                                 for _ in range(count)])  # fmt: skip
        texts.append(example.SerializeToString())
    return texts


KEYS = tuple(f"key_{number}".encode() for number in range(6))
TYPES = (tf.string, tf.float32, tf.int64) * 2


def tables_agree(texts: list[bytes], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Both readers give one table, or one error; whether it was a table."""
    results: list[Any] = []
    for way in WAYS:
        with monkeypatch.context() as patch:
            read_by(way, patch)
            try:
                results.append(example_table(texts, KEYS, TYPES, 2, ()))
            except tf.errors.InvalidArgumentError as error:
                results.append(str(error))
    if isinstance(results[0], str):
        assert all(each == results[0] for each in results)
        return False
    for other in results[1:]:
        assert (other.kinds == results[0].kinds).all()
        assert (other.counts == results[0].counts).all()
        for mine, its in zip(results[0].values, other.values, strict=True):
            assert mine.dtype == its.dtype
            assert mine.tobytes() == its.tobytes() if mine.dtype != object else mine.tolist() == its.tolist()
    return True


@pytest.mark.skipif("compiled" not in WAYS, reason="the compiled tier is off")
def test_the_scan_reads_what_examples_write(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = read_by("compiled", monkeypatch)
    monkeypatch.setattr(table_module, "_by_python", lambda *args: pytest.fail("Python was asked"))
    example_table(batch(), KEYS, TYPES, 2, ())
    assert asked == ["scan_examples", "fill_examples"]


def test_both_readers_give_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(20):
        assert tables_agree(batch(seed=seed), monkeypatch)
    assert tables_agree([b"", *batch(3), b""], monkeypatch)
    assert tables_agree([], monkeypatch)


def test_both_readers_agree_on_damaged_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    read = 0
    for seed in range(400):
        texts = [bytearray(text) for text in batch(3, seed=seed)]
        for _ in range(rng.randrange(1, 4)):
            text = rng.choice([text for text in texts if text])
            place, way = rng.randrange(len(text)), rng.randrange(3)
            if way == 0:
                text[place] = rng.randrange(256)
            elif way == 1:
                del text[place:]
            else:
                text[place:place] = rng.randbytes(1)
        read += tables_agree([bytes(text) for text in texts], monkeypatch)
    assert read > 20


@pytest.mark.parametrize("way", WAYS)
def test_other_spellings_of_a_message_are_read(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read_by(way, monkeypatch)
    example = T.Example()
    example.features.feature["a"].float_list.value.extend([1.0, 2.0])
    packed = example.SerializeToString()
    twice = packed + packed  # two parts of one message are merged
    for text in (packed, twice):
        table = example_table([text], (b"a",), (tf.float32,), 0, ())
        assert table.values[0].tolist() == [1.0, 2.0]
    # One float after the other, not one block of them.
    feature = b"\x12\x0a\x0d\x00\x00\x80\x3f\x0d\x00\x00\x00\x40"
    entry = b"\x0a\x01a\x12" + bytes([len(feature)]) + feature
    features = b"\x0a" + bytes([len(entry)]) + entry
    table = example_table([b"\x0a" + bytes([len(features)]) + features], (b"a",), (tf.float32,), 0, ())
    assert table.values[0].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("way", WAYS)
def test_lengths_that_lie_fill_no_memory(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read_by(way, monkeypatch)
    texts = [b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", b"\x0a\x02\x0a\x7f",
             b"\x0b" * 5000, b"\xff" * 5000, b"\x0a\x80"]  # fmt: skip
    tracemalloc.start()
    try:
        for text in texts:
            with pytest.raises(tf.errors.InvalidArgumentError, match="example 0: Could not parse example input"):
                example_table([text], KEYS, TYPES, 0, ())
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_feature_may_be_wanted_by_several_sparse_ones() -> None:
    example = T.Example()
    example.features.feature["at"].int64_list.value.extend([3, 1])
    example.features.feature["x"].float_list.value.extend([0.5, 1.5])
    example.features.feature["y"].int64_list.value.extend([7, 8])
    wanted = {
        "x_at": tf.SparseFeature("at", "x", tf.float32, 5),
        "y_at": tf.SparseFeature("at", "y", tf.int64, 5),
        "at": tf.VarLenFeature(tf.int64),
    }
    with tf.Graph().as_default(), tf.Session() as session:
        values = session.run(tf.parse_example([example.SerializeToString()], wanted))
    assert values["x_at"].indices.tolist() == [[0, 1], [0, 3]]
    assert values["x_at"].values.tolist() == [1.5, 0.5]
    assert values["y_at"].values.tolist() == [8, 7]
    assert values["at"].values.tolist() == [3, 1]


@pytest.mark.parametrize(
    ("features", "error", "words"),
    [
        ({}, ValueError, "cannot be None or falsy"),
        ({"a": tf.float32}, ValueError, r"the feature 'a' is tf.float32; write tf.FixedLenFeature\(shape, dtype\)"),
        ({"a": tf.FixedLenFeature([], tf.float64)}, TypeError, "feature 'a' has dtype float64; examples hold"),
        ({"a": tf.FixedLenFeature(None, tf.int64)}, ValueError, "Missing shape for feature a"),
        ({"a": tf.FixedLenFeature([None], tf.int64)}, ValueError, "Consider using FixedLenSequenceFeature"),
        ({"a": tf.FixedLenFeature([2, None], tf.int64)}, ValueError, "All dimensions of shape for feature a"),
        ({"a": tf.FixedLenSequenceFeature([], tf.int64)}, ValueError, "requires allow_missing to be True"),
        ({"a": tf.FixedLenFeature([2], tf.int64, [1])}, ValueError, "default_value of feature a has 1 values"),
        ({"a": tf.SparseFeature("", "x", tf.int64, 3)}, ValueError, "Missing index_key for SparseFeature a"),
        ({"a": tf.SparseFeature(["i", "j"], "x", tf.int64, [3])}, ValueError, "2 names but size 1 sizes"),
        (
            {"a": tf.SparseFeature("b", "x", tf.int64, 3), "b": tf.FixedLenFeature([], tf.int64)},
            ValueError,
            r"Dense and sparse keys must not intersect; intersection: \['b'\]",
        ),
    ],
)
def test_wrong_features_are_refused_by_the_call(features: Any, error: type[Exception], words: str) -> None:
    with tf.Graph().as_default() as graph, pytest.raises(error, match=words):
        tf.parse_example([b""], features)
    assert graph.get_operations() == []


def test_names_of_examples_stand_in_errors() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        parsed = V1.parse_example([b"", b""], {"b": tf.FixedLenFeature([], tf.int64)}, "parse", ["one", "two"])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Name: one, Feature: b \(data type: int64\) is req"):
            session.run(parsed)


def test_a_sequence_example_becomes_two_dictionaries() -> None:
    example = T.SequenceExample()
    example.context.feature["n"].int64_list.value.append(3)
    for number in range(3):
        example.feature_lists.feature_list["x"].feature.add().float_list.value.extend([number, number + 0.5])
        example.feature_lists.feature_list["w"].feature.add().bytes_list.value.extend([b"a"] * number)
    text = example.SerializeToString()
    with tf.Graph().as_default(), tf.Session() as session:
        context, steps = tf.parse_single_sequence_example(
            text,
            {"n": tf.FixedLenFeature([], tf.int64), "v": tf.VarLenFeature(tf.int64)},
            {
                "x": tf.FixedLenSequenceFeature([2], tf.float32),
                "w": tf.VarLenFeature(tf.string),
                "y": tf.FixedLenSequenceFeature([2, 3], tf.int64, allow_missing=True),
            },
        )
        assert steps["x"].shape.as_list() == [None, 2]
        values, lists = session.run([context, steps])
        assert values["n"] == 3
        assert values["v"].dense_shape.tolist() == [0]
        assert lists["x"].tolist() == [[0, 0.5], [1, 1.5], [2, 2.5]]
        assert lists["w"].indices.tolist() == [[1, 0], [2, 0], [2, 1]]
        assert lists["w"].dense_shape.tolist() == [3, 2]
        assert lists["y"].shape == (0, 2, 3)
        for wanted, words in (
            (tf.FixedLenSequenceFeature([3], tf.float32), "Key: x, Index: 0.  Number of values != expected"),
            (tf.VarLenFeature(tf.int64), "Feature list: x, Index: 0.  Data types don't match. Expected type: int64"),
        ):
            _, steps = tf.parse_single_sequence_example(text, sequence_features={"x": wanted})
            with pytest.raises(tf.errors.InvalidArgumentError, match=words):
                session.run(steps)
        _, steps = tf.parse_single_sequence_example(
            text, sequence_features={"z": tf.FixedLenSequenceFeature([], tf.int64)}
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="Feature list 'z' is required but could not be found"):
            session.run(steps)
