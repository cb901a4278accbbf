"""`tf.train.Example` and its kin: protobuf's interface, TensorFlow's bytes, and bytes that are not trusted."""

from __future__ import annotations

import copy
import json
import pickle
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.interchange.records import proto_fields

from ...helpers import every_case

GOLDEN = json.loads((Path(__file__).parent / "examples_of_tensorflow.json").read_text())
T = tf.train


def kind_of(name: str) -> Any:
    return getattr(T, name)


@every_case("case", GOLDEN)
def test_bytes_and_text_are_tensorflows(case: dict[str, str]) -> None:
    kind = kind_of(case["kind"])
    message = kind.FromString(bytes.fromhex(case["bytes"]))
    assert message.SerializeToString().hex() == case["bytes"]
    assert sorted(str(message).split("\n")) == sorted(case["text"].split("\n"))  # protobuf orders maps by a hash
    for other in (copy.deepcopy(message), pickle.loads(pickle.dumps(message))):
        assert other == message
    merged = kind()
    merged.MergeFrom(message)
    assert merged == message


@every_case("case", [case for case in GOLDEN if "damaged" in case])
def test_damaged_bytes_are_read_or_refused_as_by_tensorflow(case: dict[str, str]) -> None:
    kind, damaged = kind_of(case["kind"]), bytes.fromhex(case["damaged"])
    if "again" in case:
        assert kind.FromString(damaged).SerializeToString().hex() == case["again"]
    else:
        with pytest.raises(tf.errors.DecodeError, match=f"the {len(damaged)} bytes are no {case['kind']}: "):
            kind.FromString(damaged)


def test_setting_a_list_of_a_feature_removes_the_others() -> None:
    feature = T.Feature(int64_list=T.Int64List(value=[1]))
    ints = feature.int64_list
    feature.float_list.value.append(0.5)
    ints.value.append(2)  # of no feature any more
    assert feature.WhichOneof("kind") == "float_list"
    assert not feature.HasField("int64_list")
    assert list(feature.int64_list.value) == []
    assert feature.WhichOneof("kind") == "float_list"  # reading sets nothing


def test_a_message_is_there_once_something_was_put_into_it() -> None:
    example = T.Example()
    assert not example.HasField("features")
    assert "a" not in example.features.feature
    assert not example.HasField("features")
    example.features.feature["a"]  # a look-up makes an entry, as in protobuf
    assert example.HasField("features")
    assert "a" in example.features.feature
    example.ClearField("features")
    assert example == T.Example()


def test_lists_are_edited_as_lists() -> None:
    ints = T.Int64List(value=np.arange(4))
    ints.value[1:3] = [7]
    ints.value.insert(0, np.int32(9))
    del ints.value[-1]
    ints.value += [5]
    assert ints.value == [9, 0, 7, 5]
    assert ints.value[-1] == 5
    assert T.FloatList(value=[0.1, 1e300]).value == [float(np.float32(0.1)), float("inf")]
    steps = T.FeatureList(feature=[T.Feature(), {"float_list": {"value": [1.0]}}])
    steps.feature.add(bytes_list=T.BytesList(value=[b"x"]))
    assert [step.WhichOneof("kind") for step in steps.feature] == [None, "float_list", "bytes_list"]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: T.Int64List(value=[1.0]), TypeError, "an Int64List holds ints, not 1.0 of type float"),
        (lambda: T.Int64List(value=[True]), TypeError, r"True is a bool. Write int\(True\)"),
        (lambda: T.Int64List(value=[1 << 63]), ValueError, "ints of 64 bits; 9223372036854775808 is out of range"),
        (lambda: T.Int64List(value=3), TypeError, "a repeated field is set from a list, not 3"),
        (lambda: T.BytesList(value=["a"]), TypeError, r"holds bytes, not 'a' of type str; write 'a'.encode\(\)"),
        (lambda: T.BytesList(value=b"ab"), TypeError, "holds bytes, not 97 of type int"),
        (lambda: T.FloatList(value=["1"]), TypeError, "holds floats, not '1' of type str"),
        (lambda: T.FloatList(values=[1]), ValueError, "FloatList has no field 'values'; it has value"),
        (lambda: T.Features(feature={"a": 3}), TypeError, "Feature.CopyFrom takes a Feature, not 3"),
        (lambda: T.Features(feature={1: T.Feature()}), TypeError, "a name in this map is a str, not 1"),
        (lambda: T.Example(features=T.Feature()), TypeError, "Features.MergeFrom takes a Features"),
        (lambda: T.Feature().HasField("value"), ValueError, "Feature has no field 'value'"),
        (lambda: T.Feature().WhichOneof("value"), ValueError, "Feature has no oneof 'value'"),
        (lambda: setattr(T.Feature(), "int64_list", 1), AttributeError, "is not assigned; write int64_list.CopyFrom"),
        (lambda: setattr(T.Int64List(), "value", [1]), AttributeError, r"is not assigned; write value.extend"),
        (lambda: kind_of("Example").FromString("text"), TypeError, "Example is read from bytes, not from a str"),
        (lambda: hash(T.Example()), TypeError, "unhashable"),
    ],
)
def test_wrong_values_are_refused_in_words(make: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


def test_the_number_of_messages_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proto_fields.MOST_MESSAGES == 2_000_000  # some 300 MB
    monkeypatch.setattr(proto_fields, "MOST_MESSAGES", 1000)
    tracemalloc.start()
    try:
        with pytest.raises(tf.errors.DecodeError, match="more than 1000 messages"):
            T.FeatureList.FromString(b"\x0a\x00" * 100_000)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_groups_nest_only_so_deep() -> None:
    assert T.Example.FromString(b"\x0b" * 90 + b"\x0c" * 90) == T.Example.FromString(b"\x0b" * 90 + b"\x0c" * 90)
    with pytest.raises(tf.errors.DecodeError, match="nested more than 100 deep"):
        T.Example.FromString(b"\x0b" * 100_000)


def test_random_bytes_are_a_message_or_a_decode_error() -> None:
    rng = random.Random(3)
    read = 0
    for _ in range(3000):
        content = bytes(rng.choice((0, 1, 2, 3, 8, 10, 18, 26, 97, 128, 255)) for _ in range(rng.randrange(24)))
        try:
            message = T.SequenceExample.FromString(content)
        except tf.errors.DecodeError:
            continue
        read += 1
        assert T.SequenceExample.FromString(message.SerializeToString()) == message
    assert read > 50
