"""Arithmetic: exact in ints modulo 2**n, correctly rounded in floats, and with an error where ints have no answer."""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.shapes.dtypes import DType
from penstock.graph.shapes.shape import TensorShape

from .elementwise import (
    COMPLEX,
    FLOATS,
    INTS,
    NUMBERS,
    REALS,
    SIGNED,
    Array,
    array,
    arrays,
    exactly,
    of_dtypes,
    pairs,
    rounded,
    run,
    same,
    wrapped,
)

Law = Callable[..., Any]

# ---- ints ---------------------------------------------------------------------------------------

WRAPPING: dict[str, Law] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


@pytest.mark.parametrize("name", WRAPPING)
@given(data=st.data(), dtype=st.sampled_from(INTS))
def test_ints_are_exact_modulo_two_to_the_n(name: str, data: st.DataObject, dtype: DType) -> None:
    x, y = data.draw(pairs(dtype))
    want = wrapped(WRAPPING[name](exactly(x), exactly(y)), dtype)
    assert same(run(getattr(tf, name), x, y), want)


@given(data=st.data(), dtype=st.sampled_from(SIGNED))
def test_the_least_int_is_its_own_negative_and_absolute_value(data: st.DataObject, dtype: DType) -> None:
    x = data.draw(arrays(dtype))
    assert same(run(tf.negative, x), wrapped(-exactly(x), dtype))
    assert same(run(tf.abs, x), wrapped(abs(exactly(x)), dtype))
    least = np.array(dtype.min, dtype.np)
    assert run(tf.abs, least) == run(tf.negative, least) == dtype.min


@given(data=st.data(), dtype=st.sampled_from(INTS))
def test_the_square_of_an_int_wraps(data: st.DataObject, dtype: DType) -> None:
    x = data.draw(arrays(dtype))
    assert same(run(tf.square, x), wrapped(exactly(x) ** 2, dtype))


@given(of_dtypes(pairs, (tf.int32, tf.int64)))
def test_the_squared_difference_of_ints_wraps(xy: tuple[Array, Array]) -> None:
    x, y = xy
    want = wrapped((exactly(x) - exactly(y)) ** 2, tf.as_dtype(x.dtype))
    assert same(run(tf.squared_difference, x, y), want)


@given(of_dtypes(arrays, SIGNED))
def test_the_sign_of_an_int_is_minus_one_zero_or_one(x: Array) -> None:
    want = np.array([(v > 0) - (v < 0) for v in x.ravel().tolist()], x.dtype).reshape(x.shape)
    assert same(run(tf.sign, x), want)


# ---- division of ints ---------------------------------------------------------------------------


@given(data=st.data(), dtype=st.sampled_from(INTS))
def test_int_division_and_remainder_are_those_of_python(data: st.DataObject, dtype: DType) -> None:
    x, y = data.draw(pairs(dtype))
    y[y == 0] = 1
    assert same(run(tf.floordiv, x, y), wrapped(exactly(x) // exactly(y), dtype))
    assert same(run(tf.mod, x, y), wrapped(exactly(x) % exactly(y), dtype))
    assert same(run(tf.div, x, y), run(tf.floordiv, x, y))


@given(data=st.data(), dtype=st.sampled_from(INTS))
def test_quotient_times_divisor_plus_remainder_is_the_dividend(data: st.DataObject, dtype: DType) -> None:
    x, y = data.draw(pairs(dtype))
    y[y == 0] = 1
    want = np.broadcast_to(x, np.broadcast_shapes(x.shape, y.shape))
    assert same(run(lambda a, b: a // b * b + a % b, x, y), want)


@pytest.mark.parametrize("name", ["floordiv", "mod", "div"])
@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_an_int_divided_by_zero_is_an_error_of_the_run(name: str, dtype: DType) -> None:
    x, y = np.array([1, 2], dtype.np), np.array([1, 0], dtype.np)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        run(getattr(tf, name), x, y)


@pytest.mark.parametrize("name", ["floordiv", "mod"])
def test_a_zero_that_divides_nothing_is_no_error(name: str) -> None:
    got = run(getattr(tf, name), np.zeros((0, 2), np.int32), np.array([0, 1], np.int32))
    assert got.shape == (0, 2)


def test_a_division_by_a_constant_zero_is_no_error_of_the_build() -> None:
    with tf.Graph().as_default():
        assert tf.fill([tf.constant(7) // 0], 1.0).shape.as_list() == [None]


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_true_division_of_ints_gives_floats_that_hold_them(dtype: DType) -> None:
    wide = np.float32 if dtype.size <= 2 else np.float64
    x, y = np.array([7, dtype.max, 1, 0], dtype.np), np.array([2, 3, 0, 0], dtype.np)
    with np.errstate(all="ignore"):
        want = x.astype(wide) / y.astype(wide)
    for build in (tf.truediv, tf.divide, operator.truediv):
        assert same(run(build, x, y), want)


# ---- floats -------------------------------------------------------------------------------------

ROUNDED: dict[str, Law] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "truediv": operator.truediv,
    "div": operator.truediv,
}


@pytest.mark.parametrize("name", ROUNDED)
@given(xy=of_dtypes(pairs, FLOATS))
def test_floats_are_rounded_once(name: str, xy: tuple[Array, Array]) -> None:
    # A float64 result of shorter floats rounds to what they give themselves: 53 >= 2 * 24 + 2.
    x, y = xy
    with np.errstate(all="ignore"):
        want = rounded(ROUNDED[name](exactly(x), exactly(y)), tf.as_dtype(x.dtype))
    assert same(run(getattr(tf, name), x, y), want)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "truediv"])
@given(xy=of_dtypes(pairs, COMPLEX))
def test_complex_numbers_are_computed_as_numpy_computes_them(name: str, xy: tuple[Array, Array]) -> None:
    x, y = xy
    with np.errstate(all="ignore"):
        want = np.asarray(ROUNDED[name](x, y))
    assert same(run(getattr(tf, name), x, y), want, ulps=4)


@given(of_dtypes(pairs, FLOATS))
def test_nan_wins_in_maximum_and_minimum(xy: tuple[Array, Array]) -> None:
    x, y = xy
    for name, chosen in (("maximum", max), ("minimum", min)):
        got = run(getattr(tf, name), x, y)
        for g, a, b in zip(got.ravel(), *(v.ravel() for v in np.broadcast_arrays(x, y)), strict=True):
            if math.isnan(a) or math.isnan(b):
                assert math.isnan(g)
            else:
                assert g == chosen(a, b)


@given(of_dtypes(pairs, (tf.float32, tf.float64)))
def test_the_quotient_of_floats_is_divided_and_then_rounded_down(xy: tuple[Array, Array]) -> None:
    x, y = xy
    with np.errstate(all="ignore"):
        want = np.asarray(np.floor(np.true_divide(x, y)))
    assert same(run(tf.floordiv, x, y), want)


@pytest.mark.parametrize(
    ("x", "y", "want"),
    [
        (1.0, 0.0, math.inf), (-1.0, 0.0, -math.inf), (1.0, -0.0, -math.inf), (0.0, 0.0, math.nan),
        (math.inf, 1.0, math.inf), (math.inf, math.inf, math.nan), (-1.0, math.inf, 0.0), (7.0, -2.0, -4.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floor_division_at_the_ends_of_the_floats(x: float, y: float, want: float, dtype: DType) -> None:
    assert same(run(tf.floordiv, array([x], (), dtype), array([y], (), dtype)), array([want], (), dtype))


@given(of_dtypes(pairs, FLOATS))
def test_the_remainder_of_floats_has_the_sign_of_the_divisor(xy: tuple[Array, Array]) -> None:
    x, y = xy
    got = run(tf.mod, x, y).astype(np.float64)
    for r, a, b in zip(got.ravel(), *(v.astype(np.float64).ravel() for v in np.broadcast_arrays(x, y)), strict=True):
        if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
            assert math.isnan(r)
        elif math.isinf(b):
            assert r == (a if a == 0 or (a > 0) == (b > 0) else b)
        else:
            assert r == float(rounded(a % b, tf.as_dtype(x.dtype)))
            assert r == 0 or (r > 0) == (b > 0)


@given(of_dtypes(pairs, COMPLEX))
def test_the_squared_difference_of_complex_numbers_is_real(xy: tuple[Array, Array]) -> None:
    x, y = (np.asarray(np.where(np.abs(v) < 1000, v, v.dtype.type(1))) for v in xy)
    got = run(tf.squared_difference, x, y)
    assert (got.imag == 0).all()
    assert same(got.real, np.asarray(np.abs(x - y) ** 2), ulps=8)


# ---- powers and roots ---------------------------------------------------------------------------


@given(data=st.data(), dtype=st.sampled_from(SIGNED))
def test_powers_of_ints_wrap(data: st.DataObject, dtype: DType) -> None:
    x = data.draw(arrays(dtype, (3,)))
    y = array(data.draw(st.lists(st.integers(0, 70), min_size=3, max_size=3)), (3,), dtype)
    want = [pow(int(a), int(b), 1 << (8 * dtype.size)) for a, b in zip(x, y, strict=True)]
    assert same(run(tf.pow, x, y), wrapped(want, dtype))


@pytest.mark.parametrize("base", [1, -1, 2])
def test_a_negative_power_of_an_int_is_an_error_of_the_run(base: int) -> None:
    x, y = np.array([base], np.int32), np.array([3, -1], np.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integers to negative integer powers are not allowed"):
        run(tf.pow, x, y)
    assert run(tf.pow, x[:0], y[1:]).shape == (0,)


@pytest.mark.parametrize(
    ("x", "y", "want"),
    [(math.nan, 0.0, 1.0), (1.0, math.nan, 1.0), (-2.0, 0.5, math.nan), (0.0, -1.0, math.inf), (-0.0, -1.0, -math.inf)],
)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_powers_of_floats_are_those_of_c(x: float, y: float, want: float, dtype: DType) -> None:
    assert same(run(tf.pow, array([x], (), dtype), array([y], (), dtype)), array([want], (), dtype))


@given(of_dtypes(arrays, FLOATS))
def test_roots_and_reciprocals_are_rounded_once(x: Array) -> None:
    dtype = tf.as_dtype(x.dtype)
    with np.errstate(all="ignore"):
        exact = exactly(x)
        assert same(run(tf.sqrt, x), rounded(np.sqrt(exact), dtype))
        assert same(run(tf.reciprocal, x), rounded(1 / exact, dtype))
        assert same(run(tf.rsqrt, x), rounded(1 / np.sqrt(exact), dtype), ulps=2)
        assert same(run(tf.square, x), rounded(exact * exact, dtype))


# ---- signs --------------------------------------------------------------------------------------


@given(of_dtypes(arrays, FLOATS))
def test_the_sign_of_nan_is_nan(x: Array) -> None:
    got = run(tf.sign, x)
    for g, v in zip(got.ravel().tolist(), x.ravel().tolist(), strict=True):
        assert (math.isnan(g) and math.isnan(v)) or g == (v > 0) - (v < 0)


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_absolute_value_and_sign_of_a_complex_number(dtype: DType) -> None:
    x = np.array([3 + 4j, 0, -2], dtype.np)
    assert same(run(tf.abs, x), np.array([5, 0, 2], dtype.real_dtype.np))
    assert same(run(tf.sign, x), np.array([0.6 + 0.8j, 0, -1], dtype.np), ulps=1)


# ---- forms of the call --------------------------------------------------------------------------


@pytest.mark.parametrize(("one", "other"), [("sub", "subtract"), ("mul", "multiply"), ("neg", "negative"),
                                            ("mod", "floormod"), ("floor_div", "floordiv")])  # fmt: skip
def test_old_and_new_names_are_one_op(one: str, other: str) -> None:
    assert getattr(tf, one) is getattr(tf, other)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum"])
def test_the_first_operand_decides_the_dtype_of_a_python_value(name: str) -> None:
    function = getattr(tf, name)
    with tf.Graph().as_default() as graph:
        x = tf.constant([1.0, 2.0])
        assert function(x, 1).dtype == tf.float32
        before = len(graph.get_operations())
        with pytest.raises(TypeError, match="does not match type"):
            function(1, x)
        with pytest.raises(TypeError, match="Expected int32"):
            function(tf.constant(1), 1.5)
        assert len(graph.get_operations()) == before + 1


def test_a_division_that_is_refused_adds_nothing() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant([1, 2])
        before = graph.get_operations()
        refused: tuple[tuple[Law, Any, Any], ...] = (
            (tf.truediv, x, 1.5), (tf.div, 2.5, x), (tf.divide, x, [1, 2, 3]), (tf.truediv, [True], True),
            (tf.div, "a", "b"),
        )  # fmt: skip
        for function, a, b in refused:
            with pytest.raises((TypeError, ValueError)):
                function(a, b)
        assert graph.get_operations() == before


def test_strings_are_joined_by_add() -> None:
    x, y = np.array([[b"a"], [b"\xff"]], object), np.array([b"", b"z"], object)
    assert run(tf.add, x, y).tolist() == [[b"a", b"az"], [b"\xff", b"\xffz"]]
    assert run(tf.add, np.array(b"a", object), np.array(b"b", object))[()] == b"ab"


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=5))
def test_add_n_is_the_sum(values: list[int]) -> None:
    got = run(lambda *tensors: tf.add_n(tensors), *(np.array([v, 1], np.int32) for v in values))
    assert same(got, wrapped([sum(values), len(values)], tf.int32))


def test_add_n_does_not_broadcast() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="in both shapes must be equal"):
            tf.add_n([[1, 2], [1]])
        with pytest.raises(ValueError, match="at least one Tensor"):
            tf.add_n([])
        x = tf.constant(1)
        assert tf.add_n([x]) is x
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same size and shape"):
        run(lambda x, y: tf.add_n([x, y]), np.array([1, 2]), np.array([1]))


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_a_scalar_result_has_the_dtype_that_was_declared(dtype: DType) -> None:
    x = np.array(3, dtype.np)
    for name in ("add", "subtract", "multiply", "square", *(("maximum", "mod", "floordiv") if dtype in REALS else ())):
        values = [x] if name == "square" else [x, x]
        assert run(getattr(tf, name), *values).dtype == dtype.np


# ---- what is known at build ---------------------------------------------------------------------


def filled(dims: Callable[[tf.Tensor], Any]) -> TensorShape:
    """The static shape of something as large as `dims` says, given the shape of a (batch, 3) tensor."""
    with tf.Graph().as_default():
        return tf.fill(dims(tf.shape(tf.placeholder(tf.float32, ["batch", 3]))), 0.0).shape


@pytest.mark.parametrize(
    ("dims", "want"),
    [
        (lambda s: [s[0] * 2], "(2*batch,)"),
        (lambda s: [2 * s[0]], "(2*batch,)"),
        (lambda s: [s[0] + 3 - 1], "(batch+2,)"),
        (lambda s: [s[0] * 2 // 2], "(batch,)"),
        (lambda s: s * 2, "(2*batch, 6)"),
        (lambda s: s // [1, 3], "(batch, 1)"),
        (lambda s: s + s, "(2*batch, 6)"),
        (lambda s: [s[0] * s[1]], "(3*batch,)"),
        (lambda s: [tf.maximum(s[1], 7), tf.minimum(s[1], 2)], "(7, 2)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_sizes_are_computed_with_where_that_is_certain(dims: Callable[[tf.Tensor], Any], want: str) -> None:
    assert str(filled(dims)) == want


@pytest.mark.parametrize(
    "dims", [lambda s: [s[0] - 1], lambda s: [s[0] // 2], lambda s: [s[0] * s[0]], lambda s: [5 - s[0]]]
)
def test_sizes_that_need_not_be_what_they_seem_stay_unknown(dims: Callable[[tf.Tensor], Any]) -> None:
    # A batch of 0 makes batch - 1 the -1 that means "whatever is left".
    assert str(filled(dims)) == "(?,)"


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1))
def test_a_size_that_wraps_is_known_as_the_run_computes_it(a: int, b: int) -> None:
    size = int(wrapped(a * b, tf.int32)) % 5
    with tf.Graph().as_default():
        t = tf.fill([tf.constant(a) * b % 5], 0.0)
    assert t.shape.as_list() == [size]


SIZES: dict[str, Callable[[tf.Tensor], tf.Tensor]] = {
    "a named size": lambda x: tf.shape(x)[0],
    "a size without a name": lambda x: tf.shape(x)[1],
    "a known size": lambda x: tf.shape(x)[2],
    "all sizes": tf.shape,
    "the number of elements": lambda x: tf.reduce_prod(tf.shape(x)),
    "twice a size": lambda x: tf.shape(x)[0] * 2,
    "a size below zero": lambda x: -tf.shape(x)[0],
}


@pytest.mark.parametrize("number", [-3, -2, -1, 2, 3])
@pytest.mark.parametrize(
    "op", [tf.floordiv, tf.div, tf.floormod, tf.multiply, tf.subtract, tf.add, tf.maximum, tf.minimum]
)
@pytest.mark.parametrize("size", SIZES)
def test_arithmetic_of_sizes_with_any_number_builds_and_is_that_of_the_run(
    size: str, op: Callable[..., tf.Tensor], number: int
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, ["n", None, 4], name="x")
        first = SIZES[size](x)
        one, other = op(first, number), op(number, first)
        shown = tf.zeros(tf.reshape(tf.maximum(one, 0), [-1])[:1])  # asks for what is known of it
        sizes, left, right, zeros = session.run([first, one, other, shown], {x: np.zeros((6, 2, 4))})
        python = {"floordiv": np.floor_divide, "div": np.floor_divide, "floormod": np.remainder}
        law = python.get(op.__name__) or getattr(np, op.__name__)
        assert np.array_equal(left, law(sizes, number)) and np.array_equal(right, law(number, sizes))
        assert zeros.shape == (max(0, np.ravel(left)[0]),)
