"""transpose, reverse and reverse_sequence agree with NumPy, and their static shapes hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import penstock as tf

from .knowing_less import SHAPES, numbered, run_knowing_less, shape_text


@given(st.data(), SHAPES)
def test_transpose_agrees_with_numpy(data: st.DataObject, shape: tuple[int, ...]) -> None:
    array, order = numbered(shape), data.draw(st.permutations(range(len(shape))))
    perm = np.array([d - len(shape) if data.draw(st.booleans()) else d for d in order], np.int32)
    if data.draw(st.booleans()):
        found = run_knowing_less(data.draw, lambda x: tf.transpose(x, perm), array)
    else:
        found = run_knowing_less(data.draw, tf.transpose, array, perm)
    np.testing.assert_array_equal(found, array.transpose(order))
    np.testing.assert_array_equal(run_knowing_less(data.draw, tf.transpose, array), array.T)


def test_transpose_carries_the_names_along() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 3, "m"])
        assert shape_text(tf.transpose(x)) == "(m, 3, n)"
        assert shape_text(tf.transpose(x, [1, 0, -1])) == "(3, n, m)"
        assert shape_text(tf.transpose(x, tf.placeholder(tf.int32))) == "(?, ?, ?)"
        assert tf.transpose(tf.transpose(x, [2, 0, 1]), [1, 2, 0]).shape == x.shape


@pytest.mark.parametrize(
    ("perm", "message"), [([0, 0, 1], "2 is missing from {0,0,1}."), ([0, 3, 1], "3 is out of range [0 .. 3)")]
)
def test_what_is_no_permutation_is_an_error_of_the_run(perm: list[int], message: str) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(tf.transpose(x, perm), {x: np.zeros((1, 2, 3))})
        assert message in caught.value.message


@given(st.data(), SHAPES)
def test_reverse_agrees_with_numpy(data: st.DataObject, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    dims = data.draw(hnp.arrays(bool, len(shape)))
    if data.draw(st.booleans()):
        found = run_knowing_less(data.draw, lambda x: tf.reverse(x, dims), array)
    else:
        found = run_knowing_less(data.draw, tf.reverse, array, dims)
    np.testing.assert_array_equal(found, np.flip(array, tuple(np.flatnonzero(dims).tolist())))


def test_numbers_of_dimensions_are_refused_with_the_place_where_they_are_taken() -> None:
    with tf.Graph().as_default():
        calls: list[Any] = [
            lambda: tf.reverse([1, 2], [0]),
            lambda: tf.reverse([1, 2], tf.constant([0])),
            lambda: tf.reverse([1, 2], axis=[0]),  # type: ignore[call-arg]  # the mistake that is tested
        ]
        for call in calls:
            with pytest.raises(TypeError, match=r"penstock\.compat\.v1\.reverse"):
                call()


def _reversed_starts(array: Any, lengths: Any, dim: int) -> Any:
    """The definition, slice by slice."""
    result = array.copy()
    for i, length in enumerate(lengths):
        row = np.moveaxis(array[i], dim - 1, 0)
        np.moveaxis(result[i], dim - 1, 0)[:length] = row[:length][::-1]
    return result


@given(st.data(), hnp.array_shapes(min_dims=2, max_dims=4, min_side=0, max_side=4), st.sampled_from([1, 200]))
def test_reverse_sequence_agrees_with_its_definition(data: st.DataObject, shape: tuple[int, ...], wide: int) -> None:
    # Slices of many elements go through another kernel.
    array = numbered((*shape[:-1], shape[-1] * wide))
    dim = data.draw(st.integers(1, array.ndim - 1))
    lengths = data.draw(hnp.arrays(np.int64, array.shape[0], elements=st.integers(0, array.shape[dim])))
    if data.draw(st.booleans()):
        found = run_knowing_less(data.draw, lambda x: tf.reverse_sequence(x, lengths, dim), array)
    else:
        found = run_knowing_less(data.draw, lambda x, n: tf.reverse_sequence(x, n, dim), array, lengths)
    np.testing.assert_array_equal(found, _reversed_starts(array, lengths, dim))


def test_reverse_sequence_learns_the_batch_from_either_operand() -> None:
    with tf.Graph().as_default():
        x, lengths = tf.placeholder(tf.float32, [None, 5]), tf.placeholder(tf.int64, ["batch"])
        assert shape_text(tf.reverse_sequence(x, lengths, 1)) == "(batch, 5)"
        assert shape_text(tf.reverse_sequence(x, [1, 2, 3], 1)) == "(3, 5)"


@pytest.mark.parametrize("places", [[2, 0, 1], [-1, 0, 1], [-1, -3, -2], [1, -1, 0]])
@pytest.mark.parametrize("is_fed", [False, True])
def test_the_gradient_of_a_transpose_goes_back_whatever_end_places_count_from(places: list[int], is_fed: bool) -> None:
    values = np.arange(24.0, dtype="f4").reshape(2, 3, 4)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2, 3, 4])
        perm = tf.placeholder(tf.int32, [3]) if is_fed else tf.constant(places)
        y = tf.transpose(x, perm)
        (slope,) = tf.gradients(y, x, y * 2.0)
        got = session.run(slope, {x: values, **({perm: places} if is_fed else {})})
    assert got.tolist() == (2.0 * values).tolist()
