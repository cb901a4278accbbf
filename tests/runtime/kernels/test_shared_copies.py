"""Threads that share the movement of rows give the bits of one thread and of NumPy, and write every element once."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import permutations
from threading import Lock
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.runtime.base import thread_pool
from penstock.runtime.base.thread_pool import thread_limit
from penstock.runtime.execution.row_major import row_major_copies, row_major_copy
from penstock.runtime.kernels.loops import native_loops
from penstock.runtime.kernels.shared_copies import copied_in_shares, copy_in_shares, divided_axis

from ...helpers import nightly, some_nightly
from .buffers import random_bits, same_bits
from .fences import loops_at_once, needs_the_tier, run

THREADS = [2, 3, 7]
DTYPES = ["u1", "u2", "f4", "f8", "c16", "V3"]


@contextmanager
def shared_by(threads: int) -> Iterator[None]:
    """A block in which all work is divided among so many threads."""
    with patch.object(thread_pool, "WORTH", 1e-15), patch.object(native_loops, "FEWEST", 1), thread_limit(threads):
        yield


# ---- the owner ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "grains", "axis"), [
    ((3000, 3000), (1, 64), 0),
    ((3, 100_000), (1, 64), 1),
    ((3, 100_000), (3, 100_000), 0),
    ((8, 100_000, 5), (1, 16, 5), 1),
    ((70, 100_000), (16, 16), 1),
    ((5, 9, 7), (1, 1, 64), 1),
])  # fmt: skip
def test_the_first_axis_that_is_long_enough_is_divided(shape: Any, grains: Any, axis: int) -> None:
    assert divided_axis(shape, grains) == axis


@pytest.mark.share(6)
@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (5,), (1001,), (3, 0, 2), (65, 3), (3, 513), (7, 5, 130), (2,) * 9])
def test_every_element_is_copied_once(shape: tuple[int, ...], threads: int) -> None:
    target, lock = np.zeros(shape, int), Lock()

    def count(target: Any, source: Any) -> None:
        with lock:
            target += source

    with shared_by(threads):
        copy_in_shares(target, np.ones(shape, int), count)
    assert (target == 1).all()


@given(st.integers(0, 300), st.integers(0, 300), st.integers(1, 5), st.integers(1, 3), st.integers(0, 2**32))
def test_any_view_is_copied(rows: int, columns: int, threads: int, step: int, seed: int) -> None:
    x = random_bits(np.random.default_rng(seed), (rows, columns), "f4")[::-1, ::step]
    with shared_by(threads):
        assert same_bits(copied_in_shares(np, x), x.copy())


def test_an_error_of_one_share_is_raised() -> None:
    with shared_by(2), pytest.raises(TypeError):
        copy_in_shares(np.zeros(1000, int), np.full(1000, 1j))


def test_small_copies_are_left_to_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_loops, "parallel_for", lambda *_: pytest.fail("helpers were called"))
    copy_in_shares(np.zeros(1 << 20, np.uint8), np.zeros(1 << 20, np.uint8))


# ---- fetched views ------------------------------------------------------------------------------


@pytest.mark.share(14)
@needs_the_tier
@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [
    (300, 411), (20_001, 3), (3, 20_001), (16, 5001), (4, 3, 6001), (4, 6001, 3), (64, 5, 399), (9, 8, 20, 33),
])  # fmt: skip
def test_views_are_copied_by_the_loops(shape: tuple[int, ...], dtype: str, threads: int) -> None:
    x = random_bits(np.random.default_rng(0), (*shape, np.dtype(dtype).itemsize), "u1").view(dtype)[..., 0]
    for order in permutations(range(len(shape))):
        turned = x.transpose(order)
        for view in (turned, turned[..., 1:], turned[::-1], turned[..., ::2]):
            with shared_by(threads), loops_at_once(), patch("penstock.runtime.execution.row_major.SMALL", 0):
                found = row_major_copy(view)
            assert same_bits(found, np.ascontiguousarray(view))


@pytest.mark.share(6)
@needs_the_tier
@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("dtype", DTYPES[:5])
@pytest.mark.parametrize(("width", "parts"), [(2, 2), (16, 4), (48, 3), (9, 9), (17, 17)])
def test_parts_of_a_split_are_copied_together(width: int, parts: int, dtype: str, threads: int) -> None:
    x = random_bits(np.random.default_rng(0), (8_001, width), dtype)
    for views in (np.split(x, parts, 1), np.split(x[::-1], parts, 1)):
        with shared_by(threads), loops_at_once():
            found = row_major_copies(views)
        for copy, view in zip(found, views, strict=True):
            assert same_bits(copy, np.ascontiguousarray(view))


# ---- ops ----------------------------------------------------------------------------------------


def check(name: str, *args: Any) -> None:
    """With loops and without, on several threads: the bits that NumPy gives on one."""
    with loops_at_once(on=False):
        expected = run(OPS[name], *args)
    for threads in THREADS:
        for on in (True, False):
            with shared_by(threads), loops_at_once(on):
                assert same_bits(run(OPS[name], *args), expected), (name, threads, on)


@pytest.mark.share(3)
@needs_the_tier
@pytest.mark.parametrize("dtype", some_nightly(DTYPES[:5], ["u1", "f4", "c16"]))
@pytest.mark.parametrize("count", [0, 1, 3, 63, 6_003, *nightly([2, 1001, 30_003])])
def test_joined_repeated_and_padded_arrays(dtype: str, count: int) -> None:
    rng = np.random.default_rng(count)
    x, y = (random_bits(rng, (count, 48), "u1").view(dtype) for _ in range(2))
    for values in ([x, y], [x, x[:, :1], y], [x[::-1], y[::-1]], [x] * 9):
        check("Concat", np.array(1), values)
        check("Concat", np.array(0), values if len({v.shape for v in values}) == 1 else [x, y])
    for axis in range(3):
        check("Stack", [x, y], axis)
    check("Pack", [x, y, x])
    for factors in ([1, 2], [3, 1], [2, 3], [1, 40]):
        check("Tile", x, np.array(factors))
    for frame in ([[0, 0], [0, 0]], [[1, 2], [0, 0]], [[0, 0], [3, 0]], [[5, 0], [1, 70]], [[40, 50], [0, 3]]):
        check("Pad", x, np.array(frame))
        check("Pad", x.reshape(-1), np.array(frame[:1]))


@needs_the_tier
def test_few_long_rows_are_divided_along_the_joined_axis() -> None:
    rng = np.random.default_rng(0)
    values = [random_bits(rng, (3, width), "f4") for width in (5000, 0, 1, 70_001, 3)]
    check("Concat", np.array(1), values)
    check("Concat", np.array(0), [v.T for v in values])
    check("Concat", np.array(0), [v.T.copy() for v in values])
    check("Stack", [values[3], values[3][::-1]], 1)
    check("Pad", values[3], np.array([[0, 1], [2, 3]]))
    check("Tile", values[3], np.array([1, 2]))


@pytest.mark.share(6)
@needs_the_tier
@pytest.mark.parametrize("dtype", DTYPES[:5])
@pytest.mark.parametrize("count", [0, 1, 2, 65, 999, 30_001])
def test_chosen_and_reversed_rows(dtype: str, count: int) -> None:
    rng = np.random.default_rng(count)
    x, y = (random_bits(rng, (count, 16), dtype) for _ in range(2))
    check("Select", rng.random((count, 16)) < 0.5, x, y)
    check("Select", rng.random(count) < 0.5, x, y)
    check("Select", np.array(True), x, y)
    check("Multiplex", [x, y], rng.integers(0, 2, (count, 1)).astype("i4"))
    check("ReverseSequence", x, rng.integers(0, 17, count), 1)


@needs_the_tier
@pytest.mark.parametrize(("at", "threads"), [(0, 2), (29_999, 2), (15_000, 3)])
def test_a_bad_index_in_any_share_is_told(at: int, threads: int) -> None:
    index = np.zeros((30_000, 1), "i4")
    index[at] = 2
    with shared_by(threads), loops_at_once(), pytest.raises(tf.errors.InvalidArgumentError, match="2"):
        run(OPS["Multiplex"], [np.zeros((30_000, 3), "f4")] * 2, index)
    with shared_by(threads), loops_at_once(), pytest.raises(tf.errors.InvalidArgumentError, match=f"seq_lens.{at}"):
        run(OPS["ReverseSequence"], np.zeros((30_000, 1), "f4"), index.reshape(-1), 1)


@pytest.mark.share(2)
@needs_the_tier
@pytest.mark.parametrize("count", [0, 1, 63, 999, 30_001])
def test_casts(count: int) -> None:
    x = (np.random.default_rng(0).random(count) * 300 - 20).astype("f4")
    for dtype in (tf.float16, tf.bfloat16, tf.int32, tf.uint8, tf.float64):
        check("Cast", x, dtype)
        check("Cast", x[::2], dtype)
    check("Cast", x.astype("f2"), tf.float32)


@needs_the_tier
@pytest.mark.parametrize("rows", [400_001, *nightly([3_000_001])])
def test_arrays_beyond_the_caches(rows: int) -> None:
    rng = np.random.default_rng(0)
    x = random_bits(rng, (rows, 3), "f4")
    with shared_by(3), loops_at_once():
        assert same_bits(row_major_copy(x.T), np.ascontiguousarray(x.T))
    check("Concat", np.array(1), [x, x])
    check("Pad", x, np.array([[1, 1], [1, 1]]))
