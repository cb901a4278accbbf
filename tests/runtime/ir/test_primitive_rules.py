"""Rules of primitives give the values of NumPy's functions, and both code generators can write every step of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.shapes.dtypes import DType, of_numpy
from penstock.runtime.compiled.llvm_primitives import IrFunction, emit_step
from penstock.runtime.cuda.c_primitives import expression
from penstock.runtime.ir.fused_ir import Value
from penstock.runtime.ir.primitive_rules import RULES, applied, rule_of
from penstock.runtime.ir.scalar_ir import ScalarStep

from ...helpers import every_case

FLOATS = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 3e38, 1e-40]
KINDS = {"f": "float", "i": "int", "u": "int", "b": "bool", "c": "complex"}
DTYPES = ("float32", "float64", "int8", "int64", "uint8", "uint32", "bool", "complex64")
CASES = [(name, dtype) for dtype in DTYPES for name in RULES[KINDS[tf.as_dtype(dtype).np.kind]] if name != "where"]


def numbers(dtype: DType) -> Any:
    if dtype.is_bool:
        return np.array([False, True])
    if dtype.is_complex:
        return np.array([complex(a, b) for a in (1.0, -0.0, np.nan) for b in (2.0, 0.0, -np.inf)], dtype.np)
    if dtype.is_floating:
        return np.array(FLOATS, dtype.np)
    return np.array([dtype.min, dtype.min + 1, 0, 1, 2, dtype.max], dtype.np)


def computed(step: ScalarStep, dtypes: tuple[DType, ...], operands: tuple[Any, ...]) -> Any:
    """A step of a rule on arrays, by a rule of its own or NumPy's function."""
    rule = rule_of(step, dtypes)
    if rule is not None:
        return applied(rule, operands, lambda constant: constant.value, computed)
    match step.primitive:
        case "astype":
            return operands[0].astype(step.dtype.np)
        case "complex":
            made = np.empty(np.broadcast_shapes(*map(np.shape, operands)), step.dtype.np)
            made.real, made.imag = operands
            return made
        case name:
            return getattr(np, name)(*operands)


def step_of(name: str, dtype: DType) -> tuple[ScalarStep, list[Any]]:
    """A use of a primitive on all pairs of numbers."""
    count = getattr(np, name).nin
    x = numbers(dtype)
    operands = [x] if count == 1 else [a.reshape(-1) for a in np.meshgrid(x, x)]
    out = of_numpy(getattr(np, name)(*operands).dtype)
    return ScalarStep(name, tuple([Value(i) for i in range(count)]), out), operands


@every_case("name, type_", CASES)
def test_a_rule_gives_what_numpys_function_gives(name: str, type_: str) -> None:
    dtype = tf.as_dtype(type_)
    with np.errstate(all="ignore"):
        step, operands = step_of(name, dtype)
        want = getattr(np, name)(*operands)
        rule = rule_of(step, (dtype,) * len(operands))
        assert rule is not None
        got = applied(rule, operands, lambda constant: constant.value, computed)
    assert got.dtype == want.dtype
    assert np.array_equal(got, want, equal_nan=want.dtype.kind in "fc")
    if want.dtype.kind == "f" and name not in ("maximum", "minimum"):  # NumPy's choose either zero
        assert np.array_equal(np.signbit(got[want == 0]), np.signbit(want[want == 0]))


@every_case("name, type_", CASES)
def test_both_generators_write_every_step_of_a_rule(name: str, type_: str) -> None:
    dtype = tf.as_dtype(type_)
    with np.errstate(all="ignore"):
        step, operands = step_of(name, dtype)
    dtypes = (dtype,) * len(operands)
    pair = dtype.is_complex
    registers = tuple([(f"%r{i}", f"%i{i}") if pair else f"%x{i}" for i in range(len(operands))])
    assert emit_step(IrFunction(), step, dtypes, registers) is not None
    assert expression(step, dtypes, tuple([(f"r{i}", f"i{i}") if pair else f"x{i}" for i in range(len(operands))]))


def test_a_choice_of_complex_numbers_is_one_of_each_part() -> None:
    x = numbers(tf.complex64)
    step = ScalarStep("where", (Value(0), Value(1), Value(2)), tf.complex64)
    rule = rule_of(step, (tf.bool, tf.complex64, tf.complex64))
    assert rule is not None
    chosen = np.arange(x.size) % 2 == 0
    got = applied(rule, [chosen, x, -x], lambda constant: constant.value, computed)
    assert got.tobytes() == np.where(chosen, x, -x).tobytes()
