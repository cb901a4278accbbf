"""Compiled loops of random numbers: the bits of the NumPy kernels, for any count, place and number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from penstock.graph.shapes.dtypes import DType, bfloat16, float16, float32, float64
from penstock.ops.random import random_kernels
from penstock.ops.random.philox import Position, random_words, stream_start
from penstock.ops.random.random_nodes import FLOAT_DTYPES
from penstock.ops.random.random_shuffle import permutation
from penstock.runtime.kernels import fast_random
from penstock.runtime.kernels.loops import native_loops

from .fences import loop, needs_the_tier

pytestmark = needs_the_tier

PLACES = (
    stream_start(87654321, 7),
    stream_start(-5, 2**63 - 1),
    Position(87654321 << 31 | 5, (1 << 64) - 7),  # the counter carries within a strip
    Position(3, (1 << 128) - 3),
)
COUNTS = (1, 5, 63, 64, 65, 4097, 33_000)


@pytest.fixture(autouse=True, params=[1, 3])
def compiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Loops are compiled at once, and work is divided among one or three threads whatever it costs."""
    monkeypatch.setattr(native_loops, "threads_for", lambda seconds: request.param)
    monkeypatch.setattr(fast_random, "find", lambda name, *key, work: loop(name, *key))
    yield


def bits(array: Any) -> Any:
    return array.view(f"u{array.itemsize}")


@pytest.mark.parametrize("dtype", FLOAT_DTYPES, ids=str)
@pytest.mark.parametrize(
    ("fast", "plain"),
    [
        (fast_random.random_uniform, random_kernels.uniform),
        (fast_random.random_normal, random_kernels.normal),
        (fast_random.truncated_normal, random_kernels.truncated_normal),
    ],
    ids=["uniform", "normal", "truncated"],
)
def test_floats_have_the_bits_of_numpy(fast: Any, plain: Any, dtype: DType) -> None:
    for at in PLACES:
        for count in COUNTS:
            found = fast(np, at, np.array([count]), dtype, 0, 0)
            np.testing.assert_array_equal(bits(found), bits(plain(at, count, dtype)))


@pytest.mark.parametrize("kind", ["i4", "i8"])
def test_ints_have_the_bits_of_numpy(kind: str) -> None:
    info = np.iinfo(kind)
    for low, high in ((0, 1), (0, 10), (-7, 1000), (-(2**31), 2**31 - 1), (info.min, info.max), (5, 2**31 - 1)):
        for at in PLACES:
            for count in COUNTS:
                bounds = np.array(low, kind), np.array(high, kind)
                found = fast_random.random_uniform_int(np, at, np.array([count]), *bounds, 0, 0)
                want = random_kernels.uniform_int(at, count, low, high, np.dtype(kind))
                np.testing.assert_array_equal(found, want)
                assert found.dtype == want.dtype


def test_the_quotient_of_words_is_exact_for_every_divisor() -> None:
    at, count = PLACES[0], 6400
    for values in (1, 2, 3, 5, 7, 641, 65537, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1):
        low = -(2**31)
        bounds = np.array(low, "i4"), np.array(min(low + values, 2**31 - 1), "i4")
        found = fast_random.random_uniform_int(np, at, np.array([count]), *bounds, 0, 0)
        span = int(bounds[1]) - low
        np.testing.assert_array_equal(found.astype("i8") - low, random_words(at, count).astype("i8") % span)


def test_words_and_shuffles_have_the_bits_of_numpy() -> None:
    for at in PLACES:
        for count in (1, 2, 63, 64, 1000, 20_001):
            np.testing.assert_array_equal(fast_random.words(np, at, count), random_words(at, count))
            shuffled = fast_random.random_shuffle(np, at, np.arange(count + 1), 0, 0)
            np.testing.assert_array_equal(shuffled, permutation(at, count))


def test_nothing_is_asked_for_an_empty_result() -> None:
    assert fast_random.random_normal(np, PLACES[0], np.array([0, 3]), float32, 0, 0) is None
    assert fast_random.random_uniform(np, PLACES[0], np.array([0]), float16, 0, 0) is None
    assert fast_random.truncated_normal(np, PLACES[0], np.array([3, 0]), float64, 0, 0) is None
    assert fast_random.random_normal(np, PLACES[0], np.array([2]), bfloat16, 0, 0) is not None
