"""Steps around an op that goes over rows are one nest, with the bits and the errors of the steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.graph.declare.op_declaration import OPS
from penstock.runtime.execution.joined.fused_nest_calls import FusedNestCall
from penstock.runtime.execution.joined.joint_calls import joint_ranges
from penstock.runtime.kernels.loops import native_loops
from penstock.runtime.llvm import tier
from penstock.runtime.nest.fused.group_elements import FUSED, fused_kernel
from penstock.runtime.planning import stream_joints

pytestmark = pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")
ROWS, WIDTH = 40, 8


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("FEWEST_STREAMED", "FEWEST_READ"):
        monkeypatch.setattr(stream_joints, name, 1)
    monkeypatch.setattr(native_loops, "FEWEST", 1)
    before, jit.mode = jit.mode, "now"
    yield
    jit.mode = before


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each call was one nest."""
    found: list[bool] = []
    fused = FusedNestCall._fused

    def noted(self: FusedNestCall, arrays: Any) -> Any:
        result = fused(self, arrays)
        found.append(result is not None)
        return result

    monkeypatch.setattr(FusedNestCall, "_fused", noted)
    return found


def data(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def f(x: Any) -> Any:
    return x * 2.0 + 1.0


X, Y = data(ROWS, WIDTH), data(ROWS, 1, seed=1)
IDS = np.sort(np.random.default_rng(2).integers(0, 5, ROWS)).astype(np.int32)
PLACES = np.random.default_rng(3).integers(0, ROWS, ROWS).astype(np.int32)
SEVERAL = PLACES.reshape(10, 4)
Build = Callable[[Any, Any, Any], Any]
CASES: dict[str, tuple[Build, Any, tuple[str, ...]]] = {
    "segment_sum": (lambda x, y, i: tf.segment_sum(f(x), i), IDS, ("Fused", "SegmentSum")),
    "segment_mean": (lambda x, y, i: tf.segment_mean(f(x) * y, i), IDS, ("Fused", "SegmentMean")),
    "one op": (lambda x, y, i: tf.unsorted_segment_sum(tf.nn.relu(x), i, ROWS), PLACES, ("Relu", "UnsortedSegmentSum")),
    "scatter_nd": (lambda x, y, i: tf.scatter_nd(tf.expand_dims(i, 1), x * y, [ROWS, WIDTH]), PLACES,
                   ("Mul", "ScatterNd")),
    "cumsum": (lambda x, y, i: tf.cumsum(f(x)), IDS, ("Fused", "Cumsum")),
    "cumsum, both": (lambda x, y, i: tf.nn.relu(tf.cumsum(x * y, exclusive=True)) * y, IDS, ("Mul", "Cumsum", "Fused")),
    "cumsum backwards": (lambda x, y, i: f(tf.cumsum(x, reverse=True)), IDS, ("Cumsum", "Fused")),
    "rows": (lambda x, y, i: f(tf.cumsum(x, 1)), IDS, ("Cumsum", "Fused")),
    "cumprod": (lambda x, y, i: tf.cumprod(f(x)), IDS, ("Fused", "Cumprod")),
    "gather": (lambda x, y, i: tf.nn.relu(tf.gather(x, i) + y), PLACES, ("Gather", "Fused")),
    "gather of elements": (lambda x, y, i: tf.gather(tf.reshape(y, [-1]), i) * x[:, 0], PLACES, ("Gather", "Mul")),
    "gather_nd": (lambda x, y, i: f(tf.gather_nd(x, tf.expand_dims(i, 1))), PLACES, ("GatherNd", "Fused")),
    "sum of rows": (lambda x, y, i: tf.reduce_sum(tf.gather(x, i), 1), SEVERAL, ("Gather", "Sum")),
}  # fmt: skip


def built(build: Build, index: Any) -> tuple[Any, dict[Any, Any]]:
    x, y = tf.placeholder(tf.float32, X.shape), tf.placeholder(tf.float32, Y.shape)
    i = tf.placeholder(tf.int32, index.shape)
    return build(x, y, i), {x: X, y: Y, i: index}


def joints(session: Any, fetch: Any, feeds: dict[Any, Any]) -> list[tuple[str, ...]]:
    plan = session.plan(fetch, feeds)
    return [tuple([step.op for step in plan.steps[start:stop]]) for start, stop in joint_ranges(plan)]


def alone(fetch: Any, feeds: dict[Any, Any]) -> Any:
    with tf.Session(config=tf.SessionConfig(passes=())) as session:
        return session.run(fetch, feeds)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("threads", [1, 3])
def test_one_nest_has_the_bits_of_the_steps(name: str, threads: int, calls: list[bool]) -> None:
    build, index, ops = CASES[name]
    fetch, feeds = built(build, index)
    with tf.Session(config=tf.SessionConfig(threads=threads)) as session:
        assert ops in joints(session, fetch, feeds)
        got = [session.run(fetch, feeds) for _ in range(2)]
    assert calls and all(calls)
    want = alone(fetch, feeds)
    assert all(each.tobytes() == want.tobytes() for each in got)


def test_every_op_that_says_so_has_a_nest() -> None:
    said = {name for name, opdef in OPS.items() if opdef.facts.reads_rows or opdef.facts.gives_rows}
    assert said == set(FUSED)
    assert all(callable(fused_kernel(name)) for name in said)


def test_strides_of_any_kind_outside_of_rows_are_read_where_they_lie(calls: list[bool]) -> None:
    fetch, feeds = built(CASES["segment_sum"][0], IDS)
    (x, *_) = feeds
    with tf.Session() as session:
        for layout in (np.repeat(X, 2, 0)[::2], X[::-1].copy()[::-1], np.broadcast_to(X[:1], X.shape)):
            got = session.run(fetch, {**feeds, x: layout})
            assert got.tobytes() == alone(fetch, {**feeds, x: layout}).tobytes()
        assert calls == [True] * 3
        got = session.run(fetch, {**feeds, x: np.asfortranarray(X)})
    assert calls[3:] == [False] and got.tobytes() == alone(fetch, feeds).tobytes()


@pytest.mark.parametrize(("name", "index", "bad"), [
    ("segment_sum", IDS, "not increasing"), ("one op", PLACES, "out of range"), ("scatter_nd", PLACES, "not in"),
    ("gather", PLACES, "not in"), ("gather_nd", PLACES, "indices"), ("sum of rows", SEVERAL, "not in"),
])  # fmt: skip
def test_a_bad_index_is_the_error_of_its_operation(name: str, index: Any, bad: str) -> None:
    fetch, feeds = built(CASES[name][0], index)
    wrong = index.copy()
    wrong.flat[7] = 1000
    *_, i = feeds
    feeds[i] = wrong
    with pytest.raises(tf.errors.InvalidArgumentError) as want:
        alone(fetch, feeds)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=bad) as got:
        session.run(fetch, feeds)
    assert got.value.op is want.value.op
    assert str(got.value) == str(want.value)


def test_functions_of_numpy_stay_steps(calls: list[bool]) -> None:
    x = tf.placeholder(tf.float32, X.shape)
    with tf.Session() as session:
        assert joints(session, tf.cumsum(tf.exp(x)), {x: X}) == []
        made = tf.exp(tf.cumsum(x * x))
        assert joints(session, made, {x: X}) == [("Mul", "Cumsum")]
        assert session.run(made, {x: X}).tobytes() == alone(made, {x: X}).tobytes()
    assert calls == [True]


def test_vectors_that_are_summed_in_pairs_stay_steps() -> None:
    x, i = tf.placeholder(tf.float32, [ROWS]), tf.placeholder(tf.int32, [ROWS])
    with tf.Session() as session:
        assert joints(session, tf.segment_sum(f(x), i), {x: X[:, 0], i: IDS}) == []
        assert joints(session, tf.unsorted_segment_sum(f(x), i, 5), {x: X[:, 0], i: IDS}) != []


def test_what_is_read_elsewhere_stays_a_step() -> None:
    x, i = tf.placeholder(tf.float32, X.shape), tf.placeholder(tf.int32, [ROWS])
    a = f(x)
    total = tf.segment_sum(a, i)
    feeds = {x: X, i: IDS}
    with tf.Session() as session:
        assert joints(session, total, feeds) == [("Fused", "SegmentSum")]
        assert joints(session, [total, a], feeds) == []
        got = session.run([total, a], feeds)
    assert got[1].tobytes() == (X * np.float32(2) + np.float32(1)).tobytes()


def test_whatever_watches_executes_the_steps(calls: list[bool]) -> None:
    fetch, feeds = built(CASES["cumsum, both"][0], IDS)
    with tf.Session() as session:
        want = session.run(fetch, feeds)
        assert calls == [True]
        metadata = tf.RunMetadata()
        assert session.run(fetch, feeds, run_metadata=metadata).tobytes() == want.tobytes()
        assert session.run(fetch, feeds, options=tf.RunOptions(timeout_in_ms=60000)).tobytes() == want.tobytes()
        assert session.trace(fetch, feeds) is not None
        assert "in one pass with the next" in str(session.plan(fetch, feeds))
    assert calls == [True]


def test_negative_ids_and_other_shapes_run_step_by_step(calls: list[bool]) -> None:
    fetch, feeds = built(CASES["one op"][0], PLACES)
    *_, i = feeds
    negative = PLACES.copy()
    negative[3] = -1
    with tf.Session() as session:
        got = session.run(fetch, {**feeds, i: negative})
    assert calls == [False]
    assert got.tobytes() == alone(fetch, {**feeds, i: negative}).tobytes()
