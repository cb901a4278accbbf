"""Ops on sparse tensors: with compiled loops and without, the same bits and the same errors."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock as tf
from penstock.ops.sparse.sparse_products import sparse_dense_product
from penstock.ops.sparse.sparse_segments import (
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
)
from penstock.ops.sparse.sparse_sums import sparse_sum_gradient
from penstock.runtime.kernels.loops import native_loops

from ...helpers import examples
from .buffers import Guarded, guarded, same_bits
from .fences import loop, loops_at_once, needs_the_tier, run

pytestmark = needs_the_tier

WIDTHS = st.sampled_from([0, 1, 2, 7, 16, 63, 64, 65, 73, 130])
SEEDS = st.integers(0, 2**32)
MANY = settings(max_examples=examples(1) + 2, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True, params=[1, 3], ids=["one share", "three shares"])
def _shares(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setattr(native_loops, "threads_for", lambda seconds: request.param)


def numbers(rng: np.random.Generator, shape: Any, dtype: str) -> Any:
    """Numbers of any size, with zeros of both signs, infinities and NaNs among them."""
    values = rng.standard_normal(shape).astype(dtype)
    odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype)
    return np.where(rng.random(shape) < 0.03, rng.choice(odd, shape), values)


def equal_bits(one: Any, other: Any) -> bool:
    """Equal bits, but for those of NaNs."""
    return bool(np.array_equal(np.isnan(one), np.isnan(other))) and same_bits(np.nan_to_num(one), np.nan_to_num(other))


def both(template: str, op: Any, *args: Any, is_used: bool = True) -> Any:
    """What the op's kernel gives, by the loop and by NumPy."""
    with loops_at_once() as handed, np.errstate(all="ignore"):
        one = run(op, *args)
    assert (template in handed.names) is is_used
    with loops_at_once(on=False), np.errstate(all="ignore"):
        other = run(op, *args)
    pairs = zip(one, other, strict=True) if isinstance(one, tuple) else [(one, other)]
    for mine, plain in pairs:
        assert mine.dtype == plain.dtype and mine.shape == plain.shape
        assert equal_bits(mine, plain)
    return one


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("is_sorted", [True, False])
@given(WIDTHS, st.integers(0, 300), st.booleans(), st.booleans(), st.sampled_from(["i4", "i8"]), SEEDS)
@MANY
def test_products(
    dtype: str, is_sorted: bool, width: int, count: int, adjoint_a: bool, adjoint_b: bool, kind: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows, inner = rng.integers(1, 30, 2)
    index = np.stack([rng.integers(0, rows, count), rng.integers(0, inner, count)], 1).astype(kind)
    index = index[np.lexsort((index[:, 1], index[:, 0]))] if is_sorted else index
    shape = (rows if adjoint_a else inner, width)
    b = numbers(rng, shape[::-1] if adjoint_b else shape, dtype)
    args = index, numbers(rng, count, dtype), np.array([rows, inner]), b, adjoint_a, adjoint_b
    got = both("sparse_product", sparse_dense_product, *args, is_used=bool(count and width))
    assert got.shape == (inner if adjoint_a else rows, width)


@pytest.mark.share(2)
@pytest.mark.parametrize("dtype", ["f2", "i4", "c8"])
def test_products_of_other_dtypes_are_those_of_numpy(dtype: str) -> None:
    index, values = np.array([[0, 1], [1, 0], [1, 1]]), np.array([2, 3, 4], dtype)
    b = np.array([[1, 2], [10, 20]], dtype)
    got = both("sparse_product", sparse_dense_product, index, values, np.array([2, 2]), b, False, False, is_used=False)
    assert got.tolist() == [[20, 40], [43, 86]]


@pytest.mark.share(12)
@pytest.mark.parametrize("column", [0, 1])
@pytest.mark.parametrize("place", [-1, 5, 1 << 40, -(1 << 62)])
@pytest.mark.parametrize("at", [0, 20, 39])
def test_an_index_out_of_range_is_the_error_of_the_plain_kernel(column: int, place: int, at: int) -> None:
    index = np.tile(np.arange(5)[:, None], (8, 2))
    index[at, column] = place
    told = []
    for on in (True, False):
        with loops_at_once(on), pytest.raises(tf.errors.InvalidArgumentError) as caught:
            run(sparse_dense_product, index, np.ones(40, "f4"), np.array([5, 5]), np.ones((5, 3), "f4"), False, False)
        told.append(caught.value.message)
    assert told[0] == told[1]
    assert f"({place}) from index[{at},{column}] out of bounds" in told[0]


@pytest.mark.share(4)
@pytest.mark.parametrize("width", [1, 7, 64, 0])
@pytest.mark.parametrize("weighted", [True, False])
@given(st.integers(1, 40), st.sampled_from([0, 1, 3, 8]), SEEDS)
@MANY
def test_the_loop_touches_nothing_beside_its_arrays(
    width: int, weighted: bool, count: int, off: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    columns = width or 75
    index = np.stack([rng.integers(0, 6, count), rng.integers(0, 9, count)], 1)
    values, b = rng.standard_normal(count).astype("f4"), rng.standard_normal((9, columns)).astype("f4")
    out = Guarded((6, columns), "f4", off)
    out.array[...] = 0
    pairs = guarded(index, off)
    wanted = np.zeros((6, columns), "f4")
    for (row, column), value in zip(index, values, strict=True):
        wanted[row] += value * b[column] if weighted else b[column]
    weights = guarded(values, off) if weighted else b
    arguments = out.array, weights, pairs[:, 0], pairs[:, 1], guarded(b, off)
    done = loop("sparse_product", "f4", ("i8", "i8"), 2, width, weighted)(*arguments, count, 6, 9, columns, columns)
    assert done == count
    assert same_bits(out.array, wanted)
    out.check()


@pytest.mark.share(2)
@pytest.mark.parametrize("op", [sparse_segment_sum, sparse_segment_mean, sparse_segment_sqrt_n])
@given(st.sampled_from([(), (1,), (5,), (3, 30), (0,)]), st.integers(0, 200), st.sampled_from(["f4", "f8"]), SEEDS)
@MANY
def test_sums_of_chosen_rows(op: Any, inner: tuple[int, ...], count: int, dtype: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = numbers(rng, (12, *inner), dtype)
    kinds = rng.choice(["i4", "i8"], 2)
    ids = np.sort(rng.integers(0, 20, count)).astype(kinds[0])
    is_used = bool(count and data.size)
    both("sparse_product", op, data, rng.integers(0, 12, count).astype(kinds[1]), ids, is_used=is_used)


@given(st.integers(0, 60), st.integers(0, 60), st.booleans(), SEEDS)
@MANY
def test_the_gradient_of_a_sum_walks_along_keys_in_order(first: int, second: int, is_shuffled: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)

    def places(count: int) -> Any:
        return np.stack(np.divmod(np.sort(rng.permutation(99)[:count]), 11), 1)

    a, b = places(first), places(second)
    union = np.unique(np.concatenate([a, b]), axis=0)
    kept = union[rng.random(len(union)) < 0.9]  # a threshold takes some away
    b = rng.permutation(b) if is_shuffled else b
    of_a, of_b = both("sorted_match", sparse_sum_gradient, rng.standard_normal(len(kept)), a, b, kept)
    assert len(of_a) == first and len(of_b) == second
