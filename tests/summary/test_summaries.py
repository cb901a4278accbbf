"""Summaries of tensors: the bytes are TensorFlow's, and what cannot be summarised is refused."""

import base64
import struct
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1

from ..golden_cases import read
from ..golden_extra.summary_calls import CASES, IMAGES

WRONG: Any = 3
RECORDED = read(Path(__file__).parents[1] / "golden_extra" / "summaries.json")


@pytest.mark.parametrize("module", [tf, v1], ids=["penstock", "compat.v1"])
@pytest.mark.parametrize("name", CASES)
def test_a_summary_has_tensorflows_name_and_bytes(name: str, module: Any) -> None:
    expected = RECORDED["summaries"][name]
    with tf.Graph().as_default(), tf.Session() as session, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = CASES[name](module)
        assert made.name == expected["name"]
        assert session.run(made) == base64.b64decode(expected["bytes"])


def pixels_of(png: bytes) -> list[int]:
    """The bytes of the pixels of a PNG without filters, whose checksums are right."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(png):
        (size,) = struct.unpack_from(">I", png, at)
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", png, at + 8 + size)[0] == zlib.crc32(kind + content)
        chunks[kind] = content
        at += 12 + size
    _, height, *_ = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
    assert not rows[:, 0].any()
    return [int(each) for each in rows[:, 1:].reshape(-1)]


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_has_tensorflows_tags_and_pixels(name: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        made = tf.summary.image(name, IMAGES[name], 1 if name == "grey" else 3)
        values = tf.Summary.FromString(session.run(made)).value
    found = [
        {
            "tag": value.tag,
            "size": [value.image.height, value.image.width, value.image.colorspace],
            "pixels": pixels_of(value.image.encoded_image_string),
        }
        for value in values
    ]
    assert found == RECORDED["images"][name]


def test_merge_all_merges_the_collection_and_is_none_without_summaries() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        assert tf.summary.merge_all() is None
        x = tf.placeholder(tf.float32, [None])
        tf.summary.scalar("a", tf.reduce_sum(x))
        with tf.name_scope("net"):
            tf.summary.histogram("b", x)
        tf.summary.scalar("c", 1.0, collections=["other"])
        assert [each.name for each in graph.get_collection("summaries")] == ["a:0", "net/b:0"]
        summary = tf.Summary.FromString(session.run(tf.summary.merge_all(), {x: [1.0, 2.0]}))
        assert [value.tag for value in summary.value] == ["a", "net/b"]
        inside = tf.Summary.FromString(session.run(tf.summary.merge_all(scope="net"), {x: [1.0]}))
        assert [value.tag for value in inside.value] == ["net/b"]


def test_the_names_of_tensorflow_0_work() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.scalar_summary(["a", "b b"], [1.0, 2.0])
        tf.histogram_summary("c", [1.0])
        tf.image_summary("d", tf.zeros([1, 2, 2, 1]), max_images=1)
        merged = tf.merge_all_summaries()
        assert merged is not None
        summary = tf.Summary.FromString(session.run(merged))
        assert [value.tag for value in summary.value] == ["a", "b b", "c", "d/image"]
        assert session.run(tf.merge_summary([merged])) == session.run(merged)


def test_the_same_name_twice_gives_two_tags_and_the_same_tag_twice_an_error() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        pair = [tf.summary.scalar("loss", 1.0), tf.summary.scalar("loss", 2.0)]
        tags = [value.tag for value in tf.Summary.FromString(session.run(tf.summary.merge(pair))).value]
        assert tags == ["loss", "loss_1"]
        twice = tf.merge_summary([tf.scalar_summary("a", 1.0), tf.scalar_summary("a", 2.0)])
        with pytest.raises(tf.errors.InvalidArgumentError, match="Duplicate tag a found in summary inputs"):
            session.run(twice)
        with pytest.raises(tf.errors.InvalidArgumentError, match="not a serialised summary"):
            session.run(tf.summary.merge([tf.constant(b"\xff\xff")]))


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: tf.summary.scalar("a", [1.0, 2.0]), ValueError, "one number for each tag"),
        (lambda: tf.summary.scalar("a", "text"), TypeError, "string"),
        (lambda: tf.summary.scalar(WRONG, 1.0), TypeError, "name must be a str"),
        (lambda: tf.summary.scalar("a", 1.0, collections="summaries"), TypeError, "collections must be a list"),
        (lambda: tf.summary.image("a", tf.zeros([2, 2])), ValueError, "rank 4"),
        (lambda: tf.summary.image("a", tf.zeros([1, 2, 2, 2])), ValueError, "1, 3 or 4"),
        (lambda: tf.summary.image("a", tf.zeros([1, 2, 2, 1]), 0), ValueError, "minimum 1"),
        (lambda: tf.summary.text("a", 1.0), ValueError, "dtype string"),
        (lambda: tf.summary.audio("a", [[0.0]], 44100.0), TypeError, "no summaries of sounds"),
        (lambda: tf.summary.merge([]), ValueError, "inputs is empty"),
        (lambda: tf.summary.tensor_summary("a", 1.0, summary_metadata=3), TypeError, "SummaryMetadata"),
    ],
)
def test_a_wrong_call_adds_nothing(call: Any, kind: Any, words: str) -> None:
    with tf.Graph().as_default() as graph:
        fill = len(graph)
        with pytest.raises(kind, match=words):
            call()
        assert [op for op in graph.get_operations()[fill:] if "Summary" in op.type] == []
        assert graph.get_collection("summaries") == []


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_histogram_of_numbers_that_are_not_finite_fails(bad: float) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        made = tf.summary.histogram("weights", x)
        with pytest.raises(tf.errors.InvalidArgumentError, match="in summary histogram for: weights"):
            session.run(made, {x: [1.0, bad]})


def test_a_name_with_characters_that_tags_lack_is_changed_with_a_warning() -> None:
    with tf.Graph().as_default(), pytest.warns(UserWarning, match=r"my loss is illegal; using my_loss instead"):
        assert tf.summary.scalar("my loss", 1.0).name == "my_loss:0"


def test_messages_are_made_and_read_as_protobufs_are() -> None:
    summary = tf.Summary()
    summary.value.add(tag="loss", simple_value=0.5)
    image = tf.Summary.Image(height=1, width=2, colorspace=1, encoded_image_string=b"png")
    summary.value.append(tf.Summary.Value(tag="image", image=image))
    again = tf.Summary.FromString(summary.SerializeToString())
    assert again == summary
    assert again.value[0].HasField("simple_value") and not again.value[1].HasField("simple_value")
    with pytest.raises(ValueError):
        tf.Summary.FromString(b"\xff")
    with pytest.raises(TypeError, match="takes bytes"):
        tf.Summary.FromString("text")  # type: ignore[arg-type]  # what a wrong program does


def test_numbers_are_in_the_buckets_that_a_search_among_the_limits_gives() -> None:
    from penstock.summary import value_protos

    limits = value_protos.bucket_limits()
    rng = np.random.default_rng(0)
    beside = [np.nextafter(limits[1:-1], towards) for towards in (-np.inf, np.inf)]
    special = [0.0, -0.0, 5e-324, -5e-324, np.finfo("f8").max, -np.finfo("f8").max, 1e-12, -1e-12, 1e20, -1e20]
    exponents = rng.integers(-1074, 1023, 50_000)
    many = np.ldexp(rng.uniform(-1, 1, exponents.size), exponents)
    for values in (limits, *beside, np.array(special), many, np.empty(0)):
        wanted = np.searchsorted(limits, values, side="right")
        assert np.array_equal(value_protos.bucket_places(values), wanted)
    with np.errstate(over="ignore"):  # of the sum of squares
        whole = value_protos.histogram_of(np.array(special))
    assert whole.limits[-1] == np.finfo("f8").max and whole.counts.sum() == len(special)


def test_a_summary_reads_what_a_run_gave_and_takes_more_values() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        serialized = session.run(tf.summary.scalar("loss", tf.constant(0.5)))
    summary = tf.Summary(value=[tf.Summary.Value(tag="old", simple_value=1.0)])
    assert summary.ParseFromString(serialized) == len(serialized)
    summary.value.add(tag="precision", simple_value=0.25)
    assert [(each.tag, each.simple_value) for each in summary.value] == [("loss", 0.5), ("precision", 0.25)]
    assert tf.Summary.FromString(summary.SerializeToString()) == summary
    for wrong in ("text", serialized[:-1]):
        with pytest.raises((TypeError, ValueError)):
            summary.ParseFromString(wrong)  # type: ignore[arg-type]  # the text is the error under test
    assert len(summary.value) == 2
