"""Reductions of rows by segment ids, sorted or not, against a loop over the rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf

from .index_cases import Array, message_of, run, same

REDUCTIONS = {"sum": (np.add, 0), "prod": (np.multiply, 1), "max": (np.maximum, None), "min": (np.minimum, None)}
EXACT = ("i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", "bfloat16")


def expected(kind: str, data: Array, ids: Array, count: int, absent: Any) -> Array:
    """The reduction by a loop; small ints are exact in every dtype."""
    ufunc, start = REDUCTIONS[kind]
    out = np.full((count, *data.shape[ids.ndim :]), absent, data.dtype)
    seen: set[int] = set()
    for place in np.ndindex(ids.shape):
        segment = int(ids[place])
        if segment >= 0:
            out[segment] = ufunc(out[segment], data[place]) if segment in seen or start is not None else data[place]
            seen.add(segment)
    return out


def lowest(dtype: Any, kind: str) -> Any:
    """What an absent id gives an unsorted extreme."""
    known = tf.as_dtype(dtype)
    return {"sum": 0, "prod": 1, "max": known.min, "min": known.max}[kind]


@given(st.data(), st.sampled_from(sorted(REDUCTIONS)), st.sampled_from(EXACT), st.sampled_from(["i4", "i8"]))
def test_a_sorted_reduction_is_that_of_a_loop(data: Any, kind: str, dtype: str, index: str) -> None:
    ids = np.array(sorted(data.draw(st.lists(st.integers(0, 6), max_size=7))), index)
    tail = tuple(data.draw(st.lists(st.integers(0, 3), max_size=2)))
    real = tf.bfloat16.np if dtype == "bfloat16" else np.dtype(dtype)
    x = np.random.default_rng(len(ids)).integers(1, 4, (len(ids), *tail)).astype(real)
    got = run(getattr(tf, f"segment_{kind}"), x, ids, known=data.draw(st.booleans()))
    count = int(ids[-1]) + 1 if len(ids) else 0
    assert same(got, expected(kind, x, ids, count, 1 if kind == "prod" else 0))


@given(st.data(), st.sampled_from(sorted(REDUCTIONS)), st.sampled_from(EXACT), st.sampled_from(["i4", "i8"]))
def test_an_unsorted_reduction_is_that_of_a_loop(data: Any, kind: str, dtype: str, index: str) -> None:
    count = data.draw(st.integers(0, 4))
    outer = tuple(data.draw(st.lists(st.integers(0, 3), max_size=2)))
    tail = tuple(data.draw(st.lists(st.integers(0, 3), max_size=2)))
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    ids = rng.integers(-2, count, outer).astype(index) if count else np.full(outer, -1, index)
    real = tf.bfloat16.np if dtype == "bfloat16" else np.dtype(dtype)
    x = rng.integers(1, 4, (*outer, *tail)).astype(real)
    got = run(getattr(tf, f"unsorted_segment_{kind}"), x, ids, np.array(count, "i4"), known=data.draw(st.booleans()))
    assert same(got, expected(kind, x, ids, count, lowest(real, kind)))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "i8", "c8", "bfloat16"])
@pytest.mark.parametrize("width", [1, 3, 9])
def test_many_rows_are_added_as_few_are(dtype: str, width: int) -> None:
    rng = np.random.default_rng(3)
    real = tf.bfloat16.np if dtype == "bfloat16" else np.dtype(dtype)
    x = rng.integers(-2, 3, (40_000, width)).astype(real)
    ids = rng.integers(-1, 500, 40_000)
    exact = np.zeros((500, width), np.complex128)
    np.add.at(exact, ids[ids >= 0], x[ids >= 0].astype(exact.dtype))
    want = (exact if real.kind == "c" else exact.real).astype(real)
    assert same(run(tf.unsorted_segment_sum, x, ids, np.array(500)), want)
    order = np.argsort(ids, kind="stable")[np.count_nonzero(ids < 0) :]
    assert same(run(tf.segment_sum, x[order], ids[order]), want)


@pytest.mark.parametrize("dtype", ["i4", "f4", "bfloat16"])
@pytest.mark.parametrize("kind", ["max", "min"])
def test_extremes_of_long_segments_are_those_of_short_ones(kind: str, dtype: str) -> None:
    real = tf.bfloat16.np if dtype == "bfloat16" else np.dtype(dtype)
    x = np.random.default_rng(8).integers(-90, 90, (400, 2, 3)).astype(real)
    ids = np.array([1] * 150 + [2] * 1 + [5] * 249)
    assert same(run(getattr(tf, f"segment_{kind}"), x, ids), expected(kind, x, ids, 6, 0))


def test_16_bit_floats_are_added_in_32() -> None:
    ones = np.ones(4096, "f2")
    assert run(tf.unsorted_segment_sum, ones, np.zeros(4096, "i4"), np.array(1)) == 4096
    assert run(tf.segment_mean, ones, np.zeros(4096, "i4")) == 1
    assert run(tf.unsorted_segment_mean, ones, np.zeros(4096, "i2"), np.array(1)) == 1


def test_nan_and_infinity_stay_in_their_segment() -> None:
    x, ids = np.array([np.nan, 1, -np.inf, -np.inf, np.inf, 2], "f4"), np.array([0, 0, 1, 1, 2, 2])
    assert same(run(tf.segment_max, x, ids), np.array([np.nan, -np.inf, np.inf], "f4"))
    assert same(run(tf.unsorted_segment_min, x, ids, np.array(3)), np.array([np.nan, -np.inf, 2], "f4"))
    assert same(run(tf.segment_sum, x, ids), np.array([np.nan, -np.inf, np.inf], "f4"))


def test_a_mean_of_ints_is_rounded_towards_zero_and_does_not_wrap() -> None:
    x, ids = np.array([[-7], [2], [127], [127]], "i1"), np.array([0, 0, 1, 1])
    assert same(run(tf.segment_mean, x, ids), np.array([[-2], [127]], "i1"))


def test_sizes_keep_their_names() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", "d"])
        ids = tf.placeholder(tf.int32, ["n"])
        k = tf.shape(tf.placeholder(tf.float32, ["k", 2]))[0]
        assert str(tf.unsorted_segment_sum(x, ids, k).shape) == "(k, d)"
        assert str(tf.unsorted_segment_mean(x, ids, k).shape) == "(k, d)"
        assert str(tf.segment_sum(x, ids).shape) == "(?, d)"
        assert str(tf.segment_sum(tf.zeros([3, 2]), [0, 0, 5]).shape) == "(6, 2)"
        assert str(tf.unsorted_segment_max(x, tf.placeholder(tf.int32), 3).shape) == "<unknown>"


@pytest.mark.parametrize(
    ("ids", "words"),
    [([1, 0, 2], r"segment ids are not increasing: segment_ids[1] = 0 follows 1"),
     ([-1, 0, 1], "segment ids must be >= 0, but segment_ids[0] = -1"),
     ([0, 1], "segment_ids should be the same size as dimension 0 of input. It has 2 entries for 3 rows")],
)  # fmt: skip
def test_sorted_ids_are_checked(ids: list[int], words: str) -> None:
    assert message_of(tf.segment_sum, np.zeros((3, 2), "f4"), np.array(ids)).startswith(words)


def test_ids_that_constants_show_to_be_wrong_warn_while_building() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3])
        with pytest.warns(tf.MistakeWarning, match="not increasing"):
            tf.segment_sum(x, [1, 0, 2])
        with pytest.warns(tf.MistakeWarning, match=r"segment_ids\[2\] = 4 is out of range \[0, 3\)"):
            tf.unsorted_segment_max(x, [0, 1, 4], 3)


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_a_mean_of_unknown_rank_divides_each_row_by_its_count(rank: int) -> None:
    x = np.arange(12, dtype="f8").reshape((2, 3, 2))
    ids = np.arange(6).reshape((2, 3))[(0,) * (2 - rank)] if rank < 2 else np.array([[0, 1, 1], [2, 0, 0]])
    x = x[(0,) * (2 - rank)] if rank < 2 else x
    got = run(tf.unsorted_segment_mean, x, ids, np.array(4), known=False)
    want = run(tf.unsorted_segment_mean, x, ids, np.array(4))
    assert same(got, want)
    for segment in range(4):
        rows = x[ids == segment].reshape(-1, 2)
        np.testing.assert_allclose(got[segment], rows.mean(0) if len(rows) else 0)


def test_the_gradient_of_complex_products_is_conjugate() -> None:
    """TensorFlow's convention: the gradient of Re(sum(w * p)) with respect to z is conj(w * dp/dz)."""
    z = np.array([1 + 2j, 3 - 1j, 2j, 0, 4 + 1j, 0, 0, 1 - 1j])
    ids = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    w = np.array([2 - 1j, 1j, 3 + 1j])
    others = np.array([w[i] * np.prod(np.delete(z, k)[np.delete(ids, k) == i]) for k, i in enumerate(ids)])
    with tf.Graph().as_default(), tf.Session() as session:
        given = tf.placeholder(tf.complex128, [8])
        loss = tf.reduce_sum(tf.real(tf.segment_prod(given, ids) * w))
        (gradient,) = tf.gradients(loss, given)
        np.testing.assert_allclose(session.run(gradient, {given: z}), others.conj(), rtol=1e-12)
