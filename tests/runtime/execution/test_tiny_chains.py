"""Steps on a few numbers each run as one call of the native driver, with the bits of the steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.config import jit
from penstock.runtime.execution import chain_memory, executor
from penstock.runtime.execution.step_loop import JoinedSteps
from penstock.runtime.execution.tiny_chains import candidates
from penstock.runtime.llvm.tier import why_off

from ...helpers import plans_of

pytestmark = pytest.mark.skipif(bool(why_off()), reason=why_off() or "the compiled tier is on")


@pytest.fixture(autouse=True)
def compiled_at_once() -> Iterator[None]:
    before = jit.mode
    jit.mode = "now"
    yield
    jit.mode = before


def line(reduce: Any = tf.reduce_sum, shape: Any = (4,)) -> tuple[list[tf.Tensor], list[Any], list[Any]]:
    """The placeholders of a line through four points, the fetches of a step, and the variables."""
    x, y = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, shape)
    slope, offset = tf.Variable(np.full(1, 0.3, "f4")), tf.Variable(-0.3)
    error = slope * x + offset - y
    loss = reduce(error * error)
    return [x, y], [loss, tf.train.GradientDescentOptimizer(0.01).minimize(loss)], [slope, offset]


def chained(session: tf.Session, fetches: Any, feeds: Any) -> JoinedSteps | None:
    """The calls that a run makes now; None if it has no chain."""
    steps: JoinedSteps | None = plans_of(session).find(fetches, tuple(feeds))[0].program.joined_steps()
    return steps


def steps_of(session: tf.Session, fetches: Any, feeds: list[tf.Tensor]) -> int | None:
    """How many calls a run makes; None if it has no chain."""
    steps = chained(session, fetches, feeds)
    return None if steps is None else len(steps)


def trained(runs: int, reduce: Any = tf.reduce_sum, shape: Any = (4,), specialise_after: int = 20) -> list[bytes]:
    """What a few steps of the line give."""
    with tf.Graph().as_default():
        feeds, fetches, variables = line(reduce, shape)
        with tf.Session(config=tf.SessionConfig(specialise_after=specialise_after)) as session:
            session.run(tf.global_variables_initializer())
            call = session.make_callable(fetches, feeds)
            given = [np.array([1, 2, 3, 4], "f4"), np.array([0, -1, -2, -3.5], "f4")]
            found = [np.asarray(call(*given)[0]).tobytes() for _ in range(runs)]
            return [*found, *[v.tobytes() for v in session.run(variables)]]


def test_a_step_of_a_small_model_is_one_call_with_the_bits_of_its_steps() -> None:
    together = trained(8)
    jit.mode = "off"
    assert trained(8) == together
    jit.mode = "now"
    feeds, fetches, _ = line()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        given = dict.fromkeys(feeds, np.ones(4, "f4"))
        session.run(fetches, given)
        assert len(session.plan(fetches, feeds).steps) > 1
        assert steps_of(session, fetches, feeds) == 1


@pytest.mark.parametrize("reduce", [tf.reduce_sum, tf.reduce_mean])
@pytest.mark.parametrize("shape", [(4,), [None]])
def test_a_mean_and_shapes_that_are_not_given_make_no_difference(reduce: Any, shape: Any) -> None:
    together = trained(8, reduce, shape, specialise_after=2)
    jit.mode = "off"
    assert trained(8, reduce, shape, specialise_after=0) == together
    jit.mode = "now"
    feeds, fetches, _ = line(reduce, shape)
    with tf.Session(config=tf.SessionConfig(specialise_after=2)) as session:
        session.run(tf.global_variables_initializer())
        given = dict.fromkeys(feeds, np.ones(4, "f4"))
        for _ in range(4):
            session.run(fetches, given)
        call = plans_of(session).find(fetches, tuple(feeds))[0].for_arrays(list(given.values()))
        steps = call.program.joined_steps()
        assert steps is not None and steps.only is not None


def test_steps_are_chained_after_so_many_runs() -> None:
    feeds, fetches, _ = line()
    values = dict.fromkeys(feeds, np.ones(4, "f4"))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(fetches, values)
        assert steps_of(session, fetches, feeds) == 1  # and the driver is compiled
    jit.mode = "on"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(10):
            session.run(fetches, values)
            assert [steps_of(session, fetches, feeds) for _ in range(10)] == [None] * 10  # to ask is no run
        for _ in range(30):
            session.run(fetches, values)
        assert steps_of(session, fetches, feeds) == 1


def test_an_operation_that_is_fetched_alone_is_looked_up_once() -> None:
    feeds, fetches, _ = line()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        given = dict.fromkeys(feeds, np.ones(4, "f4"))
        assert session.run(fetches[1], given) is None
        structure = plans_of(session).find(fetches[1], tuple(feeds))[1]
        assert plans_of(session).find(fetches[1], tuple(feeds))[1] is structure
        assert session.run([fetches[1]], given) == [None]
        jit.mode = "off"
        session.run(fetches, given)
        assert steps_of(session, fetches, feeds) is None


OPERATIONS = [
    lambda a, b: a + b,
    lambda a, b: a - b * 0.5,
    lambda a, b: tf.maximum(a, b),
    lambda a, b: a * tf.reduce_sum(b),
    lambda a, b: tf.reduce_sum(a * b, 1, keep_dims=True) - b,
    lambda a, b: tf.sqrt(tf.abs(a)) + b,
    lambda a, b: tf.exp(-tf.square(a)) * tf.reduce_sum(b, [0, 1], keep_dims=True),
]


PROGRAMS = st.lists(
    st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=8
)


@given(PROGRAMS, st.sampled_from(["float32", "float64"]), st.integers(1, 4), st.integers(1, 9), st.integers(0, 2**32))
def test_any_chain_has_the_bits_of_its_steps(steps: Any, dtype: str, rows: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=(rows, columns)).astype(dtype) for _ in range(2)]
    arrays[0].flat[0] = -0.0
    with tf.Graph().as_default():
        feeds = [tf.placeholder(dtype, [rows, columns]) for _ in range(2)]
        values = list(feeds)
        for build, i, j in steps:
            values.append(build(values[i % len(values)], values[j % len(values)]))
        with tf.Session() as session:
            jit.mode = "off"
            alone = session.run(values, dict(zip(feeds, arrays, strict=True)))
            jit.mode = "now"
            for _ in range(2):
                together = session.run(values, dict(zip(feeds, arrays, strict=True)))
    assert [each.tobytes() for each in alone] == [each.tobytes() for each in together]
    assert [each.shape for each in alone] == [each.shape for each in together]


def test_what_a_chain_gives_is_the_callers_own() -> None:
    v = tf.Variable([1.0, 2.0])
    new = v.assign_add([0.5, 0.5])
    total = tf.reduce_sum(new)
    with tf.Session() as session:
        session.run(v.initializer)
        first = [session.run([new, total]) for _ in range(3)]
        for given, _ in first:
            given[:] = 0
        assert session.run(v).tolist() == [2.5, 3.5]
        assert [float(each) for _, each in first] == [4.0, 5.0, 6.0]


def test_larger_values_and_other_ops_stay_steps() -> None:
    a, b = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [100])
    small = tf.reduce_sum(tf.reduce_sum(a * 2.0) * a)
    large = tf.reduce_sum(tf.reduce_sum(b * 2.0) * b)
    words = tf.as_string(small)
    with tf.Session() as session:
        plan = session.plan([small, large, words], [a, b])
        chains = candidates(plan)
        assert chains
        for start, stop in chains:
            assert all(not step.op.startswith("AsString") for step in plan.steps[start:stop])
        given = {a: np.ones(3), b: np.ones(100)}
        assert session.run([small, large, words], given) == [18.0, 20000.0, b"18.000000"]
        assert session.run([small, large, words], given) == [18.0, 20000.0, b"18.000000"]


def test_an_error_after_a_chain_names_its_own_node() -> None:
    a = tf.placeholder(tf.float32, [3], name="a")
    total = tf.reduce_sum(tf.reduce_sum(a * 2.0) * a)
    picked = tf.gather(a, tf.cast(total, tf.int32), name="picked")
    with tf.Session() as session:
        assert session.run(picked, {a: np.zeros(3)}) == 0
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError, match="picked"):
                session.run(picked, {a: np.ones(3)})


def test_a_chain_that_differs_in_a_bit_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = chain_memory.loop_calls

    def other(loop: Any, operands: Any, out: Any) -> Any:
        return numbers(loop, operands[::-1], out)

    monkeypatch.setattr(chain_memory, "loop_calls", other)
    a = tf.placeholder(tf.float32, [3])
    value = tf.reduce_sum(tf.reduce_sum(a - 2.0) - a)
    with tf.Session() as session:
        assert [session.run(value, {a: np.zeros(3)}) for _ in range(2)] == [-18.0, -18.0]
        assert steps_of(session, value, [a]) is None


def test_runs_at_the_same_time_have_frames_of_their_own() -> None:
    from concurrent.futures import ThreadPoolExecutor

    a = tf.placeholder(tf.float32, [5])
    value = tf.reduce_sum(tf.reduce_sum(a * 2.0) * a)
    with tf.Session() as session, ThreadPoolExecutor(4) as pool:
        wanted = [session.run(value, {a: np.full(5, k)}) for k in range(50)]
        assert list(pool.map(lambda k: session.run(value, {a: np.full(5, k)}), range(50))) == wanted


def whole(session: tf.Session, fetches: Any, feeds: Any) -> Any:
    """The run as one call of a chain; None if it is none."""
    steps = chained(session, fetches, feeds)
    return None if steps is None else steps.only


@pytest.mark.parametrize("size", [1, 4, 64])
def test_one_group_on_a_few_numbers_is_one_call(size: int) -> None:
    x, y = tf.placeholder(tf.float32, [size]), tf.placeholder(tf.float32, [size])
    rng = np.random.default_rng(size)
    for fetch in (tf.tanh(x) * 2.5 + 1.0, x * y - x, tf.reduce_mean(tf.square(x - y) * 3.0)):
        feeds = {x: rng.standard_normal(size).astype("f4"), y: rng.standard_normal(size).astype("f4")}
        with tf.Session() as session:
            found = [session.run(fetch, feeds) for _ in range(3)]
            if size > 1:
                assert whole(session, fetch, feeds) is not None
        jit.mode = "off"
        with tf.Session(config=tf.SessionConfig(passes=())) as session:
            assert session.run(fetch, feeds).tobytes() == found[0].tobytes() == found[2].tobytes()
        jit.mode = "now"


def test_one_operation_is_no_chain_but_a_direct_call_on_feeds_and_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_steps(*_: Any) -> None:
        pytest.fail("the run walks over steps")

    x, y = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.float32, [4])
    given = {x: np.array([1, 2, 3, 4], "f4"), y: np.array([1, 1, 2, 2], "f4")}
    with tf.Session() as session:
        for fetch, wanted in ((x + 1.0, [2, 3, 4, 5]), (2.0 - x, [1, 0, -1, -2]), (x - y, [0, 1, 1, 2])):
            for feeds in (given, dict(reversed(given.items()))):
                assert session.run(fetch, feeds).tolist() == wanted
                assert whole(session, fetch, feeds) is None
                monkeypatch.setattr(executor, "run_steps", no_steps)
                assert session.run(fetch, feeds).tolist() == wanted
                monkeypatch.undo()


def test_an_error_of_a_direct_call_names_operands_and_lines() -> None:
    x = tf.placeholder(tf.int32, [2], name="x")
    share = tf.floordiv(x, tf.constant([1, 0]), name="share")
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="share") as found:
            session.run(share, {x: [1, 2]})
        assert '"x:0" int32 [2]' in str(found.value)


def test_a_number_that_is_reshaped_stays_in_its_chain() -> None:
    x, w = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.float32, [1])
    total = tf.reshape(tf.reduce_sum(x * w * x), [1, 1])
    fetch = tf.exp(total * 0.25) + w
    feeds = {x: np.array([1, -2, 0.5, 3], "f4"), w: np.array([0.5], "f4")}
    with tf.Session() as session:
        found = [session.run(fetch, feeds) for _ in range(2)][-1]
        assert "Reshape" in [step.op for step in session.plan(fetch, feeds).steps]
        assert whole(session, fetch, feeds) is not None
    jit.mode = "off"
    with tf.Session(config=tf.SessionConfig(passes=())) as session:
        assert session.run(fetch, feeds).tobytes() == found.tobytes()


def test_an_index_that_is_fed_may_be_out_of_range() -> None:
    x, i = tf.placeholder(tf.float32, [1]), tf.placeholder(tf.int32, [])
    fetch = tf.tanh(tf.exp(x)[i] * 2.0) + 1.0
    with tf.Session() as session:
        for _ in range(3):
            assert session.run(fetch, {x: [0.5], i: 0}) > 1.0
            with pytest.raises(tf.errors.OpError):
                session.run(fetch, {x: [0.5], i: 3})
