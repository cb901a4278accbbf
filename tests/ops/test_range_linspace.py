"""range against Python's, linspace against its formula; how many numbers, and which are refused."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.building.constant_evaluation import known_value
from penstock.graph.shapes.dtypes import DType

from .elementwise import run, same

steps = st.integers(-7, 7).filter(bool)


def scalar(value: Any, dtype: DType) -> Any:
    return np.array(value, np.float32).astype(dtype.np) if dtype is tf.bfloat16 else np.array(value, dtype.np)


# ---- range --------------------------------------------------------------------------------------


@given(st.sampled_from([tf.int32, tf.int64]), st.integers(-50, 50), st.integers(0, 50), steps)
def test_ints_count_as_python_does(dtype: DType, start: int, length: int, step: int) -> None:
    limit = start + length if step > 0 else start - length
    want = np.array(range(start, limit, step), dtype.np)
    assert same(run(tf.range, *(scalar(v, dtype) for v in (start, limit, step))), want)
    with tf.Graph().as_default():
        known = tf.range(tf.constant(start, dtype), limit, step)
        assert known.shape == [len(want)]
        value = known_value(known)
    assert value is not None
    assert same(value, want)


@given(st.sampled_from([tf.float32, tf.float64, tf.bfloat16]), st.integers(-9, 9), st.integers(0, 20), steps)
def test_floats_are_start_plus_so_many_steps(dtype: DType, start: int, length: int, step: int) -> None:
    delta = step / 4
    limit = start + (length if step > 0 else -length) / 2
    want = scalar([start + i * delta for i in range(math.ceil((limit - start) / delta))], dtype)
    assert same(run(tf.range, *(scalar(v, dtype) for v in (start, limit, delta))), want)


def test_the_number_of_floats_is_found_in_their_own_precision() -> None:
    # 0.3 / 0.1 is 3 in float32, but above 3 for the same numbers in float64.
    assert run(lambda d: tf.range(0.0, 0.3, d), np.array(0.1, np.float32)).shape == (3,)


def test_long_float_ranges_do_not_drift() -> None:
    got = run(lambda d: tf.range(0.0, 1000.0, d), np.array(0.1, np.float32))
    assert abs(float(got[-1]) - 999.9) < 1e-3


@pytest.mark.parametrize("ends", [(2**62, 2**62 + 9, 4), (-(2**63), -(2**63) + 3, 1), (0, 2**60 + 1, 2**60),
                                  (2**63 - 1, -(2**63), -(2**62))])  # fmt: skip
def test_huge_ints_are_counted_exactly(ends: tuple[int, int, int]) -> None:
    assert run(tf.range, *(np.array(v, np.int64) for v in ends)).tolist() == list(range(*ends))


@pytest.mark.parametrize(
    ("bounds", "dtype"),
    [
        ((5,), tf.int32),
        ((2**40, 2**40 + 3), tf.int64),
        ((1, 2.5), tf.float32),
        ((np.float64(1), 3, 1), tf.float64),
        ((0, np.int64(3), 1), tf.int64),
        ((3.0,), tf.float32),
    ],
)
def test_the_widest_argument_decides_the_dtype(bounds: tuple[Any, ...], dtype: DType) -> None:
    with tf.Graph().as_default():
        assert tf.range(*bounds).dtype is dtype


def test_tensors_are_cast_to_the_widest() -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        n = tf.placeholder(tf.int32, [])
        made = tf.range(n, tf.constant(6, tf.int64), dtype=None)
        asked = tf.range(n, 6, dtype=tf.float64)
        assert (made.dtype, asked.dtype) == (tf.int64, tf.float64)
        got = session.run([made, asked], {n: 4})
    assert [g.tolist() for g in got] == [[4, 5], [4.0, 5.0]]


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ((5, 2), "Requires start <= limit when delta > 0: 5/2"),
        ((2, 5, -1), "Requires start >= limit when delta < 0: 2/5"),
        ((0, 1, 0), "Requires delta != 0"),
        ((-3,), "Requires start <= limit when delta > 0: 0/-3"),
        ((0.0, math.nan), "Requires start <= limit"),
        ((0.0, 1.0, math.nan), "Requires start >= limit"),
        ((0.0, math.inf), "Requires a finite number of steps"),
    ],
)
def test_steps_that_never_arrive_are_refused_at_build_or_in_the_run(bounds: tuple[Any, ...], words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        tf.range(*bounds)
    dtype = tf.float32 if any(isinstance(b, float) for b in bounds) else tf.int32
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(tf.range, *(scalar(b, dtype) for b in bounds))


@pytest.mark.parametrize("bad", ["a", True, np.float16(2), 1j, [1, 2]])
def test_other_arguments_are_refused(bad: Any) -> None:
    with tf.Graph().as_default() as graph, pytest.raises((TypeError, ValueError)):
        tf.range(bad)
    assert len(graph) == 0


def test_bounds_are_scalars() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        tf.range(tf.placeholder(tf.int32, [1]))
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        limit = tf.placeholder(tf.int32)
        assert session.run(tf.range(limit), {limit: [3]}).tolist() == [0, 1, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"limit must be a scalar, but has shape \[2\]"):
            session.run(tf.range(limit), {limit: [3, 4]})


def test_counting_the_rows_of_a_tensor_keeps_their_name() -> None:
    with tf.Graph().as_default():
        rows = tf.shape(tf.placeholder(tf.float32, ["batch", 3]))[0]
        assert str(tf.range(rows).shape) == "(batch,)"
        assert str(tf.range(2, rows).shape) == "(batch-2,)"
        assert str(tf.range(0, rows, 2).shape) == "(?,)"
        assert str(tf.range(rows, delta=tf.placeholder(tf.int32, [])).shape) == "(?,)"


# ---- linspace -----------------------------------------------------------------------------------


@given(st.sampled_from([tf.float32, tf.float64]), st.integers(-99, 99), st.integers(-99, 99), st.integers(0, 9))
def test_linspace_goes_from_start_to_stop_in_equal_steps(dtype: DType, start: int, stop: int, num: int) -> None:
    got = run(lambda a, b: tf.linspace(a, b, num), scalar(start, dtype), scalar(stop, dtype))
    step = (stop - start) / max(num - 1, 1)
    assert np.allclose(got, [start + i * step for i in range(num)], rtol=1e-5, atol=1e-4)
    assert got[:1].tolist() == [start][:num]
    assert num < 2 or got[-1] == stop


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16], ids=str)
def test_16_bit_floats_are_rounded_once(dtype: DType) -> None:
    got = run(lambda a, b: tf.linspace(a, b, 301), scalar(0, dtype), scalar(1, dtype))
    assert same(got, scalar(np.arange(301, dtype=np.float32) * np.float32(1 / 300), dtype))


def test_vectors_are_stacked() -> None:
    got = run(lambda a, b: tf.linspace(a, b, 3), np.array([0.0, 10.0]), np.array([1.0, 20.0]))
    assert got.tolist() == [[0, 10], [0.5, 15], [1, 20]]


def test_infinite_ends_give_what_the_formula_gives() -> None:
    assert run(lambda b: tf.linspace(0.0, b, 3), np.array(np.inf, np.float32)).tolist() == [0, math.inf, math.inf]


@pytest.mark.parametrize(
    ("start", "stop", "dtype"),
    [(0, 1, tf.float64), (np.int8(0), 1, tf.float32), (0.0, 1, tf.float32), (1j, 2, tf.complex128)],
)
def test_start_decides_the_dtype(start: Any, stop: Any, dtype: DType) -> None:
    with tf.Graph().as_default():
        assert tf.linspace(start, stop, 3).dtype is dtype


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ((0, 1.0, 3), TypeError, "Expected int32, but got 1.0"),
        ((0.0, 1.0, 3.0), TypeError, "'num' has DataType float32"),
        ((0.0, 1.0, [3]), ValueError, "Shape must be rank 0 but is rank 1"),
        ((0.0, 1.0, -1), ValueError, "Requires num >= 0: -1"),
        (("a", "b", 3), TypeError, "'start' has DataType string"),
        ((None, 1.0, 3), ValueError, "None values not supported"),
    ],
)
def test_linspace_refuses(arguments: tuple[Any, ...], kind: type[Exception], words: str) -> None:
    with tf.Graph().as_default() as graph, pytest.raises(kind, match=words):
        tf.linspace(*arguments)
    assert len(graph) == 0


def test_linspace_refuses_in_a_run_what_was_not_known_before() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Requires num >= 0: -1"):
        run(lambda n: tf.linspace(0.0, 1.0, n), np.array(-1, np.int32))
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        start, stop = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\]"):
            session.run(tf.linspace(start, stop, 2), {start: [1, 2], stop: [1, 2, 3]})


def test_the_static_shape_of_linspace_is_the_number_and_the_shape_of_the_ends() -> None:
    with tf.Graph().as_default():
        ends, n = tf.placeholder(tf.float32, ["b", 2]), tf.placeholder(tf.int32, [])
        assert str(tf.linspace(ends, ends, 5).shape) == "(5, b, 2)"
        assert str(tf.linspace(0.0, 1.0, n).shape) == "(?,)"
        assert tf.linspace(tf.placeholder(tf.float32), ends, 5).shape.ndims is None
