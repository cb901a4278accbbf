"""CUDA source of the elementwise part of a fused group.

Shapes are collapsed first: neighbouring dimensions over which every operand steps evenly become one. The remaining
sizes become constants of the source once they have been used a few times (`cuda_source.sized`). If every operand is
contiguous or a single number, the source contains no sizes, so that one kernel serves arrays of every length.

A thread computes as many consecutive elements at a time as fit into 16 bytes of the widest operand, and loads or stores
them with one instruction where they are adjacent. Offsets are computed in 32 bits where sizes allow it. Reductions are
in `reduction_source`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any, Final

from ...graph.shapes.dtypes import DType
from ..ir.fused_ir import Value
from ..ir.scalar_ir import Argument, Literal, Scalar, ScalarStep
from ..ir.strides import broadcast_strides, coalesced
from .c_primitives import Operand, constant_operand, expression, fails_at_zero, kind_of, memory_kind
from .cuda_source import THREADS, CudaSource, sized

Shape = tuple[int, ...]
_VECTORS: Final = {16: "uint4", 8: "uint2", 4: "u32", 2: "u16", 1: "u8"}


@dataclass(frozen=True, slots=True)
class OperandLayout:
    """The layout of the operands of a kernel.

    shape: the collapsed shape, () if flat.
    strides: those of each operand, in elements; 0 repeats it.
    flat: one dimension, of any length, with strides 1 or 0.
    width: elements that a thread takes at a time.
    paired: complex numbers are aligned to their size, so that both parts are read at once.
    """

    shape: Shape
    strides: tuple[Shape, ...]
    flat: bool
    width: int
    paired: bool = True


def layout(
    whole: Shape, shapes: Sequence[Shape], strides: Sequence[Shape], widest: int, aligned: bool
) -> OperandLayout:
    """The layout of operands of `shapes`, whose strides are in elements, broadcast to `whole`.

    widest: bytes of an element of the widest operand. aligned: whether all operands begin at multiples of 16 bytes.
    """
    walks = [broadcast_strides(shape, stride, whole) for shape, stride in zip(shapes, strides, strict=True)]
    dims, kept = coalesced(whole, walks)
    if not dims:
        dims, kept = (1,), [[0] for _ in walks]
    flat = len(dims) == 1 and all(k[0] in (0, 1) for k in kept)
    width = max(1, 16 // widest) if aligned else 1
    while width > 1 and not flat and (dims[-1] % width or any(s % width for k in kept for s in k[:-1])):
        width //= 2
    return OperandLayout(() if flat else dims, tuple(tuple(k) for k in kept), flat, width)


# ---- the elementwise part -----------------------------------------------------------------------


def name_of(argument: Argument) -> Operand:
    """A value's variable, or a constant."""
    return constant_operand(argument) if isinstance(argument, Literal) else f"v{int(argument)}"


def _pair(argument: Argument, dtype: DType) -> Operand:
    name = name_of(argument)
    return (f"{name}r", f"{name}i") if dtype.is_complex and isinstance(name, str) else name


def _declared(name: str, dtype: DType, value: Operand) -> str:
    kind = kind_of(dtype)
    if isinstance(value, tuple):
        return f"{kind} {name}r = {value[0]}, {name}i = {value[1]};"
    return f"{kind} {name} = {value};"


def statements(program: Scalar, safe: frozenset[int] = frozenset()) -> list[str]:
    """A declaration for each step, over variables v0, v1 ... for the inputs; `failed` is set where an int is divided by
    zero. safe: inputs without a zero."""
    lines = []
    first = len(program.inputs)
    for i, step in enumerate(program.steps):
        dtypes = tuple(program.dtype_of(a) for a in step.args)
        operands = tuple(_pair(a, d) for a, d in zip(step.args, dtypes, strict=True))
        lines.append(_declared(f"v{first + i}", step.dtype, expression(step, dtypes, operands)))
        if _may_fail(program, step, safe):
            lines.append(f"failed |= {operands[1]} == 0;")
    return lines


def may_fail(program: Scalar, safe: frozenset[int]) -> bool:
    """Whether an int may be divided by zero."""
    return any(_may_fail(program, step, safe) for step in program.steps)


def _may_fail(program: Scalar, step: ScalarStep, safe: frozenset[int]) -> bool:
    if not fails_at_zero(step, tuple(program.dtype_of(a) for a in step.args)):
        return False
    divisor = step.args[1]
    return divisor.value == 0 if isinstance(divisor, Literal) else divisor not in safe


def used_inputs(program: Scalar) -> frozenset[int]:
    """The inputs that a program reads. The others need not fit its shape."""
    read = [a for step in program.steps for a in step.args] + list(program.outputs)
    return frozenset(int(a) for a in read if isinstance(a, Value) and a < len(program.inputs))


def _load(i: int, dtype: DType, stride: int, plan: OperandLayout) -> tuple[str, str]:
    """The code that loads input i at offset o{i}: (before the loop over the elements of a piece, within it)."""
    kind, width = memory_kind(dtype), plan.width
    parts = 2 if dtype.is_complex else 1
    truth = " != 0" if dtype.is_bool else ""

    def taken(text: str) -> str:
        value = (text.replace("#", "2 * e"), text.replace("#", "2 * e + 1")) if parts == 2 else text.replace("#", "e")
        return _declared(f"v{i}", dtype, value if parts == 2 else f"{value}{truth}")

    if (stride == 1 and width > 1) or (parts == 2 and width == 1 and plan.paired):
        vector = _VECTORS[dtype.size * width]
        place = f"p{i} + {'2 * ' if parts == 2 else ''}o{i}"
        union = f"union {{ {vector} all; {kind} one[{parts * width}]; }} q{i}"
        return f"{union}; q{i}.all = *(const {vector} *)({place});", taken(f"q{i}.one[#]")
    if stride == 0 and parts == 1:
        return f"const {kind} q{i} = p{i}[o{i}];", _declared(f"v{i}", dtype, f"q{i}{truth}")
    if parts == 2:
        place = f"2 * (o{i} + {stride} * (i64)e)"
        return "", _declared(f"v{i}", dtype, (f"p{i}[{place}]", f"p{i}[{place} + 1]"))
    return "", taken(f"p{i}[o{i} + {stride} * (i64)#]")


def _store(j: int, dtype: DType, value: Operand, plan: OperandLayout) -> tuple[str, str, str]:
    """The code that stores output j, contiguous, at offset t: (before, within, after) the loop over the elements."""
    kind, width = memory_kind(dtype), plan.width
    if isinstance(value, tuple):
        if dtype.size * width > 16 or not plan.paired:
            return "", f"r{j}[2 * (t + e)] = {value[0]}; r{j}[2 * (t + e) + 1] = {value[1]};", ""
        vector = _VECTORS[dtype.size * width]
        return (f"union {{ {vector} all; {kind} one[{2 * width}]; }} w{j};",
                f"w{j}.one[2 * e] = {value[0]}; w{j}.one[2 * e + 1] = {value[1]};",
                f"*({vector} *)(r{j} + 2 * t) = w{j}.all;")  # fmt: skip
    if width == 1:
        return "", f"r{j}[t] = ({kind}){value};", ""
    vector = _VECTORS[dtype.size * width]
    return (f"union {{ {vector} all; {kind} one[{width}]; }} w{j};", f"w{j}.one[e] = ({kind}){value};",
            f"*({vector} *)(r{j} + t) = w{j}.all;")  # fmt: skip


def parameters(program: Scalar) -> list[str]:
    """One for each output, then one for each input."""
    found = [f"{memory_kind(program.dtype_of(o))} *__restrict__ r{j}" for j, o in enumerate(program.outputs)]
    return found + [f"const {memory_kind(d)} *__restrict__ p{i}" for i, d in enumerate(program.inputs)]


def _offsets(plan: OperandLayout, used: frozenset[int]) -> list[str]:
    """The offset of element t in each input."""
    if plan.flat:
        return [f"const i64 o{i} = {'t' if plan.strides[i][0] else '0'};" for i in sorted(used)]
    rank = len(plan.shape)
    reach = max(sum(abs(s) * d for s, d in zip(plan.strides[i], plan.shape, strict=True)) for i in (*used, -1))
    place = "i32" if max(reach, prod(plan.shape)) < 1 << 30 else "i64"  # twice that, for parts of complex numbers
    lines = ["N rest = (N)t;"]
    for d in range(rank - 1, 0, -1):
        lines.append(f"const {place} c{d} = ({place})(rest % (N)S{d}); rest /= (N)S{d};")
    lines.append(f"const {place} c0 = ({place})rest;")
    for i in sorted(used):
        terms = [f"c{d}" if s == 1 else f"c{d} * ({place})T{i}_{d}" for d, s in enumerate(plan.strides[i]) if s]
        lines.append(f"const {place} o{i} = {' + '.join(terms) or '0'};")
    return lines


def sizes_of(plan: OperandLayout, program: Scalar) -> dict[str, int]:
    """The sizes and strides that the code uses, by name."""
    if plan.flat:
        return {}
    sizes = {f"S{d}": size for d, size in enumerate(plan.shape) if d}
    strides = {f"T{i}_{d}": s for i in sorted(used_inputs(program)) for d, s in enumerate(plan.strides[i])}
    return sizes | {name: s for name, s in strides.items() if s not in (0, 1)}


def index_type(plan: OperandLayout) -> str:
    """The type of the number of an element."""
    return "u32" if prod(plan.shape) < 1 << 32 else "u64"


def piece_of(program: Scalar, plan: OperandLayout, safe: frozenset[int], taken: Sequence[str] = ()) -> str:
    """The code for a piece of elements from t on. taken: code that uses an element, in place of storing it."""
    inner = [s[-1] for s in plan.strides]
    used = used_inputs(program)
    loads = [_load(i, d, inner[i], plan) for i, d in enumerate(program.inputs) if i in used]
    results = [(o, program.dtype_of(o)) for o in program.outputs]
    stores = [] if taken else [_store(j, d, _pair(o, d), plan) for j, (o, d) in enumerate(results)]
    lines = [*_offsets(plan, used), *[before for before, _ in loads if before]]
    lines += [before for before, _, _ in stores if before]
    if plan.width > 1:
        lines.append("#pragma unroll")
    lines.append(f"for (int e = 0; e < {plan.width}; e++) {{")
    lines += [f"  {within}" for _, within in loads]
    lines += [f"  {line}" for line in statements(program, safe)]
    lines += [f"  {within}" for _, within, _ in stores] + [f"  {line}" for line in taken]
    lines.append("}")
    lines += [after for _, _, after in stores if after]
    return "\n    ".join(lines)


_LOOP: Final = """
PS_KERNEL void __launch_bounds__({threads}) fused({parameters}, i64 n@SIZES@) {{
  const i64 step = (i64)gridDim.x * {threads}, me = (i64)blockIdx.x * {threads} + threadIdx.x, pieces = n / {width};
  {begin}{unroll}for (i64 k = me; k < pieces; k += step) {{
    const i64 t = k * {width};
    {piece}
  }}
  {rest}{end}
}}
"""
_REST: Final = """for (i64 t = pieces * {width} + me; t < n; t += step) {{
    {piece}
  }}
  """
FAILED: Final = "i32 *failed_at"
"""The parameter behind the inputs of a kernel that may fail; it becomes 1."""
BEGIN: Final = "bool failed = false;\n  "
END: Final = "if (failed) *failed_at = 1;"


def unrolled(program: Scalar, plan: OperandLayout) -> str:
    """A pragma that keeps several small loads in flight, for short programs that take one element at a time."""
    return "#pragma unroll 4\n  " if plan.width == 1 and len(program.steps) <= 16 else ""


@lru_cache(maxsize=1024)
def elementwise(program: Scalar, plan: OperandLayout, safe: frozenset[int] = frozenset()) -> str:
    """The text of `fused(outputs ..., inputs ..., [failed,] n, sizes)` of a program without a reduction.

    safe: inputs without a zero.

    Raises:
        CannotLower: a step has no expression in CUDA C.
    """
    fails = may_fail(program, safe)
    rest = ""
    if plan.width > 1 and plan.flat:  # the elements behind the last whole piece
        rest = _REST.format(width=plan.width, piece=piece_of(program, replace(plan, width=1), safe))
    text = _LOOP.format(
        parameters=", ".join([*parameters(program), *([FAILED] if fails else [])]), width=plan.width, threads=THREADS,
        begin=BEGIN if fails else "", unroll=unrolled(program, plan), piece=piece_of(program, plan, safe), rest=rest,
        end=END if fails else "",
    )  # fmt: skip
    return text


def finished(text: str, program: Scalar, plan: OperandLayout) -> tuple[CudaSource, tuple[Any, ...]]:
    """The source of a text, and its last arguments."""
    return sized({"N": index_type(plan)}, sizes_of(plan, program), text, "fused")
