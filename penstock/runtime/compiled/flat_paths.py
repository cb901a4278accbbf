"""How a flat nest's code goes over operands and results of given strides.

A `FlatPath` is computed once for each combination of strides. `@rows` takes operands of any strides and gathers them
element by element. Where operands are transposed, reversed or otherwise strided along the rows of the result, a
`StridedWalk` is faster: `nest.sequential.table_nests` makes rows of them and calls the code on these, once that loop is
compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from ...ops.declare.reduction_order import BLOCK
from ..base.thread_pool import parallel_ranges
from ..ir.strides import broadcast_strides, coalesced
from ..ir.tiling import Shape
from ..kernels.loops.native_loops import find
from ..kernels.loops.strided_rows_loop import FIELDS, GATHERED, HEAD, IN_ORDER, MOST, ROWS, TRANSPOSED
from ..memory.buffer_pool import POOL
from .compiled_code import CompiledCode
from .loop_spec import LoopSpec

FEWEST_COLUMNS: Final = 64
"""The fewest elements of a row: the code is called for each row, and blocks of 16 columns are exchanged."""
LONGEST_PIECE: Final = 4096
"""Elements of a row that are computed at a time at most."""
SCRATCH: Final = 1 << 16
"""Bytes of scratch memory, about: they stay in the first cache or next to it."""
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
            memory = POOL.empty((self.scratch,), np.uint8)
            loop(table, code_address, memory.ctypes.data, first, last)

        parallel_ranges(self.blocks, work, threads)

    def loop(self) -> Any:
        """The compiled loop; None if there is none now."""
        return find("strided_rows", *self.key, work=self.work)


def _kind(strides: Sequence[int], size: int, row: int, column: int, rows: int) -> int:
    """How an operand of such strides is read."""
    if strides[column] in (0, size):
        return IN_ORDER
    is_transposed = row >= 0 and strides[row] == size and rows >= ROWS and size < 16
    return TRANSPOSED if is_transposed else GATHERED


class FlatPath(NamedTuple):
    """How to go over operands and results of given strides.

    Attributes:
        spec: the first argument of `@rows`.
        shape: the axes that are left when as many as possible are one.
        strides: those of every array along them.
        walk: the way over operands that do not lie in order; None if they do, or the loop does not serve them.
    """

    spec: LoopSpec
    shape: Shape
    strides: list[list[int]]
    walk: StridedWalk | None

    def run(self, code: CompiledCode, arrays: Sequence[Any], threads: int) -> None:
        """Call the code, with the first axis divided among threads."""
        loop = None if self.walk is None else self.walk.loop()
        if self.walk is not None and loop is not None:
            self.walk.run(loop, code.loop_address, arrays, threads)
            return
        address, heads = self.spec.address, [id(x) for x in arrays]
        parallel_ranges(self.shape[0], lambda first, last: code.rows(address, first, last, *heads), threads)


def path_of(shapes: Sequence[Shape], strides: Sequence[Shape], sizes: Sequence[int], inputs: int) -> FlatPath:
    """The path over operands that are broadcast to the shape of the results.

    Args:
        shapes, strides: of all operands, results last.
        sizes: the bytes of an element of each.
        inputs: how many of them are operands.
    """
    spread = [broadcast_strides(shape, own, shapes[-1]) for shape, own in zip(shapes, strides, strict=True)]
    shape, axes = coalesced(shapes[-1], spread)
    spec = LoopSpec([len(shape), *shape, *[own[axis] for axis in range(len(shape)) for own in axes]])
    return FlatPath(spec, shape, axes, _walk_of(shape, axes, sizes, inputs))


def _walk_of(shape: Shape, walks: list[list[int]], sizes: Sequence[int], inputs: int) -> StridedWalk | None:
    column = len(shape) - 1
    if len(walks) > MOST or not 1 <= len(shape) <= 3 or shape[column] < FEWEST_COLUMNS:
        return None
    if any(size not in _SIZES for size in sizes):
        return None
    out_of_order = [k for k, (walk, size) in enumerate(zip(walks, sizes, strict=True)) if walk[column] not in (0, size)]
    if not out_of_order or any(walk[column] != size for walk, size in zip(walks[inputs:], sizes[inputs:], strict=True)):
        return None
    others = list(range(column))
    nearest = [axis for axis in others if any(walks[k][axis] == sizes[k] for k in out_of_order)]
    row = nearest[-1] if nearest else (others[-1] if others else -1)
    image = next((axis for axis in others if axis != row), -1)
    return StridedWalk(shape, (image, row, column), walks, sizes)


def blocks_of(
    whole: Shape, axes: int, arrays: Sequence[tuple[Shape, Shape]], kept: int, sizes: Sequence[int]
) -> LoopSpec | None:
    """The first argument of `@reduce`; None if an operand has no constant stride between rows and within a row.

    Args:
        whole: the shape of what is reduced, which all arrays are broadcast to.
        axes: the number of axes that are kept.
        arrays: (shape, strides) of all operands, and of what is computed of them.
        kept: how many of these are arrays; the others are pieces that each block is computed in.
        sizes: the bytes of an element of each that is computed.
    """
    spread = [broadcast_strides(shape, own, whole) for shape, own in arrays]
    outer = coalesced(whole[:axes], [s[:axes] for s in spread])
    inner = coalesced(whole[axes:], [s[axes:] for s in spread])
    if len(outer[0]) > 1 or len(inner[0]) > 1:
        return None
    by_row = [s[0] if s and k < kept else 0 for k, s in enumerate(outer[1])]
    steps = [*[s[0] if s else 0 for s in inner[1][: len(spread) - len(sizes)]], *sizes]
    moves = [s if k < kept else 0 for k, s in enumerate(steps)]
    count = prod(whole[axes:])
    return LoopSpec([count, -(-count // BLOCK), *by_row, *moves, *steps])
