"""The fast kernels of pooling images and its gradients: compiled loops with the bits of the plain kernels.

A number is compared, and added, in the same order as there: windows add their taps in order, and a number gets the
gradients of its windows in order. float16 and bfloat16 are left to the plain kernels, and so are volumes.
"""

from __future__ import annotations

from typing import Any

from ....ops.pooling.avg_pool_ops import AVG_POOL
from ....ops.pooling.max_pool_ops import MAX_POOL
from ....ops.pooling.window_geometry import Windows, require_positions
from ..loops.native_loops import is_large
from .convolution_sizes import Window
from .image_arrays import KINDS, channels_last, laid_out
from .native_pooling import pool_gradient, pooled


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
