"""Consecutive steps are one call of the block driver, with the bits, the errors and the memory of the steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any
from weakref import ref

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.compiled.shaped_group import ShapedGroup
from penstock.runtime.compiled.single_op import PromotedOp
from penstock.runtime.execution import block_program, block_search
from penstock.runtime.execution.native_blocks import NativeBlock
from penstock.runtime.llvm.block_driver import BlockDriver, BlockFrame, BlockText
from penstock.runtime.llvm.promotion import Deliveries
from penstock.runtime.llvm.tier import why_off

from ...helpers import nightly, plans_of

pytestmark = pytest.mark.skipif(bool(why_off()), reason=why_off() or "the compiled tier is on")
Arrays = Sequence[Any]


@pytest.fixture(autouse=True)
def compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = jit.mode
    jit.mode = "now"
    monkeypatch.setattr(block_search, "AT_ONCE", (1, 2, 3))
    with tf.Graph().as_default():
        yield
    jit.mode = before


def program_of(session: tf.Session, fetches: Any, feeds: dict[tf.Tensor, Any]) -> Any:
    call = plans_of(session).find(fetches, tuple(feeds))[0]
    return call.for_arrays([np.asarray(x) for x in feeds.values()]).program


def blocks_in(session: tf.Session, fetches: Any, feeds: dict[tf.Tensor, Any]) -> list[NativeBlock]:
    steps = program_of(session, fetches, feeds).joined_steps()
    calls = [getattr(each.call, "__self__", each.call) for each in steps or ()]
    return [each for each in calls if isinstance(each, NativeBlock)]


def calls_beside(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any], at: int) -> None:
    """The frames of blocks that are made from now on call `call` before the piece at such a place."""
    plain = BlockDriver.frame

    def frame(self: BlockDriver, *program: Any) -> BlockFrame:
        made = plain(self, *program)
        piece = made.pieces[at]
        pieces = (*made.pieces[:at], lambda: (call(), piece()), *made.pieces[at + 1 :])
        return BlockFrame(made.bind, pieces, made.writes, made.kept)

    monkeypatch.setattr(BlockDriver, "frame", frame)


def data(*shape: int, seed: int = 0, dtype: str = "float32") -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def network(sizes: Sequence[int], batch: int | None, dtype: str = "float32") -> tuple[Any, Any, Any, list[tf.Variable]]:
    x, labels = tf.placeholder(dtype, [batch, sizes[0]]), tf.placeholder(dtype, [batch, sizes[-1]])
    variables = []
    h: Any = x
    for i, (before, after) in enumerate(pairwise(sizes)):
        w = tf.Variable(data(before, after, seed=i, dtype=dtype) * 0.1)
        b = tf.Variable(data(after, seed=i + 50, dtype=dtype))
        variables += [w, b]
        h = tf.matmul(h, w) + b
        if after != sizes[-1]:
            h = tf.nn.relu(h)
    loss = tf.reduce_sum(labels * tf.nn.log_softmax(h)) * -0.125
    return x, labels, loss, variables


OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.05),
    "momentum": lambda: tf.train.MomentumOptimizer(0.05, 0.9),
    "adam": lambda: tf.train.AdamOptimizer(0.01),
}


def trained(optimizer: str, sizes: Sequence[int], batches: Sequence[int], dtype: str, sized: bool) -> tuple[Any, int]:
    """The losses and variables of some steps, and how many blocks there are at the end."""
    with tf.Graph().as_default():
        x, labels, loss, _ = network(sizes, batches[0] if sized else None, dtype)
        step = OPTIMIZERS[optimizer]().minimize(loss)
        with tf.Session(config=tf.SessionConfig(specialise_after=2)) as session:
            session.run(tf.global_variables_initializer())
            found = []
            for i, batch in enumerate(batches):
                feeds = {x: data(batch, sizes[0], seed=i, dtype=dtype), labels: data(batch, sizes[-1], seed=i + 9)}
                feeds[labels] = feeds[labels].astype(dtype)
                found.append(session.run([loss, step], feeds)[0].tobytes())
            found += [each.tobytes() for each in session.run(tf.global_variables())]
            return found, len(blocks_in(session, [loss, step], feeds))


@pytest.mark.share(12)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [(10, 9, 8), (200, 130, 120, 10)])
def test_a_step_of_training_is_one_block_with_the_bits_of_its_steps(
    optimizer: str, dtype: str, sizes: tuple[int, ...]
) -> None:
    together, blocks = trained(optimizer, sizes, [64] * 8, dtype, sized=True)
    assert blocks == 1 or ((optimizer, dtype) == ("adam", "float64") and blocks == 2)  # one number is cast
    jit.mode = "off"
    alone, blocks = trained(optimizer, sizes, [64] * 8, dtype, sized=True)
    assert blocks == 0 and together == alone


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_groups_that_are_not_compiled_yet_are_loops_of_numpy_in_blocks(
    optimizer: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def not_yet(group: Any, inputs: Any, results: Any, memory: Any) -> None:
        asked.append(group)
        memory.is_early = True

    for kind in (ShapedGroup, PromotedOp):
        monkeypatch.setattr(kind, "native", not_yet)
    together, blocks = trained(optimizer, (10, 9, 8), [64] * 8, dtype, sized=True)
    assert blocks and asked
    jit.mode = "off"
    assert trained(optimizer, (10, 9, 8), [64] * 8, dtype, sized=True) == (together, 0)


def test_ops_of_several_functions_and_broadcast_operands_are_loops_of_numpy_until_they_are_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def not_yet(group: Any, inputs: Any, results: Any, memory: Any) -> None:
        memory.is_early = True

    for kind in (ShapedGroup, PromotedOp):
        monkeypatch.setattr(kind, "native", not_yet)
    x, w, row, column = (tf.placeholder(tf.float32, shape) for shape in ([6, 5], [5, 7], [7], [6, 1]))
    y = tf.nn.relu(tf.matmul(x, w) + row) * tf.sigmoid(column)
    z = tf.where(y > 0.5, y, tf.zeros_like(y) - row) + tf.cast(y > 1.0, tf.float32)
    ends = [tf.reduce_sum(z, 0), tf.reduce_max(z, 1), tf.reduce_mean(z)]
    gradients = tf.gradients(ends[0], [w, row])
    feeds = {x: data(6, 5), w: data(5, 7, seed=1), row: data(7, seed=2), column: data(6, 1, seed=3)}
    feeds[x][0, 0] = np.nan
    results = []
    for mode in ("now", "off"):
        jit.mode = mode
        with tf.Session() as session:
            every = [session.run([*ends, *gradients], feeds) for _ in range(5)]
            blocks = blocks_in(session, [*ends, *gradients], feeds)
        assert len(blocks) == (mode == "now")
        results.append([[each.tobytes() for each in run] for run in every])
    assert results[0] == results[1]


def test_batches_that_change_in_size_have_plans_and_blocks_of_their_own() -> None:
    batches = [64, 64, 64, 64, 64, 30, 64, 30, 30, 30, 30, 30, 64, 64, 1, 30]
    together, blocks = trained("sgd", (200, 130, 10), batches, "float32", sized=False)
    assert blocks == 1
    jit.mode = "off"
    assert trained("sgd", (200, 130, 10), batches, "float32", sized=False)[0] == together


def recurrent(steps: int, batch: int, features: int, units: int) -> tuple[dict[tf.Tensor, Any], Any]:
    rows, h0 = tf.placeholder(tf.float32, [steps * batch, features]), tf.placeholder(tf.float32, [batch, units])
    w = tf.Variable(data(features + units, 4 * units, seed=1) * 0.2)
    b = tf.Variable(data(4 * units, seed=2))
    h = state = h0
    for row in tf.split(0, steps, rows):
        i, new, forget, o = tf.split(1, 4, tf.matmul(tf.concat(1, [row, h]), w) + b)
        state = tf.sigmoid(forget + 1.0) * state + tf.sigmoid(i) * tf.tanh(new)
        h = tf.sigmoid(o) * tf.tanh(state)
    loss = tf.reduce_sum(h * h)
    return {rows: data(steps * batch, features), h0: data(batch, units, seed=5)}, [
        loss, h, tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    ]  # fmt: skip


@pytest.mark.parametrize("shape", [(3, 4, 5, 6), (2, 5, 40, 300), *nightly([(3, 64, 28, 96)])])
def test_an_unrolled_cell_has_the_bits_of_its_steps(shape: tuple[int, int, int, int]) -> None:
    found: dict[str, list[bytes]] = {}
    for mode in ("now", "off"):
        jit.mode = mode
        with tf.Graph().as_default():
            feeds, fetches = recurrent(*shape)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                runs = [session.run(fetches, feeds) for _ in range(6)]
                found[mode] = [x.tobytes() for run in runs for x in run[:2]]
                assert bool(blocks_in(session, fetches, feeds)) == (mode == "now")
    assert found["now"] == found["off"]


def chain(x: Any, w: Any) -> list[Any]:
    """Some steps that are one block: products, sums over rows, groups."""
    first = tf.matmul(x, w)
    second = tf.nn.relu(first + 1.0)
    third = tf.matmul(second, w) * 0.1
    return [first, second, third, tf.reduce_sum(third, 0)]


def test_results_outlive_the_run_and_are_not_overwritten() -> None:
    x, w = tf.placeholder(tf.float32, [20, 30]), tf.placeholder(tf.float32, [30, 30])
    fetches = chain(x, w)
    with tf.Session() as session:
        kept = []
        for i in range(8):
            feeds = {x: data(20, 30, seed=i), w: data(30, 30, seed=i + 30)}
            results = session.run(fetches, feeds)
            kept.append((feeds, results, [each.copy() for each in results]))
        assert len(blocks_in(session, fetches, feeds)) == 1
        for given, results, copies in kept:
            assert all(np.array_equal(a, b) for a, b in zip(results, copies, strict=True))
            assert all(each.flags.writeable for each in results)
            for result in results:
                assert not any(np.shares_memory(result, each) for each in given.values())
        arrays = [each for _, results, _ in kept for each in results]
        assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])


def test_no_array_of_the_recorded_run_is_kept() -> None:
    x, w = tf.placeholder(tf.float32, [20, 30]), tf.placeholder(tf.float32, [30, 30])
    fetches = chain(x, w)
    with tf.Session() as session:
        arrays = []
        for i in range(4):
            feeds = {x: data(20, 30, seed=i), w: data(30, 30, seed=i + 30)}
            arrays += [ref(each) for each in (*feeds.values(), *session.run(fetches, feeds))]
        assert blocks_in(session, fetches, feeds)
        del feeds
        assert [each() for each in arrays if each() is not None] == []


def test_fed_and_fetched_values_in_the_middle_have_their_own_plans() -> None:
    x, w = tf.placeholder(tf.float32, [20, 30]), tf.placeholder(tf.float32, [30, 30])
    first, second, third, fourth = chain(x, w)
    given = {x: data(20, 30), w: data(30, 30, seed=2)}
    wanted: dict[str, list[Any]] = {}
    for mode in ("now", "off"):
        jit.mode = mode
        with tf.Session() as session:
            found = []
            for _ in range(4):
                found += [session.run(fourth, given), *session.run([fourth, second, second], given)]
                found += session.run([third, fourth], {**given, second: data(20, 30, seed=4)})
                found += session.run([first, fourth], {**given, first: data(20, 30, seed=5)})
            wanted[mode] = found
    assert all(np.array_equal(a, b) for a, b in zip(wanted["now"], wanted["off"], strict=True))


def test_views_that_are_read_outside_are_views_of_what_the_block_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_search, "FEWEST", 1)
    x, w = tf.placeholder(tf.float32, [20, 30]), tf.placeholder(tf.float32, [30, 30])
    left, right = tf.split(1, 2, tf.matmul(x, w) * 2.0)
    top, _ = tf.split(0, 2, x)
    fetches = [left, tf.reshape(right, [15, 20]), tf.cumsum(left, 1), tf.matmul(top, w), top]
    feeds = {x: data(20, 30), w: data(30, 30, seed=2)}
    jit.mode = "off"
    with tf.Session() as session:
        wanted = session.run(fetches, feeds)
    jit.mode = "now"
    with tf.Session() as session:
        for _ in range(4):
            found = session.run(fetches, feeds)
            assert all(np.array_equal(a, b) for a, b in zip(found, wanted, strict=True))
            assert not any(np.shares_memory(each, feeds[x]) for each in found)
        assert blocks_in(session, fetches, feeds)


def test_feeds_of_another_layout_run_step_by_step() -> None:
    x, w = tf.placeholder(tf.float32, [20, 30]), tf.placeholder(tf.float32, [30, 30])
    fetches = chain(x, w)
    feeds = {x: data(20, 30), w: data(30, 30, seed=2)}
    with tf.Session() as session:
        wanted = [session.run(fetches, feeds) for _ in range(4)][-1]
        assert blocks_in(session, fetches, feeds)
        others = [np.asfortranarray(feeds[x]), np.repeat(feeds[x], 2, 1)[:, ::2], feeds[x].astype(">f4")]
        for other in others:
            found = session.run(fetches, {**feeds, x: other})
            assert all(np.allclose(a, b, rtol=1e-5, atol=1e-5) for a, b in zip(found, wanted, strict=True))
        frozen = feeds[x].copy()
        frozen.flags.writeable = False
        found = session.run(fetches, {**feeds, x: frozen})
        assert all(np.array_equal(a, b) for a, b in zip(found, wanted, strict=True))
        assert blocks_in(session, fetches, feeds)
        for _ in range(30):
            session.run(fetches, {**feeds, x: others[0]})
        assert not blocks_in(session, fetches, feeds)  # they do not pay


def test_feeds_that_share_memory_in_one_run_only() -> None:
    x, y = tf.placeholder(tf.float32, [30, 30]), tf.placeholder(tf.float32, [30, 30])
    fetches = chain(x, y)
    same, other = data(30, 30), data(30, 30, seed=3)
    jit.mode = "off"
    with tf.Session() as session:
        wanted = [session.run(fetches, feeds) for feeds in ({x: same, y: same}, {x: same, y: other})]
    jit.mode = "now"
    with tf.Session() as session:
        for _ in range(3):
            found = session.run(fetches, {x: same, y: same})
            assert all(np.array_equal(a, b) for a, b in zip(found, wanted[0], strict=True))
        for _ in range(3):
            found = session.run(fetches, {x: same, y: other})
            assert all(np.array_equal(a, b) for a, b in zip(found, wanted[1], strict=True))


@pytest.mark.parametrize("other", ["feed", "constant", "variable"])
def test_a_step_that_gives_its_operand_may_give_another_array_in_the_next_run(other: str) -> None:
    x, w = tf.placeholder(tf.float32, [20, 30]), tf.placeholder(tf.float32, [30, 30])
    p = tf.placeholder(tf.bool, [])
    y: Any
    if other == "feed":
        y = tf.placeholder(tf.float32, [20, 30])
    else:
        y = tf.constant(data(20, 30, seed=7)) if other == "constant" else tf.Variable(data(20, 30, seed=8)) + 0.0
    chosen = tf.cond(p, lambda: x, lambda: tf.identity(y))
    fetches = [*chain(chosen, w), tf.matmul(x, w), tf.matmul(y, w)]
    feeds: dict[Any, Any] = {x: data(20, 30), w: data(30, 30, seed=2)}
    if other == "feed":
        feeds[y] = data(20, 30, seed=9)
    for pattern in ([True] * 4 + [False] * 2, [False] * 4 + [True] * 2):
        results: dict[str, list[Any]] = {}
        for mode in ("now", "off"):
            jit.mode = mode
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                results[mode] = [each for q in pattern for each in session.run(fetches, {**feeds, p: q})]
        assert all(np.array_equal(a, b) for a, b in zip(results["now"], results["off"], strict=True))


def test_a_step_that_fails_in_the_middle_changes_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_search, "FEWEST", 1)
    x, w = tf.placeholder(tf.float32, [20, 30]), tf.Variable(data(30, 30, seed=2))
    index = tf.placeholder(tf.int32, [20])
    h = tf.nn.relu(tf.matmul(x, w) + 1.0)
    rows = tf.gather(h, tf.maximum(index, 0), name="rows")  # an index that a block has made divides it
    loss = tf.reduce_sum(tf.matmul(rows, w) * 0.01)
    step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    good = {x: data(20, 30), index: np.arange(20)[::-1].astype("i4")}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            session.run([loss, step], good)
        assert len(blocks_in(session, [loss, step], good)) > 1
        before = session.run(w)
        with pytest.raises(tf.errors.InvalidArgumentError, match="in node"):
            session.run([loss, step], {**good, index: np.full(20, 99, "i4")})
        assert np.array_equal(session.run(w), before)
        session.run([loss, step], good)
        assert not np.array_equal(session.run(w), before)


def classifier(labels: Any, rows: int = 20) -> tuple[Any, Any, Any, tf.Variable]:
    """(x, loss, step, weights) of a network of two layers with a cross entropy of labels."""
    x, w = tf.placeholder(tf.float32, [rows, 30]), tf.Variable(data(30, 30, seed=2))
    h = tf.nn.relu(tf.matmul(x, w) + 1.0)
    logits = tf.matmul(h, tf.Variable(data(30, 10, seed=3)))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits, labels))
    return x, loss, tf.train.GradientDescentOptimizer(0.01).minimize(loss), w


LABELS: dict[str, tuple[list[int], str, Callable[[Any], Any]]] = {
    "a feed": ([20], "int32", lambda fed: fed),
    "int64": ([20], "int64", lambda fed: fed),
    "reshaped": ([20, 1], "int64", lambda fed: tf.reshape(fed, [-1])),
    "a column": ([20, 3], "int32", lambda fed: fed[:, 1]),
}


@pytest.mark.parametrize("form", LABELS)
def test_labels_are_checked_before_the_block(form: str) -> None:
    shape, dtype, of = LABELS[form]
    fed = tf.placeholder(dtype, shape)
    x, loss, step, w = classifier(of(fed))
    good = {x: data(20, 30), fed: np.arange(np.prod(shape)).reshape(shape).astype(dtype) % 10}
    found = {}
    for mode in ("now", "off"):
        jit.mode = mode
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            results = [session.run([loss, step], good)[0].tobytes() for _ in range(5)]
            blocks = 2 if form == "a column" else 1  # of columns there is no code for rows
            assert len(blocks_in(session, [loss, step], good)) == (blocks if mode == "now" else 0)
            before = session.run(w)
            for wrong in (-1, 10, 2**31 - 1, *([2**32] if dtype == "int64" else [])):
                labels = good[fed].copy()
                labels[7] = wrong
                with pytest.raises(tf.errors.InvalidArgumentError, match=f"(?s){wrong}.*in node"):
                    session.run([loss, step], {**good, fed: labels})
                assert np.array_equal(session.run(w), before)
            other = {**good, fed: np.repeat(good[fed][::-1], 2, 0)[::2]}  # another layout
            results += [session.run([loss, step], each)[0].tobytes() for each in (other, good)]
            found[mode] = [*results, session.run(w).tobytes()]
    assert found["now"] == found["off"]


def test_labels_that_the_block_makes_divide_it() -> None:
    fed = tf.placeholder(tf.float32, [20])
    x, loss, step, _ = classifier(tf.cast(fed * 2.0, tf.int32))
    good = {x: data(20, 30), fed: np.arange(20, dtype="f4") % 5}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            session.run([loss, step], good)
        assert len(blocks_in(session, [loss, step], good)) == 2
        with pytest.raises(tf.errors.InvalidArgumentError, match="in node"):
            session.run([loss, step], {**good, fed: good[fed] + 5})


def test_constant_labels_are_checked_once() -> None:
    x, loss, step, _ = classifier(tf.constant(np.arange(20) % 10))
    good = {x: data(20, 30)}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            session.run([loss, step], good)
        (block,) = blocks_in(session, [loss, step], good)
        assert block.layout.tests == []


def test_steps_that_overwrite_a_value_of_the_run_leave_blocks_around_them() -> None:
    found: dict[str, list[Any]] = {}
    for mode in ("now", "off"):
        jit.mode = mode
        with tf.Graph().as_default():
            ids, labels = tf.placeholder(tf.int32, [20]), tf.placeholder(tf.int32, [20])
            rows = tf.gather(tf.Variable(data(50, 16)), ids)
            h = tf.nn.relu(tf.matmul(rows, tf.Variable(data(16, 30, seed=2))) + 1.0)
            logits = tf.matmul(h, tf.Variable(data(30, 10, seed=3)))
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits, labels))
            fetches = [loss, tf.train.AdamOptimizer(0.01).minimize(loss)]
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                results = []
                for i in range(8):
                    feeds = {ids: np.random.default_rng(i).integers(0, 50, 20, "i4")}
                    feeds[labels] = np.arange(20, dtype="i4") % 10
                    results.append(session.run(fetches, feeds)[0].tobytes())
                donors = [step.donor for step in program_of(session, fetches, feeds).plan.steps]
                assert any(donor is not None for donor in donors)
                assert bool(blocks_in(session, fetches, feeds)) == (mode == "now")
                found[mode] = [*results, *[each.tobytes() for each in session.run(tf.global_variables())]]
    assert found["now"] == found["off"]


def test_an_interrupt_between_pieces_changes_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_program, "PIECE", 0.0)
    x, labels, loss, variables = network((20, 12, 10), 64)
    fetches = [loss, tf.train.AdamOptimizer(0.01).minimize(loss)]
    feeds = {x: data(64, 20), labels: data(64, 10, seed=1)}
    interrupts: list[type[BaseException]] = []

    def interrupted() -> None:
        if interrupts:
            raise interrupts.pop()

    calls_beside(monkeypatch, interrupted, 3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            session.run(fetches, feeds)
        assert len(blocks_in(session, fetches, feeds)) == 1
        before = session.run(variables)
        interrupts.append(KeyboardInterrupt)
        with pytest.raises(KeyboardInterrupt):
            session.run(fetches, feeds)
        assert all(np.array_equal(a, b) for a, b in zip(session.run(variables), before, strict=True))
        losses = [session.run(fetches, feeds)[0] for _ in range(3)]
        assert losses[2] < losses[0]


def test_pieces_have_the_bits_of_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = trained("adam", (20, 10, 5), [8] * 6, "float32", sized=True)
    monkeypatch.setattr(block_program, "PIECE", 0.0)
    assert trained("adam", (20, 10, 5), [8] * 6, "float32", sized=True) == wanted


@pytest.mark.parametrize(("threshold", "lets_go"), [(0.0, 1), (1e9, 0)])
def test_a_block_lets_others_run_python_if_it_takes_long(
    threshold: float, lets_go: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_program, "_LETS_GO", threshold)
    x, w = tf.placeholder(tf.float32, [20, 30]), tf.placeholder(tf.float32, [30, 30])
    fetches, feeds = chain(x, w), {x: data(20, 30), w: data(30, 30, seed=2)}
    begins: list[tuple[BlockText, Sequence[int]]] = []
    frame = BlockDriver.frame

    def noted(self: BlockDriver, text: BlockText, checks: Any, pieces: Sequence[int], writes: Any) -> BlockFrame:
        begins.append((text, pieces))
        return frame(self, text, checks, pieces, writes)

    monkeypatch.setattr(BlockDriver, "frame", noted)
    with tf.Session() as session:
        for _ in range(4):
            session.run(fetches, feeds)
        assert len(blocks_in(session, fetches, feeds)) == 1
        text, pieces = begins[-1]
        assert [text.words[at + 1] for at in pieces] == [lets_go]


@pytest.mark.parametrize(("news", "pause", "looks"), [(1, 0, [12, 15]), (0, 0, [12, 24]), (1, 1e9, [12, 24])])
def test_blocks_whose_groups_are_loops_of_numpy_are_looked_for_again_when_code_has_come(
    news: int, pause: float, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []
    run = 0
    record = block_search.BlockSearch.record

    def noted(search: Any, *args: Any) -> None:
        looked.append(run + 1)
        record(search, *args)

    def not_yet(group: Any, inputs: Any, results: Any, memory: Any) -> None:
        memory.is_early = True

    monkeypatch.setattr(block_search.BlockSearch, "record", noted)
    monkeypatch.setattr(block_search, "_PAUSE", pause)
    for kind in (ShapedGroup, PromotedOp):
        monkeypatch.setattr(kind, "native", not_yet)
    x, labels, loss, _ = network((20, 12, 10), 64)
    fetches = [loss, tf.train.AdamOptimizer(0.01).minimize(loss)]
    feeds = {x: data(64, 20), labels: data(64, 10, seed=1)}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for run in range(24):
            session.run(fetches, feeds)
            if run == 12:
                assert blocks_in(session, fetches, feeds)
                monkeypatch.setattr(Deliveries, "count", Deliveries.count + news)
    assert looked[-2:] == looks


def test_runs_with_a_timeout_and_recorded_runs_use_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    x, labels, loss, _ = network((20, 12, 10), 64)
    fetches = [loss, tf.train.GradientDescentOptimizer(0.0).minimize(loss)]
    feeds = {x: data(64, 20), labels: data(64, 10, seed=1)}
    blocks: list[int] = []
    calls_beside(monkeypatch, lambda: blocks.append(1), 0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        wanted = [session.run(fetches, feeds)[0] for _ in range(4)][-1]
        assert len(blocks_in(session, fetches, feeds)) == 1 and blocks
        blocks.clear()
        options = tf.RunOptions(timeout_in_ms=100_000)
        assert session.run(fetches, feeds, options=options)[0] == wanted
        metadata = tf.RunMetadata()
        assert session.run(fetches, feeds, run_metadata=metadata)[0] == wanted
        assert len(metadata.steps) > 10
        jit.mode = "off"
        assert session.run(fetches, feeds)[0] == wanted
        assert blocks == []
        jit.mode = "now"
        assert session.run(fetches, feeds)[0] == wanted
        assert blocks == [1]


def test_threads_that_run_one_session_have_frames_of_their_own() -> None:
    x, w = tf.placeholder(tf.float32, [64, 200]), tf.placeholder(tf.float32, [200, 200])
    fetches = chain(x, w)
    feeds = [{x: data(64, 200, seed=i), w: data(200, 200, seed=i + 30)} for i in range(6)]
    with tf.Session() as session:
        for _ in range(3):
            session.run(fetches, feeds[0])
        assert len(blocks_in(session, fetches, feeds[0])) == 1
        wanted = [session.run(fetches, each) for each in feeds]

        def compare(i: int) -> bool:
            return all(
                np.array_equal(a, b)
                for _ in range(60) for a, b in zip(session.run(fetches, feeds[i]), wanted[i], strict=True)
            )  # fmt: skip

        with ThreadPoolExecutor(6) as pool:
            assert all(pool.map(compare, range(6)))


def test_threads_that_train_one_after_the_other_lose_no_step() -> None:
    x = tf.placeholder(tf.float32, [40, 130])
    w, count = tf.Variable(np.zeros((130, 130), "f4")), tf.Variable(np.zeros(70, "f4"))
    given = data(40, 130)
    step = tf.group(
        w.assign_add(tf.round(tf.matmul(tf.round(x * 0.0 + 1.0), tf.ones([40, 130]), transpose_a=True))),
        count.assign_add(tf.reduce_sum(tf.ones([70, 2]) * tf.reduce_max(tf.abs(x)) * 0.0, 1) + 1.0),
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: session.run(step, {x: given}), range(200)))
        total, times = session.run([w, count])
        assert np.array_equal(total, np.full((130, 130), 40.0 * 200)) and np.array_equal(times, np.full(70, 200.0))


def test_a_product_of_a_variable_that_is_overwritten_reads_its_old_value() -> None:
    def factors() -> list[Any]:
        with tf.Graph().as_default():
            u, v = tf.Variable(data(130, 120) * 0.1), tf.Variable(data(120, 110, seed=1) * 0.1)
            ratings = tf.placeholder(tf.float32, [130, 110])
            error = tf.matmul(u, v) - ratings
            gradients = tf.matmul(error, v, transpose_b=True), tf.matmul(u, error, transpose_a=True)
            rate = tf.constant(0.001)
            step = tf.group(*[x.assign(x - g * rate) for x, g in zip((u, v), gradients, strict=True)])
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for _ in range(6):
                    session.run(step, {ratings: data(130, 110, seed=3)})
                return [x.tobytes() for x in session.run([u, v])]

    together = factors()
    jit.mode = "off"
    assert factors() == together


def test_blocks_are_made_after_so_many_runs_of_code_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = tf.placeholder(tf.float32, [20, 30]), tf.placeholder(tf.float32, [30, 30])
    fetches = chain(x, w)
    feeds = {x: data(20, 30), w: data(30, 30, seed=2)}
    with tf.Session() as session:
        session.run(fetches, feeds)  # compiles
    jit.mode = "on"
    monkeypatch.setattr(block_search, "PATIENCE", 5)
    with tf.Session() as session:
        for _ in range(4):
            session.run(fetches, feeds)
        assert not blocks_in(session, fetches, feeds)
        for _ in range(2000):
            session.run(fetches, feeds)
        jit.wait(20)
        for _ in range(3000):
            session.run(fetches, feeds)
        assert blocks_in(session, fetches, feeds)


def test_a_block_whose_results_differ_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_program, "is_same", lambda one, other: False)
    x, w = tf.placeholder(tf.float32, [20, 30]), tf.placeholder(tf.float32, [30, 30])
    fetches = chain(x, w)
    feeds = {x: data(20, 30), w: data(30, 30, seed=2)}
    with tf.Session() as session:
        for _ in range(4):
            session.run(fetches, feeds)
        assert not blocks_in(session, fetches, feeds)
