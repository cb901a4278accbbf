"""CUDA kernels that gather, scatter and stitch rows.

A row is a sequence of units of up to 16 bytes. A thread moves several units, a thread block's width apart, so that
neighbouring threads touch neighbouring memory and several loads are in flight. A vector of indices names a row of
`params`, which is seen as an array of rows. An index out of range is no error here: its result is zero, its update is
dropped, as TensorFlow documents for GPUs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any, Final

import numpy as np

from ...graph.shapes.dtypes import bfloat16
from .cuda_source import (
    UNITS,
    CudaSource,
    contiguous,
    i64,
    launch,
    loop_of,
    loop_sizes,
    name_list,
    source,
    unit_of,
)

_PLACE: Final = r"""
/* The number of the row that index vector i names; -1 out of range. */
PS_INLINE i64 place_of(const I *__restrict__ index, N i, @OUTER@) {
  const i64 outer[DEPTH] = {@SIZES@};
  i64 place = 0;
  bool inside = true;
  #pragma unroll
  for (int d = 0; d < DEPTH; d++) {
    const i64 k = (i64)index[(i64)i * DEPTH + d];
    inside &= (u64)k < (u64)outer[d];
    place = place * outer[d] + k;
  }
  return inside ? place : -1;
}
"""
_TAKE: Final = loop_of(
    "take_rows", "U *__restrict__ out, const U *__restrict__ rows, const I *__restrict__ index, i64 count, @OUTER@",
    "(N)(count * PER)", """
      const i64 k = place_of(index, t / PER, @SIZES@);
      value[j] = k >= 0 ? rows[k * PER + t % PER] : none;
""", "out[t] = value[j];",
)  # fmt: skip
_PUT: Final = loop_of(
    "put_rows", "U *__restrict__ target, const I *__restrict__ index, const U *__restrict__ rows, i64 count, @OUTER@",
    "(N)(count * PER)", "place[j] = place_of(index, t / PER, @SIZES@); value[j] = rows[t];",
    "if (place[j] >= 0) target[place[j] * PER + t % PER] = value[j];", "i64 place[ITEMS];",
)  # fmt: skip
_ADD: Final = loop_of(
    "add_rows", "U *__restrict__ target, const I *__restrict__ index, const U *__restrict__ rows, i64 count, @OUTER@",
    "(N)(count * PER)", "place[j] = place_of(index, t / PER, @SIZES@); value[j] = rows[t];",
    "if (place[j] >= 0) atomicAdd(&target[place[j] * PER + t % PER], SIGN value[j]);", "i64 place[ITEMS];",
)  # fmt: skip
_INDEX: Final = {4: "i32", 8: "i64"}
ADDABLE: Final = {np.dtype(k): v for k, v in {"f4": "f32", "f8": "f64", "i4": "i32", "u4": "u32", "u8": "u64"}.items()}
"""The types that a GPU adds atomically; i64 is added as u64."""
ADDED_AS: Final = {
    np.dtype(narrow): np.dtype(wide)
    for narrow, wide in (("?", "i4"), ("i1", "i4"), ("u1", "u4"), ("i2", "i4"), ("u2", "u4"), ("f2", "f4"))
} | {bfloat16.np: np.dtype("f4")}  # fmt: skip
"""The dtypes in which narrower numbers are summed: ints wrap alike in both, and a bool is true if any was."""
MOST_DEPTH: Final = 8


def _started(xp: Any, text: str, kernel: str, unit: str, index: Any, per: int, outer: Sequence[int],
             arrays: Sequence[Any], sign: str = "") -> None:  # fmt: skip
    """Launch `kernel(arrays ..., count, sizes of outer ...)`. Sizes are arguments: one kernel serves all of them."""
    count = index.size // len(outer)
    items, number = loop_sizes(count * per)
    made = _source(text, kernel, unit, _INDEX[index.dtype.itemsize], per, len(outer), sign, items, number)
    launch(xp, made, kernel, -(-count * per // items), *arrays, i64(count), *map(i64, outer))


@cache
def _source(
    text: str, kernel: str, unit: str, index: str, per: int, depth: int, sign: str, items: int, number: str
) -> CudaSource:
    defines = {"U": unit, "I": index, "PER": f"{per}u", "DEPTH": depth, "SIGN": sign, "ITEMS": items, "N": number}
    sizes = name_list(depth, "d{0}")
    text = (_PLACE + text).replace("@OUTER@", name_list(depth, "i64 d{0}")).replace("@SIZES@", sizes)
    return source(defines, text, kernel)


def can_index(index: Any, outer: Sequence[int]) -> bool:
    """Whether these kernels take such indices."""
    return index.dtype.kind == "i" and index.dtype.itemsize in _INDEX and 0 < len(outer) <= MOST_DEPTH


def take_rows(xp: Any, rows: Any, index: Any, depth: int) -> Any:
    """rows[index[i, 0], ..., index[i, depth - 1]] for each i of the contiguous `index` (n, depth); 0 out of range."""
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
        _started(xp, _TAKE, "take_rows", UNITS[unit], index, width // unit, outer, [out, rows, index])
    return out


def put_rows(xp: Any, target: Any, index: Any, rows: Any, depth: int) -> None:
    """target[index[i, ...]] = rows[i] for each i in range, in any order. All arrays are contiguous."""
    outer, width = target.shape[:depth], prod(target.shape[depth:]) * target.dtype.itemsize
    if index.size and target.size:
        unit = unit_of(width, target, rows)
        _started(xp, _PUT, "put_rows", UNITS[unit], index, width // unit, outer, [target, index, rows])


def add_rows(xp: Any, target: Any, index: Any, rows: Any, depth: int, sign: int = 1) -> None:
    """target[index[i, ...]] += sign * rows[i] for each i in range, in any order."""
    outer, per = target.shape[:depth], prod(target.shape[depth:])
    if index.size and target.size:
        kind = ADDABLE[np.dtype("u8") if target.dtype == np.int64 else target.dtype]
        _started(xp, _ADD, "add_rows", kind, index, per, outer, [target, index, rows], "-" if sign < 0 else "")


# ---- stitch -------------------------------------------------------------------------------------

_LISTS: Final = r"""
/* table: for each list the address of its indices, of its rows, and the number of its first row. */
PS_INLINE int list_of(const i64 *__restrict__ table, i64 i) {
  int low = 0, high = LISTS;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (table[2 * LISTS + middle] <= i) low = middle; else high = middle;
  }
  return low;
}
"""
_CLAIM: Final = loop_of(
    "claim", "i32 *owner, const i64 *__restrict__ table, i64 count", "(N)count", """
      const int list = list_of(table, t);
      value[j] = ((const i32 *)table[list])[t - table[2 * LISTS + list]];
""", "atomicMax(&owner[value[j]], (i32)t);", unit="i32",
)  # fmt: skip
_FETCH: Final = loop_of(
    "fetch", "U *__restrict__ out, const i32 *__restrict__ owner, const i64 *__restrict__ table, i64 height",
    "(N)(height * PER)", """
      const i64 o = owner[t / PER];
      value[j] = none;
      if (o >= 0) {
        const int list = list_of(table, o);
        value[j] = ((const U *)table[LISTS + list])[(o - table[2 * LISTS + list]) * PER + t % PER];
      }
""", "out[t] = value[j];",
)  # fmt: skip


@cache
def _stitch_source(unit: str, per: int, lists: int, items: int, number: str) -> CudaSource:
    defines = {"U": unit, "PER": f"{per}u", "LISTS": lists, "ITEMS": items, "N": number}
    return source(defines, _LISTS + _CLAIM + _FETCH, "claim", "fetch")


def stitch(xp: Any, indices: Sequence[Any], data: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Rows of several arrays merged into `shape`; of equal indices the last one wins.

    One launch finds for each row of the result the last row of `data` with its index, the other one copies these rows.
    indices: flat int32, in range. data: contiguous, a row for each index. Fewer than 2**31 rows altogether.
    """
    out = xp.empty(shape, data[0].dtype)
    if not out.size:
        return out
    width = prod(shape[1:]) * out.dtype.itemsize
    unit = unit_of(width, out, *[d for d in data if d.size])
    per = width // unit
    owner = xp.full(shape[:1], -1, np.int32)
    firsts = np.cumsum([0, *[i.size for i in indices]])
    table = [*[i.data.ptr for i in indices], *[d.data.ptr for d in data], *firsts[:-1].tolist()]
    there = xp.asarray(np.array(table, np.uint64).view(np.int64))
    count = int(firsts[-1])
    for kernel, pieces, given in (
        ("claim", count, (owner, there, i64(count))),
        ("fetch", shape[0] * per, (out, owner, there, i64(shape[0]))),
    ):
        items, number = loop_sizes(pieces)
        made = _stitch_source(UNITS[unit], per, len(data), items, number)
        launch(xp, made, kernel, -(-pieces // items), *given)
    return out
