"""The LLVM instructions of a primitive, with the bits that NumPy gives.

`emit_step(code, step, dtypes, operands)` writes them. It returns None for a function whose last bits only NumPy knows;
such a primitive is NumPy's own inner loop, called by address. A number is the name of a register, a complex number two
registers, a 16-bit float its bits (`ir.scalar_ir` lowers its arithmetic to float32), a bool an i1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np

from ...graph.shapes.dtypes import DType, bfloat16, float32
from ..ir.primitive_rules import applied, rule_of
from ..ir.scalar_ir import HALVES, CannotLower, Literal, ScalarStep
from ..llvm.ir_lines import IrLines
from ..llvm.number_conversion import BF16, converts_float16, half_rules, literal, to_int_name, to_int_rule
from .imported_loops import ImportedLoop

Operand: TypeAlias = str | tuple[str, str]


class IrFunction(IrLines):
    """A function under construction: its lines, its memory on the stack, and the declarations they need in the module.
    """

    def __init__(self) -> None:
        super().__init__()
        self.allocas: list[str] = []
        self.declared: dict[str, str] = {}

    def intrinsic(self, name: str, kind: str, *args: str) -> str:
        """Call an LLVM intrinsic on numbers of one type."""
        short = {"float": "f32", "double": "f64"}.get(kind, kind)
        self.declared[f"@llvm.{name}.{short}"] = f"declare {kind} @llvm.{name}.{short}({', '.join([kind] * len(args))})"
        given = ", ".join(f"{kind} {a}" for a in args)
        return self.do(f"call {kind} @llvm.{name}.{short}({given})")

    def load(self, dtype: DType, place: str, mark: str = "") -> Operand:
        """The number at an address. mark: what stands behind its instructions."""
        kind = memory_kind(dtype)
        first = self.do(f"load {kind}, ptr {place}, align 1{mark}")
        if dtype.is_complex:
            return first, self.do(f"load {kind}, ptr {self._second(kind, place)}, align 1{mark}")
        return self.do(f"icmp ne i8 {first}, 0") if dtype.is_bool else first

    def store(self, dtype: DType, operand: Operand, place: str, mark: str = "") -> None:
        """Store a number at an address."""
        kind = memory_kind(dtype)
        if dtype.is_bool:
            operand = self.do(f"zext i1 {operand} to i8")
        for k, part in enumerate(operand if isinstance(operand, tuple) else (operand,)):
            self.add(f"store {kind} {part}, ptr {self._second(kind, place) if k else place}, align 1{mark}")

    def _second(self, kind: str, place: str) -> str:
        return self.do(f"getelementptr {kind}, ptr {place}, i64 1")

    def cell(self, kind: str, align: int = 16) -> str:
        """A place on the stack for one value of a type."""
        name = f"%cell{len(self.allocas)}"
        self.allocas.append(f"  {name} = alloca {kind}, align {align}")
        return name

    def call_loop(
        self, loop: ImportedLoop, places: Sequence[tuple[str, int]], sizes: Sequence[int | str],
        more_strides: Sequence[int] = (),
    ) -> None:  # fmt: skip
        """Call a loop of NumPy's.

        Args:
            loop: the loop.
            places: for each operand and the result the address and the stride.
            sizes: the number of elements, and the core sizes of a generalised function.
            more_strides: the core strides of a generalised function.
        """
        self.declared.update(loop.declared)
        strides = [*[stride for _, stride in places], *more_strides]
        for word, kind, values in (("args", "ptr", [p for p, _ in places]), ("dims", "i64", sizes),
                                   ("steps", "i64", strides)):  # fmt: skip
            line = f"  %call.{word} = alloca [16 x i64], align 16"
            if line not in self.allocas:
                self.allocas.append(line)
            for k, value in enumerate(values):
                at = self.do(f"getelementptr i64, ptr %call.{word}, i64 {k}") if k else f"%call.{word}"
                self.add(f"store {kind} {value}, ptr {at}")
        self.add(f"call void {loop.name}(ptr %call.args, ptr %call.dims, ptr %call.steps, ptr {loop.data})")

    def rule(self, name: str, text: str) -> None:
        """Add a function to the module; later texts of the same name replace it."""
        self.declared[name] = text


def kind_of(dtype: DType) -> str:
    """The LLVM type of a number in a register; of each part of a complex number."""
    dtype = dtype.real_dtype
    if dtype.is_bool:
        return "i1"
    if dtype.is_floating and dtype not in HALVES:
        return "float" if dtype is float32 else "double"
    return f"i{8 * dtype.size}"


def memory_kind(dtype: DType) -> str:
    """The LLVM type of a number in memory; of each part of a complex number."""
    return "i8" if dtype.is_bool else kind_of(dtype)


def constant_operand(constant: Literal) -> Operand:
    """A constant as an operand."""
    dtype, value = constant.dtype, constant.value
    if dtype.is_complex:
        return literal(float(value.real)), literal(float(value.imag))
    if dtype.is_bool:
        return "true" if value else "false"
    if dtype in HALVES:
        return str(int.from_bytes(constant.data, "little"))
    return literal(float(value)) if dtype.is_floating else str(int(value))


def emit_step(
    code: IrFunction, step: ScalarStep, dtypes: tuple[DType, ...], operands: tuple[Operand, ...]
) -> Operand | None:
    """The result of a step, or None if no instructions give NumPy's bits."""
    name, dtype = step.primitive, dtypes[0]
    if name in ("maximum", "minimum") and dtype.is_floating and not extremes_are_ordered():
        return None
    rule = rule_of(step, dtypes)
    if rule is not None:
        return applied(rule, operands, constant_operand, partial(emit_step, code))
    match name:
        case "astype":
            return _cast(code, str(operands[0]), dtype, step.dtype)
        case "where":
            kind = kind_of(step.dtype)
            return code.do(f"select i1 {operands[0]}, {kind} {operands[1]}, {kind} {operands[2]}")
        case "real" | "imag":
            return operands[0][name == "imag"]
        case "complex":
            return str(operands[0]), str(operands[1])
    if dtype in HALVES or dtype.is_complex:
        return None
    rules = _FLOAT if dtype.is_floating else _BOOL if dtype.is_bool else _INT
    writer = rules.get(name)
    return None if writer is None else str(writer(code, kind_of(dtype), dtype, *operands))


@cache
def extremes_are_ordered() -> bool:
    """True if NumPy's maximum on this processor is `a if a > b or isnan(a) else b`, for zeros of both signs too."""
    zeros = np.array([0.0, -0.0] * 8, np.float32), np.array([0.0, 0.0, -0.0, -0.0] * 4, np.float32)
    found = [np.signbit(f(*zeros)) for f in (np.maximum, np.minimum)]
    return all(np.array_equal(signs, np.signbit(zeros[1])) for signs in found)


# ---- floats -------------------------------------------------------------------------------------


def _plain(text: str) -> Any:
    return lambda code, kind, dtype, *args: code.do(f"{text} {kind} {', '.join(args)}")


def _called(name: str) -> Any:
    return lambda code, kind, dtype, *args: code.intrinsic(name, kind, *args)


_FLOAT: dict[str, Any] = {
    "add": _plain("fadd"), "subtract": _plain("fsub"), "multiply": _plain("fmul"), "true_divide": _plain("fdiv"),
    "negative": _plain("fneg"),
    "absolute": _called("fabs"), "sqrt": _called("sqrt"), "floor": _called("floor"), "ceil": _called("ceil"),
    "rint": _called("roundeven"), "copysign": _called("copysign"),
    "equal": _plain("fcmp oeq"), "not_equal": _plain("fcmp une"), "less": _plain("fcmp olt"),
    "less_equal": _plain("fcmp ole"), "greater": _plain("fcmp ogt"), "greater_equal": _plain("fcmp oge"),
}  # fmt: skip

# ---- ints and bools -----------------------------------------------------------------------------


def _ordered(comparison: str) -> Any:
    def rule(code: IrFunction, kind: str, dtype: DType, *args: str) -> str:
        sign = "u" if dtype.is_unsigned or dtype.is_bool else "s"
        return code.do(f"icmp {sign}{comparison} {kind} {', '.join(args)}")

    return rule


_BITWISE: dict[str, Any] = {
    "bitwise_and": _plain("and"), "bitwise_or": _plain("or"), "bitwise_xor": _plain("xor"),
    "equal": _plain("icmp eq"), "not_equal": _plain("icmp ne"), "less": _ordered("lt"), "less_equal": _ordered("le"),
    "greater": _ordered("gt"), "greater_equal": _ordered("ge"),
}  # fmt: skip
_INT = _BITWISE | {"add": _plain("add"), "subtract": _plain("sub"), "multiply": _plain("mul")}
_BOOL = _BITWISE | {"logical_not": lambda code, kind, dtype, x: code.do(f"xor i1 {x}, true")}

# ---- casts --------------------------------------------------------------------------------------


def _cast(code: IrFunction, x: str, source: DType, target: DType) -> str:
    """A cast between real dtypes that no rule expands."""
    if source in HALVES:
        return _widened(code, x, source)
    a, b = kind_of(source), kind_of(target)
    if target in HALVES:
        if source is not float32:
            raise CannotLower(f"a cast of {source.name} to {target.name} has no rule")
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


def _widened(code: IrFunction, x: str, source: DType) -> str:
    return code.do(f"call float @{_half_rule(code, source)}_widen(i16 {x})")


def _narrowed(code: IrFunction, x: str, target: DType) -> str:
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


def rounded_to_bfloat16(code: IrFunction, x: Operand) -> str:
    """A float32 rounded to bfloat16, if NaNs have zeros in the low 16 bits: five instructions instead of nine."""
    code.rule("bf16_round", _BF16_ROUND)
    return code.do(f"call i16 @bf16_round(float {x})")


def _half_rule(code: IrFunction, dtype: DType) -> str:
    if dtype is bfloat16:
        code.rule("bf16", BF16)
        return "bf16"
    if not converts_float16():
        raise CannotLower("this processor has no instructions that convert float16")
    code.rule("f16", half_rules())
    return "f16"
