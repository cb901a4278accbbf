"""Runs of a group's code on operands that are transposed, reversed or otherwise strided along the rows of the result.

`StridedWalk` is computed once for each combination of strides; `kernels.strided_rows_loop` makes rows of the operands
and calls the code on them. Operands that the loop does not serve, or a loop that is not compiled yet, are left to the
code's own loops, which gather element by element.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from ..base.thread_pool import parallel_for
from ..ir.strides import broadcast_strides, coalesced
from ..ir.tiling import Shape
from ..kernels.loops.native_loops import find
from ..kernels.loops.strided_rows_loop import FIELDS, GATHERED, HEAD, IN_ORDER, MOST, ROWS, TRANSPOSED
from ..memory.buffer_pool import POOL

FEWEST_COLUMNS: Final = 64
"""The fewest elements of a row: the code is called for each row, and blocks of 16 columns are exchanged."""
LONGEST_PIECE: Final = 4096
"""Elements of a row that are computed at a time at most."""
SCRATCH: Final = 1 << 15
"""Bytes of scratch memory, about: they stay in the first cache or next to it."""
SHARES: Final = 4
"""Pieces of work per thread, so that the slowest thread is at most one piece behind."""
_SIZES: Final = (1, 2, 4, 8, 16)


class StridedWalk:
    """How the loop goes over operands of given strides.

    Attributes:
        blocks: blocks of rows in all images.
        key: the key of the loop.
        table: the numbers that it reads, without addresses.
        scratch: the bytes of its scratch memory.
        work: the elements of the result.
    """

    __slots__ = ("_places", "blocks", "key", "scratch", "table", "work")

    def __init__(
        self, shape: Shape, axes: tuple[int, int, int], strides: Sequence[Sequence[int]], sizes: Sequence[int]
    ) -> None:
        """axes: those of images, rows and columns in `shape`; -1 for no images."""
        image, row, column = axes
        rows = shape[row] if row >= 0 else 1
        self.blocks = (shape[image] if image >= 0 else 1) * -(-rows // ROWS)
        self.work = prod(shape)
        kinds = [_kind(own, size, row, column, rows) for own, size in zip(strides, sizes, strict=True)]
        of_element = sum([size * (ROWS if kind == TRANSPOSED else 1) for kind, size in zip(kinds, sizes, strict=True)
                          if kind != IN_ORDER])  # fmt: skip
        piece = min(LONGEST_PIECE, max(FEWEST_COLUMNS, SCRATCH // of_element // ROWS * ROWS))
        numbers = [rows, shape[column], len(strides), -(-rows // ROWS), piece]
        self.scratch = 0
        for own, size, kind in zip(strides, sizes, kinds, strict=True):
            by_image, by_row = (own[axis] if axis >= 0 else 0 for axis in (image, row))
            step = own[column]
            numbers += [0, by_image, by_row, step, size, kind, self.scratch, step if kind == IN_ORDER else size]
            room = (piece + ROWS) * size
            self.scratch += {IN_ORDER: 0, GATHERED: room, TRANSPOSED: ROWS * room}[kind]
        self.key = tuple([tuple(sorted({size for kind, size in zip(kinds, sizes, strict=True) if kind == which}))
                          for which in (TRANSPOSED, GATHERED)])  # fmt: skip
        self.table = np.array(numbers, np.int64)
        self._places = HEAD + FIELDS * np.arange(len(strides))

    def run(self, loop: Any, code_address: int, arrays: Sequence[Any], threads: int) -> None:
        """Call the loop on the operands."""
        table = self.table.copy()
        table[self._places] = [x.ctypes.data for x in arrays]

        def work(first: int, last: int) -> None:
            loop(code_address, table, POOL.empty((self.scratch,), np.uint8), first, last)

        if threads <= 1 or self.blocks == 1:
            work(0, self.blocks)
            return
        shares = min(self.blocks, threads * SHARES)
        parallel_for(shares, lambda k: work(self.blocks * k // shares, self.blocks * (k + 1) // shares), threads)

    def loop(self) -> Any:
        """The compiled loop; None if there is none now."""
        return find("strided_rows", *self.key, work=self.work)


def _kind(strides: Sequence[int], size: int, row: int, column: int, rows: int) -> int:
    """How an operand of such strides is read."""
    if strides[column] in (0, size):
        return IN_ORDER
    is_transposed = row >= 0 and strides[row] == size and rows >= ROWS and size < 16
    return TRANSPOSED if is_transposed else GATHERED


def strided_walk(whole: Shape, shapes: Sequence[Shape], strides: Sequence[Shape], sizes: Sequence[int]) -> Any:
    """The walk over operands that are broadcast to `whole`; None if they lie in order, or the loop does not serve them.

    Args:
        whole: the shape of the results.
        shapes, strides: of all operands, results last.
        sizes: the bytes of an element of each.
    """
    if len(shapes) > MOST or any(size not in _SIZES for size in sizes):
        return None
    spread = [broadcast_strides(shape, own, whole) for shape, own in zip(shapes, strides, strict=True)]
    shape, walks = coalesced(whole, spread)
    column = len(shape) - 1
    if not 1 <= len(shape) <= 3 or shape[column] < FEWEST_COLUMNS:
        return None
    out_of_order = [k for k, (walk, size) in enumerate(zip(walks, sizes, strict=True)) if walk[column] not in (0, size)]
    if not out_of_order:
        return None
    others = list(range(column))
    nearest = [axis for axis in others if any(walks[k][axis] == sizes[k] for k in out_of_order)]
    row = nearest[-1] if nearest else (others[-1] if others else -1)
    image = next((axis for axis in others if axis != row), -1)
    return StridedWalk(shape, (image, row, column), walks, sizes)
