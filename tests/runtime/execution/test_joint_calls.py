"""Steps around one that only moves elements are one call, with the bits and the errors of the steps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.execution.joined import joint_calls
from penstock.runtime.execution.joined.joint_calls import JointCall, joint_ranges
from penstock.runtime.ir.composed_bodies import composed
from penstock.runtime.ir.fused_ir import Body, Instruction, Value
from penstock.runtime.kernels.loops import native_loops
from penstock.runtime.llvm import tier
from penstock.runtime.planning import joint_steps


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FEWEST", "FEWEST_TAKEN", "SHORTEST"):
        monkeypatch.setattr(joint_steps, name, 1)
    monkeypatch.setattr(native_loops, "FEWEST", 1)


@pytest.fixture(params=["off", "now"])
def mode(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "now" and not tier.on():
        pytest.skip(f"nothing is compiled here: {tier.why_off()}")
    before = jit.mode
    jit.mode = request.param
    yield request.param
    jit.mode = before


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Whether each joint call was made row by row, piece by piece or step by step."""
    found: list[str] = []
    by_rows, write = JointCall._by_rows, joint_calls._write

    def rows(self: JointCall, *args: Any) -> bool:
        made = by_rows(self, *args)
        found.append("rows" if made else "no rows")
        return made

    def piece(*args: Any) -> None:
        found.append("piece")
        write(*args)

    monkeypatch.setattr(JointCall, "_by_rows", rows)
    monkeypatch.setattr(joint_calls, "_write", piece)
    return found


def data(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def f(x: Any) -> Any:
    return x * 2.0 + 1.0


def g(x: Any) -> Any:
    return tf.exp(x) - 3.0


X, Y = data(5, 300), data(5, 300, seed=1)
CASES: dict[str, tuple[Callable[[Any, Any], Any], tuple[str, ...]]] = {
    "concat 0": (lambda x, y: tf.concat(0, [f(x), g(y)]), ("Fused", "Fused", "Concat")),
    "concat 1": (lambda x, y: tf.concat(1, [f(x), g(y)]), ("Fused", "Fused", "Concat")),
    "one op": (lambda x, y: tf.concat(1, [tf.exp(x), y]), ("Exp", "Concat")),
    "pack": (lambda x, y: tf.pack([f(x), y, g(y)]), ("Fused", "Fused", "Pack")),
    "stack 1": (lambda x, y: tf.stack([f(x), g(y)], 1), ("Fused", "Fused", "Stack")),
    "stack -1": (lambda x, y: tf.stack([f(x), g(y)], -1), ("Fused", "Fused", "Stack")),
    "pad": (lambda x, y: tf.pad(f(x), [[1, 0], [2, 3]]), ("Fused", "Pad")),
    "tile": (lambda x, y: tf.tile(f(x), [2, 3]), ("Fused", "Tile")),
    "behind concat": (lambda x, y: f(tf.concat(1, [x, y])), ("Concat", "Fused")),
    "behind pad": (lambda x, y: g(tf.pad(x, [[1, 0], [2, 3]]) * 2.0), ("Pad", "Fused")),
    "behind tile": (lambda x, y: f(tf.tile(x, [2, 1])) * tf.concat(0, [y, x]), ("Tile", "Fused")),
    "behind stack": (lambda x, y: f(tf.stack([x, y], 1)) * tf.reshape(y, [5, 1, 300]), ("Stack", "Fused")),
    "between": (lambda x, y: f(tf.concat(0, [f(x), g(y), x])), ("Fused", "Fused", "Concat", "Fused")),
    "rows": (lambda x, y: f(tf.gather(x, [3, 0, 4, 4])) * y[:4], ("Gather", "Fused")),
}  # fmt: skip


def joints(session: Any, fetch: Any, feeds: dict[Any, Any]) -> list[tuple[str, ...]]:
    plan = session.plan(fetch, feeds)
    return [tuple([step.op for step in plan.steps[start:stop]]) for start, stop in joint_ranges(plan)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("threads", [1, 3])
def test_joint_steps_have_the_bits_of_the_steps(name: str, mode: str, threads: int, calls: list[str]) -> None:
    build, ops = CASES[name]
    x, y = tf.placeholder(tf.float32, X.shape), tf.placeholder(tf.float32, Y.shape)
    made, feeds = build(x, y), {x: X, y: Y}
    with tf.Session(config=tf.SessionConfig(threads=threads)) as session:
        assert ops in joints(session, made, feeds)
        got = [session.run(made, feeds) for _ in range(3)]
    assert calls
    with tf.Session(config=tf.SessionConfig(passes=())) as session:
        assert joints(session, made, feeds) == []
        want = session.run(made, feeds)
    assert all(each.tobytes() == want.tobytes() and each.flags.c_contiguous for each in got)


def test_parts_that_share_rows_are_written_row_by_row(calls: list[str]) -> None:
    if not tier.on():
        pytest.skip(f"nothing is compiled here: {tier.why_off()}")
    before, jit.mode = jit.mode, "now"
    x, y = tf.placeholder(tf.float32, X.shape), tf.placeholder(tf.float32, Y.shape)
    try:
        with tf.Session() as session:
            session.run(tf.concat(1, [f(x), f(y), y]), {x: X, y: Y})
            assert calls == ["rows"]
            session.run(tf.concat(1, [f(x), f(y), y]), {x: np.asfortranarray(X), y: Y})
            assert calls == ["rows", "no rows", "piece", "piece", "piece"]
    finally:
        jit.mode = before


@pytest.mark.parametrize("row", [-1, 5])
def test_a_row_out_of_range_is_the_error_of_the_gather(row: int, mode: str) -> None:
    x, i = tf.placeholder(tf.float32, X.shape), tf.placeholder(tf.int32, [3])
    made = f(tf.gather(x, i, name="rows"))
    with tf.Session() as session:
        assert joints(session, made, {x: X, i: [0, 1, 2]}) == [("Gather", "Fused")]
        assert session.run(made, {x: X, i: [4, 1, 1]}).shape == (3, 300)
        with pytest.raises(tf.errors.InvalidArgumentError, match="rows") as caught:
            session.run(made, {x: X, i: [0, row, 1]})
    assert caught.value.op is not None and caught.value.op.name.startswith("rows")


def test_what_is_read_elsewhere_fetched_or_fed_stays_a_step(mode: str) -> None:
    x, y = tf.placeholder(tf.float32, X.shape), tf.placeholder(tf.float32, Y.shape)
    a, b = f(x), g(y)
    made = tf.concat(1, [a, b])
    feeds = {x: X, y: Y}
    with tf.Session() as session:
        assert joints(session, made, feeds) == [("Fused", "Fused", "Concat")]
        assert joints(session, [made, a], feeds) == [("Fused", "Concat")]
        assert joints(session, [made, tf.reduce_sum(tf.matmul(b, b, transpose_b=True))], feeds) == [("Fused", "Concat")]
        assert joints(session, made, {a: X, y: Y}) == [("Fused", "Concat")]
        assert joints(session, tf.concat(1, [a, a]), feeds) == []
        got = session.run([made, a], feeds)
    assert got[0].tobytes() == np.concatenate([f(X), np.exp(Y) - np.float32(3)], 1).tobytes()
    assert not np.shares_memory(*got)


def test_what_may_fail_stays_a_step() -> None:
    x, y = tf.placeholder(tf.int32, [5, 300]), tf.placeholder(tf.int32, [5, 300])
    ones = np.ones((5, 300), np.int32)
    with tf.Session() as session:
        assert joints(session, tf.concat(1, [x // y, y + 1]), {x: ones, y: ones}) == [("Add", "Concat")]


def test_operands_are_live_until_the_joint_ends() -> None:
    x = tf.placeholder(tf.float32, X.shape)
    a, b = tf.matmul(x, x, transpose_b=True), tf.matmul(x, x * 2.0, transpose_b=True)
    made = tf.reduce_sum(tf.concat(1, [f(a), f(b)]), 0)
    with tf.Session() as session:
        plan = session.plan(made, [x])
        ((start, stop),) = joint_ranges(plan)
        inside = {slot for step in plan.steps[start:stop] for slot in step.inputs}
        assert all(set(step.frees).isdisjoint(inside) for step in plan.steps[start : stop - 1])
        assert "in one pass with the next" in str(plan)
        wide = X @ X.T, X @ (X * 2).T
        want = np.concatenate([each * np.float32(2) + np.float32(1) for each in wide], 1).sum(0)
        np.testing.assert_allclose(session.run(made, {x: X}), want, rtol=1e-4)


def test_recorded_runs_and_runs_with_a_timeout_execute_the_steps(calls: list[str]) -> None:
    x, y = tf.placeholder(tf.float32, X.shape), tf.placeholder(tf.float32, Y.shape)
    made, feeds = tf.concat(0, [f(x), g(y)]), {x: X, y: Y}
    with tf.Session() as session:
        want = session.run(made, feeds)
        assert calls
        calls.clear()
        metadata = tf.RunMetadata()
        assert session.run(made, feeds, run_metadata=metadata).tobytes() == want.tobytes()
        assert session.run(made, feeds, options=tf.RunOptions(timeout_in_ms=60000)).tobytes() == want.tobytes()
        assert session.trace(made, feeds) is not None
    assert calls == []


def test_runs_of_several_threads_at_once(mode: str) -> None:
    x, y = tf.placeholder(tf.float32, X.shape), tf.placeholder(tf.float32, Y.shape)
    made = tf.concat(1, [f(x), g(y)])
    wrong: list[int] = []
    with tf.Session() as session:

        def work(seed: int) -> None:
            own = data(5, 300, seed=seed)
            want = np.concatenate([own * np.float32(2) + np.float32(1), np.exp(Y) - np.float32(3)], 1)
            for _ in range(20):
                if session.run(made, {x: own, y: Y}).tobytes() != want.tobytes():
                    wrong.append(seed)

        workers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert wrong == []


def test_groups_compose() -> None:
    dtype = tf.float32
    inner = Body((dtype, dtype), (Instruction("Mul", (Value(0), Value(1)), dtype),), (Value(2),))
    outer = Body((dtype, dtype), (Instruction("Sub", (Value(0), Value(1)), dtype),), (Value(2),))
    assert str(composed(inner, outer, 0)) == (
        "(%0 float32, %1 float32, %2 float32) -> %4\n%3 = Mul(%1, %2)  float32\n%4 = Sub(%3, %0)  float32"
    )
    assert str(composed(inner, outer, 1)).endswith("%4 = Sub(%0, %3)  float32")
