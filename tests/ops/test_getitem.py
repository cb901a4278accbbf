"""t[...] means what it means in NumPy, and its static shapes hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import penstock as tf
from penstock.graph.building.constant_evaluation import known_entries, known_value

from .knowing_less import SHAPES, numbered, run_knowing_less, shape_text


@given(st.data(), SHAPES)
def test_getitem_agrees_with_numpy(data: st.DataObject, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    found = run_knowing_less(data.draw, lambda x: x[key], array)
    np.testing.assert_array_equal(found, array[key])


@given(st.data(), SHAPES, st.sampled_from([np.int16, np.int32, np.int64]))
def test_tensors_serve_as_indices_and_bounds(data: st.DataObject, shape: tuple[int, ...], dtype: Any) -> None:
    array = numbered(shape)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    key = key if isinstance(key, tuple) else (key,)
    numbers: list[Any] = []

    def number(value: Any) -> Any:
        if value is None or data.draw(st.booleans()):
            return lambda tensors: value
        numbers.append(np.array(value, dtype))
        at = len(numbers) - 1
        return lambda tensors: tensors[at]

    parts: list[Any] = []
    for item in key:
        if isinstance(item, slice):
            bounds = [number(b) for b in (item.start, item.stop, item.step)]
            parts.append(lambda tensors, bounds=bounds: slice(*(b(tensors) for b in bounds)))
        elif item is None or item is ...:
            parts.append(lambda tensors, item=item: item)
        else:
            parts.append(number(item))
    found = run_knowing_less(data.draw, lambda x, *tensors: x[tuple(p(tensors) for p in parts)], array, *numbers)
    np.testing.assert_array_equal(found, array[key])


@given(st.integers(0, 6), st.integers(0, 3), st.none() | st.integers(-9, 9), st.none() | st.integers(-9, 9))
def test_what_is_claimed_of_a_slice_of_a_linear_size_holds(n: int, more: int, start: Any, stop: Any) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, ["n"])
        y = tf.pad(x, [[0, more]])[start:stop]
        found = len(session.run(y, {x: np.zeros(n)}))
        claimed = y.shape[0]
        if claimed.is_named:
            assert claimed.const + sum(count * n for _, count in claimed.terms) == found


def test_a_slice_of_a_named_size_is_exact_only_where_it_cannot_be_clipped() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 4])
        padded = tf.pad(x, [[1, 1], [0, 0]])
        assert shape_text(x[:]) == "(n, 4)"
        assert shape_text(x[::-1, ::-1]) == "(n, 4)"
        assert shape_text(x[1:]) == "(?, 4)"
        assert shape_text(x[:2]) == "(?, 4)"
        assert shape_text(x[0:0]) == "(0, 4)"
        assert shape_text(padded[1:-1]) == "(n, 4)"
        assert shape_text(padded[1:]) == "(n+1, 4)"
        assert shape_text(x[: tf.shape(x)[0]]) == "(n, 4)"
        assert shape_text(x[0, None, ..., 1:]) == "(1, 3)"


def test_entries_of_a_shape_are_seen_through_the_brackets() -> None:
    with tf.Graph().as_default():
        s = tf.shape(tf.placeholder(tf.float32, ["batch", None, 3]))
        assert str(known_entries(s[0])) == "batch"
        assert known_entries(s[-1]) == 3
        assert known_value(s[1]) is None
        assert shape_text(tf.zeros(s[1:])) == "(?, 3)"
        assert shape_text(tf.zeros(s[::-2])) == "(3, batch)"
        assert shape_text(tf.zeros(s[1, None])) == "(?,)"


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        (5, ValueError, "slice index 5 of dimension 0 out of bounds."),
        ((0, -5), ValueError, "slice index -1 of dimension 1 out of bounds."),
        ((0, 0, 0), ValueError, "Index out of range using input dim 2; input has only 2 dims"),
        (slice(None, None, 0), ValueError, "strides[0] must be non-zero"),
        ((..., ...), ValueError, "Multiple ellipses in slice spec not allowed"),
        (True, ValueError, "tf.boolean_mask"),
        (1.5, TypeError, "Only integers, slices"),
        ("a", TypeError, "Only integers, slices"),
        ([0, 1], TypeError, "tf.gather"),
        (np.array([0, 1]), TypeError, "tf.gather"),
        ([True, False, True], TypeError, "tf.boolean_mask"),
        ((0, np.array([True, False])), TypeError, "tf.boolean_mask"),
    ],
)
def test_what_is_no_index_is_refused_with_the_cure_and_adds_nothing(key: Any, error: Any, message: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.zeros([3, 4])
        before = len(graph.get_operations())
        with pytest.raises(error) as caught:
            x[key]
        assert message in str(caught.value)
        assert len(graph.get_operations()) == before


def test_a_vector_of_numbers_is_gather_s_business() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match=r"tf\.gather"):
        tf.zeros([3])[tf.constant([0, 1])]


def test_a_mask_selects() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.constant([1, 2, 3])
        assert session.run(x[tf.constant([True, False, True])]).tolist() == [1, 3]
        assert session.run(x[np.array([False, False, True])]).tolist() == [3]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ((7,), "slice index 7 of dimension 0 out of bounds."),
        ((0, -9), "slice index -5 of dimension 1 out of bounds."),
        ((0, 0, 0), "Index out of range using input dim 2; input has only 2 dims"),
        ((slice(None, None, 0),), "strides[0] must be non-zero"),
    ],
)
def test_the_run_refuses_in_the_same_words(key: Any, message: str) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32)
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)) as caught:
            session.run(x[key], {x: np.zeros((3, 4))})
        assert message in str(caught.value)


def test_iterating_over_a_tensor_gives_its_rows() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        assert [row.tolist() for row in session.run(list(tf.constant([[1, 2], [3, 4]])))] == [[1, 2], [3, 4]]
