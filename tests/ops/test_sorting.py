"""sort and argsort against Python's stable sort, with NaNs last."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf

from .index_cases import POOLS, Array, message_of, run, same, shapes, values

REAL = [name for name in sorted(POOLS) if name not in ("bool", "string") and name[0] != "c"]


def stable_order(row: Array, descending: bool) -> list[int]:
    """The indices in order; Python's sort is stable."""
    numbers = [float(v) if row.dtype.kind not in "iu" else int(v) for v in row]

    def key(i: int) -> tuple[bool, float]:
        number = numbers[i]
        return math.isnan(number), 0 if math.isnan(number) else -number if descending else number

    return sorted(range(len(row)), key=key)


@given(st.data(), st.sampled_from(REAL), shapes.filter(bool), st.booleans())
def test_the_order_is_the_stable_one_with_nans_last(
    data: Any, dtype: str, shape: tuple[int, ...], descending: bool
) -> None:
    x = data.draw(values(shape, dtype))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    direction = "DESCENDING" if descending else "ASCENDING"
    known = data.draw(st.booleans())
    order = run(lambda t: tf.argsort(t, axis, direction), x, known=known)
    want = np.apply_along_axis(stable_order, axis, x, descending) if x.size else np.zeros(x.shape)
    assert same(order, want.astype("i4"))
    sorted_values = run(lambda t: tf.sort(t, axis, direction), x, known=known)
    assert same(sorted_values, np.take_along_axis(x, order.astype(int), axis))


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
def test_long_rows_are_sorted_as_short_ones(dtype: str, direction: str) -> None:
    x = POOLS[dtype][np.random.default_rng(1).integers(0, 8, (2, 300))]
    order = run(lambda t: tf.argsort(t, direction=direction), x)
    want = np.array([stable_order(row, direction == "DESCENDING") for row in x], "i4")
    assert same(order, want)
    assert same(run(lambda t: tf.argsort(t, 0, direction), np.ascontiguousarray(x.T)), want.T)
    assert same(run(lambda t: tf.sort(t, direction=direction), x), np.take_along_axis(x, want.astype(int), 1))


@pytest.mark.parametrize("dtype", ["i1", "u4", "i4", "i8", "u8"])
def test_the_extremes_of_ints_are_in_order(dtype: str) -> None:
    limits = np.iinfo(dtype)
    x = np.array([limits.max, limits.min, 1, limits.max, limits.min] * 100, dtype)
    assert run(tf.argsort, x)[:200].tolist() == [i for i in range(500) if i % 5 in (1, 4)]
    assert run(lambda t: tf.sort(t, direction="DESCENDING"), x).tolist() == sorted(x.tolist(), reverse=True)


def test_an_axis_out_of_range_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"axis must be in the range \[-1, 1\), but is 1"):
        tf.sort([1, 2], axis=1)
    assert message_of(lambda t: tf.argsort(t, axis=1), np.zeros(2)) == "axis must be in the range [-1, 1), but is 1"


def test_the_direction_is_one_of_two_words() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="should be one of ASCENDING, DESCENDING"):
        tf.sort([1, 2], direction="down")


def test_sorting_keeps_names_of_sizes() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["batch", "n"])
        assert str(tf.sort(x).shape) == str(tf.argsort(x, 0).shape) == "(batch, n)"
