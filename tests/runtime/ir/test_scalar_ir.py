"""A group's scalar program says everything: each cast, each rounding, the dtype of each constant."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.shapes.dtypes import ALL, DType, bool_
from penstock.runtime.compiled.emit_llvm import generate
from penstock.runtime.compiled.flat_nest import nest_of_program
from penstock.runtime.ir.fused_ir import Body, Instruction, Value
from penstock.runtime.ir.scalar_ir import MODULE, CannotLower, Literal, lower, lower_function
from penstock.runtime.llvm.llvmlite_import import llvm_or_reason

DTYPES = [d for d in ALL if not d.is_string]
HAVE_LLVM = llvm_or_reason()[0] is not None


def single(op: str, dtypes: tuple[DType, ...], out: DType, *attrs: Any) -> Body:
    """A body of one instruction."""
    args = tuple(Value(i) for i in range(len(dtypes)))
    return Body(dtypes, (Instruction(op, (*args, *attrs), out),), (Value(len(dtypes)),))


@cache
def uses() -> list[tuple[str, Body]]:
    """Every elementwise op with each dtype it takes, every cast."""
    return list(_uses())


def _uses() -> Iterator[tuple[str, Body]]:
    for name, opdef in OPS.items():
        if not opdef.facts.elementwise:
            continue
        for dtype in DTYPES:
            dtypes = (bool_, dtype, dtype) if name == "Select" else (dtype,) * len(opdef.operands)
            if any(not d.bit & operand.allowed for d, (_, _, operand) in zip(dtypes, opdef.operands, strict=True)):
                continue
            if name == "Cast":
                yield from ((f"{name} {dtype} {out}", single(name, dtypes, out, out)) for out in DTYPES if out != dtype)
                continue
            with tf.Graph().as_default():
                made = opdef(*[tf.placeholder(d, []) for d in dtypes])
            if made.op.type == name and made.op.inputs[0].dtype is dtypes[0]:
                yield f"{name} {dtype}", single(name, dtypes, made.dtype, *made.op.args[len(dtypes) :])


def lowered(body: Body) -> Any:
    out = len(body.inputs)
    return lower(body, [(out, body.dtype_of(out))], zeros_are_found=True)


def test_an_elementwise_op_has_a_scalar_program_unless_its_kernel_looks_at_values() -> None:
    count = 0
    for name, body in uses():
        opdef, dtype = OPS[name.partition(" ")[0]], body.inputs[0]
        if opdef.facts.branches & dtype.bit:
            with pytest.raises(CannotLower):
                generate(nest_of_program(lowered(body)))
            continue
        program = lowered(body)
        if HAVE_LLVM:
            generate(nest_of_program(program))
        count += 1
    assert count > 500


def test_a_16_bit_float_is_widened_and_rounded_once_per_op() -> None:
    body = Body((tf.bfloat16,), (Instruction("Mul", (Value(0), Value(0)), tf.bfloat16),
                                 Instruction("Relu", (Value(1),), tf.bfloat16)), (Value(2),))  # fmt: skip
    assert str(lower(body, [(2, tf.bfloat16)])) == "\n".join([
        "(%0 bfloat16) -> %6",
        "%1 = astype(%0)  float32",
        "%2 = multiply(%1, %1)  float32",
        "%3 = astype(%2)  bfloat16",
        "%4 = astype(%3)  float32",
        "%5 = maximum(%4, 0.0)  float32",
        "%6 = astype(%5)  bfloat16",
    ])  # fmt: skip


def test_a_python_number_takes_the_dtype_of_what_it_meets() -> None:
    program = lowered(single("Erf", (tf.float32,), tf.float32))
    constants = [a for step in program.steps for a in step.args if isinstance(a, Literal)]
    assert constants
    assert {c.dtype for c in constants} == {tf.float32}


def test_an_array_made_of_a_value_in_another_dtype_is_a_cast() -> None:
    program = lower_function(lambda x: MODULE.sqrt(MODULE.asarray(x, np.float64)), tf.float32)
    assert [(step.primitive, step.dtype) for step in program.steps] == [("astype", tf.float64), ("sqrt", tf.float64)]


def test_what_is_computed_twice_is_written_once() -> None:
    twice = (Instruction("Exp", (Value(0),), tf.float32), Instruction("Exp", (Value(0),), tf.float32))
    body = Body((tf.float32,), (*twice, Instruction("Add", (Value(1), Value(2)), tf.float32)), (Value(3),))
    assert [s.primitive for s in lower(body, [(3, tf.float32)]).steps] == ["exp", "add"]


def test_constants_of_equal_value_and_other_sign_stay_apart() -> None:
    zeros = [Literal(tf.float32, np.float32(x).tobytes()) for x in (0.0, -0.0)]
    assert zeros[0] != zeros[1]


def test_an_op_with_errors_of_the_run_is_refused_with_the_reason() -> None:
    with pytest.raises(CannotLower, match=r"^Pow may fail for some values"):
        lowered(single("Pow", (tf.int32, tf.int32), tf.int32))
    with pytest.raises(CannotLower, match=r"^FloorDiv may fail for some values"):
        lower(single("FloorDiv", (tf.int32, tf.int32), tf.int32), [(2, tf.int32)])
