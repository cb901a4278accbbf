"""Comparisons, truth values and bits: Python's answer for every pair of elements."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.shapes.dtypes import ALL, DType, bool_

from .elementwise import COMPLEX, FLOATS, INTS, REALS, Array, exactly, of_dtypes, pairs, run, same, wrapped

Law = Callable[[Any, Any], Any]

ORDER: dict[str, Law] = {
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
EQUALITY: dict[str, Law] = {"equal": operator.eq, "not_equal": operator.ne}
BITS: dict[str, Law] = {"bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor}


def elementwise(law: Law, x: Array, y: Array) -> Array:
    """Python's operator on each pair of elements, as Python values."""
    left, right = np.broadcast_arrays(x, y)
    answers = [law(a, b) for a, b in zip(left.ravel().tolist(), right.ravel().tolist(), strict=True)]
    return np.array(answers, bool).reshape(left.shape)


@pytest.mark.parametrize("name", EQUALITY)
@given(of_dtypes(pairs, ALL))
def test_everything_can_be_equal(name: str, xy: tuple[Array, Array]) -> None:
    x, y = xy
    assert same(run(getattr(tf, name), x, y), elementwise(EQUALITY[name], x, y))


@pytest.mark.parametrize("name", ORDER)
@given(of_dtypes(pairs, REALS))
def test_ints_and_floats_are_ordered(name: str, xy: tuple[Array, Array]) -> None:
    x, y = xy
    assert same(run(getattr(tf, name), x, y), elementwise(ORDER[name], x, y))


@pytest.mark.parametrize("dtype", (bool_, tf.string, *COMPLEX), ids=str)
@pytest.mark.parametrize("name", ORDER)
def test_what_has_no_order_is_refused(name: str, dtype: DType) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(dtype, [2])
        with pytest.raises(TypeError, match="not in list of allowed values"):
            getattr(tf, name)(x, x)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nan_is_not_even_equal_to_itself(dtype: DType) -> None:
    nan = np.array([float("nan")], dtype.np)
    answers = {name: bool(run(getattr(tf, name), nan, nan)[0]) for name in (*ORDER, *EQUALITY)}
    assert answers == dict.fromkeys((*ORDER, "equal"), False) | {"not_equal": True}


@pytest.mark.parametrize("name", ["equal", "not_equal"])
def test_strings_are_compared_as_bytes(name: str) -> None:
    x = np.array([b"a", b"a\x00", b"", b"\xff"], object)
    y = np.array([b"a", b"a", b"b", b"\xff"], object)
    assert run(getattr(tf, name), x, y).tolist() == [(a == b) is (name == "equal") for a, b in zip(x, y, strict=True)]
    assert run(getattr(tf, name), x[:1].reshape(()), y[:1].reshape(())).dtype == bool


# ---- truth values -------------------------------------------------------------------------------


@given(pairs(bool_))
def test_truth_values_are_combined_as_python_does(xy: tuple[Array, Array]) -> None:
    x, y = xy
    assert same(run(tf.logical_and, x, y), elementwise(lambda a, b: a and b, x, y))
    assert same(run(tf.logical_or, x, y), elementwise(lambda a, b: a or b, x, y))
    assert same(run(tf.logical_xor, x, y), elementwise(lambda a, b: a is not b, x, y))
    assert same(run(tf.logical_not, x), elementwise(lambda a, b: not a, x, x))


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_only_bools_have_a_truth_value(name: str) -> None:
    with tf.Graph().as_default():
        x, flag = tf.placeholder(tf.int32, [2]), tf.placeholder(bool_, [2])
        with pytest.raises(TypeError, match="does not match expected type of bool"):
            getattr(tf, name)(x, x)
        with pytest.raises(TypeError):
            getattr(tf, name)(flag, x)
        with pytest.raises(TypeError, match="does not match expected type of bool"):
            tf.logical_not(x)


# ---- bits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BITS)
@given(data=st.data(), dtype=st.sampled_from(INTS))
def test_bits_are_combined_as_in_python_ints(name: str, data: st.DataObject, dtype: DType) -> None:
    x, y = data.draw(pairs(dtype))
    assert same(run(getattr(tf, name), x, y), wrapped(BITS[name](exactly(x), exactly(y)), dtype))
    assert same(run(tf.invert, x), wrapped(-1 - exactly(x), dtype))


@pytest.mark.parametrize("name", [*BITS, "invert"])
@pytest.mark.parametrize("dtype", (bool_, tf.string, *FLOATS, *COMPLEX), ids=str)
def test_only_ints_have_bits(name: str, dtype: DType) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(dtype, [2])
        with pytest.raises(TypeError, match="not in list of allowed values"):
            getattr(tf, name)(*[x] * (1 if name == "invert" else 2))


# ---- what is known at build ---------------------------------------------------------------------


def test_a_comparison_of_known_sizes_is_known_at_build() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 3])
        chosen = tf.select(tf.less(tf.shape(x), 3), tf.shape(x), [7, 7])
        assert tf.fill(chosen, 0.0).shape.as_list() == [2, 7]
