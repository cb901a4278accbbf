"""CUDA kernels that are maps over one array: tile, reverse, pad and reverse_sequence.

What is a view of the array, repeated or reversed, is the nest that copies elements. For the others every thread takes
some units of the result, works out their coordinates, and from these the place in the operand. Sizes
that are used repeatedly become constants of the source, so that coordinates cost multiplications (`cuda_source.sized`).
Trailing dimensions that move together are merged, and moved in units as wide as they allow. Places are computed in 32
bits where these suffice: products and quotients of 64 bits take four times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from ..ir.strides import contiguous_strides
from .cuda_source import UNITS, Shape, contiguous, launch, loop_of, loop_sizes, name_list, numbered, sized, unit_of
from .nest_launch import copy

# fill: the bytes of a value that is no element of the array, as two numbers of 8 bytes.
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


def move(
    xp: Any,
    out: Any,
    from_: Any,
    shape: Shape,
    inner: int,
    change: str = "",
    sizes: dict[str, int] | None = None,
    extra: tuple[tuple[str, Any], ...] = (),
    read: str = "from[place]",
) -> None:
    """Fill `out`, seen as `shape` + (inner,) elements, from `from_` at the changed coordinates; both are contiguous.

    change: C code that changes the coordinates `at`, which have the type M.
    sizes: the sizes that this code uses, by name.
    extra: (type, value) of the arguments a, b ... of this code.
    read: the C expression of a unit.
    """
    strides = contiguous_strides(from_.shape, 1)[: len(shape)]
    item = out.dtype.itemsize
    unit = unit_of(inner * item, out, from_)
    per = inner * item // unit
    whole = (*shape, per) if per > 1 or not shape else shape
    scaled = [s * item // unit for s in strides] + ([1] if len(whole) > len(shape) else [])
    rank, count = len(whole), prod(whole)
    reach = sum(abs(s) * d for s, d in zip(scaled, whole, strict=True))
    items, number = loop_sizes(count)
    place = "i32" if max(count, reach) < 1 << 31 else "i64"
    defines = {"U": UNITS[unit], "RANK": rank, "SHAPE": name_list(rank, "S{0}"), "STRIDES": name_list(rank, "T{0}"),
               "N": number, "M": place, "ITEMS": items, "CHANGE": change, "READ": read}  # fmt: skip
    known = {"COUNT": count} | numbered("S", whole) | numbered("T", scaled) | (sizes or {})
    text = "".join(f", {kind} {name}" for name, (kind, _) in zip("abcd", extra, strict=False))
    made, given = sized(defines, known, _MAP, "map", text)
    launch(xp, made, "map", -(-count // items), out, from_, *[value for _, value in extra], *given)


def _merged(shape: Shape, moved: Sequence[bool]) -> tuple[Shape, int]:
    """The dimensions up to the last one that `moved`, and the number of elements behind them."""
    last = max([i for i, m in enumerate(moved) if m], default=-1)
    return shape[: last + 1], prod(shape[last + 1 :])


def tile(xp: Any, x: Any, multiples: Sequence[int]) -> Any:
    """`x` repeated `multiples[d]` times along each dimension."""
    out = xp.empty(tuple([d * m for d, m in zip(x.shape, multiples, strict=True)]), x.dtype)
    if out.size:
        pairs = [each for pair in zip(multiples, x.shape, strict=True) for each in pair]
        copy(xp, out, x[(None, slice(None)) * x.ndim], tuple(pairs))
    return out


def reverse(xp: Any, x: Any, flags: Sequence[bool]) -> Any:
    """`x` with the flagged dimensions in reverse order."""
    out = xp.empty(x.shape, x.dtype)
    if out.size:
        copy(xp, out, x[tuple([slice(None, None, -1 if f else None) for f in flags])], x.shape)
    return out


def reverse_sequence(xp: Any, x: Any, lengths: Any, seq_axis: int, batch_axis: int) -> Any:
    """The first lengths[b] entries along `seq_axis` in reverse order, for each b along `batch_axis`."""
    x = contiguous(xp, x)
    out = xp.empty(x.shape, x.dtype)
    if out.size:
        outer, inner = _merged(x.shape, [d in (seq_axis, batch_axis) for d in range(x.ndim)])
        change = (f"const M length = (M)a[at[{batch_axis}]]; "
                  f"if (at[{seq_axis}] < length) at[{seq_axis}] = length - 1 - at[{seq_axis}];")  # fmt: skip
        lengths = contiguous(xp, lengths.astype(np.int64, copy=False))
        move(xp, out, x, outer, inner, change=change, extra=(("const i64 *__restrict__", lengths),))
    return out


def pad(xp: Any, x: Any, paddings: Sequence[tuple[int, int]], value: Any = 0) -> Any:
    """`x` with `value` before and after it along each dimension."""
    x = contiguous(xp, x)
    shape = tuple(d + a + b for d, (a, b) in zip(x.shape, paddings, strict=True))
    if not x.size:
        return xp.full(shape, value, x.dtype)
    out = xp.empty(shape, x.dtype)
    if out.size:
        outer, inner = _merged(shape, [p != (0, 0) for p in paddings])
        inside = [f"(at[{d}] -= (M)B{d}, (u64)at[{d}] < (u64)C{d})" for d in range(len(outer))]
        sizes = numbered("B", [paddings[d][0] for d in range(len(outer))]) | numbered("C", x.shape[: len(outer)])
        words = np.full(16 // x.dtype.itemsize, value, x.dtype).view(np.uint64)
        change = f"const bool inside = {' & '.join(inside) or 'true'};"
        extra = ("u64", words[0]), ("u64", words[1])
        move(xp, out, x, outer, inner, change, sizes, extra, "inside ? from[place] : fill(a, b)")
    return out
