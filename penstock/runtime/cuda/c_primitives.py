"""C expressions of primitives, for kernels on a GPU.

A number is a variable of C, a complex number two of them, a 16-bit float its bits. Arithmetic and casts give the bits
that they give on the CPU: ints wrap as two's complement, a float beyond the range of an int becomes its nearest end,
NaN becomes 0, and nothing is contracted. An int divided by zero is 0, and the kernel reports it. Transcendental
functions are CUDA's, with the errors that CUDA documents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from ...graph.dtypes import DType, bfloat16, float16, float32, float64
from ..ir.primitive_rules import applied, rule_of
from ..ir.scalar_ir import CannotLower, Literal, Step
from . import c_complex

Operand: TypeAlias = str | tuple[str, str]
"""A variable or expression of C; two of them for a complex number."""
HALVES: Final = (float16, bfloat16)


def kind_of(dtype: DType) -> str:
    """The C type of a number in a variable; of each part if it is complex."""
    dtype = dtype.real_dtype
    if dtype.is_bool:
        return "bool"
    if dtype in HALVES:
        return "u16"
    letter = "f" if dtype.is_floating else "u" if dtype.is_unsigned else "i"
    return f"{letter}{8 * dtype.size}"


def memory_kind(dtype: DType) -> str:
    """The C type of a number in memory; of each part if it is complex."""
    return "u8" if dtype.is_bool else kind_of(dtype)


def written(constant: Literal) -> Operand:
    """A constant as an operand."""
    dtype, value = constant.dtype, constant.value
    if dtype.is_complex:
        part = dtype.real_dtype
        return _number(part, value.real), _number(part, value.imag)
    return _number(dtype, value)


def _number(dtype: DType, value: Any) -> str:
    bits = int.from_bytes(np.asarray(value, dtype.np).tobytes(), "little")
    if dtype.is_bool:
        return "true" if value else "false"
    if dtype in HALVES:
        return f"((u16){bits})"
    if dtype is float32:  # by its bits: no compiler rounds them
        return f"ps_float({bits}u)"
    if dtype is float64:
        return f"ps_double({bits}ULL)"
    return f"(({kind_of(dtype)}){bits}ULL)"


def expression(step: Step, dtypes: tuple[DType, ...], operands: tuple[Operand, ...]) -> Operand:
    """The result of a step.

    Raises:
        CannotLower: the primitive has no expression here.
    """
    rule = rule_of(step, dtypes, c_complex.RULES)
    if rule is not None:
        return applied(rule, operands, written, expression)
    name, dtype = step.primitive, dtypes[0]
    match name:
        case "astype":
            return _cast(str(operands[0]), dtype, step.dtype)
        case "where":
            return f"({operands[0]} ? {operands[1]} : {operands[2]})"
        case "real" | "imag":
            return operands[0][name == "imag"]
        case "complex":
            return str(operands[0]), str(operands[1])
    if dtype in HALVES:
        raise CannotLower(f"{name} of {dtype.name} is not spelled out in float32")
    rules = {} if dtype.is_complex else _FLOAT if dtype.is_floating else _BOOL if dtype.is_bool else _INT
    writer = rules.get(name)
    if writer is None:
        what = "complex numbers" if dtype.is_complex else dtype.name
        raise CannotLower(f"{name} of {what} has no expression in CUDA C")
    return writer(dtype, *operands)


CHECKED: Final = frozenset(("floor_divide", "remainder"))
"""Primitives that fail where their second operand, an int, is zero."""


def fails_at_zero(step: Step, dtypes: tuple[DType, ...]) -> bool:
    """Whether a zero as second operand is an error of the run."""
    return step.primitive in CHECKED and dtypes[0].is_integer


Rule: TypeAlias = Callable[..., str]


def _infix(sign: str) -> Rule:
    return lambda dtype, a, b: f"({a} {sign} {b})"


# ---- floats -------------------------------------------------------------------------------------


def _called(name: str) -> Rule:
    def rule(dtype: DType, *args: str) -> str:
        return f"{name}{'f' if dtype is float32 else ''}({', '.join(args)})"

    return rule


def _ours(name: str, part: str = "") -> Rule:
    def rule(dtype: DType, *args: str) -> str:
        return f"ps_{name}_{kind_of(dtype)}({', '.join(args)}){part}"

    return rule


_COMPARED: dict[str, Rule] = {
    "equal": _infix("=="), "not_equal": _infix("!="), "less": _infix("<"), "less_equal": _infix("<="),
    "greater": _infix(">"), "greater_equal": _infix(">="),
}  # fmt: skip
_FLOAT: Final[dict[str, Rule]] = _COMPARED | {
    "add": _infix("+"), "subtract": _infix("-"), "multiply": _infix("*"), "true_divide": _infix("/"),
    "negative": lambda dtype, x: f"(-{x})",
    "signbit": lambda dtype, x: f"(copysign{'f' if dtype is float32 else ''}(({kind_of(dtype)})1, {x}) < 0)",
    "fma": _called("fma"), "complex_size": _ours("cabs"),
    **{f"{name}_{part}": _ours(function, f".{part[0]}") for part in ("real", "imag")
       for name, function in (("quotient", "cdiv"), ("reciprocal", "crec"))},
    "remainder": _ours("remainder"), "logaddexp": _ours("logaddexp"), "power": _called("pow"),
    **{name: _called(c) for name, c in {
        "absolute": "fabs", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "rint": "rint", "trunc": "trunc",
        "copysign": "copysign", "exp": "exp", "expm1": "expm1", "exp2": "exp2", "log": "log", "log1p": "log1p",
        "log2": "log2", "log10": "log10", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos",
        "arctan": "atan", "arctan2": "atan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh",
        "arccosh": "acosh", "arctanh": "atanh", "hypot": "hypot", "cbrt": "cbrt", "fmod": "fmod",
    }.items()},
}  # fmt: skip

_HELPERS: Final = {
    "ps_double": "PS_INLINE f64 ps_double(u64 u) { union { u64 u; f64 f; } x; x.u = u; return x.f; }\n",
} | {
    f"ps_{name}_{t}": text.replace("T", t).replace("@", s)
    for t, s in (("f32", "f"), ("f64", ""))
    for name, text in {
        "remainder": """PS_INLINE T ps_remainder_T(T a, T b) {
  T r = fmod@(a, b);
  if (b == 0 | r != r) return r;
  if (r == 0) return copysign@((T)0, b);
  return (b < 0) != (r < 0) ? r + b : r;
}
""",
        "logaddexp": """PS_INLINE T ps_logaddexp_T(T x, T y) {
  if (x == y) return x + (T)0.693147180559945309417232121458176568;
  T d = x - y;
  return d > 0 ? x + log1p@(exp@(-d)) : d <= 0 ? y + log1p@(exp@(d)) : d;
}
""",
    }.items()
} | {
    f"ps_{name}_{sign}{bits}": text.replace("T", f"{sign}{bits}").replace("U", f"u{max(bits, 32)}")
    for sign in "iu" for bits in (8, 16, 32, 64)
    for name, text in {
        "floordiv": "PS_INLINE T ps_floordiv_T(T a, T b) { return b == 0 ? (T)0 : (T)(a / b); }\n" if sign == "u" else
                    """PS_INLINE T ps_floordiv_T(T a, T b) {
  if (b == 0) return 0;
  if (b == -1) return (T)(0 - (U)a);
  T q = (T)(a / b);
  return (T)(q * b != a & (a < 0) != (b < 0) ? q - 1 : q);
}
""",
        "intmod": "PS_INLINE T ps_intmod_T(T a, T b) { return b == 0 ? (T)0 : (T)(a % b); }\n" if sign == "u" else
                  """PS_INLINE T ps_intmod_T(T a, T b) {
  if (b == 0 | b == -1) return 0;
  T r = (T)(a % b);
  return (T)(r != 0 & (r < 0) != (b < 0) ? r + b : r);
}
""",
    }.items()
} | c_complex.HELPERS  # fmt: skip


def with_helpers(text: str) -> str:
    """A source in front of which stand the functions of ours that it calls."""
    text = "".join(f"{line}\n" for line in text.split("\n") if line.strip())
    found = "".join(t for name, t in _HELPERS.items() if f"{name}(" in text)
    return "".join(t for name, t in c_complex.TYPES.items() if name in found) + found + text


# ---- ints and bools -----------------------------------------------------------------------------


def _wrapping(sign: str) -> Rule:
    """Unsigned arithmetic wraps; signed overflow is undefined in C."""

    def rule(dtype: DType, a: str, b: str) -> str:
        wide = "u64" if dtype.size == 8 else "u32"
        return f"(({kind_of(dtype)})(({wide}){a} {sign} ({wide}){b}))"

    return rule


_BITWISE = _COMPARED | {"bitwise_and": _infix("&"), "bitwise_or": _infix("|"), "bitwise_xor": _infix("^")}
_INT: Final[dict[str, Rule]] = _BITWISE | {
    "add": _wrapping("+"), "subtract": _wrapping("-"), "multiply": _wrapping("*"),
    "floor_divide": _ours("floordiv"), "remainder": _ours("intmod"),
}  # fmt: skip
_BOOL: Final[dict[str, Rule]] = _BITWISE | {"logical_not": lambda dtype, x: f"(!{x})"}

# ---- casts --------------------------------------------------------------------------------------


def _cast(x: str, source: DType, target: DType) -> str:
    """A cast between real dtypes that no rule spells out."""
    if source in HALVES:
        return f"ps_{'h' if source is float16 else 'b'}2f({x})"
    if target in HALVES:
        if source is float32:
            return f"ps_f2{'h' if target is float16 else 'b'}({x})"
        if source is float64 and target is float16:
            return f"ps_d2h({x})"
        raise CannotLower(f"a cast of {source.name} to {target.name} is not spelled out")
    kind = kind_of(target)
    if not source.is_floating or target.is_floating:
        return f"(({kind}){x})"
    # The ends as floats: the least is a power of two, one above the greatest too.
    least, above = int(target.min), int(target.max) + 1
    number = kind_of(source)
    low, high = f"({number}){float(least)!r}", f"({number}){float(above)!r}"
    return (f"({x} != {x} ? ({kind})0 : {x} <= {low} ? ({kind}){_int(least)} : "
            f"{x} >= {high} ? ({kind}){_int(above - 1)} : ({kind}){x})")  # fmt: skip


def _int(value: int) -> str:
    """An int as C writes it: the least of 64 bits has no literal of its own."""
    return f"(-{-value - 1}LL - 1)" if value < 0 else f"{value}ULL"
