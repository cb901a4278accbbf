"""Native forms of steps on rows at given places: gather, sums of segments, gradients of slices, rows of a variable.

The loops check each index themselves, so that none can touch other memory; that all are in range, without which a step
fails, is tested before the block.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ...ops.index.row_indexing import all_in_range
from ..llvm.native_calls import NativeCall, NativeMemory, loop_call
from ..llvm.ufunc_loops import numpy_loop
from .fast_scatter import COMBINED
from .loops.loop_keys import index_kind, number_kind, row_key, sizes_of
from .loops.native_loops import find_after, native_call

_MOST_GATHERED: Final = 1 << 22
"""The most bytes of rows that one thread gathers: several share more."""
_IDIOM: Final = 5
"""The time of NumPy's idiom for a few rows, and of the block that it cuts in two, in units of that of a step's call."""
_BYTE: Final = 1e-10
"""Seconds for a byte that is moved."""


@dataclass(frozen=True)
class InRange:
    """The test of an index. Equal ones are made once.

    Attributes:
        size: what every entry has to be less than; and none may be negative.
    """

    size: int

    def __call__(self, index: Any) -> bool:
        return all_in_range(index, self.size)


@dataclass(frozen=True)
class Is:
    """The test of an array on which the calls depend: it has these bytes."""

    content: bytes

    def __call__(self, x: Any) -> bool:
        return bool(x.tobytes() == self.content)


def gather(
    args: Sequence[Any], _: Sequence[Any], results: Sequence[Any], memory: NativeMemory
) -> list[NativeCall] | None:
    """Rows of an array."""
    rows, index = args
    (out,) = results
    kind, row = index_kind(index.dtype), prod(rows.shape[1:]) * rows.itemsize
    if kind is None or not rows.ndim or out.nbytes > _MOST_GATHERED or not _are_dense(rows, index, out):
        return None
    if not memory.may_require(index, InRange(len(rows))):
        return None
    memory.seconds += out.nbytes * _BYTE
    return _call_on_rows(memory, ("take", row_key(row), kind, 1), out, rows, index, len(rows), row)


def segment_sums(
    args: Sequence[Any], _: Sequence[Any], results: Sequence[Any], memory: NativeMemory
) -> list[NativeCall] | None:
    """Sums of the rows of each id."""
    data, ids, count = args
    (out,) = results
    if data.shape[: ids.ndim] != ids.shape or count.ndim or data.itemsize < 4 or not _are_dense(data, ids, out):
        return None
    if not memory.may_require(count, Is(count.tobytes())):
        return None
    added = _combined("add", out, ids, data, memory)
    return None if added is None else [*filled_with_zeros(out, memory), *added]


def placed_at_index(
    args: Sequence[Any], _: Sequence[Any], results: Sequence[Any], memory: NativeMemory
) -> list[NativeCall] | None:
    """Zeros in which an array stands at a slice: copies of rows of bytes."""
    shape, x, index, bounds = args
    (out,) = results
    if not _are_dense(out) or not x.size or out.dtype.kind == "b":
        return None
    for each in (shape, *bounds):
        if not memory.may_require(each, Is(each.tobytes())):
            return None
    place = out[index.filled([int(each) for each in bounds])]
    rows = _rows_of(place if x.flags.c_contiguous else x)
    if place.shape != x.shape or rows is None or not (x.flags.c_contiguous or place.flags.c_contiguous):
        return None
    step, count, length = rows
    steps = (step, length) if x.flags.c_contiguous else (length, step)
    start = place.ctypes.data - out.ctypes.data
    memory.seconds += out.nbytes * _BYTE
    copies = NativeCall(memory.copy, (out, x, start, *steps, count, length))
    return [copies] if length * count == out.nbytes else [*filled_with_zeros(out, memory), copies]


def combined_rows(
    args: Sequence[Any], _: Sequence[Any], results: Sequence[Any], memory: NativeMemory
) -> list[NativeCall] | None:
    """Rows that are added to those of a variable, which is the result, or subtracted."""
    tensor, index, updates, how, vectors = args
    (out,) = results
    name = COMBINED.get(how)
    if name is None or vectors or out is not tensor or not tensor.ndim or not _are_dense(out, index, updates):
        return None
    if updates.shape != (*index.shape, *tensor.shape[1:]) or updates.dtype != tensor.dtype:
        return None
    return _combined(name, out, index, updates, memory)


def reshape(
    args: Sequence[Any], _: Sequence[Any], results: Sequence[Any], memory: NativeMemory
) -> list[NativeCall] | None:
    """The elements of an array with gaps, one behind the other."""
    (out,) = results
    return copied_rows(args[0], out, memory)


def copied_rows(x: Any, out: Any, memory: NativeMemory) -> list[NativeCall] | None:
    """The call that copies an array, whose rows may lie apart, into contiguous memory of any shape."""
    rows = _rows_of(x) if x.size else None
    if rows is None or not out.flags.c_contiguous or out.nbytes != x.nbytes or out.nbytes > _MOST_GATHERED:
        return None
    step, count, length = rows
    memory.seconds += out.nbytes * _BYTE
    return [NativeCall(memory.copy, (out, x, 0, length, step, count, length))]


def _combined(name: str, out: Any, index: Any, rows: Any, memory: NativeMemory) -> list[NativeCall] | None:
    kind, dtype = index_kind(index.dtype), number_kind(rows.dtype)
    if kind is None or dtype in (None, "b1") or not memory.may_require(index, InRange(len(out))):
        return None
    width = rows.size // index.size
    memory.seconds += 4 * rows.nbytes * _BYTE
    key = name, dtype, width if width <= 4 else 0, kind, 1
    return _call_on_rows(memory, key, out, rows, index, len(out), width)


def _call_on_rows(
    memory: NativeMemory, key: tuple[Any, ...], out: Any, rows: Any, index: Any, bound: int, width: int
) -> list[NativeCall] | None:
    """The call of a loop over rows by an index below `bound`; None, and soon more, if it is not compiled yet."""
    loop = find_after(*key, spent=_IDIOM * memory.spent)
    memory.is_early |= loop is None
    sizes = memory.constant(sizes_of(bound).copy())
    return None if loop is None else [native_call(loop, out, rows, index, sizes, index.size, width)]


def filled_with_zeros(out: Any, memory: NativeMemory) -> list[NativeCall]:
    """The call that fills contiguous memory with zeros."""
    loop = numpy_loop("positive", f"{out.dtype.char}->{out.dtype.char}")
    assert loop is not None  # there is one for every number
    zero = memory.constant(np.zeros((), out.dtype))
    return [loop_call(loop, [zero.ctypes.data, out.ctypes.data], (out.size,), (0, out.itemsize))]


def _rows_of(x: Any) -> tuple[int, int, int] | None:
    """(bytes from row to row, rows, bytes of a row) of a part of an array; None where that does not describe it."""
    length, axis = x.itemsize, x.ndim
    while axis and (x.strides[axis - 1] == length or x.shape[axis - 1] == 1):
        axis -= 1
        length *= x.shape[axis]
    if not axis:
        return length, 1, length
    step, count = x.strides[axis - 1], 1
    while axis and (x.strides[axis - 1] == step * count or x.shape[axis - 1] == 1):
        axis -= 1
        count *= x.shape[axis]
    return None if axis or step < length else (step, count, length)


def _are_dense(*arrays: Any) -> bool:
    return all(x.flags.c_contiguous and x.size for x in arrays)
