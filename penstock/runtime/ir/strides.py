"""Strides of broadcast operands, and their coalescing to as few axes as possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from .tiling import Shape

ShapedPattern: TypeAlias = tuple[bool, ...]
"""For each input, whether it is one number along the innermost dimension."""


def is_plain(arrays: Sequence[Any]) -> bool:
    """True if compiled code may read the operands as they are: aligned arrays in native byte order, not NumPy scalars.
    """
    for x in arrays:  # noqa: SIM110  # of small operands: a generator takes 0.3 us more
        if not (isinstance(x, np.ndarray) and x.flags.aligned and x.dtype.isnative):
            return False
    return True


def contiguous_strides(shape: Shape, size: int) -> list[int]:
    """The strides of a contiguous array with elements of `size` bytes."""
    strides = []
    for length in reversed(shape):
        strides.append(size)
        size *= length
    return strides[::-1]


def broadcast_strides(shape: Shape, strides: Shape, whole: Shape) -> list[int]:
    """The strides of an array that is broadcast to the shape `whole`."""
    own = [0 if length == 1 else stride for length, stride in zip(shape, strides, strict=True)]
    return [0] * (len(whole) - len(own)) + own


def coalesced(shape: Shape, strides: Sequence[list[int]]) -> tuple[Shape, list[list[int]]]:
    """The same iteration over memory with as few axes as possible; axes of length 1 are dropped."""
    axes = [k for k, length in enumerate(shape) if length != 1]
    lengths: list[int] = []
    walks: list[list[int]] = [[] for _ in strides]
    for k in axes:
        if lengths and all(w[-1] == s[k] * shape[k] for w, s in zip(walks, strides, strict=True)):
            lengths[-1] *= shape[k]
            for w, s in zip(walks, strides, strict=True):
                w[-1] = s[k]
            continue
        lengths.append(shape[k])
        for w, s in zip(walks, strides, strict=True):
            w.append(s[k])
    return tuple(lengths), walks


def pattern_of(shapes: Sequence[Shape], whole: Shape) -> ShapedPattern:
    """For each input, whether it holds one number along the innermost dimension longer than 1."""
    reach = next(k for k in range(1, len(whole) + 1) if whole[-k] != 1)
    return tuple([len(s) < reach or s[-reach] == 1 for s in shapes])
