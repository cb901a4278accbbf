"""float16 by whole-array instructions has the bits of NumPy's conversions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penstock.ops.halving import BLOCK, half_copy

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def converted(x: Any, dtype: Any) -> Any:
    out = np.empty(x.shape, dtype)
    with np.errstate(all="ignore"):
        half_copy(out, x)
    return out


def bits(x: Any) -> Any:
    """With one NaN for all."""
    return np.where(x != x, x.dtype.type("nan"), x).astype(x.dtype).view(f"u{x.dtype.itemsize}")


def test_every_float16_is_widened_and_comes_back() -> None:
    wide = converted(EVERY, np.float32)
    assert (bits(wide) == bits(EVERY.astype(np.float32))).all()
    assert (bits(converted(wide, np.float16)) == bits(EVERY)).all()


@pytest.mark.parametrize(
    "x",
    [
        np.zeros(BLOCK + 5, np.float32),
        np.full(BLOCK + 5, -0.0, np.float32),
        np.full(40, 3e-5, np.float32),
        np.full(BLOCK * 2, np.inf, np.float32),
        np.full(9, np.nan, np.float32),
        np.linspace(-1e-4, 1e-4, 3 * BLOCK + 1, dtype=np.float32),
        np.linspace(-7e4, 7e4, 2 * BLOCK + 1, dtype=np.float32),
        np.random.default_rng(0).integers(0, 1 << 32, 300_000, np.uint32).view(np.float32),
        np.zeros(0, np.float32),
    ],
    ids=["zeros", "minus zeros", "subnormals", "infinities", "nan", "small", "large", "any bits", "none"],
)
def test_float32_is_rounded_as_numpy_rounds_it(x: Any) -> None:
    with np.errstate(all="ignore"):
        want = x.astype(np.float16)
    assert (bits(converted(x, np.float16)) == bits(want)).all()
    few = x.copy()
    few[::11] = 1.0  # and with ordinary numbers between them
    with np.errstate(all="ignore"):
        want = few.astype(np.float16)
    assert (bits(converted(few, np.float16)) == bits(want)).all()


def test_ties_and_neighbours_of_every_float16_are_rounded_as_numpy_rounds_them() -> None:
    wide = np.sort(EVERY[np.isfinite(EVERY)].astype(np.float32))
    middle = ((wide[1:].astype(np.float64) + wide[:-1]) / 2).astype(np.float32)
    for x in (middle, np.nextafter(middle, np.float32(np.inf)), np.nextafter(middle, np.float32(-np.inf))):
        assert (bits(converted(x, np.float16)) == bits(x.astype(np.float16))).all()
