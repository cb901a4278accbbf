"""Which instruction of LLVM computes a primitive, bit for bit as NumPy does?

`direct(code, step, dtypes, operands)` writes it; where it gives None, the primitive is NumPy's own inner loop, called
by address: functions whose last bits are NumPy's affair. A number is a register's name; a complex one is two of them;
a 16-bit float is its bits, and arithmetic on it was spelled out in float32 by `ir.scalar_ir`; a bool is an i1.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import numpy as np

from ...graph.dtypes import DType, bfloat16, float32
from ..ir.scalar_ir import HALVES, CannotLower, Literal, Step
from ..llvm.number_conversion import BF16, half_rules, literal, to_int_name, to_int_rule

Operand: TypeAlias = str | tuple[str, str]


class Code:
    """Lines of a function in the making, and what the module must declare for them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.declared: dict[str, str] = {}
        self._count = 0

    def add(self, line: str) -> None:
        """A line without a result."""
        self.lines.append(f"  {line}")

    def do(self, text: str) -> str:
        """A line with a result: its name."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def label(self, name: str) -> None:
        """The begin of a block."""
        self.lines.append(f"{name}:")

    def intrinsic(self, name: str, kind: str, *args: str) -> str:
        """A call of one of LLVM's own functions on numbers of one type."""
        short = {"float": "f32", "double": "f64"}.get(kind, kind)
        flags = ["i1"] if name == "abs" else []
        types = [kind] * (len(args) - len(flags)) + flags
        self.declared[f"@llvm.{name}.{short}"] = f"declare {kind} @llvm.{name}.{short}({', '.join(types)})"
        given = ", ".join(f"{t} {a}" for t, a in zip(types, args, strict=True))
        return self.do(f"call {kind} @llvm.{name}.{short}({given})")

    def rule(self, name: str, text: str) -> None:
        """A function of ours that is called."""
        self.declared[name] = text


def kind_of(dtype: DType) -> str:
    """LLVM's type of a number in a register; of each part if it is complex."""
    dtype = dtype.real_dtype
    if dtype.is_bool:
        return "i1"
    if dtype.is_floating and dtype not in HALVES:
        return "float" if dtype is float32 else "double"
    return f"i{8 * dtype.size}"


def memory_kind(dtype: DType) -> str:
    """LLVM's type of a number in memory; of each part if it is complex."""
    return "i8" if dtype.is_bool else kind_of(dtype)


def written(constant: Literal) -> Operand:
    """A constant as an operand."""
    dtype, value = constant.dtype, constant.value
    if dtype.is_complex:
        return literal(float(value.real)), literal(float(value.imag))
    if dtype.is_bool:
        return "true" if value else "false"
    if dtype in HALVES:
        return str(int.from_bytes(constant.data, "little"))
    return literal(float(value)) if dtype.is_floating else str(int(value))


def direct(code: Code, step: Step, dtypes: tuple[DType, ...], operands: tuple[Operand, ...]) -> Operand | None:
    """The result of a step, or None if it has no instruction here."""
    name, dtype = step.primitive, dtypes[0] if dtypes else step.dtype
    if name == "astype":
        return _cast(code, operands[0], dtype, step.dtype)
    if name == "where":
        condition, x, y = operands
        return _each(code, step.dtype, lambda kind, p, q: f"select i1 {condition}, {kind} {p}, {kind} {q}", x, y)
    if dtype in HALVES:
        return None
    if dtype.is_complex:
        return _complex(code, name, kind_of(dtype), *operands)
    rules = _FLOAT if dtype.is_floating else _BOOL if dtype.is_bool else _INT
    rule = rules.get(name)
    if rule is None or (name in ("maximum", "minimum") and dtype.is_floating and not extremes_are_ordered()):
        return None
    found: Operand = rule(code, kind_of(dtype), dtype, *operands)
    return found


def _each(code: Code, dtype: DType, text: Any, x: Operand, y: Operand) -> Operand:
    kind = kind_of(dtype)
    if isinstance(x, tuple) and isinstance(y, tuple):
        return code.do(text(kind, x[0], y[0])), code.do(text(kind, x[1], y[1]))
    return code.do(text(kind, x, y))


@cache
def extremes_are_ordered() -> bool:
    """Whether NumPy's maximum on this processor is `a if a > b or isnan(a) else b`, of zeros of both signs too."""
    zeros = np.array([0.0, -0.0] * 8, np.float32), np.array([0.0, 0.0, -0.0, -0.0] * 4, np.float32)
    found = [np.signbit(f(*zeros)) for f in (np.maximum, np.minimum)]
    return all(np.array_equal(signs, np.signbit(zeros[1])) for signs in found)


# ---- floats -------------------------------------------------------------------------------------


def _plain(text: str) -> Any:
    return lambda code, kind, dtype, *args: code.do(f"{text} {kind} {', '.join(args)}")


def _called(name: str) -> Any:
    return lambda code, kind, dtype, *args: code.intrinsic(name, kind, *args)


def _extreme(comparison: str) -> Any:
    def rule(code: Code, kind: str, dtype: DType, a: str, b: str) -> str:
        # a > b or unordered, but not because b alone is NaN
        nan = code.do(f"fcmp uno {kind} {a}, 0.0")
        wins = code.do(f"fcmp {comparison} {kind} {a}, {b}")
        return code.do(f"select i1 {code.do(f'or i1 {nan}, {wins}')}, {kind} {a}, {kind} {b}")

    return rule


def _sign(code: Code, kind: str, dtype: DType, x: str) -> str:
    less, more, equal = ("fcmp olt", "fcmp ogt", "fcmp oeq")
    found = code.do(f"select i1 {code.do(f'{equal} {kind} {x}, 0.0')}, {kind} 0.0, {kind} {x}")
    found = code.do(f"select i1 {code.do(f'{less} {kind} {x}, 0.0')}, {kind} -1.0, {kind} {found}")
    return code.do(f"select i1 {code.do(f'{more} {kind} {x}, 0.0')}, {kind} 1.0, {kind} {found}")


def _against_infinity(comparison: str) -> Any:
    def rule(code: Code, kind: str, dtype: DType, x: str) -> str:
        size = code.intrinsic("fabs", kind, x)
        return code.do(f"fcmp {comparison} {kind} {size}, {literal(float('inf'))}")

    return rule


_FLOAT: dict[str, Any] = {
    "add": _plain("fadd"), "subtract": _plain("fsub"), "multiply": _plain("fmul"), "true_divide": _plain("fdiv"),
    "negative": _plain("fneg"),
    "square": lambda code, kind, dtype, x: code.do(f"fmul {kind} {x}, {x}"),
    "reciprocal": lambda code, kind, dtype, x: code.do(f"fdiv {kind} 1.0, {x}"),
    "absolute": _called("fabs"), "sqrt": _called("sqrt"), "floor": _called("floor"), "ceil": _called("ceil"),
    "rint": _called("roundeven"), "copysign": _called("copysign"),
    "maximum": _extreme("ogt"), "minimum": _extreme("olt"), "sign": _sign,
    "isnan": lambda code, kind, dtype, x: code.do(f"fcmp uno {kind} {x}, 0.0"),
    "isinf": _against_infinity("oeq"), "isfinite": _against_infinity("olt"),
    "equal": _plain("fcmp oeq"), "not_equal": _plain("fcmp une"), "less": _plain("fcmp olt"),
    "less_equal": _plain("fcmp ole"), "greater": _plain("fcmp ogt"), "greater_equal": _plain("fcmp oge"),
}  # fmt: skip

# ---- ints and bools -----------------------------------------------------------------------------


def _ordered(comparison: str) -> Any:
    def rule(code: Code, kind: str, dtype: DType, *args: str) -> str:
        sign = "u" if dtype.is_unsigned or dtype.is_bool else "s"
        return code.do(f"icmp {sign}{comparison} {kind} {', '.join(args)}")

    return rule


def _int_extreme(name: str) -> Any:
    def rule(code: Code, kind: str, dtype: DType, a: str, b: str) -> str:
        return code.intrinsic(f"{'u' if dtype.is_unsigned else 's'}{name}", kind, a, b)

    return rule


def _int_sign(code: Code, kind: str, dtype: DType, x: str) -> str:
    some = code.do(f"zext i1 {code.do(f'icmp ne {kind} {x}, 0')} to {kind}")
    if dtype.is_unsigned:
        return some
    return code.do(f"or {kind} {code.do(f'ashr {kind} {x}, {8 * dtype.size - 1}')}, {some}")


def _int_absolute(code: Code, kind: str, dtype: DType, x: str) -> str:
    return x if dtype.is_unsigned else code.intrinsic("abs", kind, x, "false")


_INT: dict[str, Any] = {
    "add": _plain("add"), "subtract": _plain("sub"), "multiply": _plain("mul"),
    "negative": lambda code, kind, dtype, x: code.do(f"sub {kind} 0, {x}"),
    "square": lambda code, kind, dtype, x: code.do(f"mul {kind} {x}, {x}"),
    "absolute": _int_absolute, "sign": _int_sign, "maximum": _int_extreme("max"), "minimum": _int_extreme("min"),
    "bitwise_and": _plain("and"), "bitwise_or": _plain("or"), "bitwise_xor": _plain("xor"),
    "invert": lambda code, kind, dtype, x: code.do(f"xor {kind} {x}, -1"),
    "equal": _plain("icmp eq"), "not_equal": _plain("icmp ne"), "less": _ordered("lt"), "less_equal": _ordered("le"),
    "greater": _ordered("gt"), "greater_equal": _ordered("ge"),
}  # fmt: skip

_NOT = lambda code, kind, dtype, x: code.do(f"xor i1 {x}, true")  # noqa: E731  # a line of a table

_BOOL: dict[str, Any] = {
    "logical_and": _plain("and"), "logical_or": _plain("or"), "logical_xor": _plain("xor"), "logical_not": _NOT,
    "bitwise_and": _plain("and"), "bitwise_or": _plain("or"), "bitwise_xor": _plain("xor"), "invert": _NOT,
    "maximum": _plain("or"), "minimum": _plain("and"), "add": _plain("or"), "multiply": _plain("and"),
    "equal": _plain("icmp eq"), "not_equal": _plain("icmp ne"), "less": _ordered("lt"), "less_equal": _ordered("le"),
    "greater": _ordered("gt"), "greater_equal": _ordered("ge"),
}  # fmt: skip

# ---- complex numbers ----------------------------------------------------------------------------


def _complex(code: Code, name: str, kind: str, *operands: Operand) -> Operand | None:
    pairs = [o for o in operands if isinstance(o, tuple)]
    x, y = pairs[0], pairs[-1]
    match name:
        case "real":
            return x[0]
        case "imag":
            return x[1]
        case "conjugate":
            return x[0], code.do(f"fneg {kind} {x[1]}")
        case "negative":
            return code.do(f"fneg {kind} {x[0]}"), code.do(f"fneg {kind} {x[1]}")
        case "add" | "subtract":
            text = "fadd" if name == "add" else "fsub"
            return code.do(f"{text} {kind} {x[0]}, {y[0]}"), code.do(f"{text} {kind} {x[1]}, {y[1]}")
        case "equal" | "not_equal":
            text, both = ("oeq", "and") if name == "equal" else ("une", "or")
            parts = [code.do(f"fcmp {text} {kind} {x[i]}, {y[i]}") for i in range(2)]
            return code.do(f"{both} i1 {parts[0]}, {parts[1]}")
    return None


# ---- casts --------------------------------------------------------------------------------------


def _cast(code: Code, x: Operand, source: DType, target: DType) -> Operand:
    if source is target:
        return x
    if isinstance(x, tuple):
        if not target.is_complex:
            raise CannotLower(f"a cast of {source.name} to {target.name} is not spelled out")
        return (_real_cast(code, x[0], source.real_dtype, target.real_dtype),
                _real_cast(code, x[1], source.real_dtype, target.real_dtype))  # fmt: skip
    if target.is_complex:
        return _real_cast(code, x, source, target.real_dtype), literal(0.0)
    return _real_cast(code, x, source, target)


def _real_cast(code: Code, x: str, source: DType, target: DType) -> str:
    if source is target:
        return x
    if source in HALVES:
        wide = _widened(code, x, source)
        return wide if target is float32 else _real_cast(code, wide, float32, target)
    a, b = kind_of(source), kind_of(target)
    if target.is_bool:
        return code.do(f"fcmp une {a} {x}, 0.0" if source.is_floating else f"icmp ne {a} {x}, 0")
    if target in HALVES:
        if source is not float32:
            raise CannotLower(f"a cast of {source.name} to {target.name} is not spelled out")
        return _narrowed(code, x, target)
    if source.is_floating and target.is_floating:
        return code.do(f"{'fpext' if target.size > source.size else 'fptrunc'} {a} {x} to {b}")
    signed = not (source.is_unsigned or source.is_bool)
    if target.is_floating:
        return code.do(f"{'sitofp' if signed else 'uitofp'} {a} {x} to {b}")
    if source.is_floating:
        names = source.np.str[1:], target.np.str[1:]
        code.rule(to_int_name(*names), to_int_rule(*names))
        return code.do(f"call {b} {to_int_name(*names)}({a} {x})")
    if not source.is_bool and source.size == target.size:
        return x
    if not source.is_bool and source.size > target.size:
        return code.do(f"trunc {a} {x} to {b}")
    return code.do(f"{'sext' if signed else 'zext'} {a} {x} to {b}")


def _widened(code: Code, x: str, source: DType) -> str:
    return code.do(f"call float @{_half_rule(code, source)}_widen(i16 {x})")


def _narrowed(code: Code, x: str, target: DType) -> str:
    return code.do(f"call i16 @{_half_rule(code, target)}_narrow(float {x})")


_BF16_ROUND = """
define internal i16 @bf16_round(float %x) alwaysinline {
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 16
  %odd = and i32 %high, 1
  %bias = add i32 %odd, 32767
  %sum = add i32 %bits, %bias
  %rounded = lshr i32 %sum, 16
  %result = trunc i32 %rounded to i16
  ret i16 %result
}
"""


def rounded_to_bfloat16(code: Code, x: Operand) -> str:
    """A float32 as bfloat16, where a NaN has no bits among the last 16: five instructions instead of nine."""
    code.rule("bf16_round", _BF16_ROUND)
    return code.do(f"call i16 @bf16_round(float {x})")


def _half_rule(code: Code, dtype: DType) -> str:
    if dtype is bfloat16:
        code.rule("bf16", BF16)
        return "bf16"
    code.rule("f16", half_rules())
    return "f16"


def loop_types(step: Step, dtypes: tuple[DType, ...]) -> str:
    """NumPy's letters for its loop of a step, such as "ff->f".

    Raises:
        CannotLower: NumPy has no loops for these dtypes.
    """
    letters = [d.np.char for d in (*dtypes, step.dtype)]
    if bfloat16 in (*dtypes, step.dtype):
        raise CannotLower(f"NumPy has no {step.primitive} of bfloat16")
    return f"{''.join(letters[:-1])}->{letters[-1]}"




def symbol(primitive: str, types: str) -> str:
    """The name under which NumPy's loop is imported."""
    return f"numpy_{primitive}_{types.replace('->', '_').replace('?', 'q')}"
