"""The interpreter gives, bit for bit, what its instructions give one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock as tf
from penstock.errors import InvalidArgumentError
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.shapes.dtypes import DType, bool_
from penstock.runtime.base.shape_cache import KEPT_SHAPES
from penstock.runtime.base.thread_pool import thread_limit
from penstock.runtime.ir.fused_ir import Body, Instruction, Value
from penstock.runtime.numpy import interpreter as module
from penstock.runtime.numpy.interpreter import Interpreter

from ...helpers import examples
from ...reference import expected

TILE = 1 << 16
"""Elements of a tile of float32."""

REALS = (tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.int32, tf.int64, tf.uint8, tf.uint64)
BINARY = ("Add", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference", "RealDiv", "Atan2", "Pow", "Less", "NotEqual",
          "FloorDiv")  # fmt: skip
UNARY = ("Neg", "Square", "Relu", "Relu6", "Sigmoid", "Tanh", "Exp", "Sqrt", "Rsqrt", "Sign", "Floor", "Softplus",
         "Abs", "Sinh", "Erf", "IsNan")  # fmt: skip
SHAPES = ((), (3,), (2, 3), (0, 4), (TILE - 1,), (TILE + 1,), (3, TILE // 2 + 3), (300, 250), (2, 130, 300),
          (1, TILE + 5))  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def _in_tiles() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "TILE", 4 * TILE)
        yield


@pytest.fixture(autouse=True)
def _as_in_a_run() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def one_by_one(body: Body, inputs: list[Any]) -> list[Any]:
    """The results by the kernels of the ops, each on whole arrays."""
    values = list(inputs)
    for instruction in body.instructions:
        opdef = OPS[instruction.op]
        args = [np.ascontiguousarray(values[a]).reshape(values[a].shape) if isinstance(a, Value) else a
                for a in instruction.args]  # fmt: skip
        if opdef.facts.ufunc is not None and any(getattr(a, "dtype", None) in (tf.float16, tf.bfloat16) for a in args):
            wide = getattr(np, opdef.facts.ufunc)(*[a.astype(np.float32) for a in args])
            result = wide.astype(instruction.dtype.np)
        else:
            kernel = opdef.kernels.get("numpy") or opdef.kernels["*"]
            result = np.asarray(kernel(np, *args))
        values.append(result)
    return [values[o] for o in body.outputs]


def same(a: Any, b: Any) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    nan = a != a
    return bool((nan == (b != b)).all()) and np.where(nan, a.dtype.type(0), a).tobytes() == np.where(
        nan, a.dtype.type(0), b).tobytes()  # fmt: skip


def values_of(dtype: DType, shape: tuple[int, ...], seed: int) -> Any:
    """Ordinary numbers, and among them those at which something may go wrong."""
    rng = np.random.default_rng(seed)
    if dtype.is_bool:
        return rng.random(shape) < 0.5
    found = (rng.standard_normal(shape) * 10.0 ** rng.integers(-6, 6, shape)).astype(dtype.np)
    if dtype.is_floating:
        special = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, float(dtype.max), 6e-8]
    else:
        special = [dtype.min, dtype.max, 0, 1]
    chosen = rng.random(shape) < 0.05
    return np.where(chosen, np.array(special).astype(dtype.np)[rng.integers(0, len(special), shape)], found)


def laid_out(array: Any, how: str) -> Any:
    """The same values in another layout."""
    if how == "strided" and array.ndim:
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if how == "negative" and array.ndim:
        return np.ascontiguousarray(array[::-1])[::-1]
    if how == "column-major":
        return np.asfortranarray(array)
    return array


@st.composite
def cases(draw: st.DrawFn) -> tuple[Body, list[Any]]:
    """A random body, and inputs for it."""
    shape = draw(st.sampled_from(SHAPES))
    dtypes = [draw(st.sampled_from(REALS))]
    if draw(st.booleans()):
        dtypes.append(draw(st.sampled_from(REALS)))
    kinds: list[DType] = []
    inputs = []
    for dtype in dtypes:
        for _ in range(draw(st.integers(1, 2))):
            rows, ones = (*shape[:-1], 1)[: len(shape)], tuple(1 for _ in shape)
            own = draw(st.sampled_from([shape, shape, shape[1:], ones, rows]))
            array = values_of(dtype, own, draw(st.integers(0, 99)))
            layout = draw(st.sampled_from(["plain", "plain", "strided", "negative", "column-major", "constant"]))
            if layout == "constant":
                array = np.broadcast_to(array[(slice(0, 1),) * array.ndim], own) if array.size else array
            inputs.append(laid_out(array, layout))
            kinds.append(dtype)
    known: list[DType] = list(kinds)
    instructions: list[Instruction] = []
    shapes = [x.shape for x in inputs]
    for _ in range(draw(st.integers(1, 9))):
        instruction = draw(_instructions(known, shapes))
        instructions.append(instruction)
        known.append(instruction.dtype)
        shapes.append(np.broadcast_shapes(*[shapes[v] for v in instruction.operands]))
    last = len(known) - 1
    outputs = {last, *draw(st.lists(st.integers(len(kinds), last), max_size=2))}
    body = Body(tuple(kinds), tuple(instructions), tuple(Value(o) for o in sorted(outputs)))
    return body, inputs


@st.composite
def _instructions(draw: st.DrawFn, known: list[DType], shapes: list[Any]) -> Instruction:
    x = draw(st.integers(0, len(known) - 1))
    dtype = known[x]
    kind = draw(st.sampled_from(["binary", "binary", "unary", "cast", "select"]))
    alike = [i for i, d in enumerate(known) if d is dtype]
    if kind == "select":
        for c in range(len(known)):
            twins = [i for i in alike if shapes[i] == shapes[c]]
            if known[c] is bool_ and twins and not dtype.is_bool:
                return Instruction("Select", (Value(c), Value(draw(st.sampled_from(twins))), Value(twins[0])), dtype)
    ops = [name for name in (UNARY if kind == "unary" else BINARY) if dtype.bit & OPS[name].operands[0][2].allowed]
    # What may be an error of the run has no value to compare.
    ops = [name for name in ops if not (name in ("FloorDiv", "Pow") and dtype.is_integer)]
    if kind == "cast" or not ops:
        target = draw(st.sampled_from([d for d in (*REALS, bool_) if d is not dtype]))
        return Instruction("Cast", (Value(x), target), target)
    name = draw(st.sampled_from(ops))
    result = bool_ if OPS[name].out is bool_ else dtype
    if kind == "unary":
        return Instruction(name, (Value(x),), result)
    return Instruction(name, (Value(x), Value(draw(st.sampled_from(alike)))), result)


@settings(max_examples=examples(4), deadline=None)
@given(cases())
def test_a_body_gives_what_its_ops_give_one_by_one(case: tuple[Body, list[Any]]) -> None:
    body, inputs = case
    before = [x.copy() for x in inputs]
    interpreter = Interpreter(body)
    expected = one_by_one(body, inputs)
    for _ in range(2):
        for found, wanted in zip(interpreter(*inputs), expected, strict=True):
            assert same(found, wanted), body
    assert all(same(x, y) for x, y in zip(inputs, before, strict=True))


@settings(deadline=None)
@given(cases())
def test_the_number_of_threads_changes_no_bit(case: tuple[Body, list[Any]]) -> None:
    body, inputs = case
    interpreter = Interpreter(body)
    with thread_limit(1):
        alone = interpreter(*inputs)
    with pytest.MonkeyPatch.context() as patch, thread_limit(3):
        patch.setattr(module, "threads_for", lambda seconds: 3)
        together = interpreter(*inputs)
    assert all(same(a, b) for a, b in zip(alone, together, strict=True)), body


def chain(count: int, dtype: DType = tf.float32) -> Body:
    """(((x + x) * x) + x) ..."""
    ops = ("Add", "Mul")
    body = [Instruction(ops[i % 2], (Value(i), Value(0)), dtype) for i in range(count)]
    return Body((dtype,), tuple(body), (Value(count),))


def test_results_are_arrays_of_their_own() -> None:
    for count in (8, 5000, 3 * TILE):
        interpreter = Interpreter(chain(5))
        x = np.full(count, 0.5, np.float32)
        (first,) = interpreter(x)
        kept = first.copy()
        (second,) = interpreter(2 * x)
        assert same(first, kept) and not np.shares_memory(first, second) and not np.shares_memory(first, x)


def test_the_result_can_be_written_where_the_caller_says() -> None:
    for count in (8, 5000, 3 * TILE):
        interpreter = Interpreter(chain(5))
        x = np.linspace(-1, 1, count, dtype=np.float32)
        place = np.empty(count, np.float32)
        result = interpreter.into(place, x)
        assert np.shares_memory(result, place) and same(result, interpreter(x)[0])


def test_a_reduction_can_be_written_where_the_caller_says() -> None:
    for count in (8, 5000, 3 * TILE + 1):
        body = chain(5)
        total = Instruction("Sum", (Value(5), np.array([-1], np.int32), False), tf.float32)
        interpreter = Interpreter(Body(body.inputs, (*body.instructions, total), (Value(6),)))
        x = np.linspace(-1, 1, 2 * count, dtype=np.float32).reshape(2, count)
        place = np.empty(2, np.float32)
        result = interpreter.into(place, x)
        assert np.shares_memory(result, place) and same(result, interpreter(x)[0])


def test_a_reduction_of_something_smaller_than_the_space_waits_for_it() -> None:
    total = Instruction("Max", (Value(2), None, False), tf.float32)
    body = Body((tf.float32, tf.float32), (
        Instruction("Neg", (Value(0),), tf.float32), Instruction("Add", (Value(1), Value(2)), tf.float32), total,
    ), (Value(3), Value(4)))  # fmt: skip
    x, y = np.arange(300, dtype=np.float32), np.ones((200, 300), np.float32)
    added, largest = Interpreter(body)(x, y)
    assert same(added, y - x) and same(largest, np.float32(0.0) * -1)


def test_an_error_in_a_middle_tile_leaves_the_interpreter_usable() -> None:
    body = Body((tf.int32, tf.int32), (
        Instruction("Add", (Value(0), Value(0)), tf.int32), Instruction("FloorDiv", (Value(2), Value(1)), tf.int32),
    ), (Value(3),))  # fmt: skip
    interpreter = Interpreter(body)
    for threads in (1, 3):
        x, y = np.arange(8 * TILE, dtype=np.int32), np.ones(8 * TILE, np.int32)
        with pytest.MonkeyPatch.context() as patch, thread_limit(threads):
            patch.setattr(module, "threads_for", lambda seconds, n=threads: n)
            y[4 * TILE + 7] = 0
            with pytest.raises(InvalidArgumentError, match="division by zero"):
                interpreter(x, y)
            y[4 * TILE + 7] = 2
            assert same(interpreter(x, y)[0], 2 * x // y)


def test_an_error_in_a_small_group_leaves_the_interpreter_usable() -> None:
    body = chain(6, tf.int32)
    divide = Instruction("FloorDiv", (Value(6), Value(0)), tf.int32)
    interpreter = Interpreter(Body(body.inputs, (*body.instructions, divide), (Value(7),)))
    with pytest.raises(InvalidArgumentError):
        interpreter(np.array([1, 0], np.int32))
    x = np.array([1, 2], np.int32)
    assert same(interpreter(x)[0], one_by_one(interpreter.body, [x])[0])


def test_one_interpreter_serves_several_threads_at_once() -> None:
    for count in (16, 4000, 4 * TILE):
        interpreter = Interpreter(chain(7))
        inputs = [np.full(count, i / 8, np.float32) for i in range(8)]
        expected = [one_by_one(interpreter.body, [x])[0] for x in inputs]
        with ThreadPoolExecutor(8) as pool:
            for _ in range(10):
                found = list(pool.map(interpreter, inputs))
                assert all(same(a, b) for (a,), b in zip(found, expected, strict=True))


def test_a_chain_needs_one_register() -> None:
    interpreter = Interpreter(chain(20))
    tiling = interpreter.tiling([np.zeros(3 * TILE, np.float32)])
    assert tiling.registers == [TILE * 4]


def test_results_are_not_registers() -> None:
    body = chain(4)
    interpreter = Interpreter(Body(body.inputs, body.instructions, tuple(Value(i) for i in range(1, 5))))
    assert interpreter.tiling([np.zeros(3 * TILE, np.float32)]).registers == []


def test_a_value_that_a_reduction_reads_keeps_its_register_to_the_end(interpreted: None) -> None:
    """The sum of v is taken when all instructions have run; w = v * 2 is the last of them to read v."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"])
        v = tf.exp(x)
        w = tf.tanh(v * 2.0) + 1.0
        fetches = [tf.reduce_sum(v), tf.reduce_sum(w)]
    for count in (10, 5_000, 3 * TILE + 1):
        data = np.linspace(-2, 2, count, dtype="f4")
        with tf.Session(graph=graph) as session:
            plan = session.plan(fetches, [x])
            assert [step.op for step in plan.steps] == ["Fused"]
            for got, want in zip(session.run(fetches, {x: data}), expected(fetches, {x: data}), strict=True):
                assert got == want


def test_of_many_sizes_the_last_ones_are_kept() -> None:
    made = Body((tf.float32,), (Instruction("Tanh", (Value(0),), tf.float32, "tanh"),), (Value(1),))
    used = Interpreter(made)
    tilings = {}
    for rows in range(1, 2 * KEPT_SHAPES):
        x = np.zeros(rows, "f4")
        assert used(x)[0].shape == (rows,)
        tilings[rows] = used.tiling([x])
    last = range(KEPT_SHAPES, 2 * KEPT_SHAPES)
    assert all(used.tiling([np.zeros(rows, "f4")]) is tilings[rows] for rows in last)
    assert used.tiling([np.zeros(KEPT_SHAPES - 1, "f4")]) is not tilings[KEPT_SHAPES - 1]
