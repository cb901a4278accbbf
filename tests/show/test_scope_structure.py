"""Which scopes count as equal inside."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

import penstock as tf
from penstock.show.content.from_graph import picture_of
from penstock.show.content.picture import Path, Picture, all_groups
from penstock.show.content.scope_structure import structures_of

from .fakes import pictures


def structures(picture: Picture) -> dict[Path, int]:
    return structures_of(picture, all_groups(picture))


def two_scopes(one: Callable[[tf.Tensor, tf.Tensor], object], other: Callable[[tf.Tensor, tf.Tensor], object]) -> bool:
    """Whether what the two functions build is equal inside."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 4], name="x")
        y = tf.placeholder(tf.float32, ["n", 4], name="y")
        with tf.name_scope("one"):
            one(x, y)
        with tf.name_scope("other"):
            other(y, x)
    found = structures(picture_of(graph))
    return found["one",] == found["other",]


def test_scopes_that_do_the_same_to_other_tensors_are_equal() -> None:
    assert two_scopes(lambda x, y: tf.tanh(x * y, name="a"), lambda x, y: tf.tanh(x * y, name="b"))
    assert two_scopes(lambda x, y: tf.tanh(x * y), lambda x, y: tf.tanh(x * x))


@pytest.mark.parametrize(
    "other",
    [
        lambda x, y: tf.tanh(x + y),
        lambda x, y: (x * y, tf.tanh(y)),
        lambda x, y: (tf.tanh(x * y), tf.tanh(x)),
        lambda x, y: tf.tanh(x[:, :2] * y[:, :2]),
        lambda x, y: tf.tanh(tf.cast(x, tf.float64) * tf.cast(y, tf.float64)),
    ],
    ids=["another op", "other wiring", "one more op", "another shape", "another dtype"],
)
def test_scopes_that_differ_in_anything_are_not_equal(other: Callable[[tf.Tensor, tf.Tensor], object]) -> None:
    assert not two_scopes(lambda x, y: tf.tanh(x * y), other)


def test_the_number_of_inputs_counts() -> None:
    assert not two_scopes(lambda x, y: tf.add_n([x, y]), lambda x, y: tf.add_n([x, y, x]))


def test_attributes_and_small_constants_count_and_large_constants_do_not() -> None:
    def weights(fill: float) -> Callable[[tf.Tensor, tf.Tensor], object]:
        return lambda x, _: tf.matmul(x, tf.constant(np.full((4, 4), fill, np.float32)))

    assert two_scopes(weights(1.0), weights(2.0))
    assert not two_scopes(lambda x, _: tf.reduce_sum(x, 0), lambda x, _: tf.reduce_sum(x, 1))
    assert not two_scopes(lambda x, _: tf.argmin(x, 0), lambda x, _: tf.argmin(x, 0, output_type=tf.int32))
    assert not two_scopes(
        lambda x, y: tf.matmul(x, y, transpose_b=True), lambda x, y: tf.matmul(x, y, transpose_a=True)
    )


def test_inner_scopes_count_by_their_own_structure() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        for outer, op in (("a", tf.tanh), ("b", tf.tanh), ("c", tf.exp)):
            with tf.name_scope(outer):
                with tf.name_scope("in"):
                    inside = op(x)
                tf.negative(inside)
    found = structures(picture_of(graph))
    assert found["a",] == found["b",] != found["c",]
    assert found["a", "in"] == found["b", "in"] != found["c", "in"]


@given(pictures())
def test_the_order_of_arrows_does_not_count(picture: Picture) -> None:
    arrows = list(picture.arrows)
    random.Random(7).shuffle(arrows)
    assert structures(Picture(picture.title, picture.boxes, tuple(arrows))) == structures(picture)
