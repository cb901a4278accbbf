"""The CUDA kernel of a transpose: blocks that go through shared memory, or a copy where rows stay rows or are short."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

from ..ir.strides import coalesced, contiguous_strides
from .cuda_source import THREADS, UNITS, Shape, contiguous, launch, name_list, numbered, sized
from .nest_launch import copy

_TRANSPOSE: Final = r"""
PS_KERNEL void __launch_bounds__(THREADS) transpose(U *__restrict__ out, const U *__restrict__ from@SIZES@) {
  __shared__ U cells[TR * PITCH];
  const i64 batch[RANK] = {BATCH}, read[RANK] = {READ}, written[RANK] = {WRITTEN};
  const u32 across = (u32)((COLS + TC - 1) / TC), down = (u32)((ROWS + TR - 1) / TR);
  u32 rest = blockIdx.x;
  const i64 col = (i64)(rest % across) * TC; rest /= across;
  const i64 row = (i64)(rest % down) * TR; rest /= down;
  i64 in = row * READ_ROW + col, at = col * WRITE_COL + row;
  #pragma unroll
  for (int d = RANK - 1; d >= 0; d--) {
    const u32 c = rest % (u32)batch[d];
    rest /= (u32)batch[d]; in += c * read[d]; at += c * written[d];
  }
  const int high = ROWS - row < TR ? (int)(ROWS - row) : TR, wide = COLS - col < TC ? (int)(COLS - col) : TC;
  #pragma unroll
  for (int k = 0; k < (TR * TC + THREADS - 1) / THREADS; k++) {
    const int r = (k * THREADS + (int)threadIdx.x) / TC, c = (k * THREADS + (int)threadIdx.x) % TC;
    if (r < high && c < wide) cells[r * PITCH + c] = from[in + r * READ_ROW + c];
  }
  __syncthreads();
  #pragma unroll
  for (int k = 0; k < (TR * TC + THREADS - 1) / THREADS; k++) {
    const int c = (k * THREADS + (int)threadIdx.x) / TR, r = (k * THREADS + (int)threadIdx.x) % TR;
    if (r < high && c < wide) out[at + c * WRITE_COL + r] = cells[r * PITCH + c];
  }
}
"""
SHARED: Final = 16 << 10
"""Bytes of a block. A multiprocessor of an H200 has room for eight blocks and more."""
TILED: Final = 1 << 10
"""Elements of a matrix from which blocks pay: a smaller one stays in the cache in whatever order it is read."""


def tile_of(rows: int, cols: int, size: int) -> tuple[int, int]:
    """Rows and columns of the blocks in which a matrix is transposed: square, unless the matrix is narrow. Blocks may
    reach beyond its end, so that they depend on the smaller side alone."""
    cells = SHARED // max(4, size)
    wide = 64 if size <= 4 else 32
    high = cells // wide
    if cols < wide:
        return cells // _pitch(cols, size), cols
    if rows < high:
        return rows, cells // rows
    return high, wide


def _pitch(cols: int, size: int) -> int:
    """Elements from row to row of a block: an odd number of banks, so that a column is spread over all banks."""
    if size >= 4:
        return cols | 1
    return ((cols * size + 3) // 4 | 1) * 4 // size


def _blocked_transpose(xp: Any, out: Any, x: Any, shape: Shape, perm: Shape) -> None:
    """A transpose that moves the last dimension, in blocks of the two dimensions that change places there."""
    reading, writing = contiguous_strides(shape, 1), contiguous_strides(tuple([shape[p] for p in perm]), 1)
    col, row = len(shape) - 1, perm[-1]
    place = {axis: i for i, axis in enumerate(perm)}
    rest = [a for a in range(len(shape)) if a not in (row, col)]
    size, rank = x.dtype.itemsize, max(1, len(rest))
    high, wide = tile_of(shape[row], shape[col], size)
    defines = {
        "U": UNITS[size], "RANK": rank, "BATCH": name_list(rank, "B{0}"), "READ": name_list(rank, "F{0}"),
        "WRITTEN": name_list(rank, "W{0}"), "TR": high, "TC": wide, "PITCH": _pitch(wide, size), "THREADS": THREADS,
    }  # fmt: skip
    sizes = {"ROWS": shape[row], "COLS": shape[col], "READ_ROW": reading[row], "WRITE_COL": writing[place[col]]}
    sizes |= numbered("B", [shape[a] for a in rest] or [1]) | numbered("F", [reading[a] for a in rest] or [0])
    sizes |= numbered("W", [writing[place[a]] for a in rest] or [0])
    blocks = prod(shape[a] for a in rest) * -(-shape[row] // high) * -(-shape[col] // wide)
    made, given = sized(defines, sizes, _TRANSPOSE, "transpose")
    launch(xp, made, "transpose", 0, out, x, *given, blocks=blocks)


def collapsed(shape: Shape, perm: Sequence[int]) -> tuple[Shape, Shape]:
    """The same transpose without dimensions of size 1, and with neighbours that stay neighbours merged."""
    strides = contiguous_strides(shape, 1)
    sizes, [walk] = coalesced(tuple([shape[p] for p in perm]), [[strides[p] for p in perm]])
    order = sorted(range(len(sizes)), key=lambda i: -walk[i])
    return tuple([sizes[i] for i in order]), tuple([order.index(i) for i in range(len(sizes))])


def transpose(xp: Any, x: Any, perm: Sequence[int]) -> Any:
    """`x` with its dimensions in another order, row-major."""
    x = contiguous(xp, x)
    out = xp.empty(tuple(x.shape[p] for p in perm), x.dtype)
    if not out.size:
        return out
    shape, order = collapsed(x.shape, perm)
    if order[-1:] in ((), (len(shape) - 1,)) or shape[order[-1]] * shape[-1] < TILED:
        copy(xp, out, x.transpose(perm), out.shape)
    else:
        _blocked_transpose(xp, out, x, shape, order)
    return out
