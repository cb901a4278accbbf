"""How does a scalar program become the source of one kernel?

Shapes are collapsed first: neighbouring dimensions that every operand walks through evenly are one. What is left is
written into the source. If all operands lie flat (or are a single number) the source knows no sizes at all, so that one
kernel serves arrays of every length.

A thread takes some consecutive elements at a time, as many as fit 16 bytes of the widest operand; it reads and writes
them as one piece where they lie together. A reduction over the last dimensions happens in the same kernel: a block
combines a piece of a row, and the block that finishes a row last combines the pieces, in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Final

from ...graph.dtypes import DType
from ..body import Value
from ..jit.scalar import Argument, Literal, Scalar, Step
from .source import Source, ints, source
from .words import HELPERS, Operand, expression, kind_of, memory_kind, written

Shape = tuple[int, ...]
_VECTORS: Final = {16: "uint4", 8: "uint2", 4: "u32", 2: "u16", 1: "u8"}


@dataclass(frozen=True, slots=True)
class Layout:
    """How operands lie: the collapsed shape, and for each operand its strides in elements (0: repeated).

    flat: one dimension, of any length; strides are 1 or 0. width: elements a thread takes at a time.
    """

    shape: Shape
    strides: tuple[Shape, ...]
    flat: bool
    width: int


def layout(whole: Shape, shapes: Sequence[Shape], strides: Sequence[Shape], widest: int, aligned: bool) -> Layout:
    """The layout of operands of `shapes`, whose strides are in elements, broadcast to `whole`.

    widest: bytes of an element of the widest operand. aligned: whether all operands begin at multiples of 16 bytes.
    """
    rank = len(whole)
    walks = []
    for shape, stride in zip(shapes, strides, strict=True):
        missing = rank - len(shape)
        walks.append([0] * missing + [0 if d == 1 else s for d, s in zip(shape, stride, strict=True)])
    dims: list[int] = []
    kept: list[list[int]] = [[] for _ in walks]
    for axis, size in enumerate(whole):
        if size == 1:
            continue
        if dims and all(k[-1] == w[axis] * size for k, w in zip(kept, walks, strict=True)):
            dims[-1] *= size
            for k, w in zip(kept, walks, strict=True):
                k[-1] = w[axis]
        else:
            dims.append(size)
            for k, w in zip(kept, walks, strict=True):
                k.append(w[axis])
    if not dims:
        dims, kept = [1], [[0] for _ in walks]
    flat = len(dims) == 1 and all(k[0] in (0, 1) for k in kept)
    width = max(1, 16 // widest) if aligned else 1
    while width > 1 and not flat and (dims[-1] % width or any(s % width for k in kept for s in k[:-1])):
        width //= 2
    return Layout(() if flat else tuple(dims), tuple(tuple(k) for k in kept), flat, width)


@dataclass(frozen=True, slots=True)
class Reduce:
    """A reduction at the end of a kernel: the primitive that combines, the program's output it combines, the dtype of
    that and of its total, and the bits from which it starts, as a C expression."""

    primitive: str
    output: int
    dtype: DType
    start: str


# ---- the elementwise part -----------------------------------------------------------------------


def _name(argument: Argument) -> Operand:
    return written(argument) if isinstance(argument, Literal) else f"v{int(argument)}"


def _pair(argument: Argument, dtype: DType) -> Operand:
    name = _name(argument)
    return (f"{name}r", f"{name}i") if dtype.is_complex and isinstance(name, str) else name


def _declared(name: str, dtype: DType, value: Operand) -> str:
    kind = kind_of(dtype)
    if isinstance(value, tuple):
        return f"{kind} {name}r = {value[0]}, {name}i = {value[1]};"
    return f"{kind} {name} = {value};"


def statements(program: Scalar) -> list[str]:
    """A declaration for each step, over variables v0, v1 ... for the inputs."""
    lines = []
    first = len(program.inputs)
    for i, step in enumerate(program.steps):
        dtypes = tuple(program.dtype_of(a) for a in step.args)
        operands = tuple(_pair(a, d) for a, d in zip(step.args, dtypes, strict=True))
        lines.append(_declared(f"v{first + i}", step.dtype, expression(step, dtypes, operands)))
    return lines


def used_inputs(program: Scalar) -> frozenset[int]:
    """The inputs that a program reads: the others need not fit its shape."""
    read = [a for step in program.steps for a in step.args] + list(program.outputs)
    return frozenset(int(a) for a in read if isinstance(a, Value) and a < len(program.inputs))


def _load(i: int, dtype: DType, stride: int, width: int) -> tuple[str, str]:
    """(before the elements of a piece, within the loop over them) for input i at offset o{i}."""
    kind = memory_kind(dtype)
    if dtype.is_complex:
        read = f"p{i}[2 * (o{i} + {stride} * e)]", f"p{i}[2 * (o{i} + {stride} * e) + 1]"
        return "", _declared(f"v{i}", dtype, read)
    truth = " != 0" if dtype.is_bool else ""
    if stride == 1 and width > 1:
        vector = _VECTORS[dtype.size * width]
        before = f"union {{ {vector} all; {kind} one[{width}]; }} q{i}; q{i}.all = *(const {vector} *)(p{i} + o{i});"
        return before, _declared(f"v{i}", dtype, f"q{i}.one[e]{truth}")
    if stride == 0:
        return f"const {kind} q{i} = p{i}[o{i}];", _declared(f"v{i}", dtype, f"q{i}{truth}")
    return "", _declared(f"v{i}", dtype, f"p{i}[o{i} + {stride} * (i64)e]{truth}")


def _store(j: int, dtype: DType, value: Operand, width: int) -> tuple[str, str, str]:
    """(before, within, after) for output j, which lies flat at offset t."""
    kind = memory_kind(dtype)
    if isinstance(value, tuple):
        return "", f"r{j}[2 * (t + e)] = {value[0]}; r{j}[2 * (t + e) + 1] = {value[1]};", ""
    if width == 1:
        return "", f"r{j}[t] = ({kind}){value};", ""
    vector = _VECTORS[dtype.size * width]
    return (f"union {{ {vector} all; {kind} one[{width}]; }} w{j};", f"w{j}.one[e] = ({kind}){value};",
            f"*({vector} *)(r{j} + t) = w{j}.all;")  # fmt: skip


def _parameters(program: Scalar) -> list[str]:
    found = [f"{memory_kind(program.dtype_of(o))} *__restrict__ r{j}" for j, o in enumerate(program.outputs)]
    return found + [f"const {memory_kind(d)} *__restrict__ p{i}" for i, d in enumerate(program.inputs)]


def _offsets(plan: Layout, used: frozenset[int]) -> list[str]:
    """Where element t lies in each input."""
    if plan.flat:
        return [f"i64 o{i} = {'t' if plan.strides[i][0] else '0'};" for i in sorted(used)]
    rank = len(plan.shape)
    lines = ["N rest = (N)t;"]
    for d in range(rank - 1, 0, -1):
        size = plan.shape[d]
        lines.append(f"i64 c{d} = (i64)(rest % (N){size}ULL); rest /= (N){size}ULL;")
    lines.append("i64 c0 = (i64)rest;")
    for i in sorted(used):
        terms = [f"c{d} * {s}LL" for d, s in enumerate(plan.strides[i]) if s]
        lines.append(f"i64 o{i} = {' + '.join(terms) or '0'};")
    return lines


def _piece(program: Scalar, plan: Layout, width: int, taken: Sequence[str] = ()) -> str:
    """The code for `width` elements from t on. taken: what else is done with an element, within the loop."""
    inner = [s[-1] for s in plan.strides]
    used = used_inputs(program)
    loads = [_load(i, d, inner[i], width) for i, d in enumerate(program.inputs) if i in used]
    results = [(o, program.dtype_of(o)) for o in program.outputs]
    stores = [] if taken else [_store(j, d, _pair(o, d), width) for j, (o, d) in enumerate(results)]
    lines = [*_offsets(plan, used), *[before for before, _ in loads if before]]
    lines += [before for before, _, _ in stores if before]
    lines.append(f"for (int e = 0; e < {width}; e++) {{")
    lines += [f"  {within}" for _, within in loads]
    lines += [f"  {line}" for line in statements(program)]
    lines += [f"  {within}" for _, within, _ in stores] + [f"  {line}" for line in taken]
    lines.append("}")
    lines += [after for _, _, after in stores if after]
    return "\n    ".join(lines)


_LOOP: Final = """
PS_KERNEL void fused({parameters}, i64 n) {{
  const i64 step = (i64)gridDim.x * blockDim.x * {width};
  for (i64 t = ((i64)blockIdx.x * blockDim.x + threadIdx.x) * {width}; t < n; t += step) {{
    {guard}{piece}
    {rest}
  }}
}}
"""


@cache
def elementwise(program: Scalar, plan: Layout) -> Source:
    """The kernel `fused(outputs ..., inputs ..., n)` of a program without a reduction.

    Raises:
        CannotLower: some step has no words here.
    """
    width = plan.width
    piece = _piece(program, plan, width)
    guard, rest = "", ""
    if width > 1 and plan.flat:  # the last piece may be shorter
        single = _piece(program, plan, 1)
        guard = f"if (t + {width} <= n) {{\n    "
        rest = f"}} else for (const i64 end = n; t < end; t++) {{\n    {single}\n    }}"
    text = _LOOP.format(parameters=", ".join(_parameters(program)), width=width, guard=guard, piece=piece, rest=rest)
    return source({"N": "u32" if prod(plan.shape) < 1 << 32 else "u64"}, HELPERS + text, "fused")


# ---- with a reduction ---------------------------------------------------------------------------

SPAN: Final = 8192
"""Elements of a row that one block combines."""

_REDUCED: Final = """
{combine}
PS_INLINE {kind} combined({kind} mine) {{
  __shared__ {kind} warps[8];
  for (int by = 16; by; by /= 2) mine = combine(mine, __shfl_down_sync(0xffffffffu, mine, by));
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  mine = warps[0];
  for (int w = 1; w < 8; w++) mine = combine(mine, warps[w]);
  return mine;
}}
PS_KERNEL void fused({kind} *totals, {kind} *parts, i32 *done, {parameters}, i64 count, i64 pieces) {{
  __shared__ i32 last;
  const i64 row = blockIdx.x / pieces, piece = blockIdx.x % pieces;
  const i64 begin = row * count + piece * {span}, stop = row * count + count;
  const i64 end = begin + {span} < stop ? begin + {span} : stop;
  {kind} mine = {start};
  for (i64 t = begin + threadIdx.x * {width}; t < end; t += blockDim.x * {width}) {{
    {piece}
  }}
  mine = combined(mine);
  if (pieces == 1) {{ if (threadIdx.x == 0) totals[row] = mine; return; }}
  if (threadIdx.x == 0) {{
    parts[row * pieces + piece] = mine;
    __threadfence();
    last = atomicAdd(&done[row], 1) == pieces - 1;
  }}
  __syncthreads();
  if (!last) return;
  __threadfence();
  mine = {start};
  for (i64 k = threadIdx.x; k < pieces; k += blockDim.x)
    mine = combine(mine, ((volatile {kind} *)parts)[row * pieces + k]);
  mine = combined(mine);
  if (threadIdx.x == 0) totals[row] = mine;
}}
"""


@cache
def reduced(program: Scalar, plan: Layout, how: Reduce) -> Source:
    """The kernel `fused(totals, parts, done, inputs ..., count, pieces)`: a block for each piece of each row.

    `program` has one output, which is combined. `done` holds a zero for each row. The order of combination depends on
    the sizes and the layout alone. Rows are of a multiple of the layout's width.
    """
    kind = kind_of(how.dtype)
    result = _name(program.outputs[0])
    made = expression(Step(how.primitive, (Value(0), Value(1)), how.dtype), (how.dtype, how.dtype), ("a", "b"))
    combine = f"PS_INLINE {kind} combine({kind} a, {kind} b) {{ return {made}; }}"
    piece = _piece(program, plan, plan.width, [f"mine = combine(mine, {result});"])
    inputs = ", ".join(_parameters(program)[len(program.outputs) :])
    text = _REDUCED.format(combine=combine, kind=kind, parameters=inputs, span=SPAN, start=how.start, piece=piece,
                           width=plan.width)  # fmt: skip
    return source({"N": "u32" if prod(plan.shape) < 1 << 32 else "u64"}, HELPERS + text, "fused")


def described(plan: Layout) -> str:
    """A layout in words, for who prints a kernel."""
    if plan.flat:
        return f"flat, {plan.width} at a time"
    return f"shape [{ints(plan.shape)}], {plan.width} at a time"
