"""The fast kernels of pooling images and its gradients: compiled loops with the bits of the plain kernels.

A number is compared, and added, in the same order as there: windows add their taps in order, and a number gets the
gradients of its windows in order. float16 and bfloat16 are left to the plain kernels, and so are volumes.

Calls of the loops of pooling and its gradients, over dense NHWC arrays; threads share rows, or images.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, Final

from ....ops.pooling.avg_pool_ops import AVG_POOL
from ....ops.pooling.max_pool_ops import MAX_POOL
from ....ops.pooling.window_geometry import Windows, require_positions
from ...memory.buffer_pool import POOL
from ..loops.native_loops import find, in_shares, is_large, shares
from .convolution_sizes import LoopPlan, Shape, Steps, Window
from .depthwise_sizes import depthwise_plan
from .image_arrays import KINDS, channels_last, laid_out
from .pooling_loops import MOST_TAPS
from .vector_code import machine


def max_pool(xp: Any, x: Any, *attrs: Any) -> Any:
    """The largest number of each window; None where the plain kernel is to run."""
    return _pooled("max", x, MAX_POOL.moves(*attrs).windows(x.shape), attrs) if _is_served(x) else None


def avg_pool(xp: Any, x: Any, *attrs: Any) -> Any:
    """The mean of each window; None where the plain kernel is to run."""
    return _pooled("mean", x, AVG_POOL.moves(*attrs).windows(x.shape), attrs) if _is_served(x) else None


def max_pool_gradient(xp: Any, x: Any, y: Any, dy: Any, *attrs: Any) -> Any:
    """The gradient of `max_pool`; None where the plain kernel is to run."""
    return _max_gradient(x, y, dy, attrs, False)


def max_pool_gradient_of_relu(x: Any, y: Any, dy: Any, *attrs: Any) -> Any:
    """The gradient of `max_pool` by z, where x is the relu of z; None where that cannot be in one pass."""
    return _max_gradient(x, y, dy, attrs, True)


def _max_gradient(x: Any, y: Any, dy: Any, attrs: tuple[Any, ...], relu: bool) -> Any:
    if not _is_served(x) or dy.dtype != x.dtype:
        return None
    windows = MAX_POOL.moves(*attrs).windows(x.shape)
    require_positions("MaxPoolGrad", "orig_output", y, windows)
    require_positions("MaxPoolGrad", "grad", dy, windows)
    return _gradient("max", windows, x, dy, attrs, relu)


def avg_pool_gradient(xp: Any, sizes: Any, dy: Any, *attrs: Any) -> Any:
    """The gradient of `avg_pool`; None where the plain kernel is to run."""
    if not _is_served(dy):
        return None
    windows = AVG_POOL.windows_by_sizes(sizes, *attrs)
    require_positions("AvgPoolGrad", "grad", dy, windows)
    return _gradient("mean", windows, None, dy, attrs)


def _is_served(array: Any) -> bool:
    return array.ndim == 4 and array.dtype in KINDS and is_large(array.size)


def _pooled(how: str, x: Any, windows: Windows, attrs: tuple[Any, ...]) -> Any:
    is_first = "NCHW" in attrs
    both = _both(windows, is_first)
    if both is None:
        return None
    y = pooled(how, channels_last(x, is_first), *both)
    return None if y is None else laid_out(y, is_first)


def _gradient(how: str, windows: Windows, x: Any, dy: Any, attrs: tuple[Any, ...], relu: bool = False) -> Any:
    is_first = "NCHW" in attrs
    both = _both(windows, is_first)
    if both is None:
        return None
    images, a, b, c = windows.sizes
    shape = (images, b, c, a) if is_first else (images, a, b, c)
    numbers = None if x is None else channels_last(x, is_first)
    dx = pool_gradient(how, shape, numbers, channels_last(dy, is_first), *both, relu)
    return None if dx is None else laid_out(dx, is_first)


def _both(windows: Windows, is_first: bool) -> tuple[Window, Window] | None:
    """The windows along both axes of an image; None if there are windows over images or channels, or none at all."""
    axes = list(zip(windows.window, windows.strides, windows.rates, windows.before, windows.outputs, strict=True))
    others = [axes[0], axes.pop(1) if is_first else axes.pop()]
    if any(each[:2] != (1, 1) for each in others) or 0 in windows.sizes or 0 in windows.outputs:
        return None
    down, across = (Window(*each) for each in axes[1:])
    return down, across


MOST_COLUMNS: Final = 8
"""Taps of a row of a window: the loop has code for each."""
_PLANS: Final = 1 << 10
_STREAMED: Final = 16 << 20
"""The bytes from which a gradient is written past the caches, which would read it first, and keep little of it."""
_VECTOR: Final = 2e-9
"""Seconds that a vector of 64 bytes takes, about: from memory, and back."""


def pooled(how: str, x: Any, down: Window, across: Window) -> Any:
    """The maxima ("max") or means ("mean") of windows of dense NHWC images; None where there is no loop."""
    if across.taps > MOST_COLUMNS:
        return None
    images, _, _, channels = x.shape
    kind = f"f{x.itemsize}"
    shape = images, down.places, across.places, channels
    plan = _plan_of(kind, x.shape, down, across, _steps(shape))
    work = prod(shape) * down.taps * across.taps
    loop = find("pool", kind, how, _window(down, across), across.step, *plan.key[3:], work=work)
    if loop is None:
        return None
    y = POOL.empty(shape, x.dtype)
    seconds = (x.nbytes + y.nbytes) / 64 * _VECTOR
    in_shares(shares(plan.parts, seconds), lambda _, start, stop: loop(y, x, plan.sizes, start, stop))
    return y


def pool_gradient(
    how: str, shape: Shape, x: Any, dy: Any, down: Window, across: Window, relu: bool = False
) -> Any:
    """The gradient of `pooled` by x, of that shape; x is not read for means. None where there is no loop.

    relu: whether x is the relu of something, by which the gradient is.
    """
    kind = f"f{dy.itemsize}"
    plan = _plan_of(kind, shape, down, across, _steps(dy.shape))
    overlaps = any(each.taps > each.step for each in (down, across))
    if overlaps and relu:
        return None
    is_covered = all(
        each.taps >= each.step and each.places * each.step - each.before >= size
        for each, size in zip((down, across), shape[1:3], strict=True)
    )
    work = dy.size * down.taps * across.taps
    dx = POOL.empty(shape, dy.dtype)
    is_streamed = (
        dx.nbytes >= _STREAMED and not overlaps and not plan.key[3] and dx.ctypes.data % machine().vector_bytes == 0
    )
    key = _window(down, across), across.step, plan.key[3], overlaps, relu, *([is_streamed] if is_streamed else [])
    loop = find("pool_gradient", kind, how, *key, work=work)
    if loop is None:
        return None
    source = dx if how == "mean" else x
    seconds = (2 * dx.nbytes + dy.nbytes) / 64 * _VECTOR
    if not overlaps and is_covered:
        in_shares(shares(plan.parts, seconds), lambda _, start, stop: loop(dx, source, dy, plan.sizes, start, stop))
        return dx

    def some(_: int, start: int, stop: int) -> None:
        dx[start:stop].fill(0)
        loop(dx, source, dy, plan.sizes, start * down.places, stop * down.places)

    in_shares(shares(shape[0], seconds), some)
    return dx


@lru_cache(maxsize=_PLANS)
def _plan_of(kind: str, shape: Shape, down: Window, across: Window, steps: Steps) -> LoopPlan:
    return depthwise_plan(shape, down, across, int(kind[1]), machine(), steps)


def _window(down: Window, across: Window) -> tuple[int, int]:
    """The window in keys: rows are told if taps are few."""
    return down.taps if down.taps * across.taps <= MOST_TAPS else 0, across.taps


def _steps(shape: tuple[int, ...]) -> Steps:
    """The elements from one image, row, pixel of an array to the next."""
    _, height, width, channels = shape
    return height * width * channels, width * channels, channels
