"""The CUDA kernel of `dynamic_partition`: a stable partition of rows in one launch, with decoupled look-back.

A tile of up to 4,096 rows belongs to a block of eight warps; each warp takes consecutive rows, 32 at a time. Lanes with
the same partition find each other by ballots (`__match_any_sync` where there are many partitions): the number of such
lanes below is the rank of a row among them, so the order is kept without sorting. The block gathers its rows by
partition in shared memory and writes the rows of each partition contiguously.

Their place depends on the tiles before. Every tile publishes a word for each partition: first how many rows of it the
tile has, later how many there are up to its end. A tile looks back over these words, many at a time, and adds up the
counts of tiles until it meets one that knows the total before it:

    tile        0     1     2     3 looks back
    word        upto  upto  has   <-  upto(1) + has(2) rows stand before it

- Tiles are numbered by a ticket that a block draws when it starts, not by `blockIdx`. So a tile waits only for blocks
  that have started before, and these end by themselves, in whatever order a GPU starts blocks.
- A word holds the number and its meaning in one store, so it is never half written; no other data is read because of
  it, so no fence stands between the two.
- The row of words before tile 0 holds the begin of each partition. Rows of a unit (up to 16 bytes) get room for n rows
  in every partition: labels and rows are read once and rows written once, which is all the traffic. Longer rows, and
  rooms beyond `SPARE` bytes, are counted first, by the same launch: tickets below `tiles` only count, and the last
  block to do so, which it knows by a fence and a counter, writes that row of words. Labels are then read twice.

Counts stay on the device until the sizes of the results are read, which is the one time the host waits. Rows with a
number outside [0, K) are dropped, as TensorFlow documents for GPUs. For more than `MOST` partitions the counters of a
tile outgrow the shared memory of a block, and a tile has too few rows for them: rows are then sorted by label.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import gcd, prod
from typing import Any, Final

import numpy as np

from .cuda_source import THREADS, UNITS, CudaSource, i64, launch, source, unit_of
from .row_kernels import put_rows

WARPS: Final = THREADS // 32
MOST: Final = 1000
"""Partitions whose counters, 2 bytes x 8 warps + 8 each, fit the shared memory of a block (48 KB) beside its rows."""
SPARE: Final = 1 << 30
"""Most bytes of memory that are spent on reading labels once instead of twice."""
SHORT: Final = 128
"""Most bytes of a row that a block moves itself; for a longer one it writes the place, and a second launch moves it."""
MANY: Final = 1 << 20
"""Rows from which tiles are large. Fewer rows are cut into smaller tiles, so that all multiprocessors get some."""
LINE: Final = 128
"""Partitions begin at multiples of this many bytes, so that the next kernel reads them 16 bytes at a time."""
SMALL_WORDS: Final = 1 << 30
"""Number of places up to which a word has 32 bits."""

KERNEL_TEXT: Final = r"""
#define FULL 0xffffffffu
#define HAS ((S)1 << (8 * sizeof(S) - 2))
#define UPTO ((S)2 << (8 * sizeof(S) - 2))
#define ROWS (ROUNDS * THREADS)

PS_INLINE int first_lane(u32 lanes) { return __ffs((int)lanes) - 1; }

/* The lanes of the warp whose partition is the same. */
PS_INLINE u32 companions(u32 part) {
#if BITS <= 8
  u32 same = FULL;
  #pragma unroll
  for (int b = 0; b < BITS; b++) {
    u32 on = part >> b & 1, set = __ballot_sync(FULL, on);
    same &= on ? set : ~set;
  }
  return same;
#else
  return __match_any_sync(FULL, part);
#endif
}

/* The sum of the lanes' numbers up to this one. */
PS_INLINE i64 summed(i64 mine, int lane) {
  for (int by = 1; by < 32; by *= 2) { i64 other = __shfl_up_sync(FULL, mine, by); if (lane >= by) mine += other; }
  return mine;
}

PS_KERNEL void __launch_bounds__(THREADS) partition(U *__restrict__ out, const U *__restrict__ data,
    const i32 *__restrict__ parts, u64 *state, i64 n, i64 tiles, i64 room) {
  __shared__ i64 ticket, shift[K];
  __shared__ CELL cells[ROWS];
  __shared__ u16 own[WARPS * K], part_of[ROWS];
  __shared__ i32 kept;
  volatile S *words = (volatile S *)(state + 2 + K);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) ticket = (i64)atomicAdd(&state[0], 1ULL);
  for (int k = threadIdx.x; k < WARPS * K; k += THREADS) own[k] = 0;
  __syncthreads();
  i64 tile = ticket;
#if COUNTED
  const bool counting = tile < tiles;
  if (!counting) tile -= tiles;
#endif
  const i64 begin = tile * ROWS;
  const int many = n - begin < ROWS ? (int)(n - begin) : ROWS, mine = warp * 32 * ROUNDS + lane;

  /* Each row's partition (K: none) and its rank among the rows of that partition in its warp. */
  u32 seen[ROUNDS];
  #pragma unroll
  for (int r = 0; r < ROUNDS; r++) seen[r] = mine + r * 32 < many ? (u32)parts[begin + mine + r * 32] : K;
  #pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    const u32 part = seen[r] < K ? seen[r] : K, same = companions(part);
    u32 before = 0;
    if (part < K) before = own[warp * K + part];
    __syncwarp(FULL);
    if (part < K && lane == first_lane(same)) own[warp * K + part] = (u16)(before + __popc(same));
    __syncwarp(FULL);
    seen[r] = part << 16 | (before + __popc(same & ((1u << lane) - 1u)));
  }
  __syncthreads();
  for (int k = threadIdx.x; k < K; k += THREADS) {
    u32 before = 0;
    for (int w = 0; w < WARPS; w++) { u32 has = own[w * K + k]; own[w * K + k] = (u16)before; before += has; }
    shift[k] = before;
#if COUNTED
    if (!counting) continue;
    if (before) atomicAdd(&state[2 + k], (u64)before);
#endif
    words[(tile + 1) * K + k] = HAS | (S)before;
  }
  __syncthreads();

#if COUNTED
  if (counting) {
    if (threadIdx.x == 0) {
      __threadfence();  /* what the block added is there before it counts as done */
      ticket = atomicAdd(&state[1], 1ULL) == (u64)tiles - 1;
      __threadfence();  /* and what the others added is read after they counted */
    }
    __syncthreads();
    if (!ticket || warp) return;
    i64 start = 0;
    for (int k = lane; k - lane < K; k += 32) {
      const i64 total = k < K ? (i64)((volatile u64 *)state)[2 + k] : 0, needs = (total + LINE - 1) / LINE * LINE;
      const i64 end = start + summed(needs, lane);
      if (k < K) words[k] = UPTO | (S)(end - needs);
      start = __shfl_sync(FULL, end, 31);
    }
    return;
  }
#else
  if (tile == 0) for (int k = threadIdx.x; k < K; k += THREADS) words[k] = UPTO | (S)(k * room);
#endif

  /* Where each partition's rows begin in the tile; warp 0 has none before it, so its counters say so. */
  if (warp == 0) {
    i64 start = 0;
    for (int k = lane; k - lane < K; k += 32) {
      const i64 has = k < K ? shift[k] : 0, end = start + summed(has, lane);
      if (k < K) own[k] = (u16)(end - has);
      start = __shfl_sync(FULL, end, 31);
    }
    if (lane == 0) kept = (i32)start;
  }
  __syncthreads();
#if !NOTED
  #pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    const u32 part = seen[r] >> 16;
    if (part < K) {
      const u32 place = own[part] + (warp ? own[warp * K + part] : 0) + (seen[r] & 0xffffu);
      cells[place] = TAKEN;
      part_of[place] = (u16)part;
    }
  }
#endif

  /* Look back: LOOK lanes for each partition, one tile each. */
  for (int first = 0; first < K; first += THREADS / LOOK) {
    const int k = first + threadIdx.x / LOOK, place = threadIdx.x % LOOK;
    i64 at = tile - place, before = 0;
    bool open = k < K;
    while (__any_sync(FULL, open)) {
      S word = UPTO;
      if (open && at >= 0) {
        word = words[at * K + k];
        while (!(word & (HAS | UPTO))) { PS_SPIN; word = words[at * K + k]; }
      }
      const u32 known = __ballot_sync(FULL, (word & UPTO) != 0) >> (lane / LOOK * LOOK) & (FULL >> (32 - LOOK));
      const int last = known ? first_lane(known) : LOOK;
      i64 some = open && place <= last ? (i64)(word & ~(HAS | UPTO)) : 0;
      #pragma unroll
      for (int by = LOOK / 2; by; by /= 2) some += __shfl_xor_sync(FULL, some, by);
      before += some;
      at -= LOOK;
      if (known) open = false;
    }
    if (k < K && place == 0) {
#if COUNTED
      __threadfence();  /* the word that says HAS was written by another block, before the row of words that we met */
#endif
      words[(tile + 1) * K + k] = UPTO | (S)(before + shift[k]);
      shift[k] = before - own[k];
    }
  }
  __syncthreads();
  @MOVE@
}
"""
# Rows of one unit are kept in shared memory, short rows by their numbers; for long rows only their places are written.
_UNIT: Final = "for (int p = threadIdx.x; p < kept; p += THREADS) out[shift[part_of[p]] + p] = cells[p];"
_SHORT: Final = """
  for (u32 u = threadIdx.x; u < (u32)kept * PER; u += THREADS) {
    const u32 p = u / PER, c = u % PER;
    out[(shift[part_of[p]] + p) * PER + c] = data[(begin + cells[p]) * PER + c];
  }"""
_LONG: Final = """
  #pragma unroll
  for (int r = 0; r < ROUNDS; r++) if (mine + r * 32 < many) {
    const u32 part = seen[r] >> 16;
    i64 place = -1;
    if (part < K) place = shift[part] + own[part] + (warp ? own[warp * K + part] : 0) + (seen[r] & 0xffffu);
    ((i64 *)out)[begin + mine + r * 32] = place;
  }"""


@cache
def kernel_source(unit: int, per: int, parts: int, rounds: int, words: int, line: int, counted: bool) -> CudaSource:
    """The source for rows of `per` units. counted: partitions are counted before rows are moved."""
    how = "unit" if per == 1 else "short" if per * unit <= SHORT else "long"
    defines = {
        "U": UNITS[unit], "PER": f"{per}u", "K": parts, "WARPS": WARPS, "THREADS": THREADS, "ROUNDS": rounds,
        "S": "u32" if words == 4 else "u64", "LINE": line, "COUNTED": int(counted), "NOTED": int(how == "long"),
        "BITS": parts.bit_length(), "LOOK": lanes_each(parts),
        "CELL": {"unit": UNITS[unit], "short": "u16", "long": "u8"}[how],
        "TAKEN": "data[begin + mine + r * 32]" if how == "unit" else "(u16)(mine + r * 32)",
    }  # fmt: skip
    move = {"unit": _UNIT, "short": _SHORT, "long": _LONG}[how]
    return source(defines, KERNEL_TEXT.replace("@MOVE@", move), "partition")


def lanes_each(parts: int) -> int:
    """Lanes that look back for one partition: the threads of a block for each, as a power of two up to 32."""
    return min(32, 1 << max(0, (THREADS // parts).bit_length() - 1))


def rounds_of(n: int, width: int, per: int) -> int:
    """Rows that each thread takes: a tile has at most 16 KB in shared memory, or moves 64 KB."""
    most = 16 if width > SHORT else 64 // max(4, width) if per == 1 else max(2, min(16, 256 // width))
    return min(most, 16 if n >= MANY else 4)


def partition(xp: Any, rows: Any, parts: Any, count: int) -> list[Any]:
    """The rows of each partition, in order. rows: contiguous. parts: flat contiguous int32."""
    n, inner = len(rows), rows.shape[1:]
    width = prod(inner) * rows.dtype.itemsize
    if not n:
        return [xp.empty((0, *inner), rows.dtype) for _ in range(count)]
    if not width or count > MOST:
        return _sorted(xp, rows, parts, count)
    line = LINE // gcd(LINE, width)
    room = -(-n // line) * line
    out = _rooms(xp, rows, count, room, width)
    if out is None:
        room = 0
        out = xp.empty((n + count * line, *inner), rows.dtype)
    unit = unit_of(width, rows, out)
    per = width // unit
    places = xp.empty((n,), np.int64) if width > SHORT else out
    rounds = rounds_of(n, width, per)
    words = 4 if len(out) < SMALL_WORDS else 8
    made = kernel_source(unit, per, count, rounds, words, line, not room)
    tiles = -(-n // (rounds * THREADS))
    state = xp.zeros((2 + count + -(-(tiles + 1) * count * words // 8),), np.uint64)
    launch(xp, made, "partition", n, places, rows, parts, state, i64(n), i64(tiles), i64(room),
           blocks=tiles if room else 2 * tiles)  # fmt: skip
    if places is not out:
        put_rows(xp, out, places, rows, 1)
    ends = xp.asnumpy(state[2 + count :].view(f"u{words}")[tiles * count : (tiles + 1) * count])
    return [out[a:b] for a, b in _ranges(ends, room, line)]


def _rooms(xp: Any, rows: Any, count: int, room: int, width: int) -> Any:
    """Memory with room for all rows in each partition; None where that does not pay or is not free."""
    if width not in UNITS or rows.data.ptr % width or (count - 1) * room * width > SPARE:
        return None
    try:
        return xp.empty((count * room, *rows.shape[1:]), rows.dtype)
    except MemoryError:
        return None


def _ranges(ends: Any, room: int, line: int) -> Iterator[tuple[int, int]]:
    """Begin and end of each partition. ends: the words of the last tile, on the host."""
    start = 0
    for k, word in enumerate(ends.tolist()):
        end = word & ((1 << (8 * ends.itemsize - 2)) - 1)
        start = k * room if room else start
        yield start, end
        start = -(-end // line) * line


def _sorted(xp: Any, rows: Any, parts: Any, count: int) -> list[Any]:
    """By a stable sort of the labels; rows of no bytes need only be counted."""
    labels = xp.where((parts < 0) | (parts >= count), count, parts)
    ends = xp.asnumpy(xp.cumsum(xp.bincount(labels, minlength=count + 1)))[:count].tolist()
    ordered = rows if not rows.size else rows.take(xp.argsort(labels, kind="stable"), axis=0)
    return [ordered[a:b] for a, b in pairwise([0, *ends])]
