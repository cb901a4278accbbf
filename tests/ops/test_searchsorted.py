"""searchsorted against NumPy's, row by row."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf

from .index_cases import POOLS, message_of, run, same, shapes, values
from .test_sorting import REAL


@given(st.data(), st.sampled_from(REAL), shapes, st.integers(0, 9), st.sampled_from(["left", "right"]))
def test_places_are_those_of_numpy(data: Any, dtype: str, outer: tuple[int, ...], length: int, side: Any) -> None:
    wide = "f4" if dtype in ("f2", "bfloat16") else POOLS[dtype].dtype
    rows = np.sort(data.draw(values((*outer, length), dtype)).astype(wide), axis=-1).astype(POOLS[dtype].dtype)
    wanted = data.draw(values((*outer, data.draw(st.integers(0, 4))), dtype))
    known = data.draw(st.booleans())
    got = run(lambda a, b: tf.searchsorted(a, b, side, tf.int64), rows, wanted, known=known)
    want = np.zeros(wanted.shape, "i8")
    for place in np.ndindex(outer):
        want[place] = np.searchsorted(rows[place].astype(wide), wanted[place].astype(wide), side)
    assert same(got, want)


@pytest.mark.parametrize("side", ["left", "right"])
def test_long_rows_are_searched_as_short_ones(side: Any) -> None:
    rng = np.random.default_rng(6)
    rows, wanted = np.sort(rng.integers(0, 50, (3, 400))), rng.integers(-2, 53, (3, 90))
    got = run(lambda a, b: tf.searchsorted(a, b, side), rows, wanted)
    assert same(got, np.array([np.searchsorted(r, w, side) for r, w in zip(rows, wanted, strict=True)], "i4"))


@pytest.mark.parametrize("side", ["left", "right"])
def test_nan_is_greater_than_all_numbers_and_equal_to_itself_in_each_row(side: Any) -> None:
    rows = np.array([[1.0, 2.0, np.nan, np.nan], [np.nan] * 4, [1.0, 2.0, 3.0, 4.0]])
    wanted = np.array([[np.nan, 2.0, 5.0]] * 3)
    got = run(lambda a, b: tf.searchsorted(a, b, side), rows, wanted)
    assert same(got, np.array([np.searchsorted(r, w, side) for r, w in zip(rows, wanted, strict=True)], "i4"))


def test_rows_that_do_not_belong_together_are_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
        tf.searchsorted(np.zeros((2, 4)), np.zeros((3, 4)))
    message = message_of(tf.searchsorted, np.zeros((2, 4)), np.zeros((3, 4)))
    assert message == "Leading dim_size of both tensors must match. The shapes are [2,4] and [3,4]"


def test_the_side_is_one_of_two_words() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be either 'right' or 'left'"):
        tf.searchsorted([1, 2], [1], side="middle")


def test_the_result_has_the_named_sizes_of_both() -> None:
    with tf.Graph().as_default():
        rows, wanted = tf.placeholder(tf.float32, ["batch", 9]), tf.placeholder(tf.float32, [None, "m"])
        assert str(tf.searchsorted(rows, wanted).shape) == "(batch, m)"
