"""C expressions of primitives, for kernels on a GPU.

A number is a variable of C, a complex number two of them, a 16-bit float its bits. Arithmetic and casts give the bits
that they give on the CPU: ints wrap as two's complement, a float beyond the range of an int becomes the nearest int,
NaN becomes 0, and there is no fused multiply-add. An int divided by zero is 0, and the kernel reports it.
Transcendental functions are CUDA's, with the errors that CUDA documents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from ...graph.shapes.dtypes import DType, bfloat16, float16, float32, float64
from ..ir.primitive_rules import applied, rule_of
from ..ir.scalar_ir import CannotLower, Literal, ScalarStep
from .c_rules import RULES

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


def declared(value: int, dtype: DType, operand: Operand) -> str:
    """The declaration of value number `value`: v4, or v4r and v4i of a complex number."""
    kind = kind_of(dtype)
    if isinstance(operand, tuple):
        return f"{kind} v{value}r = {operand[0]}, v{value}i = {operand[1]};"
    return f"{kind} v{value} = {operand};"


def constant_operand(constant: Literal) -> Operand:
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
    if dtype.is_floating and abs(value) < 1 << 24 and value == int(value) and (value or not np.signbit(value)):
        return f"(({kind_of(dtype)}){int(value)})"  # a choice of such constants is compiled without branches
    if dtype is float32:  # by its bits, which no compiler rounds
        return f"ps_float({bits}u)"
    if dtype is float64:
        return f"ps_double({bits}ULL)"
    return f"(({kind_of(dtype)}){bits}ULL)"


def expression(step: ScalarStep, dtypes: tuple[DType, ...], operands: tuple[Operand, ...]) -> Operand:
    """The result of a step.

    Raises:
        CannotLower: the primitive has no expression here.
    """
    rule = rule_of(step, dtypes, RULES)
    if rule is not None:
        return applied(rule, operands, constant_operand, expression)
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
        raise CannotLower(f"{name} of {dtype.name} has no expression in float32")
    rules = {} if dtype.is_complex else _FLOAT if dtype.is_floating else _BOOL if dtype.is_bool else _INT
    writer = rules.get(name)
    if writer is None:
        what = "complex numbers" if dtype.is_complex else dtype.name
        raise CannotLower(f"{name} of {what} has no expression in CUDA C")
    return writer(dtype, *operands)


CHECKED: Final = frozenset(("floor_divide", "remainder"))
"""Primitives that fail where their second operand, an int, is zero."""


def fails_at_zero(step: ScalarStep, dtypes: tuple[DType, ...]) -> bool:
    """Whether a zero as second operand is an error of the run."""
    return step.primitive in CHECKED and dtypes[0].is_integer


Expression: TypeAlias = Callable[..., str]


def _infix(sign: str) -> Expression:
    return lambda dtype, a, b: f"({a} {sign} {b})"


# ---- floats -------------------------------------------------------------------------------------


def _called(name: str) -> Expression:
    def rule(dtype: DType, *args: str) -> str:
        return f"{name}{'f' if dtype is float32 else ''}({', '.join(args)})"

    return rule


_COMPARED: dict[str, Expression] = {
    "equal": _infix("=="), "not_equal": _infix("!="), "less": _infix("<"), "less_equal": _infix("<="),
    "greater": _infix(">"), "greater_equal": _infix(">="),
}  # fmt: skip
_FLOAT: Final[dict[str, Expression]] = _COMPARED | {
    "add": _infix("+"), "subtract": _infix("-"), "multiply": _infix("*"), "true_divide": _infix("/"),
    "negative": lambda dtype, x: f"(-{x})",
    "fma": _called("fma"), "power": _called("pow"),
    **{name: _called(c) for name, c in {
        "absolute": "fabs", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "rint": "rint", "trunc": "trunc",
        "copysign": "copysign", "exp": "exp", "expm1": "expm1", "exp2": "exp2", "log": "log", "log1p": "log1p",
        "log2": "log2", "log10": "log10", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos",
        "arctan": "atan", "arctan2": "atan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh",
        "arccosh": "acosh", "arctanh": "atanh", "hypot": "hypot", "cbrt": "cbrt", "fmod": "fmod",
    }.items()},
}  # fmt: skip

# ---- ints and bools -----------------------------------------------------------------------------


def _wrapping(sign: str) -> Expression:
    """Unsigned arithmetic wraps; signed overflow is undefined in C."""

    def rule(dtype: DType, a: str, b: str) -> str:
        wide = "u64" if dtype.size == 8 else "u32"
        return f"(({kind_of(dtype)})(({wide}){a} {sign} ({wide}){b}))"

    return rule


_BITWISE = _COMPARED | {"bitwise_and": _infix("&"), "bitwise_or": _infix("|"), "bitwise_xor": _infix("^")}
_INT: Final[dict[str, Expression]] = _BITWISE | {
    "add": _wrapping("+"), "subtract": _wrapping("-"), "multiply": _wrapping("*"),
    "int_quotient": lambda dtype, a, b: f"(({kind_of(dtype)})({a} / {b}))",
    "int_rest": lambda dtype, a, b: f"(({kind_of(dtype)})({a} % {b}))",
}  # fmt: skip
_BOOL: Final[dict[str, Expression]] = _BITWISE | {"logical_not": lambda dtype, x: f"(!{x})"}

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
        raise CannotLower(f"a cast of {source.name} to {target.name} has no rule")
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
