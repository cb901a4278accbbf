"""How are rows gathered and scattered on a GPU?

A row is some units of up to 16 bytes; each thread moves one unit at a time, so that neighbours touch neighbouring
memory. A vector of indices points at a row of `params` seen as a box of rows. What points outside is not an error here:
the place in the result becomes zero, an update is dropped, as TensorFlow's pages say of GPUs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any, Final

import numpy as np

from .source import UNITS, Source, contiguous, i64, ints, launch, source, unit_of

_PLACE: Final = r"""
PS_INLINE i64 place_of(const I *index, i64 i) {
  const i64 outer[DEPTH] = {OUTER};
  i64 place = 0;
  for (int d = 0; d < DEPTH; d++) {
    i64 k = (i64)index[i * DEPTH + d];
    if (k < 0 || k >= outer[d]) return -1;
    place = place * outer[d] + k;
  }
  return place;
}
"""
_TAKE: Final = r"""
PS_KERNEL void take_rows(U *out, const U *rows, const I *index, i64 count) {
  i64 step = (i64)gridDim.x * blockDim.x;
  for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < count * PER; t += step) {
    i64 k = place_of(index, t / PER);
    U value = {0};
    if (k >= 0) value = rows[k * PER + t % PER];
    out[t] = value;
  }
}
"""
_PUT: Final = r"""
PS_KERNEL void put_rows(U *target, const I *index, const U *rows, i64 count) {
  i64 step = (i64)gridDim.x * blockDim.x;
  for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < count * PER; t += step) {
    i64 k = place_of(index, t / PER);
    if (k >= 0) target[k * PER + t % PER] = rows[t];
  }
}
"""
_ADD: Final = r"""
PS_KERNEL void add_rows(U *target, const I *index, const U *rows, i64 count) {
  i64 step = (i64)gridDim.x * blockDim.x;
  for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < count * PER; t += step) {
    i64 k = place_of(index, t / PER);
    if (k >= 0) atomicAdd(&target[k * PER + t % PER], SIGN rows[t]);
  }
}
"""
_INDEX: Final = {4: "i32", 8: "i64"}
ADDABLE: Final = {np.dtype(k): v for k, v in {"f4": "f32", "f8": "f64", "i4": "i32", "u4": "u32", "u8": "u64"}.items()}
"""What a GPU adds in one step; i64 goes as u64."""
MOST_DEPTH: Final = 8


@cache
def _source(text: str, kernel: str, unit: str, index: str, per: int, outer: tuple[int, ...], sign: str = "") -> Source:
    defines = {"U": unit, "I": index, "PER": f"{per}LL", "DEPTH": len(outer), "OUTER": ints(outer), "SIGN": sign}
    return source(defines, _PLACE + text, kernel)


def can_index(index: Any, outer: Sequence[int]) -> bool:
    """Whether these kernels take such indices."""
    return index.dtype.kind == "i" and index.dtype.itemsize in _INDEX and 0 < len(outer) <= MOST_DEPTH


def take_rows(xp: Any, rows: Any, index: Any, depth: int) -> Any:
    """rows[index[i, 0], ..., index[i, depth - 1]] for each i of the contiguous `index` (n, depth); zeros outside."""
    outer, inner = rows.shape[:depth], rows.shape[depth:]
    count = index.size // depth
    out = xp.empty((count, *inner), rows.dtype)
    rows = contiguous(xp, rows)
    width = prod(inner) * rows.dtype.itemsize
    if out.size:
        if not rows.size:
            out[...] = 0
            return out
        unit = unit_of(width, rows, out)
        made = _source(_TAKE, "take_rows", UNITS[unit], _INDEX[index.dtype.itemsize], width // unit, outer)
        launch(xp, made, "take_rows", count * (width // unit), out, rows, index, i64(count))
    return out


def put_rows(xp: Any, target: Any, index: Any, rows: Any, depth: int) -> None:
    """target[index[i, ...]] = rows[i] for each i, in any order; what points outside is dropped. All contiguous."""
    outer, width = target.shape[:depth], prod(target.shape[depth:]) * target.dtype.itemsize
    count = index.size // depth
    if count and target.size:
        unit = unit_of(width, target, rows)
        made = _source(_PUT, "put_rows", UNITS[unit], _INDEX[index.dtype.itemsize], width // unit, outer)
        launch(xp, made, "put_rows", count * (width // unit), target, index, rows, i64(count))


def add_rows(xp: Any, target: Any, index: Any, rows: Any, depth: int, sign: int = 1) -> None:
    """target[index[i, ...]] += sign * rows[i] for each i, in any order; what points outside is dropped."""
    outer, per = target.shape[:depth], prod(target.shape[depth:])
    count = index.size // depth
    if count and target.size:
        kind = ADDABLE[np.dtype("u8") if target.dtype == np.int64 else target.dtype]
        made = _source(_ADD, "add_rows", kind, _INDEX[index.dtype.itemsize], per, outer, "-" if sign < 0 else "")
        launch(xp, made, "add_rows", count * per, target, index, rows, i64(count))


# ---- stitch -------------------------------------------------------------------------------------

_STITCH: Final = r"""
PS_KERNEL void claim(i32 *owner, const i32 *index, i64 count, i64 first) {
  i64 step = (i64)gridDim.x * blockDim.x;
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
    atomicMax(&owner[index[i]], (i32)(first + i));
}
PS_KERNEL void fetch(U *out, const i32 *owner, const U *const *data, const i64 *firsts, i64 height) {
  i64 step = (i64)gridDim.x * blockDim.x;
  for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < height * PER; t += step) {
    i64 o = owner[t / PER];
    U value = {0};
    if (o >= 0) {
      int low = 0, high = LISTS;
      while (high - low > 1) {
        int middle = (low + high) / 2;
        if (firsts[middle] <= o) low = middle; else high = middle;
      }
      value = data[low][(o - firsts[low]) * PER + t % PER];
    }
    out[t] = value;
  }
}
"""


@cache
def _stitch_source(unit: str, per: int, lists: int) -> Source:
    return source({"U": unit, "PER": f"{per}LL", "LISTS": lists}, _STITCH, "claim", "fetch")


def stitch(xp: Any, indices: Sequence[Any], data: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Rows of several arrays merged into `shape`; of equal indices the last one wins, on a GPU too.

    First each index claims its row for the last row of `data` that wants it, then each row is fetched from its owner.
    indices: flat int32, in range. data: contiguous, a row for each index. Fewer than 2**31 rows altogether.
    """
    out = xp.empty(shape, data[0].dtype)
    if not out.size:
        return out
    width = prod(shape[1:]) * out.dtype.itemsize
    unit = unit_of(width, out, *[d for d in data if d.size])
    made = _stitch_source(UNITS[unit], width // unit, len(data))
    owner = xp.full(shape[:1], -1, np.int32)
    first, firsts = 0, []
    for index in indices:
        firsts.append(first)
        if index.size:
            launch(xp, made, "claim", index.size, owner, index, i64(index.size), i64(first))
        first += index.size
    pointers = xp.asarray(np.array([d.data.ptr for d in data], np.uint64))
    starts = xp.asarray(np.array(firsts, np.int64))
    launch(xp, made, "fetch", shape[0] * (width // unit), out, owner, pointers, starts, i64(shape[0]))
    return out
