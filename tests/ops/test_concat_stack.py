"""concat, pack, stack and unpack agree with NumPy, and their static shapes hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.building.may_fail import why_it_may_fail

from .knowing_less import RANKED_SHAPES, SHAPES, numbered, run_knowing_less, shape_text


@given(st.data(), RANKED_SHAPES, st.integers(1, 3))
def test_concat_agrees_with_numpy(data: st.DataObject, shape: tuple[int, ...], count: int) -> None:
    at = data.draw(st.integers(-len(shape), len(shape) - 1))
    axis, arrays = np.array(at, np.int32), []
    for i in range(count):
        size = data.draw(st.integers(0, 3))
        arrays.append(numbered(size if d == at % len(shape) else s for d, s in enumerate(shape)) + 100 * i)
    if data.draw(st.booleans()):
        found = run_knowing_less(data.draw, lambda *xs: tf.concat(axis, xs), *arrays)
    else:
        found = run_knowing_less(data.draw, lambda a, *xs: tf.concat(a, list(xs)), axis, *arrays)
    np.testing.assert_array_equal(found, np.concatenate(arrays, at))


@given(st.data(), SHAPES, st.integers(1, 3))
def test_pack_stack_and_unpack_agree_with_numpy(data: st.DataObject, shape: tuple[int, ...], count: int) -> None:
    arrays = [numbered(shape) + 100 * i for i in range(count)]
    at = data.draw(st.integers(-len(shape) - 1, len(shape)))
    found = run_knowing_less(data.draw, lambda *xs: tf.pack(list(xs)), *arrays)
    np.testing.assert_array_equal(found, np.stack(arrays))
    found = run_knowing_less(data.draw, lambda *xs: tf.stack(xs, axis=at), *arrays)
    np.testing.assert_array_equal(found, np.stack(arrays, at))
    rows = run_knowing_less(data.draw, lambda x: tf.unpack(x, num=count), np.stack(arrays))
    for row, array in zip(rows, arrays, strict=True):
        np.testing.assert_array_equal(row, array)


def test_concat_adds_named_sizes_and_merges_the_others() -> None:
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32, ["n", 3]), tf.placeholder(tf.float32, ["m", None])
        assert shape_text(tf.concat(0, [x, y])) == "(m+n, 3)"
        assert shape_text(tf.concat(1, [x, x])) == "(n, 6)"
        assert shape_text(tf.concat(0, [x, tf.placeholder(tf.float32)])) == "(?, 3)"
        assert shape_text(tf.concat(tf.placeholder(tf.int32, []), [x, y])) == "(?, ?)"


def test_one_tensor_is_its_own_concatenation() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        assert tf.concat(0, x) is x  # type: ignore[arg-type]  # a tensor in place of the list, as the reference page allows
        assert tf.concat(0, [x]) is x
        assert tf.pack(x) is x  # type: ignore[arg-type]  # the same


def test_values_that_do_not_fit_name_the_operand_and_the_dimension_at_fault() -> None:
    with tf.Graph().as_default():
        x, y = tf.zeros([2, 3]), tf.zeros([2, 4])
        with pytest.raises(tf.errors.ShapeError, match="Dimension 1 in both shapes must be equal, but") as caught:
            tf.concat(0, [x, x, y])
        assert (caught.value.operand, caught.value.dim) == (3, 1)
        with pytest.raises(tf.errors.ShapeError, match="Dimension 1 in both shapes must be equal") as caught:
            tf.pack([x, y])
        assert (caught.value.operand, caught.value.dim) == (1, 1)


def test_tensorflow_1_s_order_of_concat_is_refused_with_the_place_where_it_lives() -> None:
    with tf.Graph().as_default():
        x = tf.zeros([2, 3])
        calls: list[Any] = [
            lambda: tf.concat([x, x], 0),  # type: ignore[arg-type]  # the mistake that is tested
            lambda: tf.concat([x, x], axis=0),  # type: ignore[call-arg]  # the mistake that is tested
            lambda: tf.concat(values=[x, x], axis=0),  # type: ignore[call-arg]  # the mistake that is tested
        ]
        for call in calls:
            with pytest.raises(TypeError, match=r"penstock\.compat\.v1\.concat"):
                call()


def test_entries_of_joined_shapes_stay_known_one_by_one() -> None:
    with tf.Graph().as_default():
        x, n = tf.placeholder(tf.float32, ["batch", None, 3]), tf.placeholder(tf.int32, [])
        batch, _, last = tf.unpack(tf.shape(x))
        assert shape_text(tf.zeros(tf.concat(0, [tf.shape(x), [7]]))) == "(batch, ?, 3, 7)"
        assert shape_text(tf.zeros(tf.pack([last, n, batch]))) == "(3, ?, batch)"
        assert shape_text(tf.zeros([batch, n])) == "(batch, ?)"


def test_unpack_needs_a_number_of_rows() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 3])
        with pytest.raises(ValueError, match="Cannot infer argument `num`"):
            tf.unpack(x)
        assert [shape_text(t) for t in tf.unpack(x, 2)] == ["(3,)", "(3,)"]
        assert tf.unpack(tf.zeros([0, 3])) == []


def test_packing_arrays_keeps_their_dtype_and_shape() -> None:
    with tf.Graph().as_default():
        packed = tf.pack([np.zeros((0, 2), np.float64), np.zeros((0, 2), np.float64)])
        assert packed.dtype is tf.float64
        assert shape_text(packed) == "(2, 0, 2)"


def test_stack_wants_a_list() -> None:
    with tf.Graph().as_default():
        with pytest.raises(TypeError):
            tf.stack(tf.zeros([2, 3]))  # type: ignore[arg-type]  # the mistake that is tested
        with pytest.raises(ValueError):
            tf.stack([])


def test_what_is_not_known_of_a_concat_may_fail_and_what_fits_cannot() -> None:
    with tf.Graph().as_default():
        x, axis = tf.placeholder(tf.float32, ["n", 3]), tf.placeholder(tf.int32, [])
        free, other = tf.placeholder(tf.float32), tf.placeholder(tf.float32, ["m", None])
        assert why_it_may_fail(tf.concat(0, [x, x]).op) is None
        for values, at in (([x, x], axis), ([free, free], 0), ([free, x], 0), ([x, other], 0)):
            assert why_it_may_fail(tf.concat(at, values).op) is not None, (values, at)
