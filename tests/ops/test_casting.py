"""Casts: every dtype to every other, against an oracle that knows only Python's ints and fractions."""

import math
import struct
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.building.constant_evaluation import known_value
from penstock.graph.shapes.dtypes import ALL, DType
from penstock.ops.elementwise.casting import cast

from ..standin import computed_there
from .elementwise import COMPLEX, FLOATS, HALVES, INTS, array, arrays, elements, of_dtypes, run, same
from .nearest import nearest

NUMERIC = tuple(d for d in ALL if not d.is_string)


def expected(value: Any, dtype: DType) -> Any:
    """One value as `dtype`, by the words of the specification."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, complex) and dtype.is_complex:
        return complex(expected(value.real, dtype), expected(value.imag, dtype))
    value = value.real if isinstance(value, complex) else float(value) if not isinstance(value, (int, bool)) else value
    if dtype.is_bool:
        return value != 0
    if dtype.is_integer:
        return wrapped(value, dtype) if isinstance(value, int) else saturated(value, dtype)
    if isinstance(value, float) and (math.isnan(value) or math.isinf(value) or value == 0):
        return value
    exact = Fraction(value)
    if dtype in HALVES:
        single = nearest(exact, tf.float32)
        return single if math.isinf(single) or single == 0 else nearest(Fraction(single), dtype)
    return nearest(exact, dtype.real_dtype)


def wrapped(value: int, dtype: DType) -> int:
    return int((value - dtype.min) % (1 << 8 * dtype.size) + dtype.min)


def saturated(value: float, dtype: DType) -> int:
    if math.isnan(value):
        return 0
    whole = dtype.max if value == math.inf else dtype.min if value == -math.inf else int(value)
    return int(min(max(whole, dtype.min), dtype.max))


def one_by_one(x: Any, dtype: DType) -> Any:
    want = np.empty(x.shape, dtype.np)
    for at, value in np.ndenumerate(x):
        want[at] = expected(value, dtype)
    return want


@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
@given(st.data())
def test_a_cast_follows_the_specification_value_by_value(dtype: DType, data: st.DataObject) -> None:
    x = data.draw(of_dtypes(arrays, NUMERIC))
    got = run(lambda t: tf.cast(t, dtype), x)
    assert same(got, one_by_one(x, dtype)), f"{x!r} -> {got!r}"


@pytest.mark.parametrize("dtype", INTS, ids=str)
@given(st.data())
def test_floats_around_the_ends_of_an_int_dtype_saturate(dtype: DType, data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(FLOATS))
    end = data.draw(st.sampled_from([dtype.min, dtype.max, 0]))
    near = data.draw(st.lists(st.floats(-2.0, 2.0).map(lambda d: float(end) + d) | st.floats(), max_size=6))
    x = array([*near, math.nan][: data.draw(st.integers(0, 7))], [-1], source)
    assert same(run(lambda t: tf.cast(t, dtype), x), one_by_one(x, dtype))


@given(of_dtypes(arrays, NUMERIC), st.sampled_from(NUMERIC))
def test_the_kernel_gives_on_a_device_what_it_gives_on_numpy(x: Any, dtype: DType) -> None:
    with np.errstate(all="ignore"):
        kernel = cast.kernels["*"]
        assert same(np.asarray(computed_there(kernel, x, dtype)), np.asarray(kernel(np, x, dtype)))


@pytest.mark.parametrize("dtype", INTS, ids=str)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e30, -1e30])
def test_one_value_out_of_range_among_many_changes_only_itself(dtype: DType, bad: float) -> None:
    x = np.linspace(0, 100, 1003)
    x[501] = bad
    want = np.trunc(np.where(np.arange(1003) == 501, 0, x)).astype(dtype.np)
    want[501] = saturated(bad, dtype)
    assert same(run(lambda t: tf.cast(t, dtype), x), want)


@given(of_dtypes(lambda d: arrays(d, (4, 6)), NUMERIC), st.sampled_from(NUMERIC))
def test_the_layout_of_an_array_does_not_change_its_cast(x: Any, dtype: DType) -> None:
    kernel = cast.kernels["*"]
    with np.errstate(all="ignore"):
        for view in (x[::-1], x[:, ::2], x.T, np.asfortranarray(x), x[:0]):
            assert same(np.asarray(kernel(np, view, dtype)), np.asarray(kernel(np, view.copy("C"), dtype)))


@given(of_dtypes(arrays, tuple(d for d in NUMERIC if d not in COMPLEX)))
def test_a_round_trip_through_a_wider_dtype_is_exact(x: Any) -> None:
    wider = {"bool": tf.uint8, "float16": tf.float32, "bfloat16": tf.float32, "float32": tf.float64,
             "int8": tf.float16, "uint8": tf.bfloat16, "int16": tf.float32, "int32": tf.float64}  # fmt: skip
    dtype = wider.get(str(tf.as_dtype(x.dtype)), tf.as_dtype(x.dtype))
    assert same(run(lambda t: tf.cast(tf.cast(t, dtype), t.dtype), x), x)


@given(st.floats())
def test_float64_to_float32_rounds_as_the_struct_module_does(value: float) -> None:
    try:
        want = struct.pack("f", value)
    except OverflowError:
        want = struct.pack("f", math.copysign(math.inf, value))
    got = run(tf.to_float, np.array([value]))
    assert got.tobytes() == want or (math.isnan(value) and np.isnan(got).all())


def test_float32_subnormals_are_kept() -> None:
    x = np.array([1e-40, -1e-45, 1e-46])
    assert run(lambda t: tf.cast(t, tf.float32), x).tolist() == [float(np.float32(1e-40)), -float(np.float32(1e-45)), 0]
    assert run(lambda t: tf.cast(t, tf.bool), np.array([1e-45], np.float32)).tolist() == [True]


def test_float64_reaches_16_bits_through_float32() -> None:
    # Just above the middle of two float16 in float64; float32 rounds it to the middle, and that to the even one.
    x = np.array([1 + 2.0**-11 + 2.0**-40])
    assert run(tf.to_bfloat16, x).tolist() == [1.0]
    assert run(lambda t: tf.cast(t, tf.float16), x).tolist() == [1.0]
    assert float(x.astype(np.float16)[0]) != 1.0


# ---- what is known when the graph is built ------------------------------------------------------


def test_a_tensor_that_has_the_dtype_is_returned_itself() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32)
        assert tf.cast(x, "float32") is x
        assert tf.to_float(x) is x
        assert len(graph) == 1


def test_a_python_value_that_has_the_dtype_is_only_converted() -> None:
    with tf.Graph().as_default() as graph:
        tf.cast([1, 2], tf.int32)
        assert [op.type for op in graph.get_operations()] == ["Const"]


def test_a_list_that_holds_tensors_is_packed_and_cast() -> None:
    with tf.Graph().as_default():
        n = tf.placeholder(tf.int32, [])
        packed = tf.cast([n, 3], tf.int32)
        cast_too = tf.cast([n, 3], tf.float64)
    assert (packed.op.type, packed.dtype, cast_too.op.type, cast_too.dtype) == ("Pack", tf.int32, "Cast", tf.float64)


@pytest.mark.parametrize(
    ("function", "name", "dtype"),
    [
        (tf.to_double, "ToDouble", tf.float64),
        (tf.to_float, "ToFloat", tf.float32),
        (tf.to_bfloat16, "ToBFloat16", tf.bfloat16),
        (tf.to_int32, "ToInt32", tf.int32),
        (tf.to_int64, "ToInt64", tf.int64),
    ],
)
def test_the_five_names_are_casts_with_the_names_of_the_reference(function: Any, name: str, dtype: DType) -> None:
    with tf.Graph().as_default():
        made = function(tf.placeholder(tf.uint8, ["n", 2]))
        other = function(tf.placeholder(tf.uint8), name="mine")
    assert (made.name, made.dtype, str(made.shape)) == (f"{name}:0", dtype, "(n, 2)")
    assert (other.op.name, other.op.type) == ("mine", "Cast")


@pytest.mark.parametrize("dtype", [d for d in ALL if not d.is_string], ids=str)
def test_strings_and_numbers_are_not_cast_into_each_other(dtype: DType) -> None:
    with tf.Graph().as_default() as graph:
        text, number = tf.placeholder(tf.string), tf.placeholder(dtype)
        with pytest.raises(TypeError, match=f"Cast string to {dtype.tf_name} is not supported") as told:
            tf.cast(text, dtype)
        assert "tf.string_to_number" in str(told.value)
        with pytest.raises(TypeError, match=f"Cast {dtype.tf_name} to string is not supported"):
            tf.cast(number, tf.string)
        assert tf.cast(text, tf.string) is text
        assert len(graph) == 2


@pytest.mark.parametrize("bad", ["foo", None, 3, "int33"])
def test_what_is_no_dtype_is_a_type_error(bad: Any) -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="Cannot convert the argument dtype="):
        tf.cast(1.5, bad)


@pytest.mark.parametrize(("asked", "dtype"), [("half", tf.float16), (float, tf.float32), (np.int8, tf.int8),
                                              ("double", tf.float64), (bool, tf.bool)])  # fmt: skip
def test_a_dtype_may_be_given_by_any_of_its_names(asked: Any, dtype: DType) -> None:
    with tf.Graph().as_default():
        assert tf.cast(tf.placeholder(tf.int64), asked).dtype is dtype


def test_a_sparse_tensor_keeps_its_places() -> None:
    with tf.Graph().as_default() as graph:
        sparse = tf.SparseTensor([[0, 1]], [1.8], [2, 3])
        made: Any = tf.cast(sparse, tf.int32)
        assert isinstance(made, tf.SparseTensor)
        assert (made.indices, made.dense_shape) == (sparse.indices, sparse.dense_shape)
        assert tf.to_float(sparse) is sparse  # type: ignore[comparison-overlap]  # a cast returns what it was given
    with tf.Session(graph=graph) as session:
        assert session.run(made).values.tolist() == [1]


def test_a_cast_between_int_dtypes_keeps_what_is_known_of_sizes() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["batch", None, 3])
        assert str(tf.zeros(tf.to_int64(tf.shape(x))).shape) == "(batch, ?, 3)"


def test_a_known_value_is_known_as_the_cast_gives_it() -> None:
    with tf.Graph().as_default():
        assert tf.zeros(tf.to_int32(tf.cast(tf.constant([300, -1]), tf.uint8))).shape == [44, 255]
        assert tf.zeros(tf.to_int32(tf.constant([2.9, 3.1]))).shape == [2, 3]
        assert tf.zeros(tf.to_int32(tf.constant([2**32 + 5]))).shape == [5]


@given(st.data())
def test_what_is_known_at_build_is_what_a_run_gives(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(NUMERIC))
    x = array(data.draw(st.lists(elements(source), min_size=1, max_size=3)), [-1], source)
    dtype = data.draw(st.sampled_from(NUMERIC))
    with tf.Graph().as_default():
        known = known_value(tf.cast(x, dtype))
    assert known is not None
    assert same(known, run(lambda t: tf.cast(t, dtype), x))
