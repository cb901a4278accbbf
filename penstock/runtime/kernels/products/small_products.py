"""Products of matrices of a few hundred rows and columns by a compiled loop, with the bits of NumPy's product.

NumPy's BLAS adds the products of a row and a column in an order that depends on the sizes only. Libraries for x86 add
one after the other, each with one rounding; if the sum is long, they cut it into parts, and add the sums of the parts.
Where they cut is not documented. So before a pair of shapes is computed by the loop for the first time, a product of
random numbers tells: the loop computes it with each way to cut that libraries have, until the bits are NumPy's.
If none fits, as where BLAS has a kernel of its own for small matrices, NumPy goes on, and at once on processors without
AVX-512, whose registers hold too few sums for the loop to be faster than BLAS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from ...base.cores import cores
from ...base.pending_writes import PendingWrites
from ...llvm.jit_settings import SETTINGS
from ...llvm.native_calls import NativeCall, NativeMemory
from ..loops.native_loops import find_at_once, find_for_few, native_call, prepared
from .blas_products import SHARED, blas_product
from .matrix_product_loop import has_tiles, panel_of, tiles_of

Array = Any
Shapes = tuple[int, int, int, bool, bool]
"""Rows, inner size, columns, and which operands are transposed."""

FEWEST: Final = 1 << 20
"""Multiplications below which BLAS has kernels for small matrices, or a second transpose would cost too much."""
_MOST: Final = 1 << 27
"""Multiplications above which a library that packs its operands is as fast."""
_DEEPEST: Final = 4096
"""The longest sum: a panel of b must stay in the second cache."""
_PARTS: Final = (192, 256, 320, 352, 384, 448, 512, 640, 768, 1024)
"""Sizes of the parts of a sum in OpenBLAS's kernels."""
_UNITS: Final = (1, 2, 4, 6, 8, 12, 16, 24, 32)
"""Half a sum is rounded up to a multiple of one of these."""

_MULTIPLICATION: Final = 1.2e-11
"""Seconds that a multiplication takes, about."""

_turns: dict[int, Callable[..., int]] = {}
"""Loops that transpose, by the size of an element: asking for one takes as long as the smallest takes to run."""

Cut = tuple[int, ...]
"""Where a sum is cut: 0, ..., its length."""

_MOST_MISSES: Final = 3
"""After so many numbers of rows for which no cut has fit, none is tried for others."""
_cuts: dict[tuple[str, int, bool, bool], tuple[Cut, ...]] = {}
"""By dtype, length and transposes: the cuts that were found last, () where none fits."""


class Product:
    """How products of one pair of shapes are computed. `cut` is None until it is known, and () if none fits."""

    __slots__ = ("_kind", "_larger", "_loop", "_rest", "_rows", "_shapes", "_swapped", "_tiles", "_work", "cut")

    def __init__(self, kind: str, shapes: Shapes) -> None:
        rows, inner, columns, transposed_a, transposed_b = shapes
        self._kind = kind
        self._shapes = shapes
        self._work = rows * inner * columns
        # The loop wants b row-major. Where b is transposed, either b is copied, or the product is that of the
        # transposes, transposed: then a and the result are copied, which is less if there are few rows.
        copied = 0 if transposed_a else rows * inner
        self._swapped = transposed_b and copied + rows * columns < inner * columns
        if self._swapped:
            rows, columns = columns, rows
        self._tiles, self._rows, self._larger = tiles_of(rows)
        self._rest = columns % panel_of(kind)
        self._loop: Callable[..., int] | None = None
        self.cut: Cut | None = None if is_served(shapes) else ()

    def __call__(
        self,
        left: Array,
        right: Array,
        more: Array | None = None,
        place: Array | None = None,
        times: Array | None = None,
        writes: PendingWrites | None = None,
    ) -> Array | None:
        """left @ right, views of the operands as the shapes say, plus `more`; None if NumPy is to compute it.

        more: a contiguous matrix, or a row for all rows.
        place: contiguous memory for the result.
        times: a number; the result is then `more` minus the product times it.
        writes: where to add the call that computes the result, which is not made now.
        """
        if SETTINGS.why_off:
            return None
        loop = self._loop
        if loop is None:
            loop = find_for_few("matrix_product", self._kind, self._rows, self._rest, work=self._work)
            if loop is None:
                return None
            if self.cut is None:
                self.cut = self._found_cut(loop)
            self._loop = loop
        if not self.cut or (more is not None and (len(self.cut) > 2 or self._swapped)):
            return None
        if writes is not None and not writes.may_add(self._work * _MULTIPLICATION):
            return None
        return self._computed(loop, left, right, self.cut, more, place, times, writes)

    def native(
        self,
        left: Array,
        right: Array,
        out: Array,
        memory: NativeMemory,
        more: Array | None = None,
        times: Array | None = None,
    ) -> list[NativeCall] | None:
        """The calls that compute the same into `out`; None if NumPy is to, or the loop is not there yet."""
        loop = self._loop
        if loop is None:
            memory.is_early |= self.cut != ()
            return None
        if not self.cut or (more is not None and (len(self.cut) > 2 or self._swapped)):
            return None
        memory.seconds += self._work * _MULTIPLICATION
        attempts: list[NativeCall | None] = []
        target = out
        if self._swapped:
            left, right = right.T, left.T
            target = memory.scratch((len(left), right.shape[1]), out.dtype)
        if not right.flags.c_contiguous:
            key = right.ctypes.data, right.shape, right.strides
            turned = memory.turned.get(key)
            if turned is None:
                turned = memory.turned[key] = memory.scratch(right.shape, right.dtype)
                attempts.append(_native_turn(turned, right.T))
            right = turned
        attempts += [native_call(loop, *args) for args in self._arguments(left, right, self.cut, target, more, times)]
        if target is not out:
            attempts.append(_native_turn(out, target))
        calls = [each for each in attempts if each is not None]
        return calls if len(calls) == len(attempts) else None

    def cut_at_once(self) -> Cut:
        """Where sums are cut, found now if it is not known; () where BLAS goes on."""
        if self.cut is None:
            loop = find_at_once("matrix_product", self._kind, self._rows, self._rest)
            self.cut = () if loop is None else self._found_cut(loop)
        return self.cut

    def _computed(
        self,
        loop: Callable[..., int],
        left: Array,
        right: Array,
        cut: Cut,
        more: Array | None = None,
        place: Array | None = None,
        times: Array | None = None,
        writes: PendingWrites | None = None,
    ) -> Array:
        if self._swapped:
            left, right = right.T, left.T
        if not right.flags.c_contiguous:
            right = transposed(right.T)
        rows, columns = len(left), right.shape[1]
        out = np.empty((rows, columns), left.dtype) if place is None else place.reshape((rows, columns))
        for args in self._arguments(left, right, cut, out, more, times):
            if writes is None:
                loop(*args)
            else:  # a cut of a product with `more` has one part
                writes.calls.append(prepared(loop, *args))
                writes.kept.append(args[:5])
        return transposed(out) if self._swapped else out

    def _arguments(
        self, left: Array, right: Array, cut: Cut, out: Array, more: Array | None, times: Array | None
    ) -> Iterator[tuple[Any, ...]]:
        """What the loop gets for each part of the sum."""
        size = left.itemsize
        columns = right.shape[1]
        a_row, a_column = left.strides
        a_row, a_column = a_row // size, a_column // size
        start = 0
        before, before_row, how = out, columns, 1
        if more is not None:
            before, before_row, how = more, columns if more.size > columns else 0, 0 if times is None else 2
        number = out if times is None else times
        for stop in cut[1:]:
            yield (out, left, right, before, number, 0, self._tiles, self._larger, columns, start, stop, a_row,
                   a_column, columns, columns, before_row, how)  # fmt: skip
            start, how = stop, 0

    def _found_cut(self, loop: Callable[..., int]) -> Cut:
        """The cut with which the loop gives NumPy's bits; () if there is none."""
        rows, inner, columns, transposed_a, transposed_b = self._shapes
        random = np.random.default_rng(1)
        dtype = np.dtype(self._kind)
        a = random.standard_normal((inner, rows) if transposed_a else (rows, inner)).astype(dtype)
        b = random.standard_normal((columns, inner) if transposed_b else (inner, columns)).astype(dtype)
        left, right = a.T if transposed_a else a, b.T if transposed_b else b
        # Some sums vanish: the sign of a zero is a bit too. Few do, because processors take 100 times as long for them.
        left[:2] *= np.finfo(dtype).tiny
        right[:, :2] *= np.finfo(dtype).tiny
        wanted = blas_product(left, right).tobytes()
        # Libraries cut a sum by its length, whatever the number of rows; so another number needs one try as a rule.
        kind = self._kind, inner, transposed_a, transposed_b
        known = _cuts.get(kind, ())
        if len(known) >= _MOST_MISSES and not any(known):
            return ()
        for cut in dict.fromkeys([*[each for each in reversed(known) if each], *cuts(inner)]):
            if self._computed(loop, left, right, cut).tobytes() == wanted:
                _cuts[kind] = (*known[-_MOST_MISSES:], cut)
                return cut
        _cuts[kind] = (*known[-_MOST_MISSES:], ())
        return ()


def transposed(x: Array) -> Array:
    """The transpose of a row-major matrix, row-major."""
    size = x.itemsize
    rows, columns = x.shape
    side = 64 // size
    loop = _turns.get(size)
    if loop is None or min(rows, columns) < side or SETTINGS.why_off:
        found = find_for_few("transpose", size, side, work=x.size) if min(rows, columns) >= side else None
        if found is None:
            return x.T.copy(order="C")
        loop = _turns[size] = found
    out = np.empty((columns, rows), x.dtype)
    loop(*_turn(out, x))
    return out


def _turn(out: Array, x: Array) -> tuple[Any, ...]:
    """What the loop that transposes gets."""
    (rows, columns), size = x.shape, x.itemsize
    return (out, x, rows, columns, columns * size, rows * size, 1, 0, 0, 512)


def _native_turn(out: Array, x: Array) -> NativeCall | None:
    """The call that transposes a row-major matrix; None where NumPy does it."""
    loop = _turns.get(x.itemsize)
    if loop is None or min(x.shape) < 64 // x.itemsize or not x.flags.c_contiguous:
        return None
    return native_call(loop, *_turn(out, x))


def is_served(shapes: Shapes) -> bool:
    """Whether the loop may be as fast as BLAS for these shapes."""
    rows, inner, columns, _, _ = shapes
    most = _MOST if cores() == 1 else SHARED
    if not FEWEST <= rows * inner * columns <= most or inner > _DEEPEST:
        return False
    return min(rows, columns) >= 8 and has_tiles()


def cuts(length: int) -> Iterator[Cut]:
    """The ways in which libraries cut a sum: not, into parts of one size, or the last two parts of about one size."""
    tried: set[Cut] = set()
    for part in (length, *[each for each in _PARTS if each < length]):
        for unit in _UNITS:
            at = [0]
            while at[-1] < length:
                left = length - at[-1]
                if left >= 2 * part:
                    left = part
                elif left > part:
                    left = -(-left // (2 * unit)) * unit if unit > 1 else -(-left // 2)
                at.append(at[-1] + left)
            cut = tuple(at)
            if cut not in tried:
                tried.add(cut)
                yield cut
