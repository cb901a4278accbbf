"""The tile schedule of a nest of elements: operands whose neighbours lie along another axis than those of the results.

A transpose is the nest that copies elements, and so is a group that reads transposed memory. Row by row of the results
its threads would read such an operand with a step from each to the next, 32 times its memory. So a block takes a tile
of the two axes: it reads the turned operands along their rows into shared memory, waits, and goes through the elements
of the tile along the rows of the results.

    operand    a b c        cells   a b c .      results    a d
               d e f   ->           d e f .  ->             b e
                                                            c f

Names in the source, beside those of `nest_source`: `row` is a place along the last axis of the results, `col` one along
the axis of the turned operands; r and c count them within the tile; cells0 is the tile of load 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any, Final

from ..ir.nest_ir import Nest
from ..ir.strides import broadcast_strides, coalesced, contiguous_strides
from .c_primitives import declared, kind_of, memory_kind
from .cuda_source import UNITS, Shape, numbered
from .nest_layout import NestLayout
from .nest_source import CudaNestCode

SHARED: Final = 16 << 10
"""Bytes of a tile. A multiprocessor of an H200 has room for eight blocks and more."""
TILED: Final = 1 << 10
"""Elements of a matrix from which tiles pay: a smaller one stays in the cache in whatever order it is read."""

_TILES: Final = """
PS_KERNEL void __launch_bounds__({threads}) turned({parameters}@SIZES@) {{
  {cells}
  const u32 across = (u32)((COLS + TC - 1) / TC), down = (u32)((ROWS + TR - 1) / TR);
  u32 rest = blockIdx.x;
  const i64 col = (i64)(rest % across) * TC; rest /= across;
  const i64 row = (i64)(rest % down) * TR; rest /= down;
  {batch}
  const int high = ROWS - row < TR ? (int)(ROWS - row) : TR, wide = COLS - col < TC ? (int)(COLS - col) : TC;
  {begin}#pragma unroll
  for (int k = 0; k < (TR * TC + {threads} - 1) / {threads}; k++) {{
    const int r = (k * {threads} + (int)threadIdx.x) / TC, c = (k * {threads} + (int)threadIdx.x) % TC;
    if (r < high && c < wide) {{ {read} }}
  }}
  __syncthreads();
  #pragma unroll
  for (int k = 0; k < (TR * TC + {threads} - 1) / {threads}; k++) {{
    const int c = (k * {threads} + (int)threadIdx.x) / TR, r = (k * {threads} + (int)threadIdx.x) % TR;
    if (r < high && c < wide) {{
      const i64 t = at + c * WRITE_COL + r;
      const int e = 0;
      {body}
    }}
  }}
  {end}
}}
"""


@dataclass(frozen=True, slots=True)
class TileWalk:
    """The axes of a nest in the tile schedule.

    Attributes:
        sizes: of all axes; the last one is that of the rows.
        across: the axis along which the elements of the turned operands are neighbours.
        steps: of each operand along each axis, in elements.
        turned: the operands that go through shared memory.
    """

    sizes: Shape
    across: int
    steps: tuple[Shape, ...]
    turned: tuple[int, ...]

    def batch(self) -> list[int]:
        """The other axes."""
        return [d for d in range(len(self.sizes) - 1) if d != self.across]

    def tile(self, nest: Nest) -> tuple[int, int]:
        """Rows and columns of a tile."""
        size = sum([max(4, nest.dtype_of_number(k).size) for k in self.turned])
        return tile_of(self.sizes[-1], self.sizes[self.across], size)

    def blocks(self, high: int, wide: int) -> int:
        """The number of tiles."""
        matrices = prod([self.sizes[d] for d in self.batch()])
        return matrices * -(-self.sizes[-1] // high) * -(-self.sizes[self.across] // wide)

    def defines(self, nest: Nest, high: int, wide: int) -> dict[str, Any]:
        """The macros of the text."""
        pitches = {f"PITCH{k}": pitch_of(wide, nest.dtype_of_number(k).size) for k in self.turned}
        return {"TR": high, "TC": wide, **pitches}

    def named_sizes(self, loads: Sequence[int]) -> dict[str, int]:
        """The sizes and steps that the text uses, by name."""
        written = contiguous_strides(self.sizes, 1)
        names = {"ROWS": self.sizes[-1], "COLS": self.sizes[self.across], "WRITE_COL": written[self.across]}
        for d in self.batch():
            names |= {f"B{d}": self.sizes[d], f"W{d}": written[d]}
        for k in loads:
            names |= numbered(f"F{k}_", self.steps[k])
        return names


@lru_cache(maxsize=1024)
def tiles_of(whole: Shape, operands: tuple[tuple[int, Shape, Shape], ...]) -> TileWalk | None:
    """The tile schedule of operands, each its number, shape and strides in elements; None where it does not pay."""
    sizes, merged = coalesced(whole, [broadcast_strides(shape, strides, whole) for _, shape, strides in operands])
    last = len(sizes) - 1
    steps = {k: tuple(own) for (k, _, _), own in zip(operands, merged, strict=True)}
    turned = tuple([k for k, own in steps.items() if own[last:] not in ((0,), (1,)) and 1 in own])
    axes = {steps[k].index(1) for k in turned}
    if last < 1 or len(axes) != 1:
        return None
    (across,) = axes
    if sizes[across] * sizes[last] < TILED:
        return None
    return TileWalk(sizes, across, tuple([steps.get(k, ()) for k in range(max(steps) + 1)]), turned)


def tile_of(rows: int, cols: int, size: int) -> tuple[int, int]:
    """Rows and columns of the tiles of a matrix: square, unless the matrix is narrow. Tiles may reach beyond its end,
    so that they depend on the smaller side alone."""
    cells = SHARED // max(4, size)
    wide = 64 if size <= 4 else 32
    high = max(1, cells // wide)
    if cols < wide:
        return max(1, cells // pitch_of(cols, size)), cols
    if rows < high:
        return rows, cells // rows
    return high, wide


def pitch_of(cols: int, size: int) -> int:
    """Elements from row to row of a tile: an odd number of banks, so that a column is spread over all banks."""
    if size >= 4:
        return cols | 1
    return ((cols * size + 3) // 4 | 1) * 4 // size


@lru_cache(maxsize=1024)
def tiles_text(nest: Nest, layout: NestLayout, walk: TileWalk, safe: frozenset[int] = frozenset()) -> str:
    """The text of `turned(results ..., operands ..., [failed,] sizes)` of a nest without reductions.

    layout: how operands lie; complex numbers are aligned to their size.

    Raises:
        CannotLower: a step has no expression in CUDA C.
    """
    return _TileCode(nest, replace(layout, width=1), safe, None).tiles(walk)


class _TileCode(CudaNestCode):
    def tiles(self, walk: TileWalk) -> str:
        """The text of `tiles_text`."""
        nest, last = self._nest, len(walk.sizes) - 1
        batch = [f"const i64 c{d} = (i64)(rest % (u32)B{d}); rest /= (u32)B{d};" for d in reversed(walk.batch())]
        at = ["col * WRITE_COL", "row", *[f"c{d} * W{d}" for d in walk.batch()]]
        batch.append(f"const i64 at = {' + '.join(at)};")
        for k in self._loads:
            own = [f"col * F{k}_{walk.across}", f"row * F{k}_{last}", *[f"c{d} * F{k}_{d}" for d in walk.batch()]]
            batch.append(f"const i64 b{k} = {' + '.join(own)};")
        cells, read, body = [], [], []
        for k in self._loads:
            dtype = nest.dtype_of_number(k)
            kind = UNITS[dtype.size] if dtype.is_complex else memory_kind(dtype)
            if k in walk.turned:
                cells.append(f"__shared__ {kind} cells{k}[TR * PITCH{k}];")
                read.append(f"cells{k}[r * PITCH{k} + c] = ((const {kind} *)p{k})[b{k} + r * F{k}_{last} + c];")
                body += self._from_cells(k, kind)
            else:
                body.append(f"const i64 o{k} = b{k} + r * F{k}_{last} + c * F{k}_{walk.across};")
                body += [line for line in self._load(k) if line]
        stores = [self._store(store) for store in nest.stores]
        body += [before for before, _, _ in stores if before]
        body += self._steps(self._elements_behind([store.value for store in nest.stores]))
        body += [line for _, *lines in stores for line in lines if line]
        return _TILES.format(cells="\n  ".join(cells), batch="\n  ".join(batch), read=" ".join(read),
                             body="\n      ".join(body), **self.fields())  # fmt: skip

    def _from_cells(self, k: int, kind: str) -> list[str]:
        dtype, cell = self._nest.dtype_of_number(k), f"cells{k}[r * PITCH{k} + c]"
        if dtype.is_complex:
            union = f"union {{ {kind} all; {kind_of(dtype)} one[2]; }} q{k}; q{k}.all = {cell};"
            return [union, declared(k, dtype, (f"q{k}.one[0]", f"q{k}.one[1]"))]
        return [declared(k, dtype, f"{cell}{' != 0' if dtype.is_bool else ''}")]
