"""Copies that several threads make: each copies a range of one axis.

An axis is divided in units of so many elements, its grain, and the first one with many units is divided: then every
thread writes memory that lies together. If all axes are short, it is the one with the most units.

    (3125, 3200)        rows 0-1562 | 1562-3125
    (3, 1000000)        all 3 rows, columns 0-500000 | 500000-1000000
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from .loops.native_loops import in_shares, pays, shares

Copy: TypeAlias = Callable[[Any, Any], object]

PER_BYTE: Final = 0.008e-9
"""Seconds for a byte that is read or written in order, in the last cache: half of what one thread takes, since waking
another one takes 20 us in a busy process and 150 in one that has slept. Two threads copy from 2.5e6 float32 on.

One thread and two, microseconds, without the pause: 1e6 float32 transposed 165 and 180, copied 100 and 105; 2e6 450 and
320, 210 and 145; 1e7 5,500 and 3,400, 2,600 and 1,800.
"""
_APART: Final = 0.2e-9
"""Seconds more for an element, if the elements of the source do not lie side by side."""
LINE: Final = 64
"""Elements of the last axis that are not divided: two threads that write one line of the cache wait for each other."""
NEIGHBOURS: Final = 1 << 14
"""Bytes of each row that a thread should read if threads divide the columns. The processor fetches what comes next in
memory, so with fewer bytes two threads fetch each other's: running sums of 1e7 float32 in rows of 1,000 take 3.3 ms
with one thread and 3.9 with two, in rows of 1,000,000 3.6 and 2.5.
"""
_FEW: Final = 1 << 13
"""Elements of an array that is copied into new memory."""
_MANY: Final = 64
"""Units of an axis that can be divided evenly."""


def copy_in_shares(
    target: Any, source: Any, copy: Copy = np.copyto, seconds: float | None = None, grains: Sequence[int] = ()
) -> None:
    """copy(target, source), divided among threads if it is large. `source` has the rank of `target` and is broadcast.

    seconds: how long one thread would take, about; by default as long as for a copy in order.
    grains: for each axis the elements that stay together.
    """
    if seconds is None:
        is_dense = not target.ndim or source.strides[-1] == source.itemsize
        seconds = 2 * target.nbytes * PER_BYTE + (0 if is_dense else target.size * _APART)
    if not target.ndim or target.dtype.hasobject or not pays(seconds):
        copy(target, source)  # Python objects are copied by one thread at a time
        return
    grains = grains or (*[1] * (target.ndim - 1), LINE)
    axis = divided_axis(target.shape, grains)
    if source.shape[axis : axis + 1] != target.shape[axis : axis + 1]:
        source = np.broadcast_to(source, target.shape)
    before = (slice(None),) * axis

    def part(_: int, start: int, stop: int) -> None:
        place = (*before, slice(start, stop))
        copy(target[place], source[place])

    in_shares(shares(target.shape[axis], seconds, grains[axis]), part)


def copied_in_shares(xp: Any, array: Any) -> Any:
    """A row-major copy, in memory that `xp` gives."""
    if array.size < _FEW:
        return array.copy()
    out = xp.empty(array.shape, array.dtype)
    copy_in_shares(out, array)
    return out


def divided_axis(shape: Sequence[int], grains: Sequence[int]) -> int:
    """The axis of an array that threads divide, in units of its grain."""
    units = [length // grain for length, grain in zip(shape, grains, strict=True)]
    return next((axis for axis, number in enumerate(units) if number >= _MANY), units.index(max(units)))
