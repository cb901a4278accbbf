"""How a group is cut follows from which sizes are equal; a new batch size finds that worked out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.runtime.ir.fused_ir import Body, Instruction, Value
from penstock.runtime.numpy.group_layout import ShapedTiling, sized, stand_ins
from penstock.runtime.numpy.interpreter import Interpreter

F = tf.float32
CHAIN = Body((F, F), (Instruction("Mul", (Value(0), Value(1)), F), Instruction("Tanh", (Value(2),), F),
                      Instruction("Add", (Value(3), Value(0)), F), Instruction("Neg", (Value(4),), F),
                      Instruction("Sum", (Value(5), np.array([-1], np.int32), False), F)),
             (Value(4), Value(6)))  # fmt: skip
HALVES = Body((tf.float16,), (Instruction("Neg", (Value(0),), tf.float16), Instruction("Exp", (Value(1),), tf.float16),
                              Instruction("Square", (Value(2),), tf.float16)), (Value(3),))  # fmt: skip

shapes = st.lists(st.integers(0, 6), max_size=4).map(tuple)


@given(st.lists(shapes, max_size=3))
def test_stand_ins_stand_for_the_sizes_and_compare_as_they_do(given: list[tuple[int, ...]]) -> None:
    found, sizes = stand_ins(given)
    assert [sized(shape, sizes) for shape in found] == given
    flat = [(one, size) for a, b in zip(found, given, strict=True) for one, size in zip(a, b, strict=True)]
    for one, size in flat:
        assert (one in (0, 1)) == (size in (0, 1))
        assert all((one == other) == (size == another) for other, another in flat)


def facts(tiling: ShapedTiling) -> tuple[Any, ...]:
    form = tiling.form
    program = [(b.operands, b.value) for b in form.program]
    return (tiling.shapes, tiling.whole, tiling.count, tiling.tiles, tiling.registers, form.register, form.made,
            form.flat, form.small, form.in_tiles, program, [t.value for t in form.tails])  # fmt: skip


def inputs_of(body: Body, rows: int, second: str) -> list[Any]:
    x = np.linspace(0, 1, rows * 6).reshape(rows, 6).astype(body.inputs[0].np)
    beside = {"row": x[:1, :], "column": x[:, :1], "one": x[:1, :1], "turned": x[:, ::-1], "same": x}
    return [x, beside[second]][: len(body.inputs)]


@pytest.mark.parametrize("second", ["row", "column", "one", "turned", "same"])
@pytest.mark.parametrize("body", [CHAIN, HALVES], ids=["chain", "halves"])
def test_a_tiling_for_a_new_size_is_the_one_that_is_made_from_scratch(body: Body, second: str) -> None:
    used = Interpreter(body)
    for rows in (7, 1, 100, 0, 6, 3000, 200_000, 8, 150_000):
        given = inputs_of(body, rows, second)
        fresh = Interpreter(body)
        assert facts(used.tiling(given)) == facts(fresh.tiling(given)), rows
        for one, other in zip(used(*given), fresh(*given), strict=True):
            assert one.tobytes() == other.tobytes()


def test_batch_sizes_share_one_form() -> None:
    interpreter = Interpreter(CHAIN)
    forms = [interpreter.tiling(inputs_of(CHAIN, rows, "row")).form for rows in (100, 101, 70, 2000)]
    assert all(form is forms[0] for form in forms)
    assert interpreter.tiling(inputs_of(CHAIN, 100, "column")).form is not forms[0]


def test_a_frame_is_made_for_shapes_that_come_again() -> None:
    interpreter, given = Interpreter(CHAIN), inputs_of(CHAIN, 5, "row")
    first = interpreter(*given)
    assert not interpreter.tiling(given).idle
    again = interpreter(*given)
    assert len(interpreter.tiling(given).idle) == 1
    assert all(one.tobytes() == other.tobytes() for one, other in zip(first, again, strict=True))
