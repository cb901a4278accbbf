"""A group of 16-bit floats gives the bits of one op after the other, each rounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.shapes.dtypes import DType, bool_
from penstock.runtime.ir.fused_ir import Body, Instruction, Value
from penstock.runtime.numpy import interpreter as module
from penstock.runtime.numpy.interpreter import SMALL, Interpreter

HALVES = (tf.float16, tf.bfloat16)
COUNT = SMALL + 1077
each_half = pytest.mark.parametrize("half", HALVES, ids=lambda d: d.name)


@pytest.fixture(autouse=True)
def _as_in_a_run() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def canonical(x: Any) -> Any:
    """The bits, with one NaN for all."""
    return np.where(x != x, x.dtype.type("nan"), x).astype(x.dtype).view(f"u{x.dtype.itemsize}")


def values(half: DType, shape: tuple[int, ...], seed: int) -> Any:
    """Ordinary numbers, subnormals, and every special one."""
    rng = np.random.default_rng(seed)
    x = (rng.standard_normal(shape) * 10.0 ** rng.integers(-8, 5, shape)).astype(half.np)
    largest = float(half.max)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, largest, -largest, 6e-8, 1e-4]).astype(half.np)
    return np.where(rng.random(shape) < 0.2, special[rng.integers(0, len(special), shape)], x)


BINARY = ("Add", "Sub", "Mul", "Maximum", "Minimum", "RealDiv", "SquaredDifference")
UNARY = ("Neg", "Square", "Relu", "Sigmoid", "Tanh", "Exp", "Sqrt", "Abs", "Floor")


def chain(half: DType, seed: int, given: list[tuple[int, ...]], length: int = 12) -> Body:
    """Random ops, each on random earlier values; comparisons, choices and casts among them; several results."""
    rng = np.random.default_rng(seed)
    shapes = list(given)
    dtypes: list[DType] = [half, half, half]
    made: list[Instruction] = []
    for _ in range(length):
        own = [i for i, d in enumerate(dtypes) if d is half]
        a, b = Value(own[-1]), Value(int(rng.choice(own)))
        truths = [i for i, d in enumerate(dtypes) if d is bool_ and shapes[i] == shapes[a] == shapes[b]]
        kind = rng.choice(["binary", "binary", "unary", "less", "select", "cast"])
        if kind == "less":
            made.append(Instruction("Less", (a, b), bool_))
        elif kind == "select" and truths:
            made.append(Instruction("Select", (Value(truths[-1]), a, b), half))
        elif kind == "cast":
            target = (tf.float32, tf.int32, tf.float64)[rng.integers(3)]
            made.append(Instruction("Cast", (a, target), target))
        elif kind == "unary":
            made.append(Instruction(str(rng.choice(UNARY)), (a,), half))
        else:
            made.append(Instruction(str(rng.choice(BINARY)), (a, b), half))
        dtypes.append(made[-1].dtype)
        shapes.append(np.broadcast_shapes(*[shapes[v] for v in made[-1].operands]))
    results = {len(dtypes) - 1, *rng.integers(3, len(dtypes), 2).tolist()}
    return Body((half, half, half), tuple(made), tuple(map(Value, sorted(results))))


def one_by_one(body: Body, inputs: list[Any]) -> list[Any]:
    """Each instruction as a group of its own, on whole arrays, results in their own dtypes."""
    held = list(inputs)
    for instruction in body.instructions:
        operands = instruction.operands
        number = {v: Value(i) for i, v in enumerate(dict.fromkeys(operands))}
        args = tuple([number[a] if isinstance(a, Value) else a for a in instruction.args])
        alone = Instruction(instruction.op, args, instruction.dtype)
        inner = Body(tuple([body.dtype_of(v) for v in number]), (alone,), (Value(len(number)),))
        held.append(Interpreter(inner)(*[held[v] for v in number])[0])
    return [held[o] for o in body.outputs]


@pytest.mark.parametrize("tile", [1 << 10, 1 << 20])
@pytest.mark.parametrize("shape", [(COUNT,), (130, COUNT // 128)], ids=str)
@each_half
def test_a_chain_has_the_bits_of_one_op_after_the_other(
    half: DType, shape: tuple[int, ...], tile: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TILE", tile)
    shapes = [shape, (1, *shape[1:]), (shape[0], *[1] * (len(shape) - 1))] if len(shape) > 1 else [shape, (), (1,)]
    for seed in range(6):
        body = chain(half, seed, shapes)
        inputs = [values(half, s, seed + i) for i, s in enumerate(shapes)]
        for got, want in zip(Interpreter(body)(*inputs), one_by_one(body, inputs), strict=True):
            assert got.dtype == want.dtype
            assert got.shape == want.shape
            same = canonical(got) == canonical(want) if want.dtype.kind not in "bi" else got == want
            assert same.all(), f"seed {seed}"


@each_half
def test_a_reduction_at_the_end_reads_the_rounded_values(half: DType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TILE", 1 << 12)
    made = (
        Instruction("Sub", (Value(0), Value(1)), half),
        Instruction("Mul", (Value(3), Value(3)), half),
        Instruction("Sum", (Value(4), np.array([-1], np.int32), False), half),
    )
    inputs = [np.random.default_rng(i).random((64, 700)).astype(half.np) for i in range(3)]
    body = Body((half, half, half), made, (Value(5),))
    (got,) = Interpreter(body)(*inputs)
    (want,) = one_by_one(body, inputs)
    assert (canonical(got) == canonical(want)).all()
