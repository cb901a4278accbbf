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


def histogram_of(values: Doubles) -> HistogramProto:
    """The histogram of finite numbers. A run of empty buckets is one empty bucket, as in TensorFlow."""
    limits = _limits()
    places = np.minimum(np.searchsorted(limits, values, side="right"), limits.size - 1)
    counts = np.bincount(places, minlength=limits.size)
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
