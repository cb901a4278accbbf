"""A sum that only a choice reads is not made, and nobody can tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.dtypes import DType, bool_
from penstock.runtime.ir.fused_ir import Body, Instruction, Value
from penstock.runtime.numpy import interpreter as module
from penstock.runtime.numpy.interpreter import SMALL, Interpreter

DTYPES = (tf.float32, tf.float64, tf.int8, tf.uint8, tf.int16, tf.int32, tf.int64, tf.uint64, tf.complex64, tf.float16)
COUNT = SMALL + 77


def body(dtype: DType, op: str, args: tuple[int, int], choice: tuple[int, int, int], *more: int) -> Body:
    """%0 is the condition, %1 the values, %2 a number, %3 their sum or difference, %4 the choice."""
    change = Instruction(op, tuple(map(Value, args)), dtype)
    chosen = Instruction("Select", tuple(map(Value, choice)), dtype)
    return Body((bool_, dtype, dtype), (change, chosen), (Value(4), *map(Value, more)))


def inputs(dtype: DType, number: Any) -> list[Any]:
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(COUNT) * 100).astype(dtype.np)
    if dtype.kind in "fc":
        x[::7], x[1::7], x[2::7], x[3::7] = -0.0, 0.0, np.nan, -np.inf
        x[4::7] = np.finfo(np.float32).smallest_subnormal
    else:
        x[::7], x[1::7] = dtype.min, dtype.max
    return [rng.random(COUNT) < 0.5, x, np.array(number).astype(dtype.np)]


def steps(made: Body, given: list[Any]) -> int:
    return len(Interpreter(made)._tiling(given).form.program)


@pytest.mark.parametrize("tile", [1 << 12, 1 << 20])
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
@pytest.mark.parametrize(("op", "args"), [("Add", (1, 2)), ("Add", (2, 1)), ("Sub", (1, 2)), ("Sub", (2, 1))])
def test_a_choice_of_a_changed_value_has_the_bits_of_the_two_steps(
    dtype: DType, op: str, args: tuple[int, int], tile: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TILE", tile)
    special = [0.0, -0.0, np.inf, np.nan] if dtype.kind in "fc" else [dtype.min, dtype.max]
    for number in [1, 3, *special]:
        with np.errstate(all="ignore"):
            given = inputs(dtype, number)
            condition, x, _ = given
            a, b = (given[i] for i in args)
            changed = (np.add if op == "Add" else np.subtract)(a, b)
            made = body(dtype, op, args, (0, 3, 1))
            (got,) = Interpreter(made)(*given)
        want = np.where(condition, changed, x)
        nan = want != want
        assert ((got != got) == nan).all()
        assert got[~nan].tobytes() == want[~nan].tobytes()
        is_one = dtype.kind in "iuf" and dtype is not tf.float16 and (op, args) != ("Sub", (2, 1))
        assert (steps(made, given) == 1) is is_one


def test_a_quiet_nan_that_is_not_changed_keeps_its_payload() -> None:
    given = inputs(tf.float32, 1.0)
    given[1][:] = np.array(0x7FC01234, np.uint32).view(np.float32)
    (got,) = Interpreter(body(tf.float32, "Add", (1, 2), (0, 3, 1)))(*given)
    assert (got.view(np.uint32)[~given[0]] == 0x7FC01234).all()


@pytest.mark.parametrize(
    "made",
    [
        body(tf.float32, "Add", (1, 2), (0, 1, 3)),  # the sum is what is chosen where the condition is false
        body(tf.float32, "Add", (1, 2), (0, 3, 1), 3),  # the sum is a result too
        body(tf.float32, "Mul", (1, 2), (0, 3, 1)),
    ],
)
def test_other_choices_are_made_in_two_steps(made: Body) -> None:
    given = inputs(tf.float32, 2.0)
    assert steps(made, given) == 2
    whole = np.broadcast_to(given[2], given[1].shape).copy()
    assert steps(body(tf.float32, "Add", (1, 2), (0, 3, 1)), [*given[:2], whole]) == 2
