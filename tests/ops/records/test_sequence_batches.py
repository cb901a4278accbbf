"""Batches of sequence examples: what is damaged or does not fit is told with the example's name.

Random examples stand beside TensorFlow's in `tests/fuzz/test_single_calls_beside_tensorflow.py`.
"""

from __future__ import annotations

from typing import Any

import pytest

import penstock.compat.v1 as tf


def example(*steps: list[float]) -> bytes:
    made = tf.train.SequenceExample()
    made.context.feature["n"].int64_list.value.append(len(steps))
    for step in steps:
        made.feature_lists.feature_list["p"].feature.add().float_list.value.extend(step)
    text: bytes = made.SerializeToString()
    return text


def parsed(texts: Any, missing: bool = False, **options: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        wanted = {"p": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=missing)}
        return session.run(tf.io.parse_sequence_example(texts, {}, wanted, **options))


def test_shorter_sequences_are_padded() -> None:
    _, lists, lengths = parsed([example([1, 2], [3, 4]), example([5, 6])])
    assert lists["p"].tolist() == [[[1, 2], [3, 4]], [[5, 6], [0, 0]]]
    assert lengths["p"].tolist() == [2, 1]


def test_contexts_may_be_all_that_is_asked_for() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        wanted = {"n": tf.FixedLenFeature([], tf.int64)}
        context, lists, lengths = tf.io.parse_sequence_example([example([1, 2]), example()], wanted)
        assert session.run(context["n"]).tolist() == [1, 0]
        assert (lists, lengths) == ({}, {})


@pytest.mark.parametrize(("texts", "options", "words"), [
    ([example([1.0])], {"example_names": ["first"]}, "Name: first, Key: p, Index: 0. Number of values != expected: 1"),
    ([example([1, 2]), b"\x0a"], {}, "Name: <unknown>, Could not parse example input"),
    ([example([1, 2]), example()], {}, "Key: p, Feature list is required but could not be found"),
    (example([1, 2]), {}, r"serialized has shape \(\); it must be a vector"),
    ([example([1, 2])], {"example_names": ["a", "b"]}, "example_names have shape"),
])  # fmt: skip
def test_what_does_not_fit_is_told(texts: Any, options: Any, words: str) -> None:
    with pytest.raises((ValueError, tf.errors.OpError), match=words):
        parsed(texts, **options)


def test_a_list_that_may_miss_has_no_steps() -> None:
    _, lists, lengths = parsed([example([1, 2]), example()], missing=True)
    assert lengths["p"].tolist() == [1, 0]
    assert lists["p"].shape == (2, 1, 2)


def test_one_of_the_dicts_is_needed() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="at least one should have values"):
        tf.io.parse_sequence_example([b""])
