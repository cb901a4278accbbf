"""Argmax and argmin: the first strictly better element wins, NaN never does."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.errors import DTypeError, InvalidArgumentError, ValueRuleError


def run(fetch: Any, feeds: dict[Any, Any] | None = None) -> Any:
    with tf.Session(graph=fetch.graph) as session:
        return session.run(fetch, feeds)


def first_extreme(row: list[float], largest: bool) -> int:
    """The definition: a scan that starts below everything and takes what is strictly better."""
    place, best = 0, -np.inf if largest else np.inf
    for i, value in enumerate(row):
        if value > best if largest else value < best:
            place, best = i, value
    return place


@given(rows=st.lists(st.lists(st.sampled_from([0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf]), min_size=5, max_size=5),
                     min_size=1, max_size=4),
       dtype=st.sampled_from(["float16", "bfloat16", "float32", "float64"]), largest=st.booleans())  # fmt: skip
def test_the_first_strictly_better_element_wins_and_nan_never_does(
    rows: list[list[float]], dtype: str, largest: bool
) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(dtype)
        out = (tf.argmax if largest else tf.argmin)(x, 1)
    assert run(out, {x: rows}).tolist() == [first_extreme(row, largest) for row in rows]


@given(shape=st.lists(st.integers(1, 4), min_size=1, max_size=4), data=st.data())
def test_argmax_agrees_with_numpy_along_any_axis(shape: list[int], data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = np.random.default_rng(0).integers(0, 5, shape)
    with tf.Graph().as_default():
        fed = tf.placeholder(tf.int64, [])
        known, unknown = tf.argmax(x, axis), tf.argmax(x, fed)
    want = x.argmax(axis)
    np.testing.assert_array_equal(run(known), want)
    np.testing.assert_array_equal(run(unknown, {fed: axis}), want)
    assert known.shape.as_list() == list(want.shape)
    assert unknown.shape.ndims == want.ndim


def test_the_default_axis_is_the_first_and_dimension_is_its_older_name() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 3])
        assert str(tf.argmax(x).shape) == "(3,)"
        assert str(tf.argmax(x, dimension=1).shape) == "(n,)"
        assert tf.argmin(x, 1, "lowest").op.name == "lowest"
        with pytest.raises(ValueRuleError, match="argmin: Cannot specify both 'dimension' and 'axis'"):
            tf.argmin(x, 0, dimension=0)


def test_the_result_has_the_dtype_asked_for() -> None:
    with tf.Graph().as_default():
        assert tf.argmax([1, 2], output_type="int16").dtype == tf.int16
        assert run(tf.argmin([1, 2], output_type=np.int32)).dtype == np.int32
        with pytest.raises(DTypeError, match="output_type is int16, not in list of allowed values"):
            tf.argmin([1, 2], output_type=tf.int16)


def test_an_axis_without_elements_is_an_error_of_the_run_only_where_a_place_is_asked_for() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [0, 2])
        nowhere, nothing = tf.argmax(x, 0), tf.argmax(x, 1)
    with pytest.raises(InvalidArgumentError, match=r"Reduction axis 0 is empty in shape \[0,2\]"):
        run(nowhere, {x: np.zeros((0, 2))})
    assert run(nothing, {x: np.zeros((0, 2))}).shape == (0,)


@pytest.mark.parametrize("axis", [[1], 1.5, "1", True, (0,)], ids=repr)
def test_an_axis_that_is_no_integer_is_refused(axis: Any) -> None:
    with pytest.raises(DTypeError, match="axis must be int or Tensor with integer datatype"):
        tf.argmax([[1, 2]], axis)
