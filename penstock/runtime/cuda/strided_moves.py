"""CUDA kernels that move strided blocks: transpose, concat, split, stack, tile, pad, reverse, multiplex.

Each is one launch. All but transposes are maps: every thread takes some units of the result, works out their
coordinates, and from these the place in the operand. Sizes that are used repeatedly become constants of the source, so
that coordinates cost multiplications (`cuda_source.sized`). Trailing dimensions that move together are merged, and
moved in units as wide as they allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod
from typing import Any, Final

import numpy as np

from .cuda_source import THREADS, UNITS, contiguous, launch, letters, loop_of, loop_sizes, sized, unit_of

Shape = tuple[int, ...]
MOST_ARRAYS: Final = 64
"""Arrays that one kernel takes as arguments."""



def _place_type(*reaches: int) -> str:
    """What places are worked out in: 32 bits where they are enough, since products and quotients of 64 take four times
    as long."""
    return "i32" if max(reaches) < 1 << 31 else "i64"


def _numbered(letter: str, values: Sequence[int]) -> dict[str, int]:
    """Sizes of a source by name: X0, X1 ..."""
    return {f"{letter}{i}": value for i, value in enumerate(values)}


# ---- maps over one input ------------------------------------------------------------------------

# What is no element of an array: the bytes of a value, as two numbers of 8.
_MAP: Final = """
PS_INLINE U fill(u64 low, u64 high) {
  union { u64 words[2]; U unit; } x;
  x.words[0] = low; x.words[1] = high;
  return x.unit;
}
""" + loop_of("map", "U *__restrict__ out, const U *__restrict__ from@PARAMETERS@@SIZES@", "(N)COUNT", """
      const i64 shape[RANK] = {SHAPE}, strides[RANK] = {STRIDES};
      N rest = t;
      M at[RANK], place = 0;
      #pragma unroll
      for (int d = RANK - 1; d > 0; d--) { at[d] = (M)(rest % (N)shape[d]); rest /= (N)shape[d]; }
      at[0] = (M)rest;
      CHANGE
      #pragma unroll
      for (int d = 0; d < RANK; d++) place += at[d] * (M)strides[d];
      value[j] = READ;
""", "out[t] = value[j];")  # fmt: skip


def _row_major(shape: Sequence[int]) -> list[int]:
    return [prod(shape[i + 1 :]) for i in range(len(shape))]


def _map(xp: Any, out: Any, from_: Any, shape: Shape, inner: int, strides: Sequence[int], change: str = "",
         sizes: dict[str, int] | None = None, extra: tuple[tuple[str, Any], ...] = (),
         read: str = "from[place]") -> None:  # fmt: skip
    """out (contiguous) seen as `shape` + (inner,) elements, each unit from `from_` at the changed coordinates.

    change: C that changes the coordinates `at`, numbers of the type M. sizes: what it calls by name. extra: (type,
    value) of arguments a, b ...
    """
    item = out.dtype.itemsize
    unit = unit_of(inner * item, out, from_)
    per = inner * item // unit
    whole = (*shape, per) if per > 1 or not shape else shape
    scaled = [s * item // unit for s in strides] + ([1] if len(whole) > len(shape) else [])
    rank, count = len(whole), prod(whole)
    reach = sum(abs(s) * d for s, d in zip(scaled, whole, strict=True))
    items, number = loop_sizes(count)
    defines = {"U": UNITS[unit], "RANK": rank, "SHAPE": letters(rank, "S{0}"), "STRIDES": letters(rank, "T{0}"),
               "N": number, "M": _place_type(count, reach), "ITEMS": items, "CHANGE": change, "READ": read}  # fmt: skip
    known = {"COUNT": count} | _numbered("S", whole) | _numbered("T", scaled) | (sizes or {})
    text = "".join(f", {kind} {name}" for name, (kind, _) in zip("abcd", extra, strict=False))
    made, given = sized(defines, known, _MAP, "map", text)
    launch(xp, made, "map", -(-count // items), out, from_, *[value for _, value in extra], *given)


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
        change = " ".join(f"at[{d}] %= (M)C{d};" for d in axes if multiples[d] != 1)
        _map(xp, out, x, outer, inner, _row_major(x.shape)[: len(axes)], change, _numbered("C", x.shape[: len(axes)]))
    return out


def reverse(xp: Any, x: Any, flags: Sequence[bool]) -> Any:
    """`x` with the flagged dimensions in reverse order."""
    x = contiguous(xp, x)
    out = xp.empty(x.shape, x.dtype)
    if out.size:
        outer, inner, axes = _merged(x.shape, flags)
        change = " ".join(f"at[{d}] = (M)S{d} - 1 - at[{d}];" for d in axes if flags[d])
        _map(xp, out, x, outer, inner, _row_major(x.shape)[: len(axes)], change)
    return out


def reverse_sequence(xp: Any, x: Any, lengths: Any, seq_axis: int, batch_axis: int) -> Any:
    """The first lengths[b] entries along `seq_axis` in reverse order, for each b along `batch_axis`."""
    x = contiguous(xp, x)
    out = xp.empty(x.shape, x.dtype)
    if out.size:
        outer, inner, axes = _merged(x.shape, [d in (seq_axis, batch_axis) for d in range(x.ndim)])
        change = (f"const M length = (M)a[at[{batch_axis}]]; "
                  f"if (at[{seq_axis}] < length) at[{seq_axis}] = length - 1 - at[{seq_axis}];")  # fmt: skip
        lengths = contiguous(xp, lengths.astype(np.int64, copy=False))
        _map(xp, out, x, outer, inner, _row_major(x.shape)[: len(axes)], change,
             extra=(("const i64 *__restrict__", lengths),))  # fmt: skip
    return out


def pad(xp: Any, x: Any, paddings: Sequence[tuple[int, int]], value: Any = 0) -> Any:
    """`x` with `value` before and after it along each dimension."""
    x = contiguous(xp, x)
    shape = tuple(d + a + b for d, (a, b) in zip(x.shape, paddings, strict=True))
    if not x.size:
        return xp.full(shape, value, x.dtype)
    out = xp.empty(shape, x.dtype)
    if out.size:
        outer, inner, axes = _merged(shape, [p != (0, 0) for p in paddings])
        inside = [f"(at[{d}] -= (M)B{d}, (u64)at[{d}] < (u64)C{d})" for d in axes]
        sizes = _numbered("B", [paddings[d][0] for d in axes]) | _numbered("C", x.shape[: len(axes)])
        words = np.full(16 // x.dtype.itemsize, value, x.dtype).view(np.uint64)
        change = f"const bool inside = {' & '.join(inside) or 'true'};"
        _map(xp, out, x, outer, inner, _row_major(x.shape)[: len(axes)], change, sizes,
             (("u64", words[0]), ("u64", words[1])), "inside ? from[place] : fill(a, b)")  # fmt: skip
    return out


# ---- transposes ---------------------------------------------------------------------------------

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
"""Bytes of a block of a transpose. An H200's multiprocessor has room for eight and more."""
TILED: Final = 1 << 10
"""Elements of a matrix from which it is worth blocks: a smaller one lies in the cache while it is read in any order."""


def tile_of(rows: int, cols: int, size: int) -> tuple[int, int]:
    """Rows and columns of the blocks in which a matrix is transposed: square, unless it is narrow. What lies beyond its
    end is left out, so that blocks depend on the smaller side alone."""
    cells = SHARED // max(4, size)
    wide = 64 if size <= 4 else 32
    high = cells // wide
    if cols < wide:
        return cells // _pitch(cols, size), cols
    if rows < high:
        return rows, cells // rows
    return high, wide


def _pitch(cols: int, size: int) -> int:
    """Elements from row to row of a block: an odd number of banks, so that a column lies in all of them."""
    if size >= 4:
        return cols | 1
    return ((cols * size + 3) // 4 | 1) * 4 // size


def _blocked_transpose(xp: Any, out: Any, x: Any, shape: Shape, perm: Shape) -> None:
    """A transpose that moves the last dimension, in blocks of the two that change places there."""
    reading, writing = _row_major(shape), _row_major([shape[p] for p in perm])
    col, row = len(shape) - 1, perm[-1]
    place = {axis: i for i, axis in enumerate(perm)}
    rest = [a for a in range(len(shape)) if a not in (row, col)]
    size, rank = x.dtype.itemsize, max(1, len(rest))
    high, wide = tile_of(shape[row], shape[col], size)
    defines = {
        "U": UNITS[size], "RANK": rank, "BATCH": letters(rank, "B{0}"), "READ": letters(rank, "F{0}"),
        "WRITTEN": letters(rank, "W{0}"), "TR": high, "TC": wide, "PITCH": _pitch(wide, size), "THREADS": THREADS,
    }  # fmt: skip
    sizes = {"ROWS": shape[row], "COLS": shape[col], "READ_ROW": reading[row], "WRITE_COL": writing[place[col]]}
    sizes |= _numbered("B", [shape[a] for a in rest] or [1]) | _numbered("F", [reading[a] for a in rest] or [0])
    sizes |= _numbered("W", [writing[place[a]] for a in rest] or [0])
    blocks = prod(shape[a] for a in rest) * -(-shape[row] // high) * -(-shape[col] // wide)
    made, given = sized(defines, sizes, _TRANSPOSE, "transpose")
    launch(xp, made, "transpose", 0, out, x, *given, blocks=blocks)


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
    elif shape[order[-1]] * shape[-1] < TILED:
        strides = _row_major(shape)
        _map(xp, out, x, tuple(shape[p] for p in order), 1, [strides[p] for p in order])
    else:
        _blocked_transpose(xp, out, x, shape, order)
    return out


# ---- several arrays -----------------------------------------------------------------------------

# Where unit t of the whole lies in its part.
_PART: Final = """
      U *const parts[COUNT] = {NAMES};
      const i64 widths[COUNT] = {WIDTHS};
      const N row = t / (N)TOTAL;
      N col = t % (N)TOTAL, width = (N)widths[0];
#if EVEN
      const N k = col / width;
      U *const part = parts[k];
      col -= k * width;
#else
      U *part = parts[0];
      #pragma unroll
      for (int k = 1; k < COUNT; k++)
        if (col >= width) { col -= width; part = parts[k]; width = (N)widths[k]; } else break;
#endif
"""
_JOIN: Final = loop_of("join", "U *__restrict__ whole, @PARAMETERS@@SIZES@", "(N)UNITS",
                       f"{_PART} value[j] = part[(i64)row * width + col];", "whole[t] = value[j];")  # fmt: skip
_CUT: Final = loop_of("cut", "const U *__restrict__ whole, @PARAMETERS@@SIZES@", "(N)UNITS",
                      "value[j] = whole[t];", f"{_PART} part[(i64)row * width + col] = value[j];")  # fmt: skip


def _join(xp: Any, whole: Any, parts: Sequence[Any], axis: int, kernel: str) -> None:
    item, count = whole.dtype.itemsize, len(parts)
    rows = prod(whole.shape[:axis])
    bytes_ = [prod(p.shape[axis:]) * item for p in parts]
    unit = unit_of(gcd(*bytes_), whole, *parts)
    widths = [b // unit for b in bytes_]
    pieces = rows * sum(widths)
    items, number = loop_sizes(pieces)
    defines = {"U": UNITS[unit], "COUNT": count, "NAMES": letters(count, "p{0}"), "WIDTHS": letters(count, "W{0}"),
               "EVEN": int(count > 8 and len(set(widths)) == 1), "N": number, "ITEMS": items}  # fmt: skip
    sizes = {"UNITS": pieces, "TOTAL": sum(widths)} | _numbered("W", widths)
    made, given = sized(defines, sizes, _JOIN if kernel == "join" else _CUT, kernel, letters(count, "U *p{0}"))
    launch(xp, made, kernel, -(-pieces // items), whole, *parts, *given)


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
        _join(xp, out, parts, axis, "join")
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
        _join(xp, x, parts, axis, "cut")
    return outs


def stack(xp: Any, values: Sequence[Any], axis: int) -> Any:
    """`values` side by side along a new dimension `axis`."""
    first = values[0]
    shape = (*first.shape[:axis], 1, *first.shape[axis:])
    return concat(xp, [contiguous(xp, v).reshape(shape) for v in values], axis)


_CHOOSE: Final = loop_of(
    "choose", "U *__restrict__ out, const U *const *__restrict__ from, const i32 *__restrict__ index@SIZES@",
    "(N)UNITS", """
      const i32 k = index[t / (N)PER];
      value[j] = (u32)k < COUNT ? from[k][t] : none;
""", "out[t] = value[j];",
)  # fmt: skip


def multiplex(xp: Any, inputs: Sequence[Any], index: Any) -> Any:
    """Row i of inputs[index[i]] for each i. index: flat int32, one entry a row."""
    inputs = [contiguous(xp, x) for x in inputs]
    first = inputs[0]
    out = xp.empty(first.shape, first.dtype)
    if out.size:
        width = prod(first.shape[1:]) * first.dtype.itemsize
        unit = unit_of(width, out, *inputs)
        pieces = out.nbytes // unit
        items, number = loop_sizes(pieces)
        defines = {"U": UNITS[unit], "COUNT": f"{len(inputs)}u", "N": number, "ITEMS": items}
        made, given = sized(defines, {"UNITS": pieces, "PER": width // unit}, _CHOOSE, "choose")
        pointers = xp.asarray(np.array([x.data.ptr for x in inputs], np.uint64))
        launch(xp, made, "choose", -(-pieces // items), out, pointers, contiguous(xp, index), *given)
    return out
