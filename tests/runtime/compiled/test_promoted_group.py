"""A group gives the same bits interpreted, compiled, and switched from one to the other in mid-life."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import penstock as tf
from penstock.config import jit
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.shapes.dtypes import ALL, DType, bool_
from penstock.runtime.base import thread_pool
from penstock.runtime.base.thread_pool import thread_limit
from penstock.runtime.compiled import flat_layout
from penstock.runtime.compiled import promoted_group as module
from penstock.runtime.compiled.flat_nest import flat_nest
from penstock.runtime.compiled.flat_paths import FlatPath
from penstock.runtime.compiled.inner_loop import TILE
from penstock.runtime.compiled.promoted_group import PromotedGroup
from penstock.runtime.ir.fused_ir import Body, Instruction, Value
from penstock.runtime.ir.scalar_ir import CannotLower, lower
from penstock.runtime.llvm import number_conversion, tier
from penstock.runtime.numpy.interpreter import Interpreter

from ...helpers import some_nightly
from ...op_samples import same
from ...random_graphs import awkward
from ..ir.test_scalar_ir import uses

pytestmark = pytest.mark.usefixtures("compiled_at_once")
DTYPES = [d for d in ALL if not d.is_string]
OTHER_FLOATS = [tf.float64, tf.float16]
OF_EACH_KIND = [tf.float32, tf.bfloat16, tf.uint8, tf.int32, tf.bool, tf.complex64]


@pytest.fixture
def compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(flat_layout, "SHORT", 0)  # code is right for short rows too
    if not tier.on():
        pytest.skip(f"nothing is compiled here: {tier.why_off()}")
    before = jit.mode
    jit.mode = "now"
    with np.errstate(all="ignore"):
        yield
    jit.mode = before


def everything(dtype: DType) -> list[Body]:
    """All elementwise ops on one dtype, as bodies of up to 40 results: one compilation for many ops."""
    bodies = []
    found: list[tuple[tuple[DType, ...], Instruction]] = []
    for _, body in uses():
        if body.inputs[-1] is not dtype or body.instructions[0].op == "Pow":
            continue
        try:
            lower(body, [(len(body.inputs), body.instructions[0].dtype)])  # no ints divided: y holds zeros
        except CannotLower:
            continue
        found.append((body.inputs, body.instructions[0]))
    inputs = (dtype, dtype, bool_)
    for start in range(0, len(found), 40):
        instructions = []
        for given, one in found[start : start + 40]:
            own = (2, 0, 1) if given[0] is bool_ and len(given) == 3 else (0, 1)
            args = [Value(own[a]) if isinstance(a, Value) else a for a in one.args]
            instructions.append(Instruction(one.op, tuple(args), one.dtype))
        bodies.append(Body(inputs, tuple(instructions), tuple(Value(3 + i) for i in range(len(instructions)))))
    return bodies


def unlike(body: Body, got: list[Any], want: list[Any]) -> list[str]:
    """The instructions whose results differ."""
    number = {int(o): str(body.instructions[o - len(body.inputs)]) for o in body.outputs}
    return [number[int(o)] for o, a, b in zip(body.outputs, got, want, strict=True) if not same(a, b)]


def layouts(rng: np.random.Generator, dtype: DType, size: int) -> Iterator[tuple[str, Any]]:
    """Arrays of the same length that lie differently."""
    x = awkward(rng, dtype.name, (size,))
    yield "contiguous", x
    yield "every second", np.repeat(x, 2)[::2]
    yield "backwards", x[::-1]
    yield "one number", np.broadcast_to(x[:1], (size,))
    yield "overlapping", as_strided(np.repeat(x, 2), (size,), (x.itemsize,))
    if dtype.size > 1 and dtype is not tf.bfloat16:
        yield "other byte order", x.astype(x.dtype.newbyteorder(">"))
    if dtype.size > 1:
        odd = np.empty(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
        odd[...] = x
        yield "odd address", odd


SIZES = [(2, 17, TILE, TILE + 1), pytest.param((3, TILE - 1, 2 * TILE + 3), marks=pytest.mark.slow)]


@pytest.mark.parametrize("sizes", SIZES, ids=["some", "others"])
@pytest.mark.parametrize("dtype", some_nightly(DTYPES, OF_EACH_KIND), ids=str)
def test_every_op_gives_the_same_bits_compiled_for_every_layout_and_length(dtype: DType, sizes: Any) -> None:
    rng = np.random.default_rng(DTYPES.index(dtype))
    for body in everything(dtype):
        group, interpreter = PromotedGroup(body), Interpreter(body)
        for size in sizes:
            condition = rng.random(size) < 0.5
            pairs = zip(layouts(rng, dtype, size), layouts(rng, dtype, size), strict=True)
            for (name, x), (_, y) in pairs:
                got = group(x, y, condition)
                assert group.tier == "compiled", group.why
                plain = [a.astype(a.dtype.newbyteorder("="), order="C") for a in (x, y)]
                assert not unlike(body, got, interpreter(*plain, condition)), f"{name}, {size} elements"
                for result in got:
                    assert result.flags.c_contiguous
                    assert result.dtype.isnative


@pytest.mark.parametrize(("dtype", "bodies"), [
    (tf.float32, slice(None)), (tf.bfloat16, slice(None)),  # these are compiled for the test above, too
    *[(dtype, slice(-1, None)) for dtype in OTHER_FLOATS],
    *[pytest.param(dtype, slice(-1), marks=pytest.mark.nightly) for dtype in OTHER_FLOATS],
])  # fmt: skip
def test_random_bits_give_the_same_bits(dtype: DType, bodies: slice) -> None:
    rng = np.random.default_rng(0)
    for body in everything(dtype)[bodies]:
        x, y = (np.frombuffer(rng.bytes(dtype.size * 5000), dtype.np) for _ in range(2))
        condition = rng.random(5000) < 0.5
        assert not unlike(body, PromotedGroup(body)(x, y, condition), Interpreter(body)(x, y, condition))


FLOATS = Body((tf.float32, tf.float32),
              (Instruction("Mul", (Value(0), Value(1)), tf.float32), Instruction("Exp", (Value(2),), tf.float32),
               Instruction("Sub", (Value(3), Value(0)), tf.float32)), (Value(4),))  # fmt: skip
SHAPES = [((300, 70), (70,)), ((300, 70), (300, 1)), ((70,), (300, 1)), ((4, 1, 70), (5, 70)), ((300, 70), ()),
          ((300, 70), (1, 1)), ((2, 3, 4, 5, 6), (3, 1, 5, 1)), ((300, 1), (300, 1)),
          ((7, 1, 1), (7, 1, 1))]  # fmt: skip


@pytest.mark.share(8)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("order", ["C", "F", "gaps", "other bytes"])
def test_broadcast_operands_give_the_same_bits(shapes: tuple[Any, Any], order: str) -> None:
    rng = np.random.default_rng(1)
    group = PromotedGroup(FLOATS)
    inputs = [np.asarray(rng.standard_normal(s).astype("f4"), order="F" if order == "F" else "C") for s in shapes]
    if order == "gaps":
        inputs = [np.repeat(x, 2, -1)[..., ::2] if x.ndim else x for x in inputs]
    plain = [np.ascontiguousarray(x).reshape(x.shape) for x in inputs]
    if order == "other bytes":  # NumPy's iterator brings them, in copies
        inputs = [x.astype(">f4") for x in inputs]
    got = group(*inputs)
    assert group.tier == "compiled"
    assert not unlike(FLOATS, got, Interpreter(FLOATS)(*plain))
    # The same shapes in another layout take the same code.
    again = group(*[np.asfortranarray(x) for x in inputs])
    assert same(again[0], got[0])


SHORT = [((50_000, 3), (3,)), ((3,), (50_000, 3)), ((20_000, 1, 4), (1, 4)), ((9000, 2, 3), (3,)),
         ((9000, 2, 3), (2, 3)), ((9000, 2, 3), (1, 2, 3)), ((16_384, 2), (2,)), ((50_000, 3), (50_000, 1)),
         ((9001, 5, 3), (5, 1))]  # fmt: skip


@pytest.mark.share(4)
@pytest.mark.parametrize("shapes", SHORT, ids=str)
@pytest.mark.parametrize("dtype", [tf.float32, tf.bfloat16, tf.complex128])
def test_short_rows_give_the_same_bits(shapes: tuple[Any, Any], dtype: DType) -> None:
    rng = np.random.default_rng(2)
    work = (Instruction("Mul", (Value(0), Value(1)), dtype), Instruction("Sub", (Value(3), Value(2)), dtype))
    body = Body((dtype, dtype, dtype), work, (Value(4),))
    inputs = [awkward(rng, dtype.name, s) for s in (*shapes, ())]
    group = PromotedGroup(body)
    for given in (inputs, [np.repeat(x, 2, -1)[..., ::2] if x.ndim else x for x in inputs]):
        with thread_limit(3):
            got = group(*given)
        assert group.tier == "compiled"
        assert not unlike(body, got, Interpreter(body)(*given))


@pytest.mark.parametrize("count", [0, 1])
def test_no_element_and_one_element_are_left_to_the_interpreter(count: int) -> None:
    group = PromotedGroup(FLOATS)
    x = np.ones(count, np.float32)
    assert same(group(x, x)[0], Interpreter(FLOATS)(x, x)[0])
    assert group.why == "it has one element or none"
    assert group.promotion == "refused: it has one element or none"


def test_results_of_several_shapes_are_left_to_the_interpreter() -> None:
    body = Body((tf.float32, tf.float32), FLOATS.instructions, (Value(2), Value(4)))
    small = Body((tf.float32, tf.float32),
                 (Instruction("Neg", (Value(1),), tf.float32), Instruction("Mul", (Value(0), Value(2)), tf.float32)),
                 (Value(2), Value(3)))  # fmt: skip
    x, y = np.ones((4, 5), np.float32), np.ones(5, np.float32)
    group = PromotedGroup(small)
    assert [r.shape for r in group(x, y)] == [(5,), (4, 5)]
    assert group.why == "its results have several shapes"
    assert PromotedGroup(body)(x, y)[0].shape == (4, 5)


@pytest.mark.share(4)
@pytest.mark.parametrize("op", ["FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod"])
@pytest.mark.parametrize("dtype", [d for d in DTYPES if d.is_integer], ids=str)
def test_ints_are_divided_by_numpys_loop_and_a_zero_is_an_error_of_the_run(op: str, dtype: DType) -> None:
    rng = np.random.default_rng(4)
    two = (Instruction("Add", (Value(0), Value(0)), dtype), Instruction(op, (Value(2), Value(1)), dtype))
    body = Body((dtype, dtype), two, (Value(3),))
    x, y = awkward(rng, dtype.name, (3000,)), awkward(rng, dtype.name, (3000,))
    y[y == 0] = 3
    group = PromotedGroup(body)
    for divisor in (y, y[5].reshape(1), np.array(y[7])):
        assert same(group(x, divisor)[0], Interpreter(body)(x, divisor)[0])
        assert group.tier == "compiled"
    y[2999] = 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        group(x, y)


# ---- reductions -----------------------------------------------------------------------------------

RULES = {"Sum": "Mul", "Mean": "Mul", "Max": "Mul", "Min": "Mul", "Prod": "Mul", "Any": "LogicalAnd",
         "All": "LogicalOr"}  # fmt: skip
REDUCED = ((5,), (8,), (127,), (129,), (2047,), (2049,), (32_767,), (32_768,), (65_541,), (3, 5), (40, 3200),
           (3, 40_000), (2, 3, 700), (70_000, 2))  # fmt: skip


def reducing(kind: str, dtype: DType, axes: list[int] | None) -> Body:
    work = Instruction(RULES[kind], (Value(0), Value(1)), dtype)
    where = None if axes is None else np.array(axes, np.int32)
    tail = Instruction(kind, (Value(2), where, False), dtype)
    return Body((dtype, dtype), (work, tail), (Value(2), Value(3)) if kind == "Sum" else (Value(3),))


MANY_ROWS = (tf.float32, tf.float16, tf.int32, tf.bool, tf.complex64)


@pytest.mark.share(3)
@pytest.mark.parametrize(
    ("dtypes", "of_many_rows"),
    [(OF_EACH_KIND, (tf.float32, tf.bool)), pytest.param(OF_EACH_KIND, MANY_ROWS, marks=pytest.mark.nightly),
     pytest.param(DTYPES, MANY_ROWS, marks=pytest.mark.slow)],
    ids=["some", "some, large ones too", "all"],
)  # fmt: skip
@pytest.mark.parametrize("kind", RULES)
def test_reductions_give_the_same_bits(kind: str, dtypes: list[DType], of_many_rows: tuple[DType, ...]) -> None:
    rng = np.random.default_rng(3)
    allowed = OPS[kind].operands[0][2].allowed
    for dtype in [d for d in dtypes if d.bit & allowed]:
        for axes in (None, [-1]):
            group, interpreter = PromotedGroup(reducing(kind, dtype, axes)), Interpreter(reducing(kind, dtype, axes))
            for shape in REDUCED:
                if np.prod(shape) > 10_000 and dtype not in of_many_rows:
                    continue
                x, y = (awkward(rng, dtype.name, shape) for _ in range(2))
                for given in ((x, y), (x, y[..., :1]), (x, np.array(y.reshape(-1)[0]))):
                    got = group(*given)
                    assert group.tier == "compiled", (dtype, group.why)
                    assert not unlike(group.body, got, interpreter(*given)), (dtype, shape, [g.shape for g in given])


def test_a_reduction_of_what_does_not_lie_in_rows_is_left_to_the_interpreter() -> None:
    body = reducing("Sum", tf.float32, [-1, -2])
    rng = np.random.default_rng(5)
    x, y = rng.random((4, 50, 60), np.float32), rng.random((50, 1), np.float32)
    assert not unlike(body, PromotedGroup(body)(x, y), Interpreter(body)(x, y))


def test_short_rows_of_what_numpys_functions_give_are_reduced_by_the_interpreter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(flat_layout, "SHORT", 64)
    work = (Instruction("Exp", (Value(0),), tf.float32), Instruction("Mul", (Value(1), Value(0)), tf.float32),
            Instruction("Sum", (Value(2), np.array([-1], np.int32), False), tf.float32))  # fmt: skip
    body = Body((tf.float32,), work, (Value(3),))
    group = PromotedGroup(body)
    for width, why in ((8, "its rows of 8 elements are too short for NumPy's functions in it"), (64, "")):
        x = np.random.default_rng(width).random((300, width), np.float32)
        assert not unlike(body, group(x), Interpreter(body)(x))
        assert group.why == why


def test_columns_beside_short_rows_are_left_to_the_interpreter_where_functions_of_numpys_are_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(flat_layout, "SHORT", 64)
    group, interpreter = PromotedGroup(FLOATS), Interpreter(FLOATS)
    for width, tier_of_it in ((8, "interpreted"), (70, "compiled")):
        x, y = np.random.default_rng(width).random((2, 5000, width), np.float32)
        assert not unlike(FLOATS, group(x, y[:, :1]), interpreter(x, y[:, :1]))
        assert group.tier == tier_of_it


def test_columns_beside_a_few_short_rows_are_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flat_layout, "SHORT", 64)
    group, interpreter = PromotedGroup(FLOATS), Interpreter(FLOATS)
    rng = np.random.default_rng(0)
    x, column, row = rng.random((300, 8), np.float32), rng.random((300, 1), np.float32), rng.random(8, np.float32)
    for _ in range(3):
        assert not unlike(FLOATS, group(x, column), interpreter(x, column))
        assert not unlike(FLOATS, group(column, row), interpreter(column, row))
        assert not unlike(FLOATS, group(x, row), interpreter(x, row))
    assert (group.tier, group.why) == ("compiled", "")


def test_operands_in_short_rows_are_copied_for_numpys_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[int] = []
    run = FlatPath.run

    def watched(path: FlatPath, *args: Any) -> None:
        if path.walk is None:
            walked.append(path.shape[-1])
        run(path, *args)

    monkeypatch.setattr(FlatPath, "run", watched)
    group, interpreter = PromotedGroup(FLOATS), Interpreter(FLOATS)
    for width in (8, 100, 256):
        x, y = np.random.default_rng(width).random((2, 300, width), np.float32)
        beside = y.reshape(100, 3, width)[:, :1]  # the same for three rows each
        for one, other in ((x[::-1], y), (x[::-1], y[::-1]), (x[:, ::-1], y[::-1]),
                           (x.reshape(100, 3, width), beside)):  # fmt: skip
            assert not unlike(FLOATS, group(one, other), interpreter(one, other))
            assert group.tier == "compiled"
    assert walked == [256] * 3  # rows that are read backwards have a loop of their own


def test_a_new_batch_size_finds_everything_but_the_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    kind = PromotedGroup._shaped_nest

    def counted(self: PromotedGroup, given: Any) -> Any:
        made.append(given)
        return kind(self, given)

    monkeypatch.setattr(PromotedGroup, "_shaped_nest", counted)
    body = reducing("Sum", tf.float32, [-1])
    group, interpreter = PromotedGroup(body), Interpreter(body)
    for rows in (30, 31, 500, 30):
        x, y = np.random.default_rng(rows).random((2, rows, 70), np.float32)
        for given in ((x, y), (x, y[:1])):
            assert not unlike(body, group(*given), interpreter(*given))
            assert group.tier == "compiled"
    assert len(made) == 2


def test_what_is_no_array_is_never_read_as_one() -> None:
    body = reducing("Sum", tf.float32, None)
    x, y = np.ones(50, np.float32), np.float32(2)
    assert not unlike(body, PromotedGroup(body)(x, y), Interpreter(body)(x, np.array(y)))


# ---- threads, places, promotion -----------------------------------------------------------------


def test_threads_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_pool, "WORTH", 1e-9)
    rng = np.random.default_rng(6)
    x, y = rng.random((2, 300, 70), np.float32)
    bodies = [(FLOATS, (x, y)), (FLOATS, (x, y[:1])), (FLOATS, (x.T, y.T)), (reducing("Sum", tf.float32, [-1]), (x, y))]
    for body, given in bodies:
        with thread_limit(3):
            got = PromotedGroup(body)(*given)
        assert not unlike(body, got, Interpreter(body)(*given))


def test_a_result_is_written_into_the_place_it_is_given() -> None:
    rng = np.random.default_rng(7)
    x, y = rng.random((2, 30, 70), np.float32)
    for body, size in ((FLOATS, x.size), (reducing("Max", tf.float32, [-1]), 30)):
        place = np.empty(size, np.float32)
        got = PromotedGroup(body).into(place, x, y)
        assert np.shares_memory(got, place)
        assert same(got, Interpreter(body)(x, y)[0])


def test_a_power_is_compiled_for_one_exponent_only() -> None:
    body = Body((tf.float32, tf.float32), (Instruction("Pow", (Value(0), Value(1)), tf.float32),), (Value(2),))
    x = np.random.default_rng(8).random(100_003, np.float32) * 4
    for y in (np.float32(2.0), np.float32(0.37)):
        group = PromotedGroup(body)
        assert same(group(x, np.array(y))[0], Interpreter(body)(x, np.array(y))[0])
        assert group.tier == "compiled"
        many = PromotedGroup(body)
        many(x, np.full_like(x, y))
        assert many.tier == "interpreted"
        assert many.why == "NumPy's power gives other last bits for one exponent than for many"


def test_a_group_is_switched_in_mid_life_and_nobody_sees_it() -> None:
    jit.mode = "on"
    group = PromotedGroup(FLOATS)
    x, y = np.random.default_rng(9).random((2, 5000), np.float32)
    first = group(x, y)
    assert (group.tier, group.promotion) == ("interpreted", "interpreted")
    group.meter.seconds = 10.0
    second = group(x, y)  # this run asks for the code
    assert tier.wait(60)
    third = group(x, y)
    assert (group.tier, group.promotion) == ("compiled", "compiled")
    assert same(first[0], second[0])
    assert same(first[0], third[0])


def test_switched_off_everything_is_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    group = PromotedGroup(FLOATS)
    x, y = np.random.default_rng(9).random((2, 5000), np.float32)
    compiled = group(x, y)
    ran: list[bool] = []
    interpret = Interpreter.__call__

    def watched(self: Interpreter, *inputs: Any) -> list[Any]:
        ran.append(True)
        return interpret(self, *inputs)

    monkeypatch.setattr(Interpreter, "__call__", watched)
    jit.mode = "off"
    assert same(group(x, y)[0], compiled[0])
    assert ran == [True]
    jit.mode = "now"
    group(x, y)
    assert ran == [True]


def test_a_large_run_is_compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    jit.mode = "on"
    monkeypatch.setattr(Interpreter, "seconds", lambda self, inputs: 1000.0)
    group = PromotedGroup(FLOATS)
    x, y = np.random.default_rng(9).random((2, 5000), np.float32)
    group(x, y)
    assert group.tier == "compiled"


def test_a_group_that_is_not_compiled_is_not_lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Body] = []

    def watched(body: Body, parts: Any) -> Any:
        asked.append(body)
        return lowered(body, parts)

    lowered = flat_nest
    monkeypatch.setattr(module, "flat_nest", watched)
    monkeypatch.setattr(module, "perf_counter", lambda: 0.0)  # a busy machine would make a call long
    jit.mode = "on"
    group = PromotedGroup(FLOATS)
    rng = np.random.default_rng(9)
    want = Interpreter(FLOATS)
    for rows in (3, 4, 3):
        x, y = rng.random((2, rows, 5), np.float32)
        assert same(group(x, y)[0], want(x, y)[0])
    assert (asked, group.tier, group.why) == ([], "interpreted", "")
    group.meter.seconds = 10.0
    x, y = rng.random((2, 3, 5), np.float32)
    assert same(group(x, y)[0], want(x, y)[0])
    assert asked == [FLOATS]
    assert tier.wait(60)
    for rows in (3, 7):  # of which the second was never seen
        x, y = rng.random((2, rows, 5), np.float32)
        assert same(group(x, y)[0], want(x, y)[0])
        assert group.tier == "compiled"
    assert asked == [FLOATS]


def test_code_that_was_made_for_some_shapes_serves_others_at_once() -> None:
    group = PromotedGroup(FLOATS)
    x, y = np.random.default_rng(9).random((2, 5000), np.float32)
    group(x, y)
    jit.mode = "on"
    calls: list[int] = []
    group.interpreter.__class__ = type("Watched", (Interpreter,), {"__call__": lambda *_: calls.append(1)})
    assert same(group(x[:7], y[:7])[0], Interpreter(FLOATS)(x[:7], y[:7])[0])
    assert calls == []


def test_float16_stays_interpreted_where_the_processor_does_not_convert_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(number_conversion, "features", lambda: frozenset({"sse2"}))
    group = PromotedGroup(Body((tf.float16,), (Instruction("Neg", (Value(0),), tf.float16),), (Value(1),)))
    x = np.arange(100).astype(np.float16)
    (got,) = group(x)
    assert same(got, -x)
    assert group.tier == "interpreted"
    assert group.why == "this processor has no instructions that convert float16"


def test_a_single_result_of_bfloat16_from_operands_of_float32_is_narrow() -> None:
    x = np.linspace(-3.0, 3.0, 70_001, dtype=np.float32)
    found = []
    for mode in ("off", "now"):
        jit.mode = mode
        with tf.Graph().as_default(), tf.Session() as session:
            place = tf.placeholder(tf.float32, [None])
            found.append(session.run(tf.cast(place * 1.7 + 0.3, tf.bfloat16), {place: x}))
    assert found[0].dtype == found[1].dtype == tf.bfloat16.np
    assert found[0].tobytes() == found[1].tobytes()
