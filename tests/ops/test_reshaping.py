"""reshape, squeeze and expand_dims agree with NumPy, and their static shapes hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.building.may_fail import why_it_may_fail

from .knowing_less import RANKED_SHAPES, SHAPES, numbered, run_knowing_less, shape_text


@st.composite
def reshapings(draw: st.DrawFn) -> tuple[tuple[int, ...], list[int]]:
    """A shape and another one of as many elements, in which one entry may be -1."""
    target = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    count = int(np.prod(target))
    source = draw(st.sampled_from([(count,), (1, count), (count, 1, 1), tuple(reversed(target))]))
    if draw(st.booleans()):
        hole = draw(st.integers(0, len(target) - 1))
        if all(size for i, size in enumerate(target) if i != hole):
            target[hole] = -1
    return source, target


@given(st.data(), reshapings(), st.booleans())
def test_reshape_agrees_with_numpy(
    data: st.DataObject, shapes: tuple[tuple[int, ...], list[int]], target_is_known: bool
) -> None:
    array, target = numbered(shapes[0]), np.array(shapes[1], np.int32)
    if target_is_known:
        found = run_knowing_less(data.draw, lambda x: tf.reshape(x, target), array)
    else:
        found = run_knowing_less(data.draw, tf.reshape, array, target)
    np.testing.assert_array_equal(found, array.reshape(shapes[1]))


@given(st.data(), SHAPES)
def test_reshape_to_the_shape_of_a_tensor_is_the_tensor(data: st.DataObject, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    found = run_knowing_less(data.draw, lambda x: tf.reshape(tf.reshape(x, [-1]), tf.shape(x)), array)
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize(
    ("source", "target", "claimed"),
    [
        (["batch", 6], [-1, 3], "(2*batch, 3)"),
        (["batch", 4], [-1], "(4*batch,)"),
        (["batch", 4], [-1, 2], "(2*batch, 2)"),
        (["batch", 4], [-1, 4], "(batch, 4)"),
        (["batch", 4], [2, -1, 2], "(2, batch, 2)"),
        (["batch", 4], [-1, 3], "(?, 3)"),
        (["n", "m", 4], [-1, 4], "(?, 4)"),
        (["batch", 0], [-1, 0], "(?, 0)"),
        (["batch", 0], [-1, 3], "(0, 3)"),
        ([3, 4], [2, -1], "(2, 6)"),
        ([None, 4], [-1, -1], "(?, ?)"),
        (None, [-1, 4], "(?, 4)"),
    ],
)
def test_the_entry_minus_one_is_worked_out_where_it_is_linear(source: Any, target: list[int], claimed: str) -> None:
    with tf.Graph().as_default():
        assert shape_text(tf.reshape(tf.placeholder(tf.float32, source), target)) == claimed


def test_a_dimension_that_both_shapes_share_cancels() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["batch", 4, 3])
        assert shape_text(tf.reshape(x, [tf.shape(x)[0], -1])) == "(batch, 12)"
        assert shape_text(tf.reshape(x, tf.pack([-1, tf.shape(x)[0], 2]))) == "(6, batch, 2)"
        y = tf.placeholder(tf.float32, [None, None, 3])
        assert shape_text(tf.reshape(y, [tf.shape(y)[0], -1])) == "(?, ?)"


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
def test_what_cancelling_claims_holds_for_empty_tensors_too(batch: int, rows: int, columns: int) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, [None, rows, columns])
        y = tf.reshape(x, [tf.shape(x)[0], -1])
        found = session.run(y, {x: np.zeros((batch, rows, columns), np.float32)})
        assert found.shape[0] == batch
        assert y.shape[1].value in (None, found.shape[1])


def test_a_count_that_cannot_fit_is_refused_at_build() -> None:
    with tf.Graph().as_default() as graph:
        before = len(graph.get_operations())
        with pytest.raises(ValueError, match=r"a tensor with 12 elements to shape \[5,2\] \(10 elements\)"):
            tf.reshape(np.zeros(12), [5, 2])
        with pytest.raises(ValueError, match="Dimension size must be evenly divisible by 5 but is 12"):
            tf.reshape(np.zeros(12), [5, -1])
        assert len(graph.get_operations()) == before


def test_a_count_that_does_not_fit_is_refused_by_the_run_where_only_it_can_know() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, target = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [None])
        y = tf.reshape(x, target)
        for sizes, message in (
            ([5], "a tensor with 6 values, but the requested shape has 5"),
            ([4, -1], "requires a multiple of 4"),
            ([-1, 2, -1], "Only one input size may be -1, not both 0 and 2"),
            ([-2, 3], "Size 0 must be non-negative, not -2"),
            ([2**31 - 1] * 3, "more than"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                session.run(y, {x: np.zeros((2, 3)), target: sizes})


@given(st.data(), RANKED_SHAPES)
def test_squeeze_agrees_with_numpy(data: st.DataObject, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    ones = [i for i, size in enumerate(shape) if size == 1]
    listed = data.draw(st.lists(st.sampled_from(ones)) if ones else st.just([]))
    signed = [d - len(shape) if data.draw(st.booleans()) else d for d in listed]
    found = run_knowing_less(data.draw, lambda x: tf.squeeze(x, signed), array)
    np.testing.assert_array_equal(found, np.squeeze(array, tuple(set(listed)) if listed else None))


def test_squeeze_of_everything_needs_to_know_which_sizes_are_one() -> None:
    with tf.Graph().as_default():
        assert shape_text(tf.squeeze(tf.placeholder(tf.float32, ["batch", 1, 3]))) == "<unknown>"
        assert shape_text(tf.squeeze(tf.placeholder(tf.float32, ["batch", 1, 3]), [1])) == "(batch, 3)"
        padded = tf.pad(tf.placeholder(tf.float32, ["batch", 1]), [[1, 1], [0, 0]])
        assert shape_text(tf.squeeze(padded)) == "(batch+2,)"


@given(st.data(), SHAPES)
def test_expand_dims_agrees_with_numpy(data: st.DataObject, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    at = np.array(data.draw(st.integers(-len(shape) - 1, len(shape))), np.int32)
    if data.draw(st.booleans()):
        found = run_knowing_less(data.draw, lambda x: tf.expand_dims(x, at), array)
    else:
        found = run_knowing_less(data.draw, tf.expand_dims, array, at)
    np.testing.assert_array_equal(found, np.expand_dims(array, int(at)))


def test_squeeze_undoes_expand_dims_statically() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", None])
        assert tf.squeeze(tf.expand_dims(x, 1), [1]).shape == x.shape


def test_a_reshape_to_sizes_of_its_operand_that_are_open_cannot_fail() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 3])
        same, refused = tf.reshape(x, tf.shape(x)), tf.reshape(x, [tf.shape(x)[0], 2])
        filled = tf.fill(tf.shape(x), 1.0)
    assert why_it_may_fail(same.op) is None and why_it_may_fail(filled.op) is None
    assert why_it_may_fail(refused.op) is not None
