"""Selection: TensorFlow 1's rules, by which a vector of conditions chooses rows and nothing else is broadcast."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import penstock as tf
from penstock.graph.shapes.dtypes import ALL, bool_

from .elementwise import REALS, Array, arrays, of_dtypes, run, same


@st.composite
def selections(draw: st.DrawFn) -> tuple[Array, Array, Array]:
    """(condition, t, e), the condition of any of the three forms."""
    dtype = draw(st.sampled_from(ALL))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
    forms = [(), shape, *([shape[:1]] if shape else [])]
    condition = draw(arrays(bool_, draw(st.sampled_from(forms))))
    return condition, draw(arrays(dtype, shape)), draw(arrays(dtype, shape))


@given(selections())
def test_each_element_comes_from_the_side_its_condition_names(case: tuple[Array, Array, Array]) -> None:
    condition, t, e = case
    want = e.copy()
    for at in np.ndindex(t.shape):
        if condition[at[: condition.ndim]]:
            want[at] = t[at]
    assert same(run(tf.where, condition, t, e), want)
    assert same(run(tf.select, condition, t, e), want)


@pytest.mark.parametrize(
    ("condition", "t", "e", "words"),
    [
        ([2], [3, 2], [3, 2], "Dimension 0 in both shapes must be equal, but are 2 and 3"),
        ([1, 2], [3, 2], [3, 2], "Dimension 0 in both shapes must be equal, but are 3 and 1"),
        ([3, 2], [3, 2, 2], [3, 2, 2], "Shapes must be equal rank, but are 3 and 2"),
        ([1], [], [], "Shapes must be equal rank, but are 0 and 1"),
        ([2], [2], [1], "Dimension 0 in both shapes must be equal, but are 2 and 1"),
        ([], [2], [], "Shapes must be equal rank, but are 1 and 0"),
    ],
    ids=str,
)
def test_nothing_else_is_broadcast(condition: list[int], t: list[int], e: list[int], words: str) -> None:
    values = np.zeros(condition, bool), np.zeros(t, np.float32), np.zeros(e, np.float32)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        tf.where(values[0], values[1], values[2])
    with tf.Graph().as_default() as graph:
        fed = [tf.placeholder(v.dtype) for v in values]
        result = tf.where(fed[0], fed[1], fed[2])
        assert result.shape.ndims is None
    with tf.Session(graph=graph) as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(result, dict(zip(fed, values, strict=True)))


def test_the_shape_is_what_both_sides_and_the_condition_say() -> None:
    with tf.Graph().as_default():
        flag, rows = tf.placeholder(bool_, []), tf.placeholder(bool_, ["n"])
        all_of_them = tf.placeholder(bool_, ["n", 2])
        t, e = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, ["n", None])
        anything = tf.placeholder(tf.float32)
        assert str(tf.where(flag, t, e).shape) == "(n, 2)"
        assert str(tf.where(rows, t, e).shape) == "(n, 2)"
        assert str(tf.where(all_of_them, anything, anything).shape) == "(n, 2)"
        assert tf.where(rows, anything, anything).shape.ndims is None


def test_a_condition_is_bool_and_the_sides_agree() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant([1, 2])
        before = graph.get_operations()
        with pytest.raises(TypeError, match="does not match expected type of bool"):
            tf.where(x, x, x)
        with pytest.raises(TypeError, match="does not match type"):
            tf.where([True, False], x, tf.constant([1.0, 2.0]))
        with pytest.raises(ValueError, match="x and y must both be non-None or both be None"):
            tf.where([True, False], x)
        assert len(graph.get_operations()) == len(before) + 1  # the constant of floats


# ---- indices ------------------------------------------------------------------------------------


@given(of_dtypes(arrays, tuple(d for d in ALL if not d.is_string)))
def test_a_condition_alone_gives_the_places_of_what_is_not_zero(condition: Array) -> None:
    if condition.ndim == 0:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Unhandled input dimensions: 0"):
            run(tf.where, condition)
        return
    places = [at for at in np.ndindex(condition.shape) if condition[at]]
    got = run(tf.where, condition)
    assert got.dtype == np.int64
    assert got.shape == (len(places), condition.ndim)
    assert list(map(tuple, got.tolist())) == places


def test_the_number_of_places_is_not_known_before_the_run() -> None:
    with tf.Graph().as_default():
        assert tf.where(tf.placeholder(bool_, [2, None])).shape.as_list() == [None, 2]
        assert tf.where(tf.placeholder(bool_)).shape.as_list() == [None, None]
        with pytest.raises(TypeError, match="not in list of allowed values"):
            tf.where(["a"])


# ---- limits -------------------------------------------------------------------------------------


@given(data=st.data(), dtype=st.sampled_from(REALS))
def test_clipping_keeps_what_lies_between_the_limits(data: st.DataObject, dtype: tf.DType) -> None:
    x = data.draw(arrays(dtype))
    low, high = np.array(1, dtype.np), np.array(3, dtype.np)
    got = run(tf.clip_by_value, x, low, high)
    with np.errstate(invalid="ignore"):
        assert same(got, np.where(x < low, low, np.where(x > high, high, x)).astype(dtype.np))


def test_a_limit_may_not_be_larger_than_what_it_limits() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        with pytest.raises(ValueError, match="a limit must not be larger"):
            tf.clip_by_value(x, [[0.0], [1.0]], 5.0)
        assert len(graph.get_operations()) == 1
        assert tf.clip_by_value(x, 0.0, [1.0, 2.0], name="limited").name == "limited:0"
