"""Elementwise operations on values of one element: instructions on registers, or calls of NumPy's loops on one element.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from ...graph.shapes.dtypes import DType
from ..compiled.llvm_primitives import IrFunction, Operand, constant_operand, emit_step, kind_of
from ..ir.fused_ir import Body, Instruction
from ..ir.fused_ir import Value as ValueNumber
from ..ir.primitive_rules import applied
from ..ir.scalar_ir import Literal, Scalar, ScalarStep, lower
from .loop_code import LoopCode
from .loop_values import Known, Number


@cache
def scalar_program(op: str, args: tuple[Any, ...], inputs: tuple[DType, ...], out: DType) -> Scalar:
    """The scalar program of one operation; divisors were checked for zeros.

    Raises:
        CannotLower: it has no scalar form.
    """
    result = ValueNumber(len(inputs))
    body = Body(inputs, (Instruction(op, args, out),), (result,))
    return lower(body, [(result, out)], zeros_are_found=True)


def literal_of(known: Known) -> Literal:
    """A known value of one element as a constant."""
    return Literal(known.dtype, known.array.tobytes())


def evaluated(code: LoopCode, program: Scalar, operands: Sequence[Operand]) -> Operand:
    """The result of a scalar program on numbers in registers.

    Raises:
        CannotLower: NumPy has no loop for one of its steps.
    """
    return applied(program, operands, constant_operand, partial(computed, code))


def computed(
    code: LoopCode, step: ScalarStep, dtypes: tuple[DType, ...], operands: tuple[Operand, ...]
) -> Operand:
    """The result of a step on numbers in registers.

    Raises:
        CannotLower: NumPy has no loop for it.
    """
    by_division: Operand | None = _integer_division(code, step, dtypes, operands)
    by_instructions = by_division or emit_step(code, step, dtypes, operands)
    return by_instructions or _by_numpy(code, step, dtypes, operands)


def _by_numpy(code: LoopCode, step: ScalarStep, dtypes: tuple[DType, ...], given: tuple[Operand, ...]) -> Operand:
    places = [code.spilled(Number(d, (), x)).pointer for d, x in zip(dtypes, given, strict=True)]
    result = code.cell(f"[{step.dtype.size} x i8]")
    every = (*dtypes, step.dtype)
    code.call_numpy(step.primitive, every, [(p, d.size) for p, d in zip([*places, result], every, strict=True)], [1])
    return code.load(step.dtype, result)


def _integer_division(
    code: IrFunction, step: ScalarStep, dtypes: tuple[DType, ...], given: tuple[Operand, ...]
) -> str | None:
    """A division of ints that rounds down, or its remainder; None for other steps. The divisor is not zero.

    The processor's division of the smallest int by -1 is an error; NumPy's gives the smallest int and rest 0.
    """
    if step.primitive not in ("floor_divide", "remainder") or not step.dtype.is_integer:
        return None
    kind, (x, y) = kind_of(step.dtype), given
    divides = step.primitive == "floor_divide"
    if step.dtype.is_unsigned:
        return code.do(f"{'udiv' if divides else 'urem'} {kind} {x}, {y}")
    is_minus_one = code.do(f"icmp eq {kind} {y}, -1")
    safe = code.do(f"select i1 {is_minus_one}, {kind} 1, {kind} {y}")
    rest = code.do(f"srem {kind} {x}, {safe}")
    has_rest = code.do(f"icmp ne {kind} {rest}, 0")
    signs = code.do(f"xor {kind} {rest}, {safe}")
    differ = code.do(f"icmp slt {kind} {signs}, 0")
    rounds = code.do(f"and i1 {has_rest}, {differ}")
    if not divides:
        turned = code.do(f"add {kind} {rest}, {safe}")
        made = code.do(f"select i1 {rounds}, {kind} {turned}, {kind} {rest}")
        return code.do(f"select i1 {is_minus_one}, {kind} 0, {kind} {made}")
    quotient = code.do(f"sdiv {kind} {x}, {safe}")
    one = code.do(f"zext i1 {rounds} to {kind}") if kind != "i1" else rounds
    floor = code.do(f"sub {kind} {quotient}, {one}")
    negative = code.do(f"sub {kind} 0, {x}")
    return code.do(f"select i1 {is_minus_one}, {kind} {negative}, {kind} {floor}")
