"""A body says what it computes."""

from __future__ import annotations

from penstock.graph.shapes.dtypes import float32, float64
from penstock.runtime.ir.fused_ir import Body, Instruction, Value


def example() -> Body:
    x, y, product = Value(0), Value(1), Value(2)
    instructions = (Instruction("Mul", (x, y), float32), Instruction("Cast", (product, float64), float64))
    return Body((float32, float32), instructions, (Value(3),))


def test_a_body_prints_as_its_formula() -> None:
    lines = ["(%0 float32, %1 float32) -> %3", "%2 = Mul(%0, %1)  float32", f"%3 = Cast(%2, {float64})  float64"]
    assert str(example()).splitlines() == lines


def test_the_formula_nests_what_is_short() -> None:
    assert example().formula == f"Cast(Mul(%0, %1), {float64})"


def test_a_long_formula_becomes_a_count() -> None:
    instructions = tuple(Instruction("Add", (Value(i), Value(i)), float32) for i in range(40))
    body = Body((float32,), instructions, tuple(Value(i) for i in range(1, 41)))
    assert body.formula == "40 instructions"


def test_every_value_has_a_dtype() -> None:
    body = example()
    assert [body.dtype_of(i) for i in range(4)] == [float32, float32, float32, float64]


def test_an_instruction_knows_the_values_it_reads() -> None:
    assert [i.operands for i in example().instructions] == [(Value(0), Value(1)), (Value(2),)]


def test_bodies_are_compared_by_identity() -> None:
    assert example() != example()
    assert len({example(), example()}) == 2
