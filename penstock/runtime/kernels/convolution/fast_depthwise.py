"""The fast kernels of depthwise convolutions and their gradients: compiled loops, from the first run on.

See `fast_convolution` for when they are used. With a multiplier of M, each channel of the input is written M times
first, so that a channel of the result reads one channel.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from ....ops.convolution.conv2d_ops import steps_of_images
from ....ops.convolution.convolution_geometry import Geometry, geometry_of
from ....ops.convolution.depthwise_ops import DEPTHWISE
from ...memory.buffer_pool import POOL
from ..loops.native_loops import find_at_once, in_shares, is_on, shares
from .convolution_sizes import LoopPlan, Shape, Steps, Window
from .depthwise_sizes import ROWS, depthwise_plan
from .fast_convolution import is_served, parts_of_input_gradient, windows_of
from .image_arrays import channels_last, copy_of, dense, laid_out, narrowed
from .vector_code import machine

MOST_TAPS: Final = 7
"""Taps of a row of a window: their weights are in registers."""
_PLANS: Final = 1 << 10
_TAP: Final = 5e-10
"""Seconds that a tap of a vector of 64 bytes takes, about."""


def depthwise(xp: Any, x: Any, w: Any, *attrs: Any) -> Any:
    """The depthwise convolution; None where NumPy computes it."""
    if x.ndim != 4 or w.ndim != 4 or not is_on():
        return None
    g = geometry_of(x.shape, w.shape, steps_of_images(*attrs), True)
    if not _is_served(g, x, w):
        return None
    y = POOL.empty((g.batch, *g.outputs, g.filters), dense_dtype(x))
    is_done = _convolve_into(y, _repeated(x, g), dense(w), *windows_of(g))
    return laid_out(narrowed(y, x.dtype), g.is_channels_first) if is_done else None


def depthwise_input_gradient(xp: Any, sizes: Any, w: Any, dy: Any, *attrs: Any) -> Any:
    """The gradient by the input; None where NumPy computes it."""
    if w.ndim != 4 or dy.ndim != 4 or not is_on():
        return None
    g = DEPTHWISE.geometry_by_input(sizes, w, dy, *attrs)
    if not _is_served(g, dy, w):
        return None
    gradients, flipped = channels_last(dy, g.is_channels_first), dense(w)[::-1, ::-1]
    parts, is_covered = parts_of_input_gradient(g)
    dx = POOL.empty((g.batch, *g.inputs, g.filters), gradients.dtype)
    if not is_covered:
        dx.fill(0)
    for positions, taps, down, across in parts:
        if not _convolve_into(dx[:, *positions], gradients, copy_of(flipped[taps]), down, across):
            return None
    if g.filters > g.channels:
        dx = dx.reshape(*dx.shape[:3], g.channels, g.filters // g.channels).sum(-1)
    return laid_out(narrowed(dx, dy.dtype), g.is_channels_first)


def depthwise_filter_gradient(xp: Any, x: Any, sizes: Any, dy: Any, *attrs: Any) -> Any:
    """The gradient by the filter; None where NumPy computes it."""
    if x.ndim != 4 or dy.ndim != 4 or not is_on():
        return None
    g = DEPTHWISE.geometry_by_filter(x, sizes, dy, *attrs)
    if not _is_served(g, x, dy):
        return None
    images, gradients = _repeated(x, g), channels_last(dy, g.is_channels_first)
    down, across = windows_of(g)
    kind = f"f{images.itemsize}"
    plan = _plan_of(kind, images.shape, down, across, (*_steps(gradients),))
    lanes = machine().lanes(kind)
    vectors = 2 if g.filters % (2 * lanes) == 0 and machine().registers == 32 else 1
    loop = find_at_once("depthwise_filter", kind, *plan.key[:4], vectors)
    if loop is None:
        return None
    # Each part has a gradient of its own, and these are added in order: bits do not depend on the threads.
    number = g.batch * -(-down.places // ROWS)
    parts = np.empty((number, *g.window, g.filters), images.dtype)

    def some(_: int, start: int, stop: int) -> None:
        loop(parts, images, gradients, plan.sizes, start, stop)

    in_shares(shares(number, _seconds(gradients, g.window)), some)
    dw = parts[0] if number == 1 else parts.sum(0)
    return narrowed(dw.reshape(*g.window, g.channels, -1), x.dtype)


def _is_served(g: Geometry, *arrays: Any) -> bool:
    return g.window[1] <= MOST_TAPS and is_served(g, *arrays)


def dense_dtype(array: Any) -> Any:
    """The dtype in which an array is computed."""
    return np.dtype(np.float32) if array.dtype.itemsize == 2 else array.dtype


def _repeated(x: Any, g: Geometry) -> Any:
    """The images as NHWC, each channel as often as it has filters."""
    images = channels_last(x, g.is_channels_first)
    return images if g.filters == g.channels else np.repeat(images, g.filters // g.channels, axis=3)


@lru_cache(maxsize=_PLANS)
def _plan_of(kind: str, shape: Shape, down: Window, across: Window, steps: Steps) -> LoopPlan:
    return depthwise_plan(shape, down, across, int(kind[1]), machine(), steps)


def _steps(array: Any) -> Steps:
    image, row, pixel = [stride // array.itemsize for stride in array.strides[:3]]
    return image, row, pixel


def _convolve_into(y: Any, x: Any, w: Any, down: Window, across: Window) -> bool:
    """Write the convolution of dense arrays to a view of an NHWC array; False if nothing is compiled."""
    kind = f"f{x.itemsize}"
    plan = _plan_of(kind, x.shape, down, across, _steps(y))
    loop = find_at_once("depthwise", kind, *plan.key)
    if loop is None:
        return False
    seconds = _seconds(y, (down.taps, across.taps))
    in_shares(shares(plan.parts, seconds), lambda _, start, stop: loop(y, x, w, plan.sizes, start, stop))
    return True


def _seconds(array: Any, window: tuple[int, ...]) -> float:
    return float(array.nbytes / 64 * window[0] * window[1] * _TAP)
