"""How are rows sorted into partitions on a GPU, in the order in which they stand?

A tile of 4,096 rows belongs to a block of eight warps; each warp takes 512 consecutive rows, 32 at a time. Lanes with
the same partition find each other by `__match_any_sync`: the number of such lanes below is a row's rank among them, so
the order is kept without sorting.

    count    each tile counts its partitions                        4 bytes read a row
    cumsum   over the counts, partition by partition: where the rows of each tile go
    move     each tile counts again, warp by warp, and moves its rows

The counts stay on the device until the sizes of the results are read, which is the one time the host waits. Numbers
outside [0, K) belong nowhere, as TensorFlow's pages say of GPUs.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import prod
from typing import Any, Final

import numpy as np

from .source import UNITS, Source, i64, launch, source, unit_of

WARPS: Final = 8
ROUNDS: Final = 16
TILE: Final = WARPS * 32 * ROUNDS
MOST: Final = 1200
"""Partitions whose counters fit the 48 KB that a block may share: (4 bytes x 8 warps + 8) each."""

_TEXT: Final = r"""
PS_INLINE int first_lane(u32 lanes) { return __ffs((int)lanes) - 1; }

PS_KERNEL void count(i32 *counts, const i32 *parts, i64 n, i64 tiles) {
  __shared__ i32 seen[K];
  int lane = threadIdx.x % 32;
  i64 start = (i64)blockIdx.x * TILE + (i64)(threadIdx.x / 32) * 32 * ROUNDS + lane;
  for (int k = threadIdx.x; k < K; k += blockDim.x) seen[k] = 0;
  __syncthreads();
  for (int r = 0; r < ROUNDS; r++) {
    i64 i = start + (i64)r * 32;
    u32 part = i < n ? (u32)parts[i] : K;
    if (part > K) part = K;
    u32 same = __match_any_sync(0xffffffffu, part);
    if (part < K && lane == first_lane(same)) atomicAdd(&seen[part], __popc(same));
  }
  __syncthreads();
  for (int k = threadIdx.x; k < K; k += blockDim.x) counts[(i64)k * tiles + blockIdx.x] = seen[k];
}

PS_KERNEL void move(U *out, const U *data, const i32 *parts, const i32 *counts, const i64 *ends, i64 n, i64 tiles) {
  __shared__ i32 own[WARPS * K];
  __shared__ i64 base[K];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  i64 start = (i64)blockIdx.x * TILE + (i64)warp * 32 * ROUNDS + lane;
  for (int k = threadIdx.x; k < WARPS * K; k += blockDim.x) own[k] = 0;
  __syncthreads();
  for (int r = 0; r < ROUNDS; r++) {
    i64 i = start + (i64)r * 32;
    u32 part = i < n ? (u32)parts[i] : K;
    if (part > K) part = K;
    u32 same = __match_any_sync(0xffffffffu, part);
    if (part < K && lane == first_lane(same)) own[warp * K + part] += __popc(same);
    __syncwarp(0xffffffffu);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < K; k += blockDim.x) {
    i64 cell = (i64)k * tiles + blockIdx.x;
    i32 before = 0;
    base[k] = ends[cell] - counts[cell];
    for (int w = 0; w < WARPS; w++) { i32 many = own[w * K + k]; own[w * K + k] = before; before += many; }
  }
  __syncthreads();
  for (int r = 0; r < ROUNDS; r++) {
    i64 i = start + (i64)r * 32;
    u32 part = i < n ? (u32)parts[i] : K;
    if (part > K) part = K;
    u32 same = __match_any_sync(0xffffffffu, part);
    i64 place = -1;
    if (part < K) place = base[part] + own[warp * K + part] + __popc(same & ((1u << lane) - 1u));
    __syncwarp(0xffffffffu);
    if (part < K && lane == first_lane(same)) own[warp * K + part] += __popc(same);
    __syncwarp(0xffffffffu);
    STORE
  }
}

PS_KERNEL void spread(U *out, const U *data, const i64 *places, i64 n) {
  i64 step = (i64)gridDim.x * blockDim.x;
  for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < n * PER; t += step) {
    i64 place = places[t / PER];
    if (place >= 0) out[place * PER + t % PER] = data[t];
  }
}
"""
# One unit to a row: it is moved at once. Longer rows: their places are written, and neighbouring threads move a row.
_MOVE: Final = "if (place >= 0) out[place] = data[i];"
_NOTE: Final = "if (i < n) ((i64 *)out)[i] = place;"


@cache
def _source(unit: str, per: int, parts: int) -> Source:
    defines = {"U": unit, "PER": f"{per}LL", "K": parts, "WARPS": WARPS, "ROUNDS": ROUNDS, "TILE": TILE}
    return source(defines | {"STORE": _MOVE if per == 1 else _NOTE}, _TEXT, "count", "move", "spread")


def partition(xp: Any, rows: Any, parts: Any, count: int) -> list[Any]:
    """The rows of each partition, in order. rows: contiguous. parts: flat contiguous int32. count: at most `MOST`."""
    n, inner = len(rows), rows.shape[1:]
    width = prod(inner) * rows.dtype.itemsize
    if not n or not width:
        sizes = [int((parts == k).sum()) for k in range(count)] if n else [0] * count
        return [xp.empty((size, *inner), rows.dtype) for size in sizes]
    out = xp.empty((n, *inner), rows.dtype)
    unit = unit_of(width, rows, out)
    per = width // unit
    made = _source(UNITS[unit], per, count)
    tiles = -(-n // TILE)
    counts = xp.empty((count, tiles), np.int32)
    launch(xp, made, "count", n, counts, parts, i64(n), i64(tiles), blocks=tiles)
    ends = xp.cumsum(counts.reshape(-1), dtype=np.int64)
    if per == 1:
        launch(xp, made, "move", n, out, rows, parts, counts, ends, i64(n), i64(tiles), blocks=tiles)
    else:
        places = xp.empty((n,), np.int64)
        launch(xp, made, "move", n, places, rows, parts, counts, ends, i64(n), i64(tiles), blocks=tiles)
        launch(xp, made, "spread", n * per, out, rows, places, i64(n))
    stops = xp.asnumpy(ends.reshape(count, tiles)[:, -1])  # the host waits here: results have sizes
    starts = [0, *stops.tolist()]
    return [out[a:b] for a, b in pairwise(starts)]
