"""The histogram of a summary: TensorFlow's buckets, whose limits grow by a tenth from 1e-12 to 1e20 on both sides."""

from __future__ import annotations

import sys
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from .summary_messages import HistogramProto

Doubles = npt.NDArray[np.float64]
_MOST: Final = sys.float_info.max


@cache
def _limits() -> Doubles:
    """The upper limits of the buckets, in increasing order."""
    positive = []
    limit = 1.0e-12
    while limit < 1.0e20:
        positive.append(limit)
        limit *= 1.1
    positive.append(_MOST)
    return np.array([-each for each in reversed(positive)] + [0.0] + positive)


_CELL_SHIFT: Final = 47
"""Numbers with the same sign, exponent and first five bits of the mantissa are in one cell: 2^17 cells, each less than
a 31st wide. Limits are a tenth apart, so no cell has more than one."""


@cache
def _cells() -> tuple[npt.NDArray[np.intp], Doubles]:
    """For each cell, the number of the bucket of its smallest numbers, and the number from which on the next begins.

    The look-up takes a fifth of the time of a binary search: 0.9 ms instead of 4.7 for 100,000 numbers.
    """
    limits = _limits()
    cells = np.arange(1 << 64 - _CELL_SHIFT, dtype=np.uint64) << np.uint64(_CELL_SHIFT)
    is_negative = cells >> np.uint64(63) > 0
    ends = cells | np.uint64((1 << _CELL_SHIFT) - 1)
    # Of negative numbers the bits grow as the numbers fall.
    smallest = np.where(is_negative, ends, cells).view(np.float64)
    largest = np.where(is_negative, cells, ends).view(np.float64)
    first = np.searchsorted(limits, smallest, side="right")
    last = np.searchsorted(limits, largest, side="right")
    edges = np.where(last > first, limits[np.minimum(first, limits.size - 1)], np.inf)
    return first, edges


def _places(values: Doubles) -> npt.NDArray[np.intp]:
    """The number of the bucket of each value: how many limits are not above it."""
    first, edges = _cells()
    values = values + 0.0  # -0.0 is 0.0
    cells = (values.view(np.uint64) >> np.uint64(_CELL_SHIFT)).view(np.intp)
    places = first.take(cells)
    places += values >= edges.take(cells)
    return places


def histogram_of(values: Doubles) -> HistogramProto:
    """The histogram of finite numbers. A run of empty buckets is one empty bucket, as in TensorFlow."""
    limits = _limits()
    counts = np.bincount(_places(values), minlength=limits.size)
    if counts.size > limits.size:  # the largest float is in the last bucket
        counts = np.append(counts[: limits.size - 1], counts[limits.size - 1 :].sum())
    filled = counts > 0
    # Of a run of empty buckets the last one stays: one before a filled bucket, or the very last.
    kept = filled | np.append(filled[1:], True)
    in_order = np.cumsum(values), np.cumsum(values * values)  # one after the other, as TensorFlow adds them
    return HistogramProto(
        min=float(values.min()) if values.size else _MOST,
        max=float(values.max()) if values.size else -_MOST,
        num=float(values.size),
        sum=float(in_order[0][-1]) if values.size else 0.0,
        sum_squares=float(in_order[1][-1]) if values.size else 0.0,
        bucket_limit=limits[kept].tolist(),
        bucket=counts[kept].astype(np.float64).tolist(),
    )
