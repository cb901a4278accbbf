"""Calls of the loops of convolutions, over dense NHWC arrays; threads share rows of the result, or tiles of a filter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

import numpy as np

from ...memory.buffer_pool import POOL
from ..loops.native_loops import find_at_once, in_shares, shares
from .convolution_sizes import (
    BAND,
    LoopPlan,
    Shape,
    Steps,
    Window,
    convolution_plan,
    few_channels_plan,
    filter_gradient_plan,
)
from .few_channels_loop import MOST_CHANNELS
from .vector_code import machine

MULTIPLICATION: Final = {"f4": 2e-11, "f8": 4e-11}
"""Seconds that a multiplication takes, about; half of that on processors with vectors of 64 bytes."""
_PLANS: Final = 1 << 10
_SHORTEST: Final = 24
_LONGEST: Final = 64
"""The pixels of a row where any number will do."""
_TURNS: Final = 4
"""The images of a thread, at least, where several convolutions take turns."""
_TILE: Final = 6
"""The pixels of a tile of four vectors."""


@lru_cache(maxsize=_PLANS)
def _plan_of(kind: str, shape: Shape, down: Window, across: Window, channels: int, steps: Steps) -> LoopPlan:
    return convolution_plan(shape, down, across, channels, int(kind[1]), machine(), steps)


@lru_cache(maxsize=_PLANS)
def _narrow_plan_of(kind: str, shape: Shape, down: Window, across: Window, channels: int, steps: Steps) -> LoopPlan:
    return few_channels_plan(shape, down, across, channels, int(kind[1]), machine(), steps)


@lru_cache(maxsize=_PLANS)
def _gradient_plan_of(kind: str, shape: Shape, down: Window, across: Window, channels: int) -> LoopPlan:
    return filter_gradient_plan(shape, down, across, channels, int(kind[1]), machine())


class RowsOfConvolution(NamedTuple):
    """A convolution that can be computed some rows at a time: the number of rows of all images, the seconds that one
    thread takes for all of them, about, and what computes rows `start` to `stop`.
    """

    rows: int
    seconds: float
    compute: Callable[[int, int], object]

    def compute_all(self) -> None:
        """Compute all rows, on several threads if that pays."""
        in_shares(shares(self.rows, self.seconds), lambda _, start, stop: self.compute(start, stop))


def convolve_into(y: Any, x: Any, w: Any, down: Window, across: Window, bias: Any = None, relu: bool = False) -> bool:
    """Write the convolution of x with w to y; False if nothing is compiled on this machine.

    x is dense; w too, and HWIO. y is a view of an NHWC array whose channels are neighbours, and not empty. bias: a
    dense vector that is added to each pixel; relu: whether the larger of that and 0 is written. False too if the loop
    for these sizes has no bias.
    """
    whole = rows_of_convolution(y, x, w, down, across, bias, relu)
    if whole is None:
        return False
    whole.compute_all()
    return True


def rows_of_convolution(
    y: Any, x: Any, w: Any, down: Window, across: Window, bias: Any = None, relu: bool = False
) -> RowsOfConvolution | None:
    """What `convolve_into` does, and None where it returns False."""
    kind = f"f{x.itemsize}"
    size = y.itemsize
    shape, steps = x.shape, tuple([stride // size for stride in y.strides[:3]])
    if is_pointwise(shape, down, across) and y.flags.c_contiguous:
        shape, down, across = flat(shape)
        steps = down.places * across.places * y.shape[3], across.places * y.shape[3], y.shape[3]
    seconds = y.size * w.shape[0] * w.shape[1] * w.shape[2] * MULTIPLICATION[kind]
    if is_narrow(w, kind):
        if bias is not None:  # it would have to be added to single numbers
            return None
        plan = _narrow_plan_of(kind, shape, down, across, y.shape[3], steps)
        narrow = find_at_once("few_channels", kind, *plan.key)
        if narrow is None:
            return None
        turned = w.transpose(3, 0, 1, 2).copy()

        def few(start: int, stop: int) -> object:
            return narrow(y, x, turned, POOL.empty((plan.buffer,), x.dtype), plan.sizes, start, stop)

        return RowsOfConvolution(plan.parts, seconds, few)
    plan = _plan_of(kind, shape, down, across, y.shape[3], steps)
    loop = find_at_once("convolution", kind, *plan.key)
    if loop is None:
        return None
    ending, added = 0 if bias is None else 2 if relu else 1, w if bias is None else bias

    def rows(start: int, stop: int) -> object:
        return loop(y, x, w, added, POOL.empty((plan.buffer,), x.dtype), plan.sizes, ending, start, stop)

    return RowsOfConvolution(plan.parts, seconds, rows)


def convolve_in_turns(images: int, image_bytes: int, convolutions: Sequence[RowsOfConvolution]) -> None:
    """Convolutions of the same images, each of so many bytes, which are read from the cache by all but the first."""
    seconds = sum(each.seconds for each in convolutions)
    divided = shares(images, seconds, _TURNS)
    rows = min((each.rows for each in convolutions), default=0)
    has_idle_threads = len(divided) < len(shares(rows, seconds))
    if len(convolutions) < 2 or has_idle_threads or any(each.rows % images for each in convolutions):
        for each in convolutions:
            each.compute_all()
        return
    step = max(1, BAND // image_bytes)

    def some(_: int, start: int, stop: int) -> None:
        for first in range(start, stop, step):
            last = min(first + step, stop)
            for each in convolutions:
                of_image = each.rows // images
                each.compute(first * of_image, last * of_image)

    in_shares(divided, some)


def filter_gradient(x: Any, dy: Any, down: Window, across: Window) -> Any:
    """The gradient by the filter, HWIO, of dense arrays that are not empty; None if nothing is compiled."""
    kind = f"f{x.itemsize}"
    shape = x.shape
    dw = np.empty((down.taps, across.taps, shape[3], dy.shape[3]), x.dtype)
    if is_pointwise(shape, down, across):
        shape, down, across = flat(shape)
    plan = _gradient_plan_of(kind, shape, down, across, dy.shape[3])
    loop = find_at_once("filter_gradient", kind, *plan.key)
    if loop is None:
        return None
    work = dy.size * dw.shape[0] * dw.shape[1] * dw.shape[2]

    def tiles(_: int, start: int, stop: int) -> None:
        loop(dw, x, dy, POOL.empty((plan.buffer,), x.dtype), plan.sizes, start, stop)

    in_shares(shares(plan.parts, work * MULTIPLICATION[kind]), tiles)
    return dw


def is_narrow(w: Any, kind: str) -> bool:
    """Whether the results have so few channels, and are sums of so many products, that vectors go along the sums."""
    rows, columns, depth, channels = w.shape
    lanes = machine().lanes(kind)
    is_long = depth >= lanes and rows * columns * depth >= 4 * lanes
    return bool(channels <= MOST_CHANNELS and channels < lanes and is_long)


def is_pointwise(shape: Shape, down: Window, across: Window) -> bool:
    """Whether each pixel of the result is one of x."""
    sizes = zip((down, across), shape[1:3], strict=True)
    return all((w.taps, w.step, w.before, w.places) == (1, 1, 0, size) for w, size in sizes)


def flat(shape: Shape) -> tuple[Shape, Window, Window]:
    """The same pixels as one image, with rows that divide well into tiles and stay in the first cache."""
    images, height, width, channels = shape
    pixels = images * height * width
    fitting = [columns for columns in range(_SHORTEST, _LONGEST + 1) if pixels % columns == 0]
    columns = max(fitting, key=lambda n: (n / -(-n // _TILE), n), default=width)
    one = partial(Window, 1, 1, 1, 0)
    return (1, pixels // columns, columns, channels), one(pixels // columns), one(columns)
