"""Every elementwise op has a scalar form, but where its declaration says that values decide."""

from __future__ import annotations

import pytest

import penstock as tf
from penstock.graph.shapes.dtypes import bool_, float16, float32, float64, int32, uint8
from penstock.runtime.ir.fused_ir import Body, Instruction, Value
from penstock.runtime.ir.scalar_ir import CannotLower, lower

from ...helpers import every_case
from ...op_samples import USERS_OPS

TYPES = [type for type, op in USERS_OPS.items() if op.facts.elementwise and op.is_plain and op.is_tensorwise]


@every_case("type", TYPES)
def test_an_elementwise_op_becomes_a_scalar_program(type: str) -> None:
    op = USERS_OPS[type]
    for dtype in (float32, float64, int32, bool_, uint8, float16):
        if not all(dtype.bit & operand.allowed for _, _, operand in op.operands):
            continue
        count = len(op.operands)
        with tf.Graph().as_default():
            out = op(*[tf.placeholder(dtype, [2]) for _ in range(count)]).dtype
        instruction = Instruction(type, tuple([Value(i) for i in range(count)]), out)
        body = Body((dtype,) * count, (instruction,), (Value(count),))
        if dtype.bit & (op.facts.branches | op.facts.can_fail):  # such as a divisor that may be zero
            with pytest.raises(CannotLower):
                lower(body, ((count, out),))
        else:
            assert lower(body, ((count, out),)).outputs
