"""How are boxes of elements moved on a GPU: transposed, joined, cut, padded, repeated, reversed?

Each is one launch. Except for transposes it is a map: every thread takes a unit of the result, works out its
coordinates, and from these where it comes from. Sizes are constants of the source, so that coordinates cost
multiplications; the trailing dimensions that move together are one, in units as wide as they allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import gcd, prod
from typing import Any, Final

import numpy as np

from .source import UNITS, Source, contiguous, ints, launch, letters, source, unit_of

Shape = tuple[int, ...]
MOST_ARRAYS: Final = 64
"""Arrays that one kernel takes as arguments."""


def _index_type(units: int) -> str:
    """32 bits where they are enough: divisions take a third of the time."""
    return "u32" if units < 1 << 31 else "i64"


# ---- maps over one input ------------------------------------------------------------------------

_MAP: Final = r"""
PS_KERNEL void map(U *out, const U *from@PARAMETERS@) {
  const i64 shape[RANK] = {SHAPE}, strides[RANK] = {STRIDES};
  N step = (N)gridDim.x * blockDim.x;
  for (N t = (N)blockIdx.x * blockDim.x + threadIdx.x; t < (N)COUNT; t += step) {
    N rest = t;
    i64 at[RANK], place = 0;
    for (int d = RANK - 1; d >= 0; d--) { at[d] = (i64)(rest % (N)shape[d]); rest /= (N)shape[d]; }
    CHANGE
    for (int d = 0; d < RANK; d++) place += at[d] * strides[d];
    WRITE
  }
}
"""


@cache
def _map_source(unit: str, shape: Shape, strides: Shape, extra: str, change: str, write: str) -> Source:
    count = prod(shape)
    defines = {"U": unit, "RANK": len(shape), "SHAPE": ints(shape), "STRIDES": ints(strides), "COUNT": f"{count}LL",
               "N": _index_type(count), "CHANGE": change, "WRITE": write}  # fmt: skip
    return source(defines, _MAP, "map", parameters=extra)


def _row_major(shape: Sequence[int]) -> list[int]:
    return [prod(shape[i + 1 :]) for i in range(len(shape))]


def _map(xp: Any, out: Any, from_: Any, shape: Shape, inner: int, strides: Sequence[int], change: str = "",
         extra: tuple[tuple[str, Any], ...] = (), write: str = "out[t] = from[place];") -> None:  # fmt: skip
    """out (contiguous) seen as `shape` + (inner,) elements, each unit from `from_` at the changed coordinates."""
    item = out.dtype.itemsize
    unit = unit_of(inner * item, out, from_)
    per = inner * item // unit
    whole = (*shape, per) if per > 1 or not shape else shape
    scaled = [s * item // unit for s in strides] + ([1] if len(whole) > len(shape) else [])
    text = "".join(f", const {kind} *{name}" for name, (kind, _) in zip("abcd", extra, strict=False))
    made = _map_source(UNITS[unit], whole, tuple(scaled), text, change, write)
    launch(xp, made, "map", prod(whole), out, from_, *[array for _, array in extra])


def _merged(shape: Shape, moved: Sequence[bool]) -> tuple[Shape, int, list[int]]:
    """Dimensions from the first to the last one that `moved`, and the elements behind; the kept axes."""
    last = max([i for i, m in enumerate(moved) if m], default=-1)
    return shape[: last + 1], prod(shape[last + 1 :]), list(range(last + 1))


def tile(xp: Any, x: Any, multiples: Sequence[int]) -> Any:
    """`x` repeated `multiples[d]` times along each dimension."""
    x = contiguous(xp, x)
    shape = tuple(d * m for d, m in zip(x.shape, multiples, strict=True))
    out = xp.empty(shape, x.dtype)
    if out.size:
        outer, inner, axes = _merged(shape, [m != 1 for m in multiples])
        change = " ".join(f"at[{d}] %= {x.shape[d]}LL;" for d in axes if multiples[d] != 1)
        _map(xp, out, x, outer, inner, _row_major(x.shape)[: len(axes)], change)
    return out


def reverse(xp: Any, x: Any, flags: Sequence[bool]) -> Any:
    """`x` with the flagged dimensions in reverse order."""
    x = contiguous(xp, x)
    out = xp.empty(x.shape, x.dtype)
    if out.size:
        outer, inner, axes = _merged(x.shape, flags)
        change = " ".join(f"at[{d}] = {x.shape[d] - 1}LL - at[{d}];" for d in axes if flags[d])
        _map(xp, out, x, outer, inner, _row_major(x.shape)[: len(axes)], change)
    return out


def reverse_sequence(xp: Any, x: Any, lengths: Any, seq_axis: int, batch_axis: int) -> Any:
    """The first lengths[b] entries along `seq_axis` in reverse order, for each b along `batch_axis`."""
    x = contiguous(xp, x)
    out = xp.empty(x.shape, x.dtype)
    if out.size:
        outer, inner, axes = _merged(x.shape, [d in (seq_axis, batch_axis) for d in range(x.ndim)])
        change = (f"i64 length = a[at[{batch_axis}]]; "
                  f"if (at[{seq_axis}] < length) at[{seq_axis}] = length - 1 - at[{seq_axis}];")  # fmt: skip
        lengths = contiguous(xp, lengths.astype(np.int64, copy=False))
        _map(xp, out, x, outer, inner, _row_major(x.shape)[: len(axes)], change, (("i64", lengths),))
    return out


def pad(xp: Any, x: Any, paddings: Sequence[tuple[int, int]], value: Any = 0) -> Any:
    """`x` with `value` before and after it along each dimension."""
    x = contiguous(xp, x)
    shape = tuple(d + a + b for d, (a, b) in zip(x.shape, paddings, strict=True))
    out = xp.empty(shape, x.dtype)
    if not x.size:
        out[...] = value
        return out
    if out.size:
        outer, inner, axes = _merged(shape, [p != (0, 0) for p in paddings])
        inside = [f"(at[{d}] -= {paddings[d][0]}LL, (u64)at[{d}] < {x.shape[d]}ULL)" for d in axes]
        fill = xp.full((16 // gcd(16, x.dtype.itemsize),), value, x.dtype)
        change = f"bool inside = {' & '.join(inside) or 'true'};"
        write = "if (inside) out[t] = from[place]; else out[t] = *a;"
        unit = UNITS[unit_of(inner * x.dtype.itemsize, out, x)]
        _map(xp, out, x, outer, inner, _row_major(x.shape)[: len(axes)], change, ((unit, fill),), write)
    return out


# ---- transposes ---------------------------------------------------------------------------------

_TRANSPOSE: Final = r"""
PS_KERNEL void transpose(U *out, const U *from) {
  __shared__ U cells[32 * 33];
  const i64 batch[RANK] = {BATCH}, read[RANK] = {READ}, written[RANK] = {WRITTEN};
  const i64 across = (COLS + 31) / 32, down = (ROWS + 31) / 32;
  i64 rest = blockIdx.x, in = 0, at = 0;
  i64 col = rest % across * 32; rest /= across;
  i64 row = rest % down * 32; rest /= down;
  for (int d = RANK - 1; d >= 0; d--) {
    i64 c = rest % batch[d];
    rest /= batch[d]; in += c * read[d]; at += c * written[d];
  }
  int x = threadIdx.x % 32, y = threadIdx.x / 32;
  for (int k = y; k < 32; k += 8)
    if (row + k < ROWS && col + x < COLS) cells[k * 33 + x] = from[in + (row + k) * READ_ROW + col + x];
  __syncthreads();
  for (int k = y; k < 32; k += 8)
    if (col + k < COLS && row + x < ROWS) out[at + (col + k) * WRITE_COL + row + x] = cells[x * 33 + k];
}
"""


@cache
def _transpose_source(unit: str, shape: Shape, perm: Shape) -> tuple[Source, int]:
    """The kernel for a transpose that moves the last dimension, and its blocks. Sizes are in units."""
    reading, writing = _row_major(shape), _row_major([shape[p] for p in perm])
    col, row = len(shape) - 1, perm[-1]
    place = {axis: i for i, axis in enumerate(perm)}
    rest = [a for a in range(len(shape)) if a not in (row, col)]
    defines = {
        "U": unit, "RANK": max(1, len(rest)), "BATCH": ints([shape[a] for a in rest] or [1]),
        "READ": ints([reading[a] for a in rest] or [0]), "WRITTEN": ints([writing[place[a]] for a in rest] or [0]),
        "ROWS": f"{shape[row]}LL", "COLS": f"{shape[col]}LL", "READ_ROW": f"{reading[row]}LL",
        "WRITE_COL": f"{writing[place[col]]}LL",
    }  # fmt: skip
    blocks = prod(shape[a] for a in rest) * -(-shape[row] // 32) * -(-shape[col] // 32)
    return source(defines, _TRANSPOSE, "transpose"), blocks


def collapsed(shape: Shape, perm: Sequence[int]) -> tuple[Shape, Shape]:
    """The same transpose with dimensions of size 1 left out and neighbours that stay neighbours made one."""
    kept = [p for p in perm if shape[p] != 1]
    runs: list[list[int]] = []
    for axis in kept:
        follows = runs and all(shape[a] == 1 for a in range(runs[-1][-1] + 1, axis)) and axis > runs[-1][-1]
        if follows:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    order = sorted(range(len(runs)), key=lambda i: runs[i][0])
    sizes = tuple(prod(shape[a] for a in runs[i]) for i in order)
    return sizes, tuple(order.index(i) for i in range(len(runs)))


def transpose(xp: Any, x: Any, perm: Sequence[int]) -> Any:
    """`x` with its dimensions in another order, row-major."""
    x = contiguous(xp, x)
    out = xp.empty(tuple(x.shape[p] for p in perm), x.dtype)
    if not out.size:
        return out
    shape, order = collapsed(x.shape, perm)
    if order == tuple(range(len(order))):
        out.reshape(-1)[...] = x.reshape(-1)
    elif order[-1] == len(shape) - 1:
        strides = _row_major(shape)
        _map(xp, out, x, tuple(shape[p] for p in order[:-1]), shape[-1], [strides[p] for p in order[:-1]])
    else:
        made, blocks = _transpose_source(UNITS[x.dtype.itemsize], shape, order)
        launch(xp, made, "transpose", 0, out, x, blocks=blocks)
    return out


# ---- several arrays -----------------------------------------------------------------------------

_JOIN: Final = r"""
PS_KERNEL void join(U *whole, @PARAMETERS@) {
  U *const parts[COUNT] = {NAMES};
  const N widths[COUNT] = {WIDTHS};
  N step = (N)gridDim.x * blockDim.x;
  for (N t = (N)blockIdx.x * blockDim.x + threadIdx.x; t < (N)UNITS; t += step) {
    N row = t / (N)TOTAL, col = t % (N)TOTAL;
    U *part = parts[0];
    N width = widths[0];
    for (int k = 1; k < COUNT; k++)
      if (col >= width) { col -= width; part = parts[k]; width = widths[k]; } else break;
    MOVE
  }
}
"""


@cache
def _join_source(unit: str, rows: int, widths: Shape, move: str) -> Source:
    total, count = sum(widths), len(widths)
    defines = {"U": unit, "COUNT": count, "NAMES": letters(count, "p{0}"),
               "WIDTHS": ints(widths), "TOTAL": f"{total}LL",
               "UNITS": f"{rows * total}LL", "N": _index_type(rows * total), "MOVE": move}  # fmt: skip
    return source(defines, _JOIN, "join", parameters=letters(count, "U *p{0}"))


def _join(xp: Any, whole: Any, parts: Sequence[Any], axis: int, move: str) -> None:
    item = whole.dtype.itemsize
    rows = prod(whole.shape[:axis])
    widths = [prod(p.shape[axis:]) * item for p in parts]
    unit = unit_of(gcd(*widths), whole, *parts)
    made = _join_source(UNITS[unit], rows, tuple(w // unit for w in widths), move)
    launch(xp, made, "join", rows * sum(widths) // unit, whole, *parts)


def concat(xp: Any, values: Sequence[Any], axis: int) -> Any:
    """`values` one after another along `axis`."""
    first = values[0]
    shape = list(first.shape)
    shape[axis] = sum(v.shape[axis] for v in values)
    out = xp.empty(tuple(shape), first.dtype)
    parts = [contiguous(xp, v) for v in values if v.size]
    if len(parts) > MOST_ARRAYS:
        return xp.concatenate(parts, axis)
    if parts:
        _join(xp, out, parts, axis, "whole[t] = part[row * width + col];")
    return out


def split(xp: Any, x: Any, sizes: Sequence[int], axis: int) -> list[Any]:
    """`x` cut along `axis` into pieces of these sizes, each in memory of its own."""
    x = contiguous(xp, x)
    outs = [xp.empty((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype) for size in sizes]
    parts = [o for o in outs if o.size]
    if len(parts) > MOST_ARRAYS:
        ends = np.cumsum(sizes).tolist()
        places = [(slice(None),) * axis + (slice(e - s, e),) for s, e in zip(sizes, ends, strict=True)]
        return [contiguous(xp, x[p]) for p in places]
    if parts:
        _join(xp, x, parts, axis, "part[row * width + col] = whole[t];")
    return outs


def stack(xp: Any, values: Sequence[Any], axis: int) -> Any:
    """`values` side by side along a new dimension `axis`."""
    first = values[0]
    shape = (*first.shape[:axis], 1, *first.shape[axis:])
    return concat(xp, [contiguous(xp, v).reshape(shape) for v in values], axis)


_CHOOSE: Final = r"""
PS_KERNEL void choose(U *out, const U *const *from, const i32 *index) {
  N step = (N)gridDim.x * blockDim.x;
  for (N t = (N)blockIdx.x * blockDim.x + threadIdx.x; t < (N)UNITS; t += step) {
    i32 k = index[t / (N)PER];
    U value = {0};
    if (k >= 0 && k < COUNT) value = from[k][t];
    out[t] = value;
  }
}
"""


@cache
def _choose_source(unit: str, count: int, rows: int, per: int) -> Source:
    defines = {"U": unit, "COUNT": count, "PER": f"{per}LL", "UNITS": f"{rows * per}LL", "N": _index_type(rows * per)}
    return source(defines, _CHOOSE, "choose")


def multiplex(xp: Any, inputs: Sequence[Any], index: Any) -> Any:
    """Row i of inputs[index[i]] for each i. index: flat int32, one entry a row."""
    inputs = [contiguous(xp, x) for x in inputs]
    first = inputs[0]
    out = xp.empty(first.shape, first.dtype)
    if out.size:
        width = prod(first.shape[1:]) * first.dtype.itemsize
        unit = unit_of(width, out, *inputs)
        made = _choose_source(UNITS[unit], len(inputs), len(first), width // unit)
        pointers = xp.asarray(np.array([x.data.ptr for x in inputs], np.uint64))
        launch(xp, made, "choose", out.nbytes // unit, out, pointers, contiguous(xp, index))
    return out
