"""How are many elements moved fast, with NumPy alone?

Four ideas, each used where it was measured to win (one thread; numbers stand beside the code):

    blocks        work through a long array in pieces that stay in the cache: what is made on the way (indices,
                  masks, a wider copy) is never written to memory
    opaque rows   a short contiguous row is one element of raw bytes, so that one loop moves all rows
    given memory  results are made by `xp.empty`, which knows where touched memory is, and written into
    clip          `take(..., mode="clip")` writes straight into its result; the indices were checked before

Functions here take NumPy arrays only; `xp` is NumPy, or NumPy with other memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Any, Final

import numpy as np

from .woven import beside, picked, selected

BLOCK: Final = 1 << 15
"""Elements of one block: 32 Ki indices of 8 bytes stay in the second cache."""
MANY: Final = 1 << 14
"""From so many elements on a block's 2-5 us are nothing; below, NumPy's plain function is called."""
_WIDEST: Final = 128  # bytes; (1e6, 8) float32 into every second 32 bytes: 2.9 ms as raw bytes, 4.9 as they are


def blocks(count: int, size: int = BLOCK) -> Iterator[slice]:
    """Slices that cover `count` elements in order."""
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


def one_piece(array: Any) -> Any:
    """`array`, or a copy of it, in row-major order and with the strides of that order.

    An array of one element counts as contiguous whatever its stride says; NumPy's loops look at the stride.
    """
    if not array.flags.c_contiguous or (array.ndim and array.size == 1 and array.strides[-1] != array.itemsize):
        return array.copy()
    return array


def is_plain(array: Any) -> bool:
    """Whether its bytes can be moved without looking at them: row-major, and no Python objects."""
    return bool(array.flags.c_contiguous) and array.dtype.kind != "O"


def opaque(array: Any) -> Any:
    """A contiguous array of rows as a vector with one element of raw bytes for each row."""
    count = len(array)
    return array.reshape((count, -1)).view(f"V{array.nbytes // count}").reshape(count)


def copy_into(target: Any, source: Any) -> None:
    """np.copyto(target, source) for arrays of one shape and dtype; short rows move as raw bytes.

    Rows are short where a dimension that is contiguous in both arrays has few bytes.
    """
    width = target.shape[-1] * target.itemsize if target.ndim > 1 else 0
    if (
        target.size < MANY
        or width > _WIDEST
        or width < 2 * target.itemsize
        or target.dtype.kind == "O"
        or not target.strides[-1] == source.strides[-1] == target.itemsize
    ):
        np.copyto(target, source)
        return
    np.copyto(target.view(f"V{width}"), source.view(f"V{width}"))


def take_rows(xp: Any, rows: Any, index: Any) -> Any:
    """rows[index] for a flat `index` of any integer dtype whose entries were checked to be in range.

    Where another thread makes one bad after the check, the row is another one; both ways to take rows look again.
    """
    if index.size < MANY or not is_plain(rows) or rows.size == 0:
        return rows.take(index, axis=0)
    out = xp.empty((len(index), *rows.shape[1:]), rows.dtype)
    # In blocks, since `take` first widens int32 indices: 14 ms against 22 for 1e7 float32 by sorted int32 indices.
    for block in blocks(len(index)):
        np.take(rows, index[block], axis=0, out=out[block], mode="clip")
    return out


def chosen_rows(xp: Any, rows: Any, mask: Any) -> Any:
    """The rows for which the flat `mask` (any dtype; True is what is not zero) is true."""
    mask = mask != 0  # a copy: another thread may write into a mask that was fed
    if len(mask) < MANY or not is_plain(rows):
        return rows.take(np.flatnonzero(mask), axis=0)
    out = xp.empty((np.count_nonzero(mask), *rows.shape[1:]), rows.dtype)
    end = 0
    for block in blocks(len(mask)):
        places = np.flatnonzero(mask[block])
        start, end = end, end + len(places)
        np.take(rows[block], places, axis=0, out=out[start:end], mode="clip")
    return out


def assign_rows(target: Any, index: Any, rows: Any) -> None:
    """target[index[i]] = rows[i] for each i in order, so that the last of equal indices wins.

    `target` is contiguous; `index` is flat and was checked. NumPy promises no order where an index repeats; over a flat
    contiguous index it is the order of the index (`tests/ops/test_row_indexing.py` would notice a change).
    """
    if rows.size == 0:
        return
    if target.dtype.kind != "O":
        # A row as one opaque element: 2.5 ms against 14.4 for 1e6 rows of 2 float32, 15.6 against 43 for rows of 8.
        target, rows = opaque(target), opaque(np.ascontiguousarray(rows))
    if len(index) < MANY:
        target[np.ascontiguousarray(index, np.intp)] = rows
        return
    for block in blocks(len(index)):
        target[np.ascontiguousarray(index[block], np.intp)] = rows[block]


def copied(xp: Any, array: Any) -> Any:
    """A row-major copy."""
    if array.size < MANY:
        return array.copy()
    out = xp.empty(array.shape, array.dtype)
    np.copyto(out, array)
    return out


# ---- side by side ---------------------------------------------------------------------------------


def concatenated(xp: Any, values: Sequence[Any], axis: int) -> Any:
    """np.concatenate(values, axis) of arrays that fit; `axis` is not negative."""
    first = values[0]
    size = sum([v.shape[axis] for v in values])
    shape = (*first.shape[:axis], size, *first.shape[axis + 1 :])
    if prod(shape) < MANY or first.dtype.kind == "O":
        return np.concatenate(values, axis)
    out = xp.empty(shape, first.dtype)
    if axis == 0:
        return np.concatenate(values, 0, out=out)
    # What lies behind `axis` is one row, in the result as in each value.
    whole, end = out.reshape((prod(shape[:axis]), -1)), 0
    parts = [value.reshape((len(whole), -1)) for value in values]
    if beside(whole, parts):
        return out
    for rows in parts:
        start, end = end, end + rows.shape[1]
        copy_into(whole[:, start:end], rows)
    return out


def stacked(xp: Any, values: Sequence[Any], axis: int) -> Any:
    """np.stack(values, axis) of arrays of one shape."""
    first = values[0]
    if len(values) * first.size < MANY or first.dtype.kind == "O":
        return np.stack(values, axis)
    axis %= first.ndim + 1
    before, after = first.shape[:axis], first.shape[axis:]
    out = xp.empty((*before, len(values), *after), first.dtype)
    if first.size:
        whole = out.reshape((prod(before), len(values), prod(after)))
        _alternate(whole, [v.reshape((len(whole), -1)) for v in values])
    return out


def _alternate(whole: Any, parts: Sequence[Any]) -> None:
    """whole[:, i] = parts[i]: all parts of a block of rows before the next block, for they share lines of the cache."""
    if beside(whole, parts):
        return
    step = len(whole) if whole.shape[2] > BLOCK else max(1, 4 * BLOCK // (whole.shape[1] * whole.shape[2]))
    for block in blocks(len(whole), step):
        for i, part in enumerate(parts):
            copy_into(whole[block, i], part[block])


def repeated(xp: Any, array: Any, factors: Sequence[int]) -> Any:
    """np.tile(array, factors) with one factor for each dimension."""
    shape = tuple([size * factor for size, factor in zip(array.shape, factors, strict=True)])
    if prod(shape) < MANY or array.dtype.kind == "O":
        return np.tile(array, tuple(factors))
    out = xp.empty(shape, array.dtype)
    _repeat_into(xp, out, array, factors)
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
        whole[:, 1:] = whole[:, :1]
    else:
        _repeat_rows(whole, once.reshape((count, -1)))


def _repeat_rows(whole: Any, rows: Any) -> None:
    """whole[:, i] = rows, for every i."""
    times, width = whole.shape[1:]
    bytes_each = width * whole.itemsize
    if bytes_each > _WIDEST or times > 16 or len(whole) == 1:
        np.copyto(whole, rows[:, None])
    elif (bytes_each >= 32 or (times >= 8 and bytes_each > 4)) and rows.flags.c_contiguous:
        # One copy of opaque rows that broadcasts: 5e5 rows of 16 float32 twice 4.8 ms, one after the other 9.0.
        if not beside(whole, [rows] * times):
            kind = f"V{bytes_each}"
            np.copyto(whole.view(kind), rows.view(kind)[:, None])
    else:
        _alternate(whole, [rows] * times)


def framed(xp: Any, array: Any, frame: Sequence[Sequence[int]]) -> Any:
    """`array` with frame[i] = (before, after) zeros around dimension i; rank 1 or more, no Python objects."""
    shape = tuple([before + size + after for size, (before, after) in zip(array.shape, frame, strict=True)])
    if any(frame[-1]) and array.shape[-1] * array.itemsize < 512:
        out = xp.zeros(shape, array.dtype)  # one or two zeros in nearly every line of the cache: clear all of it
        inside = [slice(before, before + size) for size, (before, _) in zip(array.shape, frame, strict=True)]
        target = out[tuple(inside)]
    else:
        target = out = xp.empty(shape, array.dtype)
        for i, (size, (before, after)) in enumerate(zip(array.shape, frame, strict=True)):
            outer = (slice(None),) * i
            target[(*outer, slice(0, before))] = 0
            target[(*outer, slice(before + size, before + size + after))] = 0
            target = target[(*outer, slice(before, before + size))]
    copy_into(target, array)
    return out


def starts_reversed(xp: Any, array: Any, lengths: Any) -> Any:
    """Row-major `array` with the first lengths[i] elements of row i turned around; an element is what lies behind."""
    count, width = array.shape[:2]
    out = xp.empty(array.shape, array.dtype)
    source, target = (a.reshape((count * width, -1)) for a in (array, out))
    steps = np.arange(width)
    counts = np.arange(width + 1)[:, None]
    places = np.where(steps < counts, counts - 1 - steps, steps)  # for each length
    rows = max(1, BLOCK // width)
    firsts = (np.arange(rows) * width)[:, None]
    for block in blocks(count, rows):
        index = places.take(lengths[block], axis=0)
        index += firsts[: len(index)]
        part = slice(block.start * width, block.stop * width)
        np.take(source[part], index.reshape(-1), axis=0, out=target[part], mode="clip")
    return out


# ---- one of two -----------------------------------------------------------------------------------

BITS = {1: "u1", 2: "u2", 4: "u4", 8: "u8"}


def choose_into(out: Any, mask: Any, t: Any, e: Any) -> None:
    """np.where(mask, t, e) of unsigned integers into `out`, which neither t nor e is; `mask` holds 0 and 1 as uint8.

    e + (t - e) * mask, where sums wrap around: three walks, while e ^ ((t ^ e) & -mask) needs two more for the mask.
    """
    np.subtract(t, e, out=out)
    np.multiply(out, mask, out=out)  # widened by NumPy in pieces that stay in the first cache
    np.add(out, e, out=out)


def choose(xp: Any, mask: Any, t: Any, e: Any) -> Any:
    """np.where(mask, t, e) for a bool `mask` and two arrays of one dtype, all of one shape.

    np.where decides element by element, which is slow where the processor cannot guess (1e7 float32, a random mask:
    39 ms; a sorted one: 5.6). Blocks with many changes are computed with whole numbers instead, 9 ms.
    """
    kind = BITS.get(t.itemsize)
    if t.size < MANY or not (is_plain(mask) and is_plain(t) and is_plain(e)):
        return np.where(mask, t, e)
    found = selected(xp, mask, t, e)
    if found is not None:
        return found
    if kind is None:
        return np.where(mask, t, e)
    out = xp.empty(t.shape, t.dtype)
    condition = mask.reshape(-1).view("u1")
    then, other, result = (a.reshape(-1).view(kind) for a in (t, e, out))
    for block in blocks(len(result)):
        chosen = condition[block]
        if 8 * np.count_nonzero(chosen[1:] != chosen[:-1]) < len(chosen):
            true = np.count_nonzero(chosen)
            np.copyto(result[block], then[block] if true == len(chosen) else other[block])
            if 0 < true < len(chosen):
                np.copyto(result[block], then[block], where=chosen.view(np.bool_))
            continue
        choose_into(result[block], chosen, then[block], other[block])
    return out


def choose_rows(xp: Any, mask: Any, t: Any, e: Any) -> Any:
    """The rows of `t` where the vector `mask` is true, those of `e` elsewhere."""
    if t.size < MANY or not (is_plain(t) and is_plain(e)):
        return np.where(mask.reshape((-1,) + (1,) * (t.ndim - 1)), t, e)
    if is_plain(mask) and (found := picked(xp, (e, t), mask, "b1")) is not None:
        return found
    out = xp.empty(t.shape, t.dtype)
    if out.nbytes == 0:
        return out
    # Rows as raw bytes: 12 ms against 23 for 1e6 rows of 16 float32.
    result, then, other = opaque(out), opaque(t), opaque(e)
    step = max(1, (BLOCK << 3) // result.itemsize)
    for block in blocks(len(result), step):
        np.copyto(result[block], other[block])
        np.copyto(result[block], then[block], where=mask[block])
    return out


# ---- apart, by labels -----------------------------------------------------------------------------


def partition_rows(xp: Any, rows: Any, labels: Any, count: int) -> list[Any]:
    """For each label k < count the rows whose label it is, in order; `labels` are flat and were checked.

    1e7 float32, one thread, in blocks against whole: 2 labels 27 ms (29), 16 labels 62 (135), 1000 labels 120 (247);
    1e6 rows of 16: 8 ms (16), 23 (29), 28 (33).
    """
    if count <= 8 and len(labels) < MANY:
        return [rows.take(np.flatnonzero(labels == k), axis=0) for k in range(count)]
    if len(labels) < MANY:
        ordered = rows.take(np.argsort(labels, kind="stable"), axis=0)
        ends = np.cumsum(np.bincount(labels, minlength=count)).tolist()
        return [ordered[start:end] for start, end in pairwise([0, *ends])]
    if count <= 8:
        return _by_passes(xp, rows, labels, count)
    return _by_sorting(xp, rows, labels, count)


def _by_passes(xp: Any, rows: Any, labels: Any, count: int) -> list[Any]:
    sizes = [0] * count
    for block in blocks(len(labels)):
        part = labels[block]
        for k in range(count - 1):
            sizes[k] += int(np.count_nonzero(part == k))
    sizes[-1] = len(labels) - sum(sizes)
    parts = [xp.empty((size, *rows.shape[1:]), rows.dtype) for size in sizes]
    ends = [0] * count
    for block in blocks(len(labels)):
        part, source = labels[block], rows[block]
        for k in range(count):
            places = np.flatnonzero(part == k)
            start = ends[k]
            ends[k] = start + len(places)
            np.take(source, places, axis=0, out=parts[k][start : ends[k]], mode="clip")
    return parts


def _by_sorting(xp: Any, rows: Any, labels: Any, count: int) -> list[Any]:
    # NumPy sorts 8 and 16 bit numbers by radix: stable, and in linear time.
    narrow = labels.astype("u1" if count <= 1 << 8 else "u2" if count <= 1 << 16 else "i4")
    sizes = np.zeros(count, np.intp)
    for block in blocks(len(labels), 8 * BLOCK):
        sizes += np.bincount(labels[block], minlength=count)
    whole = xp.empty(rows.shape, rows.dtype)
    bounds = [0, *np.cumsum(sizes).tolist()]
    parts = [whole[start:end] for start, end in pairwise(bounds)]
    if rows.itemsize * prod(rows.shape[1:]) > 16:
        # A row that fills half a cache line is read at once wherever it is.
        np.take(rows, np.argsort(narrow, kind="stable"), axis=0, out=whole, mode="clip")
        return parts
    # A block leaves one piece to each label; pieces of 256 elements make the slicing (0.4 us each) cheap.
    step = max(2 * BLOCK, 256 * count)
    ends = [0] * count
    for block in blocks(len(labels), step):
        part = narrow[block]
        ordered = np.take(rows[block], np.argsort(part, kind="stable"), axis=0)
        last = 0
        for k, size in enumerate(np.bincount(part, minlength=count).tolist()):
            if size:
                first, start = last, ends[k]
                last, ends[k] = first + size, start + size
                parts[k][start : start + size] = ordered[first:last]
    return parts
