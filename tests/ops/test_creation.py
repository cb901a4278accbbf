"""Tensors filled with one value or two: shapes, dtypes, and what is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.building.constant_evaluation import known_entries, known_value
from penstock.graph.shapes.dtypes import ALL, DType

from .elementwise import Array, array, run, same

EMPTY: dict[str, Any] = {"bool": False, "string": b""}
shapes = st.lists(st.integers(0, 4), max_size=4)


def value_of(tensor: Any) -> Any:
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor)


def filled(shape: Any, value: Any, dtype: DType) -> Array:
    made = np.empty(shape, dtype.np)
    made[...] = value
    return made


# ---- fill, zeros, ones --------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ALL, ids=str)
@given(shape=shapes, as_int64=st.booleans())
def test_fill_repeats_a_value_of_any_dtype(dtype: DType, shape: list[int], as_int64: bool) -> None:
    value = array([b"ab" if dtype.is_string else 3], [], dtype)
    sizes = np.array(shape, np.int64 if as_int64 else np.int32)
    assert same(run(lambda v: tf.fill(sizes, v), value), filled(shape, value, dtype))
    assert same(run(tf.fill, sizes, value), filled(shape, value, dtype))


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_zeros_are_the_empty_value_of_every_dtype(dtype: DType) -> None:
    with tf.Graph().as_default():
        made = tf.zeros([2, 3], dtype)
        got = value_of(made)
    assert made.shape == [2, 3]
    assert (made.dtype, made.op.type, made.op.name) == (dtype, "Fill", "zeros")
    assert same(got, filled([2, 3], EMPTY.get(dtype.name, 0), dtype))


@pytest.mark.parametrize("dtype", [d for d in ALL if not d.is_string], ids=str)
def test_ones_are_one_in_every_dtype_that_has_it(dtype: DType) -> None:
    with tf.Graph().as_default():
        assert same(value_of(tf.ones([2], dtype)), filled([2], True if dtype.is_bool else 1, dtype))


def test_ones_of_strings_are_type_errors() -> None:
    with tf.Graph().as_default() as graph:
        text = tf.placeholder(tf.string)
        for call, value in ((tf.ones, [2]), (tf.ones_like, text), (tf.ones_like, [1])):
            with pytest.raises(TypeError, match="Expected string"):
                call(value, tf.string)
        with pytest.raises(TypeError, match="Expected string"):
            tf.ones_like(text)
        assert len(graph) == 1


@pytest.mark.parametrize(
    ("shape", "want"),
    [
        (5, [5]),
        ([], []),
        ((2, 3), [2, 3]),
        (np.array([2, 1]), [2, 1]),
        (np.int64(3), [3]),
        (tf.TensorShape([4, 0]), [4, 0]),
        (tf.Dimension(2), [2]),
        ([tf.Dimension(2), 1], [2, 1]),
    ],
)
def test_a_shape_may_be_written_in_many_ways(shape: Any, want: list[int]) -> None:
    with tf.Graph().as_default():
        assert tf.zeros(shape).shape == want
        assert value_of(tf.ones(shape)).shape == tuple(want)


def test_a_scalar_tensor_is_the_length_of_a_vector() -> None:
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int32, [])
        made = tf.zeros(n)
        assert str(made.shape) == "(?,)"
        with tf.Session(graph=graph) as session:
            assert session.run(made, {n: 3}).tolist() == [0, 0, 0]


def test_what_is_known_of_each_size_is_kept() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["batch", None, 3])
        n = tf.placeholder(tf.int32, [])
        assert str(tf.fill(tf.shape(x), 7).shape) == "(batch, ?, 3)"
        assert str(tf.zeros([n, 3]).shape) == "(?, 3)"
        assert tf.zeros(tf.placeholder(tf.int32, [2])).shape.ndims == 2
        assert tf.zeros(tf.placeholder(tf.int32, [None])).shape.ndims is None


@pytest.mark.parametrize("shape", [[-1], [2, -1], [3, -7]])
def test_a_known_negative_size_is_a_build_error(shape: list[int]) -> None:
    with tf.Graph().as_default():
        for call in (tf.zeros, tf.ones):
            with pytest.raises(ValueError, match="Fill dimensions must be >= 0"):
                call(shape)
        with pytest.raises(ValueError, match="Fill dimensions must be >= 0"):
            tf.fill(shape, 1)


def test_a_negative_size_found_by_the_run_is_a_run_error() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dimension -2 must be >= 0"):
        run(tf.zeros, np.array([3, -2], np.int32))


@pytest.mark.parametrize(
    ("dims", "value", "words"),
    [
        ([[2]], 1, "Shape must be rank 1 but is rank 2"),
        (2, 1, "Shape must be rank 1 but is rank 0"),
        ([2], [1], "Shape must be rank 0 but is rank 1"),
        ([2], None, "None values not supported"),
    ],
)
def test_fill_refuses_other_ranks(dims: Any, value: Any, words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        tf.fill(dims, value)


def test_a_value_that_turns_out_to_be_no_scalar_is_a_run_error() -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        value = tf.placeholder(tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"value must be a scalar, but has shape \[2\]"):
            session.run(tf.fill([2], value), {value: [1, 2]})


@pytest.mark.parametrize("shape", ["a", [2.0], [True]])
def test_sizes_are_ints(shape: Any) -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError):
        tf.zeros(shape)


# ---- zeros_like, ones_like ----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("shape", [[], [3], [0, 2]], ids=str)
def test_like_keeps_shape_and_dtype(dtype: DType, shape: list[int]) -> None:
    x = filled(shape, b"x" if dtype.is_string else 3, dtype)
    assert same(run(tf.zeros_like, x), filled(shape, EMPTY.get(dtype.name, 0), dtype))
    assert same(run(lambda t: tf.zeros_like(t, tf.int8), x), filled(shape, 0, tf.int8))
    assert same(run(lambda t: tf.ones_like(t, tf.bool), x), filled(shape, True, tf.bool))
    if not dtype.is_string:
        assert same(run(tf.ones_like, x), filled(shape, 1, dtype))


def test_nan_is_zero_in_zeros_like() -> None:
    assert run(tf.zeros_like, np.array([np.nan, np.inf])).tolist() == [0, 0]


def test_like_is_known_where_only_the_shape_is() -> None:
    with tf.Graph().as_default():
        sizes = tf.shape(tf.placeholder(tf.float32, [None, 3]))
        assert known_entries(tf.zeros_like(sizes)) == (0, 0)
        assert known_entries(tf.ones_like(sizes, tf.int64)) == (1, 1)
        assert known_entries(tf.ones_like(tf.placeholder(tf.int32, []))) == 1
        assert known_entries(tf.zeros_like(tf.placeholder(tf.int32))) is None
        assert str(tf.zeros_like(tf.placeholder(tf.float32, ["n", 2])).shape) == "(n, 2)"


def test_numpy_functions_build_nodes() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        made: Any = np.zeros_like(x)
        assert made.op.type == "ZerosLike"


# ---- one_hot ------------------------------------------------------------------------------------


def hot(indices: Array, depth: int, on: Any, off: Any, axis: int) -> Array:
    """One comparison for each place: the definition."""
    places = np.arange(depth)
    made = np.where(indices[..., None].astype(np.int64) == places, on, off)
    return np.moveaxis(made, -1, axis)


@given(
    st.sampled_from([tf.uint8, tf.int8, tf.int32, tf.int64]),
    st.lists(st.integers(0, 3), max_size=3),
    st.integers(0, 5),
    st.integers(-1, 3),
    st.randoms(use_true_random=False),
)
def test_one_hot_compares_each_index_with_each_place(
    dtype: DType, shape: list[int], depth: int, axis: int, random: Any
) -> None:
    axis = min(axis, len(shape))
    low = 0 if dtype.is_unsigned else -3
    values = [random.randint(low, 7) for _ in range(int(np.prod(shape)))]
    indices = np.array(values, dtype.np).reshape(shape)
    got = run(lambda i: tf.one_hot(i, depth, 5.0, -1.0, axis), indices)
    assert same(got, hot(indices, depth, np.float32(5), np.float32(-1), axis))


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_one_hot_takes_values_of_any_dtype(dtype: DType) -> None:
    on, off = array([b"x", b""] if dtype.is_string else [1, 0], [2], dtype)
    with tf.Graph().as_default():
        got = value_of(tf.one_hot([1, 0], 2, tf.constant(on, dtype), tf.constant(off, dtype)))
    assert same(got, array([off, on, on, off], [2, 2], dtype))


def test_the_dtype_of_one_hot_is_the_first_that_is_given() -> None:
    with tf.Graph().as_default():
        assert tf.one_hot([0], 2).dtype is tf.float32
        assert tf.one_hot([0], 2, 7).dtype is tf.int32
        assert tf.one_hot([0], 2, off_value=np.float64(2)).dtype is tf.float64
        assert tf.one_hot([0], 2, 7, dtype=tf.int64).dtype is tf.int64
        assert tf.one_hot([0], 2, dtype="half").dtype is tf.float16


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"on_value": 7, "off_value": 1.5}, TypeError, "of on_value does not match dtype float32 of off_value"),
        ({"on_value": 1.5, "dtype": tf.int32}, TypeError, "of on_value does not match dtype parameter int32"),
        ({"dtype": tf.bool}, TypeError, "Expected bool, but got 1"),
        ({"depth": [2]}, ValueError, "Input must be scalar but has rank 1"),
        ({"depth": -1}, ValueError, "must be non-negative but is -1"),
        ({"depth": 2.0}, TypeError, "Expected int32"),
        ({"axis": -2}, ValueError, "axis must be >= -1"),
        ({"indices": [0.5]}, TypeError, "'indices' has DataType float32"),
    ],
)
def test_one_hot_refuses(arguments: dict[str, Any], kind: type[Exception], words: str) -> None:
    with tf.Graph().as_default() as graph, pytest.raises(kind, match=words):
        tf.one_hot(**{"indices": [0, 1], "depth": 2, **arguments})
    assert len(graph) == 0


def test_the_depth_of_one_hot_is_int32() -> None:
    with tf.Graph().as_default():
        depth = tf.constant(2, tf.int64)
        with pytest.raises(TypeError, match="int64"):
            tf.one_hot([0, 1], depth)


def test_one_hot_refuses_in_a_run_what_was_not_known_before() -> None:
    indices, error = np.array([0, 1], np.int32), tf.errors.InvalidArgumentError
    with pytest.raises(error, match="depth must be non-negative, got: -2"):
        run(tf.one_hot, indices, np.array(-2, np.int32))
    with pytest.raises(error, match=r"Expected axis to be -1 or between \[0, 2\).  But received: 2"):
        run(lambda i: tf.one_hot(i, 3, axis=2), indices)
    with pytest.raises(error, match=r"on_value must be a scalar, but got: \[1\]"):
        run(lambda i: tf.one_hot(i, 3, tf.constant([2.0])), indices)


def test_the_static_shape_of_one_hot_has_the_depth_in_its_place() -> None:
    with tf.Graph().as_default():
        indices, depth = tf.placeholder(tf.int32, ["n", 2]), tf.placeholder(tf.int32, [])
        assert str(tf.one_hot(indices, 5).shape) == "(n, 2, 5)"
        assert str(tf.one_hot(indices, 5, axis=0).shape) == "(5, n, 2)"
        assert str(tf.one_hot(indices, depth, axis=1).shape) == "(n, ?, 2)"
        assert str(tf.one_hot(indices, tf.shape(indices)[0]).shape) == "(n, 2, n)"
        assert tf.one_hot(tf.placeholder(tf.int32), 5).shape.ndims is None


def test_filled_constants_are_known_values() -> None:
    with tf.Graph().as_default():
        for tensor, want in (
            (tf.fill([2], 3), [3, 3]),
            (tf.zeros([1], tf.int64), [0]),
            (tf.one_hot([1], 2, 1, 0), [[0, 1]]),
            (tf.ones_like([4.0]), [1.0]),
        ):
            known = known_value(tensor)
            assert known is not None
            assert known.tolist() == want
