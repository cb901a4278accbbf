"""CUDA kernels over several arrays: concat, stack, split and multiplex, one launch each."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod
from typing import Any, Final

import numpy as np

from .cuda_source import UNITS, contiguous, launch, loop_of, loop_sizes, name_list, numbered, sized, unit_of

MOST_ARRAYS: Final = 64
"""Arrays that one kernel takes as arguments."""

# The part that unit t of the whole belongs to, and its place there.
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
    defines = {"U": UNITS[unit], "COUNT": count, "NAMES": name_list(count, "p{0}"), "WIDTHS": name_list(count, "W{0}"),
               "EVEN": int(count > 8 and len(set(widths)) == 1), "N": number, "ITEMS": items}  # fmt: skip
    sizes = {"UNITS": pieces, "TOTAL": sum(widths)} | numbered("W", widths)
    made, given = sized(defines, sizes, _JOIN if kernel == "join" else _CUT, kernel, name_list(count, "U *p{0}"))
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
