"""Calls of the loops of pooling and its gradients, over dense NHWC arrays; threads share rows, or images."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, Final

from ...memory.buffer_pool import POOL
from ..loops.native_loops import find, in_shares, shares
from .convolution_sizes import LoopPlan, Shape, Steps, Window
from .depthwise_sizes import depthwise_plan
from .pooling_loops import MOST_TAPS
from .vector_code import machine

MOST_COLUMNS: Final = 8
"""Taps of a row of a window: the loop has code for each."""
_PLANS: Final = 1 << 10
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
    loop = find("pool_gradient", kind, how, _window(down, across), across.step, plan.key[3], overlaps, relu, work=work)
    if loop is None:
        return None
    dx = POOL.empty(shape, dy.dtype)
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
