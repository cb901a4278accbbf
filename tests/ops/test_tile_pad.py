"""tile and pad agree with NumPy, and their static shapes hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf

from .knowing_less import SHAPES, numbered, run_knowing_less, shape_text


@given(st.data(), SHAPES)
def test_tile_agrees_with_numpy(data: st.DataObject, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    multiples = np.array([data.draw(st.integers(0, 3)) for _ in shape], np.int32)
    if data.draw(st.booleans()):
        found = run_knowing_less(data.draw, lambda x: tf.tile(x, multiples), array)
    else:
        found = run_knowing_less(data.draw, tf.tile, array, multiples)
    np.testing.assert_array_equal(found, np.tile(array, tuple(multiples)))


@given(st.data(), SHAPES)
def test_pad_agrees_with_numpy(data: st.DataObject, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    rows = [[data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))] for _ in shape]
    paddings = np.array(rows, np.int32).reshape(-1, 2)
    if data.draw(st.booleans()):
        found = run_knowing_less(data.draw, lambda x: tf.pad(x, paddings), array)
    else:
        found = run_knowing_less(data.draw, tf.pad, array, paddings)
    np.testing.assert_array_equal(found, np.pad(array, paddings) if shape else array)


@pytest.mark.parametrize(
    ("array", "zero"),
    [(np.array([True]), False), (np.array([b"a"], object), b""), (np.array([1j], np.complex64), 0)],
)
def test_pad_fills_with_the_zero_of_the_dtype(array: Any, zero: Any) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        assert session.run(tf.pad(array, [[1, 2]])).tolist() == [zero, *array.tolist(), zero, zero]


def test_sizes_stay_linear_in_the_names() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 3])
        assert shape_text(tf.tile(x, [2, 2])) == "(2*n, 6)"
        assert shape_text(tf.tile(x, [tf.shape(x)[0], 2])) == "(?, 6)"
        assert shape_text(tf.tile(x, tf.pack([1, tf.shape(x)[0]]))) == "(n, 3*n)"
        assert shape_text(tf.tile(x, [0, 1])) == "(0, 3)"
        assert shape_text(tf.pad(x, [[1, 1], [0, 2]])) == "(n+2, 5)"


def test_rows_of_paddings_that_are_known_count_even_if_others_are_not() -> None:
    with tf.Graph().as_default():
        x, p = tf.placeholder(tf.float32, ["n", 3]), tf.placeholder(tf.int32, [])
        assert shape_text(tf.pad(x, [[1, 2], [0, p]])) == "(n+3, ?)"


def test_a_negative_padding_is_an_error_of_the_build_if_it_is_known_there() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, paddings = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int32, [1, 2])
        with pytest.raises(ValueError, match="Paddings must be non-negative"):
            tf.pad(x, [[-1, 0]])
        with pytest.raises(tf.errors.InvalidArgumentError, match="Paddings must be non-negative: -1 0"):
            session.run(tf.pad(x, paddings), {x: [1.0], paddings: [[-1, 0]]})


def test_a_negative_multiple_is_an_error_of_the_run_even_if_it_is_known() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        y = tf.tile([1, 2], [-1])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected multiples\[0\] >= 0, but got -1"):
            session.run(y)
