"""Steps run natively give what the same calls from Python give, and change nothing else."""

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock import config
from penstock.graph.shapes.dtypes import as_dtype
from penstock.runtime.compiled.tiny_groups import TinyGroup
from penstock.runtime.ir.fused_ir import LARGEST, Body, Instruction, Value
from penstock.runtime.llvm import native_driver as driver_module
from penstock.runtime.llvm import tier
from penstock.runtime.llvm.capsule_functions import checked
from penstock.runtime.llvm.llvmlite_import import is_installed
from penstock.runtime.llvm.native_driver import Driver, LoopCall
from penstock.runtime.llvm.promotion import Meter, Promotion
from penstock.runtime.llvm.ufunc_loops import numpy_loop
from penstock.runtime.numpy.interpreter import Interpreter
from penstock.runtime.numpy.reused_buffers import Frame, loop_of
from penstock.runtime.numpy.writers import UfuncWriter, plain_writer

from ...helpers import held_by, plans_of, side_by_side

pytestmark = pytest.mark.skipif(not is_installed(), reason="there is no llvmlite to make the driver with")


def same_bits(one: Any, other: Any) -> bool:
    """The same bits, all NaNs counting as one value."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind != "f":
        return bool(one.tobytes() == other.tobytes())
    both = np.isnan(one) & np.isnan(other)
    return bool(np.where(both, 0, one).tobytes() == np.where(both, 0, other).tobytes())


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    config.jit.mode = "now"
    yield
    config.jit.mode = None


@pytest.fixture
def native() -> Driver:
    return Driver(tier.build_now(driver_module.source()))


def steps_of(rows: Any, function: str, signature: str) -> list[LoopCall]:
    """rows[k + 1] = function(rows[k], rows[0])."""
    loop = numpy_loop(function, signature)
    assert loop is not None
    at, size = rows.ctypes.data, rows.itemsize
    width = rows.strides[0]
    return [
        LoopCall(loop, (at + k * width, at, at + (k + 1) * width), rows.shape[1], (size, size, size))
        for k in range(len(rows) - 1)
    ]


@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 63, 1000])
def test_steps_run_in_their_order(native: Driver, length: int) -> None:
    rows = np.zeros((101, length))
    rows[0] = np.random.default_rng(0).random(length)
    run = native.bind(steps_of(rows, "add", "dd->d"))
    run.call()
    want = rows[0].copy()
    for k in range(100):
        assert same_bits(rows[k + 1], np.add(rows[k], rows[0], out=want.copy()))


def test_many_steps_let_other_threads_run_and_give_the_same(native: Driver) -> None:
    rows = np.zeros((20_001, 4), np.float32)
    rows[0] = [0.1, -3.0, 1e30, 1e-40]
    run = native.bind(steps_of(rows, "subtract", "ff->f"))
    run.call()
    want = rows[0]
    for _ in range(20_000):
        want = want - rows[0]
    assert same_bits(rows[-1], want)


def test_the_function_may_be_dropped_and_made_again(native: Driver) -> None:
    rows = np.ones((3, 8))
    for _ in range(200):
        run = native.bind(steps_of(rows, "add", "dd->d"))
        run.call()
        del run
    gc.collect()
    assert rows[2, 0] == 3.0


def test_what_a_loop_finds_does_not_reach_the_users_next_call(native: Driver) -> None:
    rows = np.zeros((3, 8))
    rows[0] = [0.0, 1e308, -1e308, np.inf, 1.0, 5e-324, np.nan, 2.0]
    runs = [native.bind(steps_of(rows, f, "dd->d")) for f in ("divide", "multiply", "subtract")]
    plain = np.arange(1.0, 9.0)
    with np.errstate(all="raise"):
        for run in runs:
            run.call()
            assert plain.sum() == 36.0
            assert (plain + plain)[0] == 2.0
            assert np.sqrt(plain)[3] == 2.0
            assert np.float64(3.0) * np.float64(2.0) == 6.0
            assert plain.astype(np.int32)[1] == 2
            assert np.linalg.norm(plain) > 0
            with pytest.raises(FloatingPointError):
                np.divide(plain, 0.0)


# ---- groups -------------------------------------------------------------------------------------

def bodies(seed: int, count: int) -> Body:
    """A random body over float32, int32 and bool values."""
    rng = np.random.default_rng(seed)
    names = ["float32", "float32", "int32", "bool", "float64"]
    inputs = tuple(as_dtype(n) for n in names)
    dtypes = list(inputs)
    instructions: list[Instruction] = []
    for _ in range(count):
        a = int(rng.integers(len(dtypes)))
        same = [i for i, d in enumerate(dtypes) if d == dtypes[a]]
        b = int(rng.choice(same))
        kind = dtypes[a].kind
        if kind == "f":
            op = str(rng.choice(["Add", "Sub", "Mul", "Maximum", "Less", "Exp", "Neg", "Sqrt", "Tanh", "Sigmoid"]))
        elif kind == "i":
            op = str(rng.choice(["Add", "Sub", "Mul", "Minimum", "Neg", "Equal", "Maximum"]))
        else:
            op = str(rng.choice(["LogicalAnd", "LogicalOr", "LogicalNot"]))
        unary = op in ("Exp", "Neg", "Sqrt", "Tanh", "Sigmoid", "LogicalNot")
        out = as_dtype("bool") if op in ("Less", "Equal") or kind == "b" else dtypes[a]
        instructions.append(Instruction(op, (Value(a),) if unary else (Value(a), Value(b)), out))
        dtypes.append(out)
    outputs = sorted({len(dtypes) - 1, *[int(i) for i in rng.integers(5, len(dtypes), 3)]})
    return Body(inputs, tuple(instructions), tuple(Value(o) for o in outputs))


def operands(seed: int, shapes: list[tuple[int, ...]]) -> list[Any]:
    rng = np.random.default_rng(seed)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3e38, -1.5])
    chosen = [rng.choice(special, s) if rng.random() < 0.3 else rng.normal(size=s) for s in shapes]
    made = [np.asarray(chosen[0], "f4"), np.asarray(chosen[1], "f4"), rng.integers(-9, 9, shapes[2]).astype("i4"),
            rng.random(shapes[3]) < 0.5, np.asarray(chosen[4], "f8")]  # fmt: skip
    return made


SHAPES: list[list[tuple[int, ...]]] = [
    [()] * 5,
    [(1,)] * 5,
    [(8,)] * 5,
    [(3, 5), (), (3, 5), (1, 1), (1, 3, 5)],
    [(4,), (1,), (1, 4), (), (1,)],
    [(3, 1), (1, 4), (4,), (3, 4), ()],
    [(0,), (0,), (1,), (), (0,)],
    [(300,), (300,), (), (300,), (1,)],
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_a_random_group_gives_the_bits_of_the_interpreter(seed: int, shapes: list[tuple[int, ...]]) -> None:
    body = bodies(seed, 40 + 30 * seed)
    with np.errstate(all="ignore"):
        config.jit.mode = "off"
        wants = [Interpreter(body)(*operands(s, shapes)) for s in range(3)]
        config.jit.mode = "now"
        with_first = TinyGroup(body).with_constants({1: operands(0, shapes)[1]})
        for runner in (Interpreter(body), TinyGroup(body)):
            for s, want in enumerate(wants):
                assert all(map(same_bits, runner(*operands(s, shapes)), want))
        x, _, *others = operands(0, shapes)
        assert all(map(same_bits, with_first(x, *others), wants[0]))


def test_calls_that_are_loops_go_to_the_driver_and_the_others_stay() -> None:
    f = as_dtype("float32")
    add = [Instruction("Add", (Value(i), Value(0)), f) for i in range(90)]
    chain = [each if i % 9 else Instruction("Sigmoid", (Value(i),), f) for i, each in enumerate(add)]
    runner = TinyGroup(Body((f,), tuple(chain), (Value(90),)))
    runner(np.ones(8, np.float32))
    frame = held_by(runner, Frame)
    assert frame.native
    assert frame.steps == 80
    assert len(frame.calls) == 20
    assert runner.tier == "native driver"


def test_integer_power_which_may_raise_stays_a_call() -> None:
    i, f = as_dtype("int32"), as_dtype("float32")
    assert loop_of(plain_writer("Add", (i, i), i), (i.np, i.np), i.np) is not None
    for dtype, there in ((i, False), (f, True)):
        assert (loop_of(UfuncWriter(np.power), (dtype.np, dtype.np), dtype.np) is not None) is there


def test_somebody_elses_function_of_a_known_name_stays_a_call() -> None:
    f = np.dtype(np.float32)
    assert loop_of(UfuncWriter(np.frompyfunc(lambda a, b: a, 2, 1)), (f, f), f) is None
    assert loop_of(UfuncWriter(np.add), (f, f), f) is not None


# ---- whole graphs -------------------------------------------------------------------------------


def long_graph(count: int) -> tuple[tf.Graph, Any, Any, Any]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        k = tf.placeholder(tf.float32, [], name="k")
        t, u = x, x * 0.5
        for i in range(count // 2):
            t = t * k + x if i % 2 else t - u
            u = tf.maximum(u, t) * (1.0 / (i + 1))
        return graph, x, k, [t, u]


def test_a_long_graph_of_tiny_operations_is_one_step_and_one_native_run() -> None:
    graph, x, k, fetches = long_graph(1_200)
    feeds = {x: np.array([1, -2, 3.5, 0], "f4"), k: np.float32(0.25)}
    with tf.Session(graph=graph, config=tf.SessionConfig(passes=())) as session:
        want = session.run(fetches, feeds)
    with tf.Session(graph=graph) as session:
        for _ in range(3):
            for one, other in zip(session.run(fetches, feeds), want, strict=True):
                assert same_bits(one, other)
        (plan,) = [entry.program.plan for entry in plans_of(session).values()]
        assert [step.op for step in plan.steps] == ["Fused"]
        assert len(plan.steps[0].args[-1].instructions) > 20 * LARGEST


def test_values_of_unknown_or_larger_shape_keep_the_limit() -> None:
    for shape in ([None], [1000]):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, shape)
            t = x
            for _ in range(400):
                t = t + x
        with tf.Session(graph=graph) as session:
            (result,) = session.run([t], {x: np.ones(1000, np.float32)})
            assert result[0] == 401.0
            (plan,) = [entry.program.plan for entry in plans_of(session).values()]
            assert all(len(step.args[-1].instructions) <= LARGEST for step in plan.steps)


def test_threads_share_a_long_graph() -> None:
    graph, x, k, fetches = long_graph(600)
    with tf.Session(graph=graph) as session:
        feeds = [{x: np.full(4, i, np.float32), k: np.float32(i / 8)} for i in range(4)]
        wants = [session.run(fetches, f) for f in feeds]
        wrong: list[int] = []

        def work(i: int) -> None:
            for _ in range(100):
                for one, other in zip(session.run(fetches, feeds[i]), wants[i], strict=True):
                    if not same_bits(one, other):
                        wrong.append(i)

        side_by_side(work)
        assert wrong == []


def test_a_shape_that_was_not_promised_is_computed_all_the_same() -> None:
    f = as_dtype("float32")
    sums = tuple(Instruction("Add", (Value(i + 1 if i else 0), Value(1)), f) for i in range(100))
    runner = TinyGroup(Body((f, f), sums, (Value(101),)))
    a, b = np.array([1, 2, 3], "f4"), np.array([0.5], "f4")
    (first,) = runner(a, b)
    (other,) = runner(np.array([[1], [2]], "f4"), a)
    (again,) = runner(a, b)
    assert same_bits(first, again)
    assert other.shape == (2, 3)


def one_result(seed: int) -> Body:
    """A random group of which its last value alone is wanted."""
    body = bodies(seed, 130)
    return Body(body.inputs, body.instructions, (Value(len(body.inputs) + len(body.instructions) - 1),))


@pytest.mark.parametrize("shapes", [SHAPES[0], SHAPES[2], SHAPES[4], SHAPES[6]], ids=str)
def test_the_only_result_is_that_of_a_call(shapes: list[tuple[int, ...]]) -> None:
    body = one_result(5)
    with np.errstate(all="ignore"):
        runner = TinyGroup(body)
        kept = []
        for s in (0, 1, 2, 0):
            given = operands(s, shapes)
            before = [x.copy() for x in given]
            kept.append((runner.only(*given), Interpreter(body)(*given)[0]))
            assert all(same_bits(one, other) for one, other in zip(given, before, strict=True))
    assert all(same_bits(one, other) for one, other in kept)  # and no later run wrote into an earlier result
    assert all(one.flags.owndata and one.flags.writeable for one, _ in kept)


def test_the_only_result_of_shapes_that_were_not_promised_is_computed_all_the_same() -> None:
    f = as_dtype("float32")
    sums = tuple(Instruction("Add", (Value(i + 1 if i else 0), Value(1)), f) for i in range(100))
    runner = TinyGroup(Body((f, f), sums, (Value(101),)))
    a, b = np.array([1, 2, 3], "f4"), np.array([0.5], "f4")
    first = runner.only(a, b)
    assert held_by(runner, Frame).only_call is not None
    assert runner.only(np.array([[1], [2]], "f4"), a).shape == (2, 3)
    assert same_bits(first, runner.only(a, b))
    with pytest.raises(TypeError, match="add"):
        runner.only(a, np.array("text"))
    assert same_bits(first, runner.only(a, b))


def test_threads_share_a_graph_that_is_one_call() -> None:
    graph, x, k, (fetch, _) = long_graph(600)
    with tf.Session(graph=graph) as session:
        call = session.make_callable(fetch, [x, k])
        feeds = [(np.full(4, i, np.float32), np.array(i / 8, np.float32)) for i in range(4)]
        wants = [call(*f) for f in feeds]
        wrong: list[int] = []

        def work(i: int) -> None:
            results = [call(*feeds[i]) for _ in range(100)]
            wrong.extend([i for one in results if not same_bits(one, wants[i])])

        side_by_side(work)
        assert wrong == []
        assert [e.program.kernels()[0].tier for e in plans_of(session).values()] == ["native driver"]


def test_the_switch_in_mid_life_is_invisible() -> None:
    body = bodies(3, 130)
    given = operands(1, SHAPES[3])
    runner = TinyGroup(body)
    with np.errstate(all="ignore"):
        config.jit.mode = "off"
        before = runner(*given)
        assert runner.tier == "interpreter"
        config.jit.mode = "now"
        results = [runner(*given) for _ in range(3)]
        assert runner.tier == "native driver"
        config.jit.mode = "off"
        results.append(runner(*given))
    for result in results:
        assert all(same_bits(one, other) for one, other in zip(result, before, strict=True))


def test_an_error_inside_leaves_the_runner_usable() -> None:
    body = bodies(2, 130)
    runner = TinyGroup(body)
    given = operands(1, SHAPES[2])
    with np.errstate(all="ignore"):
        want = runner(*given)
        with pytest.raises((ValueError, TypeError)):
            runner(given[0], given[1], np.array("text"), given[3], given[4])
        assert all(same_bits(one, other) for one, other in zip(runner(*given), want, strict=True))


def test_a_driver_that_computes_something_else_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """What loads need not work: it is tried on eight numbers first."""
    new = checked(Driver, driver_module._works)
    assert isinstance(Promotion(Meter(0), driver_module.source, new).code_for(0.0), Driver)
    monkeypatch.setattr(Driver, "bind", lambda self, steps: driver_module.BoundCalls(lambda: None, ()))
    broken = Promotion(Meter(0), driver_module.source, new)
    assert broken.code_for(0.0) is None and "self-check" in broken.reason
