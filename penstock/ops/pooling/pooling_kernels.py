"""The plain kernels of pooling: loops over the taps of the window, a strided view of the images each.

Where several elements of a window are the largest, the first one is it. A number wins if it is larger than the one so
far, the smallest finite number at first: NaN and -inf never win, as in TensorFlow on a CPU.

Sums over windows add in the order of the taps; gradients add in the order of the windows, which is that of the taps
backwards. 16-bit floats are summed in float32 and rounded once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.dtypes import bfloat16, of_numpy
from .window_geometry import Windows


def wide_type(dtype: Any) -> Any:
    """The dtype in which numbers are added."""
    return np.dtype(np.float32) if of_numpy(dtype).is_floating and dtype.itemsize == 2 else dtype


def lowest(dtype: Any) -> Any:
    """What every maximum begins with."""
    kind = of_numpy(dtype)
    if kind is bfloat16:  # the smallest finite float32, rounded
        return -np.inf
    return np.finfo(dtype).min if kind.is_floating else np.iinfo(dtype).min


def largest(xp: Any, x: Any, windows: Windows) -> Any:
    """The largest number of each window."""
    wide = x.astype(wide_type(x.dtype), copy=False)
    y = xp.full(windows.outputs, lowest(x.dtype), wide.dtype)
    for tap in windows.taps():
        numbers, best = wide[tap.elements], y[tap.positions]
        xp.copyto(best, numbers, where=numbers > best)
    return y.astype(x.dtype, copy=False)


def largest_taps(xp: Any, x: Any, windows: Windows) -> Any:
    """The number of the tap that sees the largest number, for each position; the first tap if none is larger than the
    smallest finite number."""
    wide = x.astype(wide_type(x.dtype), copy=False)
    y = xp.full(windows.outputs, lowest(x.dtype), wide.dtype)
    winners = xp.full(windows.outputs, -1, np.int32)
    for tap in windows.taps():
        numbers, best, winner = wide[tap.elements], y[tap.positions], winners[tap.positions]
        larger = numbers > best
        xp.copyto(best, numbers, where=larger)
        xp.copyto(winner, tap.number, where=larger | (winner < 0))
    return winners


def to_largest(xp: Any, x: Any, g: Any, windows: Windows) -> Any:
    """The gradient of `largest`: that of a position goes to the tap of `largest_taps`."""
    winners = largest_taps(xp, x, windows)
    dx = xp.zeros(x.shape, wide_type(x.dtype))
    zero, overlap = dx.dtype.type(0), windows.overlap
    for tap in reversed(windows.taps()):
        part = xp.where(winners[tap.positions] == tap.number, g[tap.positions], zero)
        if overlap:
            dx[tap.elements] += part
        else:
            dx[tap.elements] = part
    return dx.astype(x.dtype, copy=False)


def to_all_equal(xp: Any, x: Any, y: Any, g: Any, windows: Windows) -> Any:
    """That of a position goes to all elements of its window that are equal to y there."""
    dx = xp.zeros(x.shape, wide_type(x.dtype))
    zero, overlap = dx.dtype.type(0), windows.overlap
    for tap in reversed(windows.taps()):
        part = xp.where(x[tap.elements] == y[tap.positions], g[tap.positions], zero)
        if overlap:
            dx[tap.elements] += part
        else:
            dx[tap.elements] = part
    return dx.astype(x.dtype, copy=False)


def from_first_equal(xp: Any, x: Any, y: Any, g: Any, windows: Windows) -> Any:
    """For each position, the element of g at the first element of its window that is equal to y there, or 0."""
    out = xp.zeros(windows.outputs, g.dtype)
    for tap in reversed(windows.taps()):  # the first one is written last
        xp.copyto(out[tap.positions], g[tap.elements], where=x[tap.elements] == y[tap.positions])
    return out


def means(xp: Any, x: Any, windows: Windows) -> Any:
    """The mean of the numbers of each window that lie inside of the array."""
    total = xp.zeros(windows.outputs, wide_type(x.dtype))
    for tap in windows.taps():
        total[tap.positions] += x[tap.elements]
    total /= windows.counts(xp).astype(total.dtype)
    return total.astype(x.dtype, copy=False)


def to_means(xp: Any, g: Any, windows: Windows) -> Any:
    """The gradient of `means`: each element of a window gets an equal part."""
    wide = wide_type(g.dtype)
    parts = g.astype(wide, copy=False) / windows.counts(xp).astype(wide)
    dx = xp.zeros(windows.sizes, wide)
    overlap = windows.overlap
    for tap in reversed(windows.taps()):
        if overlap:
            dx[tap.elements] += parts[tap.positions]
        else:
            dx[tap.elements] = parts[tap.positions]
    return dx.astype(g.dtype, copy=False)
