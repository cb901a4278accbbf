"""CUDA source of a fused group that ends in a reduction over its last dimensions, in one launch.

A row is the set of elements that one total combines.

    short rows     some lanes of a warp for each row, which exchange their totals: no shared memory, no waiting
    long rows      a block for each piece of a row; the block that finishes a row last combines the pieces, in order

The last block is found by counting finished pieces; a fence before the counting makes the totals of a block visible to
the block that counts last. The order of combination depends on sizes and layout alone, so that the same operands give
the same bits on every card.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ...graph.shapes.dtypes import DType
from ..ir.fused_ir import Value
from ..ir.scalar_ir import Scalar, ScalarStep
from .c_primitives import expression, kind_of, memory_kind
from .cuda_source import THREADS
from .elementwise_source import BEGIN, END, FAILED, OperandLayout, may_fail, name_of, parameters, piece_of, statements

SPAN: Final = 8192
"""Fewest elements of a row that one block combines."""
PIECES: Final = 2112
"""Pieces of all rows together, about 16 blocks for each multiprocessor of a large card. A constant, so that every card
combines in the same order."""
SHORT: Final = 4096
"""Elements of the longest rows that get no block of their own, if there are many rows."""


@dataclass(frozen=True, slots=True)
class Reduce:
    """A reduction at the end of a kernel.

    primitive: the function that combines two totals.
    dtype: that of the totals.
    start: the first total, in C.
    finish: the program that makes the result of a total.
    """

    primitive: str
    dtype: DType
    start: str
    finish: Scalar


def pieces_of(rows: int, count: int) -> int:
    """The number of pieces of a row of `count` elements."""
    return min(-(-count // SPAN), max(1, PIECES // max(1, rows)))


def lanes_of(rows: int, count: int, width: int) -> int:
    """Lanes for each row, a power of two up to 32; 0 if rows get blocks of their own."""
    if count > SHORT or (count > 4 * 32 * width and rows < PIECES):
        return 0
    return min(32, 1 << (-(-count // width) - 1).bit_length())


_COMBINE: Final = """
#define FULL 0xffffffffu
PS_INLINE {kind} combine({kind} a, {kind} b) {{ return {made}; }}
"""

_SHORT: Final = """
PS_KERNEL void __launch_bounds__({threads}) fused({parameters}, i64 rows, i64 count@SIZES@) {{
  const int lane = threadIdx.x % {lanes}, first = threadIdx.x % 32 / {lanes};
  const i64 step = (i64)gridDim.x * ({threads} / {lanes}), own = (i64)blockIdx.x * ({threads} / {lanes});
  {begin}for (i64 row = own + threadIdx.x / {lanes}; row - first < rows; row += step) {{
    {kind} mine = {start};
    {unroll}for (i64 j = lane * {width}; j < (row < rows ? count : 0); j += {lanes} * {width}) {{
      const i64 t = row * count + j;
      {piece}
    }}
    #pragma unroll
    for (int by = {lanes} / 2; by; by /= 2) mine = combine(mine, __shfl_down_sync(FULL, mine, by));
    if (lane == 0 && row < rows) {{ {finish} }}
  }}
  {end}
}}
"""

_LONG: Final = """
PS_INLINE {kind} combined({kind} mine) {{
  __shared__ {kind} warps[{threads} / 32];
  #pragma unroll
  for (int by = 16; by; by /= 2) mine = combine(mine, __shfl_down_sync(FULL, mine, by));
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  mine = warps[0];
  for (int w = 1; w < {threads} / 32; w++) mine = combine(mine, warps[w]);
  return mine;
}}
PS_KERNEL void __launch_bounds__({threads}) fused({parameters}, {kind} *parts, i32 *done,
    i64 count, i64 pieces@SIZES@) {{
  __shared__ i32 last;
  const i64 row = blockIdx.x / pieces, piece = blockIdx.x % pieces;
  /* Pieces of so many whole rounds of the block. */
  const i64 round = {threads} * {width}, span = (count + round * pieces - 1) / (round * pieces) * round;
  const i64 stop = row * count + count, begin = row * count + piece * span;
  const i64 end = begin + span < stop ? begin + span : stop;
  {kind} mine = {start};
  {begin}{unroll}for (i64 t = begin + threadIdx.x * {width}; t < end; t += round) {{
    {piece}
  }}
  {end}
  mine = combined(mine);
  if (pieces > 1) {{
    if (threadIdx.x == 0) {{
      parts[blockIdx.x] = mine;
      __threadfence();
      last = atomicAdd(&done[row], 1) == pieces - 1;
      __threadfence();
    }}
    __syncthreads();
    if (!last) return;
    mine = {start};
    for (i64 k = threadIdx.x; k < pieces; k += {threads})
      mine = combine(mine, ((volatile {kind} *)parts)[row * pieces + k]);
    mine = combined(mine);
  }}
  if (threadIdx.x == 0) {{ {finish} }}
}}
"""


@lru_cache(maxsize=1024)
def reduced_source(
    program: Scalar, plan: OperandLayout, how: Reduce, lanes: int, safe: frozenset[int] = frozenset()
) -> str:
    """The text of `fused(result, inputs ..., [failed,] rows, count, sizes)`; if `lanes` is 0 of `fused(result, inputs
    ..., [failed,] parts, done, count, pieces, sizes)` with a block for each piece of each row and a zero in `done` for
    each row.

    `program` has one output, which is combined. Rows are of a multiple of the layout's width.

    Raises:
        CannotLower: a step has no expression in CUDA C.
    """
    kind = kind_of(how.dtype)
    step = ScalarStep(how.primitive, (Value(0), Value(1)), how.dtype)
    combined = expression(step, (how.dtype, how.dtype), ("a", "b"))
    fails = may_fail(program, safe)
    out = how.finish.dtype_of(how.finish.outputs[0])
    inputs = parameters(program)[len(program.outputs) :]
    fields = {
        "kind": kind, "start": how.start, "width": plan.width, "threads": THREADS, "lanes": lanes,
        "parameters": ", ".join([f"{memory_kind(out)} *__restrict__ totals", *inputs, *([FAILED] if fails else [])]),
        "piece": piece_of(program, plan, safe, [f"mine = combine(mine, {name_of(program.outputs[0])});"]),
        "unroll": "#pragma unroll 4\n  " if len(program.steps) <= 12 else "",
        "begin": BEGIN if fails else "", "end": END if fails else "", "finish": _finish(how.finish, kind),
    }  # fmt: skip
    text = _COMBINE.format(kind=kind, made=combined) + (_SHORT if lanes else _LONG).format(**fields)
    return text


def _finish(finish: Scalar, kind: str) -> str:
    """The code that stores the result of a total. Its variables v1, v2 ... are in a scope of their own."""
    last = finish.outputs[0]
    stored = f"totals[row] = ({memory_kind(finish.dtype_of(last))}){name_of(last)};"
    return " ".join([f"const {kind} v0 = mine;", *statements(finish), stored])
