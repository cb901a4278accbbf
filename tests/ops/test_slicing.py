"""slice and split agree with NumPy, and their static shapes hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf

from .knowing_less import RANKED_SHAPES, SHAPES, numbered, run_knowing_less, shape_text


@st.composite
def blocks(draw: st.DrawFn) -> tuple[tuple[int, ...], list[int], list[int]]:
    """A shape, and begin and size of a block inside it."""
    shape = draw(SHAPES)
    begin = [draw(st.integers(0, size)) for size in shape]
    size = [draw(st.integers(-1, whole - start)) for whole, start in zip(shape, begin, strict=True)]
    return shape, begin, size


@given(st.data(), blocks())
def test_slice_agrees_with_numpy(data: st.DataObject, block: tuple[tuple[int, ...], list[int], list[int]]) -> None:
    shape, begin, size = block
    array, vectors = numbered(shape), (np.array(begin, np.int64), np.array(size, np.int64))
    key = tuple(slice(b, None if s == -1 else b + s) for b, s in zip(begin, size, strict=True))
    if data.draw(st.booleans()):
        found = run_knowing_less(data.draw, lambda x: tf.slice(x, *vectors), array)
    else:
        found = run_knowing_less(data.draw, tf.slice, array, *vectors)
    np.testing.assert_array_equal(found, array[key])


def test_slice_to_the_end_of_a_named_dimension_is_linear() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 5])
        assert shape_text(tf.slice(x, [1, 0], [-1, 2])) == "(n-1, 2)"
        assert shape_text(tf.slice(x, [0, 2], [-1, -1])) == "(n, 3)"
        assert shape_text(tf.slice(x, [0, 0], [tf.shape(x)[0], 2])) == "(n, 2)"
        assert shape_text(tf.slice(x, tf.placeholder(tf.int32, [2]), [-1, 2])) == "(?, 2)"


@pytest.mark.parametrize(
    ("begin", "size", "message"),
    [
        ([4, 0], [-1, 1], "Expected begin[0] in [0, 3], but got 4"),
        ([-1, 0], [1, 1], "Expected begin[0] in [0, 3], but got -1"),
        ([0, 1], [1, 4], "Expected size[1] in [0, 3], but got 4"),
        ([0], [1], "to be 1-D tensors of size 2, but got shapes [1] and [1] instead."),
    ],
)
def test_a_block_outside_the_tensor_is_an_error_of_the_run(begin: Any, size: Any, message: str) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(tf.slice(x, begin, size), {x: np.zeros((3, 4))})
        assert message in caught.value.message


@given(st.data(), RANKED_SHAPES, st.integers(1, 3))
def test_split_agrees_with_numpy(data: st.DataObject, shape: tuple[int, ...], parts: int) -> None:
    at = data.draw(st.integers(-len(shape), len(shape) - 1))
    array = numbered(size * parts if i == at % len(shape) else size for i, size in enumerate(shape))
    axis = np.array(at, np.int32)
    if data.draw(st.booleans()):
        found = run_knowing_less(data.draw, lambda x: tf.split(axis, parts, x), array)
    else:
        found = run_knowing_less(data.draw, lambda a, x: tf.split(a, parts, x), axis, array)
    for mine, numpys in zip(found, np.split(array, parts, at), strict=True):
        np.testing.assert_array_equal(mine, numpys)


def test_split_divides_a_linear_dimension_only_if_that_is_exact() -> None:
    with tf.Graph().as_default():
        x = tf.tile(tf.placeholder(tf.float32, ["n", 6]), [2, 1])
        assert [shape_text(t) for t in tf.split(0, 2, x)] == ["(n, 6)", "(n, 6)"]
        assert shape_text(tf.split(0, 3, x)[0]) == "(?, 6)"
        assert shape_text(tf.split(-1, 3, x)[0]) == "(2*n, 2)"


def test_tensorflow_1_s_order_of_split_is_refused_with_the_place_where_it_lives() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4, 6])
        calls: list[Any] = [
            lambda: tf.split(x, 2, 0),
            lambda: tf.split(x, [1, 3], 0),  # type: ignore[arg-type]  # the mistake that is tested
            lambda: tf.split(x, 2),  # type: ignore[call-arg]  # the mistake that is tested
            lambda: tf.split(x, 2, axis=1),  # type: ignore[call-arg]  # the mistake that is tested
        ]
        for call in calls:
            with pytest.raises(TypeError, match=r"penstock\.compat\.v1\.split"):
                call()


def test_the_number_of_parts_must_be_a_python_int() -> None:
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="num_split"):
            tf.split(0, tf.constant(2), tf.zeros([4]))  # type: ignore[arg-type]  # the mistake that is tested
        with pytest.raises(ValueError, match="num_split"):
            tf.split(0, 0, tf.zeros([4]))
