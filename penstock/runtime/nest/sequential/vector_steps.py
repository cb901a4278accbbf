"""The instructions of a step on the lanes of a vector: arithmetic, comparisons, `where`, casts that are one."""

from __future__ import annotations

from typing import Final

from ....graph.common.quick_dataclass import dataclass
from ....graph.shapes.dtypes import DType
from ...compiled.llvm_primitives import IrFunction, Operand, constant_operand, extremes_are_ordered, kind_of
from ...ir.fused_ir import Value
from ...ir.primitive_rules import applied, rule_of
from ...ir.scalar_ir import HALVES, CannotLower, Literal, ScalarStep

_FLOAT: Final = {"add": "fadd", "subtract": "fsub", "multiply": "fmul", "true_divide": "fdiv", "equal": "fcmp oeq",
                 "not_equal": "fcmp une", "less": "fcmp olt", "less_equal": "fcmp ole", "greater": "fcmp ogt",
                 "greater_equal": "fcmp oge"}  # fmt: skip
_INT: Final = {"add": "add", "subtract": "sub", "multiply": "mul", "equal": "icmp eq", "not_equal": "icmp ne"}
_CALLED: Final = {"absolute": "fabs", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "rint": "roundeven"}
_BOOL: Final = {"bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor"}


@dataclass(frozen=True, slots=True)
class AtOnce:
    """Rounds of an axis that are computed at once: `count` from position `start` on; `lanes` of a vector, or not."""

    position: Value
    count: int
    start: str
    lanes: bool


def emit_vector_step(
    code: IrFunction, step: ScalarStep, dtypes: tuple[DType, ...], operands: tuple[Operand, ...], count: int
) -> str:
    """The result of a step on vectors of `count` lanes.

    Raises:
        CannotLower: it has no instruction here.
    """
    name, dtype = step.primitive, dtypes[0]
    rule = None if name == "astype" or dtype in HALVES else rule_of(step, dtypes)
    if rule is not None:
        def constant(literal: Literal) -> Operand:
            return splat(code, kind_of(literal.dtype), str(constant_operand(literal)), count)

        def simpler(one: ScalarStep, kinds: tuple[DType, ...], words: tuple[Operand, ...]) -> Operand:
            return emit_vector_step(code, one, kinds, words, count)

        if name in ("maximum", "minimum") and dtype.is_floating and not extremes_are_ordered():
            raise CannotLower(f"{name} is a loop of NumPy's")
        return str(applied(rule, operands, constant, simpler))
    kind = f"<{count} x {kind_of(dtype)}>"
    if name == "where":
        chosen = f"<{count} x {kind_of(step.dtype)}>"
        return code.do(f"select {kind} {operands[0]}, {chosen} {operands[1]}, {chosen} {operands[2]}")
    if name == "astype" and dtype.is_integer and step.dtype.is_integer:
        if step.dtype.size == dtype.size:
            return str(operands[0])
        if step.dtype.size > dtype.size:
            word = "zext" if dtype.is_unsigned else "sext"
            return code.do(f"{word} {kind} {operands[0]} to <{count} x {kind_of(step.dtype)}>")
        return code.do(f"trunc {kind} {operands[0]} to <{count} x {kind_of(step.dtype)}>")
    if name == "less" and dtype.is_integer:
        return code.do(f"icmp {'u' if dtype.is_unsigned else 's'}lt {kind} {operands[0]}, {operands[1]}")
    if dtype.is_floating and dtype not in HALVES:
        if name == "negative":
            return code.do(f"fneg {kind} {operands[0]}")
        if name in _CALLED:
            return _intrinsic(code, _CALLED[name], f"v{count}f{8 * dtype.size}", kind, str(operands[0]))
        if name == "astype" and step.dtype.is_floating and step.dtype not in HALVES:
            word = "fpext" if step.dtype.size > dtype.size else "fptrunc"
            return code.do(f"{word} {kind} {operands[0]} to <{count} x {kind_of(step.dtype)}>")
    instruction = (_BOOL if dtype.is_bool else _FLOAT if dtype.is_floating else _INT).get(name)
    if instruction is None or dtype in HALVES or dtype.is_complex:
        raise CannotLower(f"{name} of {dtype.name} has no instruction for vectors")
    return code.do(f"{instruction} {kind} {operands[0]}, {operands[1]}")


def _intrinsic(code: IrFunction, name: str, suffix: str, kind: str, operand: str) -> str:
    code.declared[f"@llvm.{name}.{suffix}"] = f"declare {kind} @llvm.{name}.{suffix}({kind})"
    return code.do(f"call {kind} @llvm.{name}.{suffix}({kind} {operand})")


def splat(code: IrFunction, kind: str, operand: str, count: int) -> str:
    """A vector of `count` times the same number."""
    vector = f"<{count} x {kind}>"
    one = code.do(f"insertelement {vector} poison, {kind} {operand}, i64 0")
    return code.do(f"shufflevector {vector} {one}, {vector} poison, <{count} x i32> zeroinitializer")


def reversed_vector(code: IrFunction, vector: str, kind: str, count: int) -> str:
    """The lanes in the other order."""
    lanes = ", ".join([f"i32 {k}" for k in reversed(range(count))])
    return code.do(f"shufflevector {kind} {vector}, {kind} poison, <{count} x i32> <{lanes}>")
