"""histogram_fixed_width: which bin a value counts in, and what is no range."""

from typing import Any

import numpy as np
import pytest

import penstock as tf

from .index_cases import message_of, run


@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8"])
def test_each_value_counts_in_the_bin_that_holds_it(dtype: str) -> None:
    x = np.random.default_rng(4).integers(-20, 60, (30, 40)).astype(dtype)
    got = run(lambda t: tf.histogram_fixed_width(t, np.array([-8, 40], dtype), 6), x)
    bins = np.clip((x.astype("f8") + 8) // 8, 0, 5)
    assert got.dtype == np.int32
    assert got.tolist() == [int((bins == b).sum()) for b in range(6)]


def test_infinities_count_in_the_outer_bins() -> None:
    x = np.array([-np.inf, np.inf, np.inf], "f4")
    assert run(lambda t: tf.histogram_fixed_width(t, [0.0, 1.0], 3, tf.int64), x).tolist() == [1, 0, 2]


def test_ints_at_the_ends_of_their_range_do_not_wrap() -> None:
    low, high = -(2**63), 2**63 - 1
    x = np.array([low, high, 0, -(2**62)], "i8")
    assert run(lambda t: tf.histogram_fixed_width(t, np.array([0, 4]), 2), x).tolist() == [3, 1]
    assert run(lambda t: tf.histogram_fixed_width(t, np.array([low, high]), 2), x).tolist() == [2, 2]


@pytest.mark.parametrize(
    ("values", "ends", "nbins", "words"),
    [([np.nan], [0, 1], 2, "Histogram values must not contain NaN"),
     ([1], [2, 1], 2, "value_range should satisfy value_range[0] < value_range[1], but got '[2, 1]'"),
     ([1], [0, np.nan], 2, "value_range should satisfy value_range[0] < value_range[1], but got '[0, nan]'"),
     ([1], [0, 1], 0, "nbins should be a positive number, but got '0'")],
)  # fmt: skip
def test_the_run_refuses_what_makes_no_bins(values: Any, ends: Any, nbins: int, words: str) -> None:
    operands = np.array(values, "f4"), np.array(ends, "f4"), np.array(nbins, "i4")
    assert message_of(tf.histogram_fixed_width, *operands) == words


def test_the_number_of_bins_is_the_size() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        assert tf.histogram_fixed_width(x, [0.0, 1.0]).shape.as_list() == [100]
        bins = tf.shape(tf.placeholder(tf.float32, ["bins"]))[0]
        assert str(tf.histogram_fixed_width(x, [0.0, 1.0], bins).shape) == "(bins,)"
        with pytest.warns(tf.MistakeWarning, match="value_range should satisfy"):
            tf.histogram_fixed_width(x, [1.0, 0.0])
