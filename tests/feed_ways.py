"""Ways to feed the same values from arrays that are read-only, strided or overlap, or are one array fed twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.graph.model.nodes import Tensor

Fed = dict[Tensor, Any]


def as_they_are(feeds: Fed) -> Fed:
    return feeds


def read_only(feeds: Fed) -> Fed:
    """Arrays that may not be written."""
    made = {tensor: array.copy() for tensor, array in feeds.items()}
    for array in made.values():
        array.flags.writeable = False
    return made


def backwards(feeds: Fed) -> Fed:
    """Views with negative strides."""
    made: Fed = {}
    for tensor, array in feeds.items():
        cut = (slice(None, None, -1),) * array.ndim
        made[tensor] = np.array(array[cut])[cut] if cut else array
    return made


def column_major(feeds: Fed) -> Fed:
    return {tensor: np.array(array, order="F") for tensor, array in feeds.items()}


def every_other(feeds: Fed) -> Fed:
    """Views that leave out elements of a larger array."""
    made: Fed = {}
    for tensor, array in feeds.items():
        wide = np.empty((*array.shape, 2), array.dtype)
        wide[..., 0] = wide[..., 1] = array
        made[tensor] = wide[..., 0]
    return made


def overlapping(feeds: Fed) -> Fed:
    """For each dtype views of one array, each of which begins one element after the one before."""
    made = dict(feeds)
    for dtype in {a.dtype for a in feeds.values()} - FIXED:
        members = [tensor for tensor, array in feeds.items() if array.dtype == dtype]
        flat = np.concatenate([feeds[tensor].reshape(-1) for tensor in members])
        base = np.resize(flat, max(feeds[tensor].size for tensor in members) + len(members))
        for start, tensor in enumerate(members):
            array = feeds[tensor]
            made[tensor] = base[start : start + array.size].reshape(array.shape)
    return made


def one_for_several(feeds: Fed) -> Fed:
    """One array for all tensors of the same dtype and shape."""
    first: dict[Any, Any] = {}
    made = dict(feeds)
    for tensor, array in feeds.items():
        if array.dtype not in FIXED:
            made[tensor] = first.setdefault((array.dtype, array.shape), array)
    return made


FIXED = {np.dtype(np.int32), np.dtype(np.bool_)}
"""Dtypes of indices and masks, for which other values would not fit the program."""
WAYS: tuple[Callable[[Fed], Fed], ...] = (
    as_they_are,
    read_only,
    backwards,
    column_major,
    every_other,
    overlapping,
    one_for_several,
)
