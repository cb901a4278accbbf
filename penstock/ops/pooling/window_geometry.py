"""Windows that move over an array, computed from its shape and the attributes of an op.

A window has a size and a stride along every axis of the array, 1 along batch and channels as a rule. Position o of an
axis sees, with tap k, element

    i = o * stride + k * rate - before

and nothing where that lies outside of the array. What a tap sees at all positions is one strided view, so that kernels
are loops over taps.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.common.quick_dataclass import dataclass
from ..convolution.convolution_geometry import KEPT, output_size, reach, same_paddings
from ..declare.shape_checks import listed

Shape = tuple[int, ...]
Slices = tuple[slice, ...]


@dataclass(frozen=True, slots=True)
class Tap:
    """What one tap of a window sees.

    Attributes:
        number: its place among the taps of the window, in order of their indices.
        positions: the positions at which it lies inside of the array.
        elements: the elements that it sees there.
    """

    number: int
    positions: Slices
    elements: Slices


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows over an array whose sizes are known. Tuples have an entry for each axis.

    Attributes:
        sizes: of the array.
        window: of the window.
        outputs: the number of positions.
        strides: from a position to the next.
        rates: from a tap to the next.
        before: how far the first window begins before the array.
    """

    sizes: Shape
    window: Shape
    outputs: Shape
    strides: Shape
    rates: Shape
    before: Shape

    @property
    def overlap(self) -> bool:
        """Whether an element may be seen from several positions."""
        spans = zip(self.window, self.rates, self.strides, strict=True)
        return any(reach(size, rate) > stride for size, rate, stride in spans)

    def taps(self) -> tuple[Tap, ...]:
        """The taps that see an element at some position, in order."""
        return _taps(self)

    def counts(self, xp: Any) -> Any:
        """How many taps lie inside of the array at each position; sizes are those of the positions, or 1."""
        total = xp.ones((1,) * len(self.sizes), np.int64)
        for axis, window in enumerate(self.window):
            if window == 1:
                continue
            count = np.zeros(self.outputs[axis], np.int64)
            for k in range(window):
                first, last = _inside(self, axis, k)
                count[first:last] += 1
            total = total * xp.asarray(count).reshape([-1 if a == axis else 1 for a in range(len(self.sizes))])
        return total


def _inside(windows: Windows, axis: int, k: int) -> tuple[int, int]:
    """The positions along an axis, from one to before another, at which tap k lies inside."""
    stride, offset = windows.strides[axis], k * windows.rates[axis] - windows.before[axis]
    first = max(0, -(offset // stride))
    last = min(windows.outputs[axis], (windows.sizes[axis] - 1 - offset) // stride + 1)
    return first, max(first, last)


@lru_cache(maxsize=KEPT)
def _taps(windows: Windows) -> tuple[Tap, ...]:
    taps = []
    for number, index in enumerate(product(*map(range, windows.window))):
        ranges = [_inside(windows, axis, k) for axis, k in enumerate(index)]
        if any(first == last for first, last in ranges):
            continue
        elements = []
        for axis, (first, last) in enumerate(ranges):
            stride = windows.strides[axis]
            begin = first * stride + index[axis] * windows.rates[axis] - windows.before[axis]
            elements.append(slice(begin, begin + (last - first - 1) * stride + 1, stride))
        taps.append(Tap(number, tuple([slice(first, last) for first, last in ranges]), tuple(elements)))
    return tuple(taps)


@lru_cache(maxsize=KEPT)
def windows_of(
    sizes: Shape, ksize: Shape, strides: Shape, padding: str, pairs: Shape = (), rates: Shape | None = None
) -> Windows:
    """The windows of a run.

    Args:
        sizes: of the array.
        ksize, strides: of the window, for each axis.
        padding: "SAME", "VALID" or "EXPLICIT".
        pairs: for "EXPLICIT", the elements before and after each axis.
        rates: the steps between taps; None means 1.

    Raises:
        InvalidArgumentError: they do not fit.
    """
    if len(sizes) != len(ksize):
        raise InvalidArgumentError(message=f"input must be {len(ksize)}-dimensional: {listed(sizes)}")
    steps = rates or (1,) * len(ksize)
    before, outputs = [], []
    for axis, (size, window, stride, rate) in enumerate(zip(sizes, ksize, strides, steps, strict=True)):
        lead, trail = (pairs[2 * axis], pairs[2 * axis + 1]) if padding == "EXPLICIT" else (0, 0)
        if max(lead, trail) >= window and max(lead, trail) > 0:
            raise InvalidArgumentError(message=f"Padding {max(lead, trail)} along dimension {axis} needs to be smaller "
                                               f"than the window size {window}")  # fmt: skip
        if padding == "SAME":
            lead, trail = same_paddings(size, window, stride, rate)
            count = -(-size // stride)
        else:
            count = output_size(size, window, stride, rate, lead, trail)
        if count < 0:
            raise InvalidArgumentError(message=f"Computed output size would be negative: {count} [input_size: {size}, "
                                               f"window: {window}, stride: {stride}] along axis {axis}")  # fmt: skip
        before.append(lead)
        outputs.append(count)
    return Windows(sizes, ksize, tuple(outputs), strides, steps, tuple(before))


def require_positions(type: str, what: str, array: Any, windows: Windows) -> None:
    """InvalidArgumentError unless an array has an element for each position."""
    if array.shape != windows.outputs:
        raise InvalidArgumentError(message=f"{type}: Expected {what} shape to be {listed(windows.outputs)}, but got "
                                           f"{listed(array.shape)}")  # fmt: skip
