"""Fast kernels of running sums and products, which threads divide along the other axes.

NumPy adds an element to the one before it in memory that it has just written: 3.3 ns. The loops have the sum in a
register, and add several rows side by side. Milliseconds of NumPy and of a loop, float32: 1e6 3.3 and 0.9, (1000, 1000)
along axis 1 3.3 and 0.5, (10000, 1000) along axis 0 63 and 3.3. Both give the same bits.
"""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from ...ops.declare.shape_checks import one_axis
from ...ops.reduce.cumsum import SCAN_WORDS, scan_into
from .loops.loop_keys import number_kind
from .loops.native_loops import Loop, find, is_large
from .shared_copies import LINE, NEIGHBOURS, PER_BYTE, copy_in_shares

_SECONDS: Final = 0.15e-9
"""What the loop takes for an element along the last axis; half of it, as for `PER_BYTE`."""
_BY_NUMPY: Final = 1.5e-9
"""What NumPy takes."""


def cumsum(xp: Any, x: Any, axis: Any, exclusive: bool, reverse: bool) -> Any:
    """Running sums along `axis`."""
    return _scanned(SUMS, xp, x, axis, exclusive, reverse)


def cumprod(xp: Any, x: Any, axis: Any, exclusive: bool, reverse: bool) -> Any:
    """Running products along `axis`."""
    return _scanned(PRODUCTS, xp, x, axis, exclusive, reverse)


class RunningOp(NamedTuple):
    """A running sum or product: NumPy's functions, for all elements and for two, and where it begins."""

    name: str
    ufunc: str
    neutral: int


SUMS: Final = RunningOp("cumsum", "add", 0)
PRODUCTS: Final = RunningOp("cumprod", "multiply", 1)


def _scanned(scan: RunningOp, xp: Any, x: Any, axis: Any, exclusive: bool, reverse: bool) -> Any:
    if not is_large(x.size):
        return None
    place = one_axis(axis, x.ndim, *SCAN_WORDS)
    out = _by_loop(scan, xp, x, place, exclusive, reverse)
    return _by_numpy(xp, scan.name, scan.neutral, x, place, exclusive, reverse) if out is None else out


def _by_numpy(xp: Any, ufunc: str, neutral: int, x: Any, place: int, exclusive: bool, reverse: bool) -> Any:
    out = xp.empty(x.shape, x.dtype)
    scan = partial(scan_into, xp=np, ufunc=ufunc, neutral=neutral, place=place, exclusive=exclusive, reverse=reverse)
    grains = [1] * x.ndim
    grains[-1] = LINE
    grains[place] = x.shape[place]
    copy_in_shares(out, x, scan, x.size * _BY_NUMPY, grains)
    return out


def _by_loop(scan: RunningOp, xp: Any, x: Any, place: int, exclusive: bool, reverse: bool) -> Any:
    """The sums or products of a contiguous array; None if there is no loop."""
    rows, width, kind = x.shape[place], prod(x.shape[place + 1 :]), number_kind(x.dtype)
    if kind is None or not x.flags.c_contiguous or (scan.ufunc == "multiply" and kind[0] == "c"):
        return None
    if width == 1 and x.dtype.kind in "iu" and x.size < 4 * rows:
        return None  # of a few rows of ints NumPy's are as fast
    if width > 1:
        loop = find("running_sums", kind, False, scan.ufunc, work=x.size)
        add, seconds = _add_rows, 3 * x.nbytes * PER_BYTE
    else:
        loop = find("running_sums_of_rows", kind, scan.ufunc, work=x.size)
        add, seconds = _add_along_rows, x.size * _SECONDS
    if loop is None:
        return None
    out = xp.empty(x.shape, x.dtype)
    target, source = [array.reshape((-1, rows, width)) for array in (out, x)]
    if reverse:
        target, source = target[:, ::-1], source[:, ::-1]

    def sums(target: Any, source: Any) -> None:
        target[:, 0] = scan.neutral if exclusive else source[:, 0]
        add(loop, target, source if exclusive else source[:, 1:])

    copy_in_shares(target, source, sums, seconds, (1, rows, max(1, NEIGHBOURS // x.itemsize)))
    return out


def _add_rows(loop: Loop, target: Any, source: Any) -> None:
    images, rows, width = target.shape
    (out_image, out_row, _), (x_image, x_row, _) = target.strides, source.strides
    loop(target, source, rows - 1, width, out_row, x_row, images, out_image, x_image)


def _add_along_rows(loop: Loop, target: Any, source: Any) -> None:
    rows, width, _ = target.shape
    (out_row, out_step, _), (x_row, x_step, _) = target.strides, source.strides
    loop(target, source, rows, width - 1, out_row, x_row, out_step, x_step)
