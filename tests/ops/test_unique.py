"""unique finds the values of a vector, in order of first appearance."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf

from .index_cases import Array, dtypes, empty, message_of, run, same, values

f4 = np.float32


def first_appearances(x: Array) -> tuple[list[Any], list[int]]:
    y: list[Any] = []
    idx = []
    for value in x:
        place = next((i for i, known in enumerate(y) if known == value), len(y))
        if place == len(y):
            y.append(value)
        idx.append(place)
    return y, idx


@given(st.data(), dtypes.filter(lambda d: d[0] != "c"), st.sampled_from([tf.int32, tf.int64]))
def test_unique_lists_values_as_they_appear(data: Any, dtype: str, out_idx: tf.DType) -> None:
    x = data.draw(values([data.draw(st.integers(0, 12))], dtype))
    y, idx = run(lambda t: tf.unique(t, out_idx), x)
    want_y, want_idx = first_appearances(x)
    assert idx.dtype == out_idx.np
    assert idx.tolist() == want_idx
    want = empty([len(want_y)], x)
    want[:] = want_y
    assert same(y, want)


def test_unique_counts_nans_apart_and_zeros_together() -> None:
    y, idx = run(tf.unique, np.array([-0.0, np.nan, 0.0, np.nan], f4))
    assert same(y, np.array([-0.0, np.nan, np.nan], f4))
    assert idx.tolist() == [0, 1, 0, 2]


def test_unique_finds_bfloat16_values_beside_nans() -> None:
    y, idx = run(tf.unique, np.array([0, np.nan, 0, 1, np.nan, 1], f4).astype(tf.bfloat16.np))
    assert same(y.astype(f4), np.array([0, np.nan, 1, np.nan], f4))
    assert idx.tolist() == [0, 1, 0, 2, 3, 2]


def test_unique_refuses_what_is_no_vector() -> None:
    assert message_of(tf.unique, np.zeros((1, 2), f4)).startswith("unique expects a 1D vector.")
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Shape must be rank 1 but is rank 2"):
        tf.unique([[1, 2]])
