"""Loops of pooling beside a loop in Python over windows, NaN and the smallest numbers included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penstock.runtime.kernels.convolution import fast_pooling
from penstock.runtime.kernels.convolution.convolution_sizes import Window
from penstock.runtime.kernels.convolution.fast_pooling import pool_gradient, pooled
from penstock.runtime.kernels.loops.native_loops import find

from ...fuzz.of_rows import threads
from ...helpers import nightly
from .fences import loops_at_once, needs_the_tier

pytestmark = needs_the_tier
NAN, INF = np.nan, np.inf
SIZES = (((2, 2), (2, 2)), ((3, 3), (2, 2)), ((3, 2), (1, 1)), ((1, 2), (3, 3)), ((5, 4), (2, 1)))


def windows(shape: tuple[int, ...], window: Any, stride: Any, is_same: bool) -> tuple[Window, Window] | None:
    """The windows along both axes; None if they are longer than an axis."""
    found = []
    for size, taps, step in zip(shape[1:3], window, stride, strict=True):
        if is_same:
            places = -(-size // step)
            found.append(Window(taps, step, 1, max(0, (places - 1) * step + taps - size) // 2, places))
        elif taps > size:
            return None
        else:
            found.append(Window(taps, step, 1, 0, (size - taps) // step + 1))
    return found[0], found[1]


def one_by_one(how: str, x: Any, dy: Any, down: Window, across: Window) -> tuple[Any, Any]:
    """Results and gradients, window by window; TensorFlow passes over what is not larger than the smallest number."""
    y, dx = np.zeros_like(dy), np.zeros_like(x)
    count, height, width, channels = x.shape
    for r in range(down.places):
        for c in range(across.places):
            top, left = r * down.step - down.before, c * across.step - across.before
            rows = slice(max(top, 0), min(top + down.taps, height))
            columns = slice(max(left, 0), min(left + across.taps, width))
            numbers = x[:, rows, columns].reshape(count, -1, channels)
            taps = numbers.shape[1]
            if how == "max":
                lowest = np.finfo(x.dtype).min
                above = np.where(numbers > lowest, numbers, lowest)
                y[:, r, c] = above.max(1)
                winner = above.argmax(1)[:, None]
                shares = (np.arange(taps)[None, :, None] == winner) * dy[:, r, c][:, None]
            else:
                total = np.zeros_like(numbers[:, 0])
                for k in range(taps):
                    total += numbers[:, k]
                y[:, r, c] = total / x.dtype.type(taps)
                shares = np.repeat((dy[:, r, c] / x.dtype.type(taps))[:, None], taps, 1)
            dx[:, rows, columns] += shares.reshape(dx[:, rows, columns].shape)
    return y, dx


@pytest.mark.share(2)
@pytest.mark.parametrize("how", ["max", "mean"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("seeds", [range(15), *nightly([range(15, 30)])], ids=["some", "others"])
def test_pooling_has_the_bits_of_a_loop_over_windows(
    seeds: range, how: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5 + seeds[0])
    done = 0
    for seed in seeds:
        monkeypatch.setattr(fast_pooling, "_STREAMED", 0 if seed % 4 else 1 << 40)
        channels = int(rng.choice([1, 3, 16, 17, 40]))
        height, width = [int(n) for n in rng.integers(1, 14, 2)]
        shape = (int(rng.integers(1, 4)), height, width, channels)
        window, stride = SIZES[seed % len(SIZES)]
        both = windows(shape, window, stride, bool(rng.integers(0, 2)))
        if both is None:
            continue
        x = rng.integers(-3, 4, shape).astype(dtype) if seed % 3 else rng.standard_normal(shape).astype(dtype)
        x[rng.random(shape) < 0.1] = rng.choice(np.array([NAN, -INF, INF, np.finfo(dtype).min], dtype))
        dy = rng.integers(-3, 4, (shape[0], both[0].places, both[1].places, channels)).astype(dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            y, dx = one_by_one(how, x, dy, *both)
        with loops_at_once(), threads(seed % 3 + 1):
            found, gradient = pooled(how, x, *both), pool_gradient(how, shape, x, dy, *both)
        case = f"{how} {shape} {both} {seed}"
        assert np.array_equal(found, y, equal_nan=True), case
        assert np.array_equal(gradient, dx) or np.allclose(gradient, dx, 1e-5 if dtype == "f4" else 1e-13), case
        done += 1
    assert done > 8


def test_a_large_gradient_is_written_past_the_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[tuple[Any, ...]] = []

    def noted(*key: Any, work: int) -> Any:
        keys.append(key)
        return find(*key, work=work)

    monkeypatch.setattr(fast_pooling, "find", noted)
    gradients = []
    for streamed in (1 << 40, 0):
        monkeypatch.setattr(fast_pooling, "_STREAMED", streamed)
        rng = np.random.default_rng(1)
        for channels in (32, 33):
            shape = (2, 24, 24, channels)
            both = windows(shape, (2, 2), (2, 2), True)
            assert both is not None
            x, dy = rng.standard_normal(shape, np.float32), rng.standard_normal((2, 12, 12, channels), np.float32)
            with loops_at_once(), threads(1):
                gradients.append(pool_gradient("max", shape, x, dy, *both))
    assert [key[-1] is True for key in keys] == [False, False, True, False]  # a part of a vector is not streamed
    assert np.array_equal(gradients[0], gradients[2])
    assert np.array_equal(gradients[1], gradients[3])


def test_windows_without_an_end_are_left_to_numpy() -> None:
    assert pooled("max", np.ones((1, 3, 20, 4), "f4"), Window(1, 1, 1, 0, 3), Window(9, 1, 1, 0, 12)) is None


@pytest.mark.share(2)
@pytest.mark.parametrize("window", [(2, 2), (7, 7), (1, 3)])
def test_numbers_in_no_window_get_no_gradient(window: tuple[int, int]) -> None:
    shape = (2, 20, 23, 5)
    both = windows(shape, window, (8, 9), False)
    assert both is not None
    dy = np.ones((2, both[0].places, both[1].places, 5), "f4")
    with loops_at_once(), threads(1):
        found = pool_gradient("max", shape, np.ones(shape, "f4"), dy, *both)
    assert found.sum() == dy.size
    assert (found[:, ::8, ::9][:, : both[0].places, : both[1].places] == 1).all()
