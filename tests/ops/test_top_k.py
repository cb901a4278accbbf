"""top_k against a stable descending sort."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf

from .index_cases import POOLS, message_of, run, same, shapes, values
from .test_sorting import REAL, stable_order


@given(st.data(), st.sampled_from(REAL), shapes.filter(bool))
def test_the_largest_come_first_and_equal_ones_by_index(data: Any, dtype: str, shape: tuple[int, ...]) -> None:
    x = data.draw(values(shape, dtype))
    k = data.draw(st.integers(0, shape[-1]))
    got, places = run(tf.top_k, x, np.array(k), known=data.draw(st.booleans()))
    rows = x.reshape(-1, shape[-1]) if x.size else np.zeros((0, shape[-1]), x.dtype)
    want = np.array([stable_order(row, True)[:k] for row in rows], "i4").reshape((*shape[:-1], k))
    assert same(places, want)
    assert same(got, np.take_along_axis(x, want.astype(int), -1))


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize(("rows", "length"), [(40, 50), (2, 5000)])
@pytest.mark.parametrize("k", [1, 7, 49])
def test_large_operands_give_what_small_ones_do(dtype: str, rows: int, length: int, k: int) -> None:
    x = POOLS[dtype][np.random.default_rng(2).integers(0, 8, (rows, length))]
    got, places = run(lambda t: tf.top_k(t, k), x)
    want = np.array([stable_order(row, True)[:k] for row in x], "i4")
    assert same(places, want)
    assert same(got, np.take_along_axis(x, want.astype(int), 1))


def test_nans_come_after_everything_else() -> None:
    x = np.full(5000, np.nan, "f4")
    x[[70, 4000]] = -np.inf, 2
    assert run(lambda t: tf.top_k(t, 4), x)[1].tolist() == [4000, 70, 0, 1]


def test_results_have_names() -> None:
    with tf.Graph().as_default():
        found = tf.top_k(tf.placeholder(tf.float32, ["batch", 9]), k=2)
        assert (str(found.values.shape), found.indices.dtype) == ("(batch, 2)", tf.int32)


@pytest.mark.parametrize(("k", "words"), [(4, "input must have at least k columns. Had 3, needed 4"),
                                          (-1, "Need k >= 0, got -1")])  # fmt: skip
def test_the_run_checks_how_many_there_are(k: int, words: str) -> None:
    assert message_of(tf.top_k, np.zeros((2, 3)), np.array(k)) == words
