"""Which words of C compute a primitive on a GPU?

A number is a variable of C, a complex one two of them; a 16-bit float is its bits. Arithmetic and casts give the bits
they give on the CPU: ints wrap as two's complement, a float out of an int's range becomes the nearest end, NaN becomes
0, and nothing is contracted. An int divided by zero is 0, and whoever runs the code is
told of it. Transcendental functions are CUDA's, with its documented errors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from ...graph.dtypes import DType, bfloat16, float16, float32, float64
from ..ir.scalar_ir import CannotLower, Literal, Step
from . import c_complex
from .c_complex import Operand

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
        CannotLower: it has no words here.
    """
    name, dtype = step.primitive, dtypes[0]
    if name == "astype":
        return _cast(operands[0], dtype, step.dtype)
    if name == "where":
        return _where(*operands)
    if dtype in HALVES:
        raise CannotLower(f"{name} of {dtype.name} is not spelled out in float32")
    if dtype.is_complex:
        return c_complex.compute(name, dtype, *operands)
    rules = _FLOAT if dtype.is_floating else _BOOL if dtype.is_bool else _INT
    rule = rules.get(name)
    if rule is None:
        raise CannotLower(f"{name} of {dtype.name} has no words in CUDA here")
    return rule(dtype, *operands)


def _where(condition: Operand, x: Operand, y: Operand) -> Operand:
    if isinstance(x, tuple) and isinstance(y, tuple):
        return f"({condition} ? {x[0]} : {y[0]})", f"({condition} ? {x[1]} : {y[1]})"
    return f"({condition} ? {x} : {y})"


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


def _ours(name: str) -> Rule:
    def rule(dtype: DType, *args: str) -> str:
        return f"ps_{name}_{kind_of(dtype)}({', '.join(args)})"

    return rule


_COMPARED: dict[str, Rule] = {
    "equal": _infix("=="), "not_equal": _infix("!="), "less": _infix("<"), "less_equal": _infix("<="),
    "greater": _infix(">"), "greater_equal": _infix(">="),
}  # fmt: skip
_FLOAT: Final[dict[str, Rule]] = _COMPARED | {
    "add": _infix("+"), "subtract": _infix("-"), "multiply": _infix("*"), "true_divide": _infix("/"),
    "negative": lambda dtype, x: f"(-{x})", "square": lambda dtype, x: f"({x} * {x})",
    "reciprocal": lambda dtype, x: f"(({kind_of(dtype)})1 / {x})",
    "maximum": lambda dtype, a, b: f"(({a} != {a}) | ({a} > {b}) ? {a} : {b})",
    "minimum": lambda dtype, a, b: f"(({a} != {a}) | ({a} < {b}) ? {a} : {b})",
    "sign": lambda dtype, x: f"({x} > 0 ? 1 : {x} < 0 ? -1 : {x} == 0 ? 0 : {x})",
    "isnan": lambda dtype, x: f"({x} != {x})",
    "isinf": lambda dtype, x: f"({x} == {x} & {x} - {x} != {x} - {x})",
    "isfinite": lambda dtype, x: f"({x} - {x} == {x} - {x})",
    "signbit": lambda dtype, x: f"(copysign{'f' if dtype is float32 else ''}(({kind_of(dtype)})1, {x}) < 0)",
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


def _negated(dtype: DType, x: str) -> str:
    return _wrapping("-")(dtype, "0", x)


_INT: Final[dict[str, Rule]] = _COMPARED | {
    "add": _wrapping("+"), "subtract": _wrapping("-"), "multiply": _wrapping("*"), "negative": _negated,
    "square": lambda dtype, x: _wrapping("*")(dtype, x, x),
    "absolute": lambda dtype, x: x if dtype.is_unsigned else f"({x} < 0 ? {_negated(dtype, x)} : {x})",
    "sign": lambda dtype, x: f"(({kind_of(dtype)})(({x} > 0) - ({x} < 0)))",
    "maximum": lambda dtype, a, b: f"({a} > {b} ? {a} : {b})",
    "minimum": lambda dtype, a, b: f"({a} < {b} ? {a} : {b})",
    "bitwise_and": _infix("&"), "bitwise_or": _infix("|"), "bitwise_xor": _infix("^"),
    "invert": lambda dtype, x: f"(({kind_of(dtype)})~{x})",
    "floor_divide": _ours("floordiv"), "remainder": _ours("intmod"),
}  # fmt: skip
_BOOL: Final[dict[str, Rule]] = _COMPARED | {
    "logical_and": _infix("&"), "logical_or": _infix("|"), "logical_xor": _infix("^"),
    "logical_not": lambda dtype, x: f"(!{x})", "bitwise_and": _infix("&"), "bitwise_or": _infix("|"),
    "bitwise_xor": _infix("^"), "invert": lambda dtype, x: f"(!{x})", "maximum": _infix("|"), "minimum": _infix("&"),
    "add": _infix("|"), "multiply": _infix("&"),
}  # fmt: skip

# ---- casts --------------------------------------------------------------------------------------


def _cast(x: Operand, source: DType, target: DType) -> Operand:
    if source is target:
        return x
    if isinstance(x, tuple):
        if not target.is_complex:
            raise CannotLower(f"a cast of {source.name} to {target.name} is not spelled out")
        parts = source.real_dtype, target.real_dtype
        return _real_cast(x[0], *parts), _real_cast(x[1], *parts)
    if target.is_complex:
        return _real_cast(x, source, target.real_dtype), "0"
    return _real_cast(x, source, target)


def _real_cast(x: str, source: DType, target: DType) -> str:
    if source is target:
        return x
    if source in HALVES:
        wide = f"ps_{'h' if source is float16 else 'b'}2f({x})"
        return wide if target is float32 else _real_cast(wide, float32, target)
    if target.is_bool:
        return f"({x} != 0)"
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
