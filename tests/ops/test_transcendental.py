"""Exponentials, circle, hyperbola, rounding and activations: what `math` says, within some units in the last place."""

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import penstock as tf
from penstock.graph.shapes.dtypes import DType, bool_

from .elementwise import (
    COMPLEX,
    FLOATS,
    HALVES,
    REALS,
    Array,
    array,
    arrays,
    exactly,
    of_dtypes,
    pairs,
    rounded,
    run,
    same,
)

Law = Callable[..., Any]
ULPS = 4

REAL: dict[str, tuple[Law, float, float]] = {
    "exp": (math.exp, -20, 20),
    "expm1": (math.expm1, -20, 20),
    "log": (math.log, 1e-3, 1e3),
    "log1p": (math.log1p, -0.9, 100),
    "sin": (math.sin, -3, 3),
    "cos": (math.cos, -3, 3),
    "tan": (math.tan, -1.5, 1.5),
    "asin": (math.asin, -1, 1),
    "acos": (math.acos, -1, 1),
    "atan": (math.atan, -50, 50),
    "sinh": (math.sinh, -9, 9),
    "cosh": (math.cosh, -9, 9),
    "tanh": (math.tanh, -9, 9),
    "asinh": (math.asinh, -50, 50),
    "acosh": (math.acosh, 1, 50),
    "atanh": (math.atanh, -0.99, 0.99),
    "erf": (math.erf, -7, 7),
    "sigmoid": (lambda v: 1 / (1 + math.exp(-v)), -20, 20),
    "softplus": (lambda v: math.log1p(math.exp(v)), -20, 20),
}
COMPLEX_TOO = ("exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
               "atanh")  # fmt: skip


@pytest.mark.parametrize("name", REAL)
@given(data=st.data(), dtype=st.sampled_from(FLOATS))
def test_a_function_of_a_float_is_that_of_math(name: str, data: st.DataObject, dtype: DType) -> None:
    law, least, most = REAL[name]
    values = data.draw(st.lists(st.floats(least, most), max_size=6))
    x = np.clip(exactly(array(values, (len(values),), dtype)), least, most).astype(dtype.np)
    x = x[(exactly(x) >= least) & (exactly(x) <= most)]
    want = rounded([law(v) for v in exactly(x).tolist()], dtype).reshape(x.shape)
    assert same(run(getattr(tf, name), x), want, ULPS)


@pytest.mark.parametrize("name", COMPLEX_TOO)
@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_a_function_of_a_complex_number_is_that_of_cmath(name: str, dtype: DType) -> None:
    x = np.array([0.5 + 0.25j, -0.75 + 1.5j, 2 - 0.5j], dtype.np)
    want = np.array([getattr(cmath, name)(v) for v in x.tolist()])
    got = run(getattr(tf, name), x)
    assert np.abs(got - want).max() <= 8 * np.finfo(dtype.np).eps * np.abs(want).max()


@pytest.mark.parametrize(
    ("name", "outside"), [("log", -1.0), ("log1p", -2.0), ("asin", 1.5), ("acos", -1.5), ("acosh", 0.5), ("atanh", 2.0),
                          ("sqrt", -1.0), ("rsqrt", -1.0)],
)  # fmt: skip
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_outside_of_its_domain_a_function_is_nan_without_a_warning(name: str, outside: float, dtype: DType) -> None:
    assert math.isnan(run(getattr(tf, name), array([outside], (), dtype))[()])


@pytest.mark.parametrize("name", ["sin", "exp", "log", "tanh", "erf", "sigmoid", "softplus", "log_softmax", "softmax"])
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_short_floats_are_computed_in_float32_and_rounded_once(name: str, dtype: DType) -> None:
    x = array(np.linspace(0.01, 6, 500).tolist(), (500,), dtype)
    wide = run(getattr(tf, name), x.astype(np.float32))
    assert same(run(getattr(tf, name), x), wide.astype(dtype.np), ulps=1)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_the_error_function_reaches_one_at_infinity(dtype: DType) -> None:
    x = array([math.inf, -math.inf, 1.0, math.nan, 0.0, 1e-4], (6,), dtype)
    want = [math.erf(v) for v in exactly(x).tolist()]
    assert same(run(tf.erf, x), rounded(want, dtype), ulps=2)


@given(of_dtypes(pairs, FLOATS))
def test_the_angle_of_a_point_is_that_of_math(yx: tuple[Array, Array]) -> None:
    y, x = yx
    sides = np.broadcast_arrays(exactly(y), exactly(x))
    want = [math.atan2(a, b) for a, b in zip(*(s.ravel().tolist() for s in sides), strict=True)]
    assert same(run(tf.atan2, y, x), rounded(want, tf.as_dtype(y.dtype)).reshape(sides[0].shape), ULPS)


def test_the_operands_of_atan2_are_called_y_and_x() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        assert session.run(tf.atan2(x=-1.0, y=0.0)) == np.float32(math.pi)


@pytest.mark.parametrize("name", [*REAL, "atan2"])
@pytest.mark.parametrize("dtype", [tf.int32, bool_, tf.string], ids=str)
def test_ints_must_be_cast_first(name: str, dtype: DType) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(dtype, [2])
        with pytest.raises(TypeError, match="not in list of allowed values"):
            getattr(tf, name)(*[x] * (2 if name == "atan2" else 1))


# ---- rounding -----------------------------------------------------------------------------------

ROUND: dict[str, Law] = {"floor": math.floor, "ceil": math.ceil, "round": round, "rint": round}


@pytest.mark.parametrize("name", ROUND)
@given(of_dtypes(arrays, FLOATS))
def test_rounding_gives_whole_numbers(name: str, x: Array) -> None:
    want = [v if not math.isfinite(v) else float(ROUND[name](v)) for v in exactly(x).ravel().tolist()]
    assert same(run(getattr(tf, name), x), rounded(want, tf.as_dtype(x.dtype)).reshape(x.shape))


def test_of_two_whole_numbers_equally_near_the_even_one_is_taken() -> None:
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5], np.float32)
    assert run(tf.round, x).tolist() == [0.0, 2.0, 2.0, 0.0, -2.0]


def test_an_int_is_round_already() -> None:
    with tf.Graph().as_default():
        x = tf.constant([1, 2])
        assert tf.round(x) is x


@given(of_dtypes(arrays, FLOATS))
def test_a_float_is_finite_or_infinite_or_not_a_number(x: Array) -> None:
    values = exactly(x).ravel().tolist()
    for name, law in (("is_nan", math.isnan), ("is_inf", math.isinf), ("is_finite", math.isfinite)):
        assert run(getattr(tf, name), x).ravel().tolist() == list(map(law, values))


# ---- activations --------------------------------------------------------------------------------


@given(of_dtypes(arrays, REALS))
def test_what_is_below_zero_is_cut_off(x: Array) -> None:
    zero, six = np.array(0, x.dtype), np.array(6, x.dtype)
    with np.errstate(invalid="ignore"):
        assert same(run(tf.relu, x), np.where(x < zero, zero, x).astype(x.dtype))
        want = np.where(x < zero, zero, np.where(x > six, six, x)).astype(x.dtype)
    assert same(run(tf.relu6, x), want)


@given(data=st.data(), dtype=st.sampled_from((tf.float32, tf.float64)))
def test_a_softmax_sums_to_one_and_does_not_see_a_common_shift(data: st.DataObject, dtype: DType) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
    x = data.draw(hnp.arrays(dtype.np, shape, elements=st.floats(-50, 50, width=32)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    got = run(lambda t: tf.softmax(t, axis), x)
    assert got.shape == x.shape
    assert (got >= 0).all()
    if x.size:
        assert np.allclose(got.sum(axis), 1, rtol=1e-5)
        coarse = 1e-2 if dtype == tf.float32 else 1e-9  # x + 1000 has lost digits
        assert np.allclose(got, run(lambda t: tf.softmax(t, axis), x + 1000), rtol=coarse)
        assert np.allclose(got, np.exp(run(lambda t: tf.log_softmax(t, axis), x)), rtol=1e-4, atol=1e-30)


def test_rows_with_infinities() -> None:
    inf = math.inf
    x = np.array([[1000.0, 1000.0], [-inf, 0.0], [inf, 0.0], [-inf, -inf]], np.float32)
    want = np.array([[0.5, 0.5], [0.0, 1.0], [math.nan] * 2, [math.nan] * 2], np.float32)
    assert same(run(tf.softmax, x), want)


def test_the_axis_of_a_softmax_must_exist() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [1, 2])
        for softmax in (tf.softmax, tf.log_softmax):
            for axis in (2, -3):
                with pytest.raises(ValueError, match=r"must be in the range \[-2, 2\)"):
                    softmax(x, axis)
        with pytest.raises(ValueError, match="Shape must be at least rank 1"):
            tf.softmax(1.0)
        with pytest.raises(ValueError, match="both 'axis' and 'dim'"):
            tf.softmax(x, axis=0, dim=0)
        assert len(graph.get_operations()) == 1
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        anything = tf.placeholder(tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have >= 1 dimension"):
            session.run(tf.softmax(anything), {anything: 1.0})


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
@pytest.mark.parametrize("count", [1, 20_000])
def test_the_sigmoid_of_a_complex_number_far_to_the_left_is_zero(dtype: DType, count: int) -> None:
    far = [-100 + 0.001j, -1000 + 0.5j, -1e30 - 1j, complex(-math.inf, 0.5)]
    near = [20 + 3j, -20 + 3j, -0.5 - 1j, 1000 + 1j]
    got = run(tf.sigmoid, np.tile(np.array([*far, *near], dtype.np), count))[: len(far) + len(near)]
    assert np.abs(got[: len(far)]).max() < 1e-40
    want = np.array([cmath.exp(z) / (1 + cmath.exp(z)) if z.real < 99 else 1 for z in near], dtype.np)
    np.testing.assert_allclose(got[len(far) :], want, rtol=1e-5)
