"""Maps over one array on a GPU: transpose, tile, reverse, pad and reverse_sequence.

What is a view of the array, turned, repeated or reversed, is the nest that copies elements. For the others trailing
dimensions that move together are merged, and moved in units as wide as they allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from .cuda_source import contiguous, unit_of
from .nest_launch import copy
from .place_launch import run_places
from .place_nests import pad_nest, reverse_sequence_nest


def transpose(xp: Any, x: Any, perm: Sequence[int]) -> Any:
    """`x` with its dimensions in another order, row-major."""
    out = xp.empty(tuple([x.shape[p] for p in perm]), x.dtype)
    if out.size:
        copy(xp, out, x.transpose(perm), out.shape)
    return out


def tile(xp: Any, x: Any, multiples: Sequence[int]) -> Any:
    """`x` repeated `multiples[d]` times along each dimension."""
    out = xp.empty(tuple([d * m for d, m in zip(x.shape, multiples, strict=True)]), x.dtype)
    if out.size:
        pairs = [each for pair in zip(multiples, x.shape, strict=True) for each in pair]
        copy(xp, out, x[(None, slice(None)) * x.ndim], tuple(pairs))
    return out


def reverse(xp: Any, x: Any, flags: Sequence[bool]) -> Any:
    """`x` with the flagged dimensions in reverse order."""
    out = xp.empty(x.shape, x.dtype)
    if out.size:
        copy(xp, out, x[tuple([slice(None, None, -1 if f else None) for f in flags])], x.shape)
    return out


def reverse_sequence(xp: Any, x: Any, lengths: Any, seq_axis: int) -> Any:
    """The first lengths[b] entries along `seq_axis` in reverse order, for each b along the first dimension."""
    x = contiguous(xp, x)
    out = xp.empty(x.shape, x.dtype)
    if out.size:
        kind = f"{lengths.dtype.kind}{lengths.dtype.itemsize}"
        row = prod(x.shape[seq_axis + 1 :]) * x.dtype.itemsize
        sizes = x.shape[0], prod(x.shape[1:seq_axis]), x.shape[seq_axis], row
        run_places(xp, reverse_sequence_nest(kind), out, x, contiguous(xp, lengths), *sizes)
    return out


def pad(xp: Any, x: Any, paddings: Sequence[tuple[int, int]]) -> Any:
    """`x` with zeros before and after it along each dimension."""
    x = contiguous(xp, x)
    shape = tuple([d + a + b for d, (a, b) in zip(x.shape, paddings, strict=True)])
    if not x.size:
        return xp.zeros(shape, x.dtype)
    out = xp.empty(shape, x.dtype)
    last = max([i for i, p in enumerate(paddings) if p != (0, 0)], default=-1)
    inner = prod(x.shape[last + 1 :]) * x.dtype.itemsize
    unit = unit_of(inner, out, x)
    more = (inner // unit,) if inner > unit or last < 0 else ()
    before = [a for a, _ in paddings[: last + 1]] + [0] * len(more)
    sizes = (*shape[: last + 1], *more), (*x.shape[: last + 1], *more), before
    run_places(xp, pad_nest(len(before), unit), out, x, *[size for each in sizes for size in each])
    return out
