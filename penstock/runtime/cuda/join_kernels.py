"""Several arrays side by side on a GPU: concat, stack, split and multiplex, one launch each."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from .cuda_source import contiguous
from .place_launch import run_places, shared_nest
from .place_nests import cut_nest, join_nest

MOST_ARRAYS: Final = 64
"""Arrays that one kernel takes as arguments."""


def _widths(parts: Sequence[Any], axis: int) -> list[int]:
    """The bytes of a row of each array, if what is outside of `axis` makes the rows."""
    return [prod(part.shape[axis:]) * part.dtype.itemsize for part in parts]


def concat(xp: Any, values: Sequence[Any], axis: int) -> Any:
    """`values` one after another along `axis`."""
    first = values[0]
    shape = list(first.shape)
    shape[axis] = sum(v.shape[axis] for v in values)
    out = xp.empty(tuple(shape), first.dtype)
    parts = [contiguous(xp, v) for v in values if v.size]
    if len(parts) > MOST_ARRAYS:
        return xp.concatenate(parts, axis)
    if parts:
        run_places(xp, join_nest(len(parts)), out, parts, prod(shape[:axis]), *_widths(parts, axis))
    return out


def split(xp: Any, x: Any, sizes: Sequence[int], axis: int) -> list[Any]:
    """`x` cut along `axis` into pieces of these sizes, each in memory of its own."""
    x = contiguous(xp, x)
    outs = [xp.empty((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype) for size in sizes]
    parts = [o for o in outs if o.size]
    if len(parts) > MOST_ARRAYS:
        ends = np.cumsum(sizes).tolist()
        places = [(slice(None),) * axis + (slice(e - s, e),) for s, e in zip(sizes, ends, strict=True)]
        return [contiguous(xp, x[p]) for p in places]
    if parts:
        run_places(xp, cut_nest(len(parts)), x, parts, prod(x.shape[:axis]), *_widths(parts, axis))
    return outs


def stack(xp: Any, values: Sequence[Any], axis: int) -> Any:
    """`values` side by side along a new dimension `axis`."""
    first = values[0]
    shape = (*first.shape[:axis], 1, *first.shape[axis:])
    return concat(xp, [contiguous(xp, v).reshape(shape) for v in values], axis)


def multiplex(xp: Any, inputs: Sequence[Any], index: Any) -> Any:
    """Row i of inputs[index[i]] for each i. index: flat int32, one entry a row."""
    inputs = [contiguous(xp, x) for x in inputs]
    first = inputs[0]
    out = xp.empty(first.shape, first.dtype)
    if out.size:
        width = prod(first.shape[1:]) * first.dtype.itemsize
        arguments = out, inputs, contiguous(xp, index), len(index), len(inputs), width
        run_places(xp, shared_nest("pick", 0, "i4"), *arguments)
    return out
