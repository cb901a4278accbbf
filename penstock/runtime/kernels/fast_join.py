"""Fast kernels that join arrays: concat, pack, stack, tile, pad.

All of them fill rows of the result with rows of the operands, one after another. Compiled loops move short rows; NumPy
copies longer rows as fast, into reused memory. Both give the same results. Threads divide the rows of the result, or
the joined axis if there are few.

Loop and NumPy take the same time at 32,768 elements of 4 bytes (20 us); at 65,536 24 us and 33.

Copies of short rows as raw bytes: one element of NumPy's loop moves a whole row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise
from math import prod
from typing import Any, Final

import numpy as np

from ...ops.move.concat_stack import check_equal, check_stack, joined_axis
from ...ops.move.tile_pad import checked_factors, checked_paddings
from .loops.loop_keys import IN_REGISTER, LONGEST_ROW
from .loops.native_loops import find, in_shares, is_large, pays, shares
from .shared_copies import LINE, PER_BYTE, copy_in_shares, divided_axis

_MOST_WOVEN: Final = 8  # arrays; a loop for more of them takes long to compile: n * (n - 1) shuffles
_MOST_JOINED: Final = 16
_FEW_PIECES: Final = 1 << 12
"""Rows of all operands together up to which NumPy copies them faster: 64 rows of four of 128 float32 3.5 us, not 12."""
_BLOCK: Final = 1 << 17  # elements of the result that stay in the cache


def concat(xp: Any, concat_dim: Any, values: Sequence[Any]) -> Any:
    """The arrays one after the other along a dimension."""
    first = values[0]
    if first.dtype.kind == "O" or not is_large(sum([v.size for v in values])):
        return None
    axis = joined_axis(concat_dim, values)
    before, after = first.shape[:axis], first.shape[axis + 1 :]
    out = xp.empty((*before, sum([v.shape[axis] for v in values]), *after), first.dtype)
    count = prod(before)
    if axis == 0 or count * len(values) <= _FEW_PIECES:
        _concatenate(out, values, axis)
        return out
    _fill_rows(out.reshape((count, -1)), [v.reshape((count, -1)) for v in values])
    return out


def pack(xp: Any, values: Sequence[Any]) -> Any:
    """The arrays as rows of one."""
    if not is_large(len(values) * values[0].size):
        return None
    check_equal(values)
    return _stacked(xp, values, 0)


def stack(xp: Any, x: Sequence[Any], axis: int) -> Any:
    """The arrays along a new dimension."""
    if not is_large(len(x) * x[0].size):
        return None
    check_stack(x, axis)
    return _stacked(xp, x, axis % (x[0].ndim + 1))


def _stacked(xp: Any, values: Sequence[Any], axis: int) -> Any:
    first = values[0]
    if first.dtype.kind == "O":
        return None
    before, after = first.shape[:axis], first.shape[axis:]
    out = xp.empty((*before, len(values), *after), first.dtype)
    count = prod(before)
    _fill_rows(out.reshape((count, -1)), [v.reshape((count, -1)) for v in values])
    return out


def _concatenate(out: Any, values: Sequence[Any], axis: int) -> None:
    """The same as np.concatenate(values, axis, out=out); each thread fills a range of the joined axis."""
    seconds = 2 * out.nbytes * PER_BYTE
    if not pays(seconds):
        np.concatenate(values, axis, out=out)
        return
    if not axis and all(v.flags.c_contiguous for v in values):
        out, values = out.reshape(-1), [v.reshape(-1) for v in values]
    before = (slice(None),) * axis
    ends = [0, *accumulate(v.shape[axis] for v in values)]

    def fill(_: int, start: int, stop: int) -> None:
        pieces = [
            v[(*before, slice(max(start - begin, 0), stop - begin))]
            for v, (begin, end) in zip(values, pairwise(ends), strict=True)
            if begin < stop and end > start
        ]
        np.concatenate(pieces, axis, out=out[(*before, slice(start, stop))])

    in_shares(shares(ends[-1], seconds), fill)


def _fill_rows(whole: Any, parts: Sequence[Any]) -> None:
    """whole[i] = the rows i of all `parts`, one behind the other; `whole` is contiguous."""
    count, width = whole.shape
    if count * len(parts) <= _FEW_PIECES and width * whole.itemsize > LONGEST_ROW * len(parts):
        _concatenate(whole, parts, 1)
        return
    fill = _joined(whole, parts) or partial(_fill_by_numpy, whole, parts)
    seconds = 2 * whole.nbytes * PER_BYTE
    if pays(seconds):
        in_shares(shares(count, seconds), lambda _, start, stop: fill(start, stop))
    else:
        fill(0, count)


def _fill_by_numpy(whole: Any, parts: Sequence[Any], start: int, stop: int) -> None:
    """Rows start ... stop - 1 of `whole`. All short parts of a block of rows are copied before the next block, for they
    share lines of the cache.
    """
    width = whole.shape[1]
    are_long = width * whole.itemsize > LONGEST_ROW * len(parts)
    step = max(1, stop - start if are_long else _BLOCK // max(1, width))
    for first in range(start, stop, step):
        rows, end = slice(first, min(first + step, stop)), 0
        for part in parts:
            begin, end = end, end + part.shape[1]
            copy_into(whole[rows, begin:end], part[rows])


def _joined(whole: Any, parts: Sequence[Any]) -> Callable[[int, int], object] | None:
    """The same by a compiled loop; None if there is none for such parts."""
    parts = [part for part in parts if part.shape[1]]
    widths = tuple([part.shape[1] * whole.itemsize for part in parts])
    if not 2 <= len(parts) <= _MOST_JOINED or max(widths) > LONGEST_ROW:
        return None
    if any(part.shape[1] > 1 and part.strides[1] != part.itemsize for part in parts):
        return None
    is_woven = widths[0] in IN_REGISTER[:4] and len(parts) <= _MOST_WOVEN and len(set(widths)) == 1
    if is_woven:
        loop = find("zip", widths[0], len(parts), work=whole.size)
    else:
        loop = find("join", widths, work=whole.size)
    if loop is None:
        return None
    addresses = np.array([part.ctypes.data for part in parts], np.int64)
    strides = np.array([part.strides[0] for part in parts], np.int64)
    images = (1, 0, 0) if is_woven else ()
    return lambda start, stop: loop(
        whole[start:stop], addresses + start * strides if start else addresses, strides, stop - start, *images
    )


# ---- larger arrays ------------------------------------------------------------------------------


def tile(xp: Any, input: Any, multiples: Any) -> Any:
    """The array repeated along each dimension."""
    if multiples.ndim != 1 or not is_large(input.size * prod(multiples.tolist())) or input.dtype.kind == "O":
        return None
    factors = checked_factors(input.shape, multiples, input.itemsize)
    shape = tuple([size * factor for size, factor in zip(input.shape, factors, strict=True)])
    out = xp.empty(shape, input.dtype)
    _repeat_into(xp, out, input, factors)
    return out


def _repeat_into(xp: Any, out: Any, array: Any, factors: Sequence[int]) -> None:
    """out[...] = np.tile(array, factors), one dimension at a time, the last first: a copy along one dimension moves
    long pieces. (1e5, 4, 4) float32 by [1, 2, 2]: 1.2 ms, 10 as one copy along all."""
    along = [axis for axis, factor in enumerate(factors) if factor != 1]
    if not along:
        copy_into(out, array)
        return
    first, times = along[0], factors[along[0]]
    count = prod(array.shape[:first])
    whole = out.reshape((count, times, -1))
    if len(along) == 1:
        _repeat_rows(whole, array.reshape((count, -1)))
        return
    inner = (*factors[:first], 1, *factors[first + 1 :])
    shape = tuple([size * factor for size, factor in zip(array.shape, inner, strict=True)])
    once = whole[0, 0].reshape(shape) if count == 1 else xp.empty(shape, array.dtype)
    _repeat_into(xp, once, array, inner)
    if count == 1:
        copy_in_shares(whole[:, 1:], whole[:, :1])
    else:
        _repeat_rows(whole, once.reshape((count, -1)))


def _repeat_rows(whole: Any, rows: Any) -> None:
    """whole[:, i] = rows, for every i."""
    count, times, width = whole.shape
    if times > _MOST_JOINED or 2 * width * whole.itemsize > LONGEST_ROW or count == 1:
        copy_in_shares(whole, rows[:, None])
    else:
        _fill_rows(whole.reshape((count, -1)), [rows] * times)


def pad(xp: Any, input: Any, paddings: Any) -> Any:
    """The array with zeros around it."""
    if not is_large(input.size) or input.dtype.kind == "O":
        return None
    frame = checked_paddings(input, paddings)
    shape = tuple([before + size + after for size, (before, after) in zip(input.shape, frame, strict=True)])
    out = xp.empty(shape, input.dtype)
    seconds = 2 * out.nbytes * PER_BYTE
    if not pays(seconds):
        _pad_into(out, input, frame)
        return out
    axis = divided_axis(shape, (*[1] * (len(shape) - 1), LINE))
    outer, size, (before, _) = (slice(None),) * axis, input.shape[axis], frame[axis]

    def fill(_: int, start: int, stop: int) -> None:
        first, last = [min(max(bound - before, 0), size) for bound in (start, stop)]
        zeros = min(max(before - start, 0), stop - start)
        frame_of_share = [*frame]
        frame_of_share[axis] = [zeros, stop - start - zeros - (last - first)]
        _pad_into(out[(*outer, slice(start, stop))], input[(*outer, slice(first, last))], frame_of_share)

    in_shares(shares(shape[axis], seconds), fill)
    return out


def _pad_into(out: Any, input: Any, frame: Sequence[Sequence[int]]) -> None:
    target = out
    if any(frame[-1]) and input.shape[-1] * input.itemsize < 512:
        out.view(np.uint8)[...] = 0  # one or two zeros in nearly every line of the cache: clear all of it
        inside = [slice(before, before + size) for size, (before, _) in zip(input.shape, frame, strict=True)]
        target = out[tuple(inside)]
    else:  # only the frame is cleared: (2500, 4000) float32 2.7 ms instead of 3.9
        for i, (size, (before, after)) in enumerate(zip(input.shape, frame, strict=True)):
            outer = (slice(None),) * i
            target[(*outer, slice(0, before))] = 0
            target[(*outer, slice(before + size, before + size + after))] = 0
            target = target[(*outer, slice(before, before + size))]
    copy_into(target, input)


_FEWEST: Final = 1 << 14  # elements; below, NumPy's own copy is as fast
_WIDEST: Final = 128  # bytes; (1e6, 8) float32 into every second 32 bytes: 2.9 ms as raw bytes, 4.9 as they are


def copy_into(target: Any, source: Any) -> None:
    """np.copyto(target, source) for arrays of one shape and dtype.

    Rows move as raw bytes where a dimension that is contiguous in both arrays has few bytes.
    """
    width = target.shape[-1] * target.itemsize if target.ndim > 1 else 0
    if (
        target.size < _FEWEST
        or width > _WIDEST
        or width < 2 * target.itemsize
        or target.dtype.hasobject
        or not target.strides[-1] == source.strides[-1] == target.itemsize
    ):
        np.copyto(target, source)
        return
    np.copyto(target.view(f"V{width}"), source.view(f"V{width}"))
