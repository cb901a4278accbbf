"""Streams of running sums and products, with the loops of `fast_cumsum`.

Along the first dimension a piece begins with the last sums of the one before it. Along another one each row is by
itself.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, ClassVar

import numpy as np

from ....ops.declare.shape_checks import one_axis
from ....ops.reduce.cumsum import SCAN_WORDS
from ..fast_cumsum import PRODUCTS, SUMS, Scan, adding
from ..loops.native_loops import is_large
from ..shared_copies import PER_BYTE


class ScanStream:
    """Running sums or products along the first dimension: each piece goes on where the one before it ended."""

    is_parallel: ClassVar[bool] = False

    def __init__(
        self, scan: Scan, add: Callable[[Any, Any], None], shape: tuple[int, ...], exclusive: bool, reverse: bool
    ) -> None:
        self._combine = getattr(np, scan.ufunc)
        self._neutral = scan.neutral
        self._add = add
        self._exclusive = exclusive
        self._next: Any = None  # the sums before the next piece
        self.is_backwards = reverse
        self.rows, self._width = shape[0], prod(shape[1:])
        self.seconds = 0.0

    def stop(self, first: int, most: int) -> int:
        """Any row."""
        return min(first + most, self.rows)

    def advance(self, first: int, last: int, rows: Any, place: Any) -> bool:
        """Add the rows of a piece."""
        target, source = [array.reshape((1, last - first, self._width)) for array in (place, rows)]
        if self.is_backwards:
            target, source = target[:, ::-1], source[:, ::-1]
        before = self._next
        if self._exclusive:
            target[:, 0] = self._neutral if before is None else before
            self._add(target, source)
            self._next = self._combine(target[:, -1], source[:, -1])
            return True
        if before is None:
            target[:, 0] = source[:, 0]
        else:
            self._combine(before, source[:, 0], out=target[:, 0])
        self._add(target, source[:, 1:])
        self._next = target[:, -1].copy()
        return True

    def result(self) -> Any:
        """Nothing else."""


class RowScanStream:
    """Running sums or products along another dimension."""

    is_parallel: ClassVar[bool] = True
    is_backwards = False

    def __init__(
        self, scan: Scan, add: Callable[[Any, Any], None], x: Any, place: int, exclusive: bool, reverse: bool
    ) -> None:
        self._neutral = scan.neutral
        self._add = add
        self._inner = x.shape[place], prod(x.shape[place + 1 :])
        self._exclusive = exclusive
        self._reverse = reverse
        self.rows: int = x.shape[0]
        self.seconds = 3 * x.nbytes * PER_BYTE

    def stop(self, first: int, most: int) -> int:
        """Any row."""
        return min(first + most, self.rows)

    def advance(self, first: int, last: int, rows: Any, place: Any) -> bool:
        """The sums of the rows of a piece."""
        target, source = [array.reshape((-1, *self._inner)) for array in (place, rows)]
        if self._reverse:
            target, source = target[:, ::-1], source[:, ::-1]
        target[:, 0] = self._neutral if self._exclusive else source[:, 0]
        self._add(target, source if self._exclusive else source[:, 1:])
        return True

    def result(self) -> Any:
        """Nothing else."""


def cumsum(xp: Any, x: Any, axis: Any, exclusive: bool, reverse: bool) -> ScanStream | RowScanStream | None:
    """Running sums along `axis`."""
    return _scanned(SUMS, x, axis, exclusive, reverse)


def cumprod(xp: Any, x: Any, axis: Any, exclusive: bool, reverse: bool) -> ScanStream | RowScanStream | None:
    """Running products along `axis`."""
    return _scanned(PRODUCTS, x, axis, exclusive, reverse)


def _scanned(scan: Scan, x: Any, axis: Any, exclusive: bool, reverse: bool) -> ScanStream | RowScanStream | None:
    if not is_large(x.size):
        return None
    place = one_axis(axis, x.ndim, *SCAN_WORDS)
    add = adding(scan, x, prod(x.shape[place + 1 :]))
    if add is None:
        return None
    if place == 0:
        return ScanStream(scan, add, x.shape, exclusive, reverse)
    return RowScanStream(scan, add, x, place, exclusive, reverse)
