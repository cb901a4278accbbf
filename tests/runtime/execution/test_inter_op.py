"""Independent heavy steps run at the same time, with the results and errors of sequential runs."""

import threading
import weakref
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.runtime.execution.inter_op import PlanSegment, parallel_segments

from ...helpers import op_of

HEAVY = 600  # rows and columns: 1.4 MB


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def two_products(size: int | None) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    x = tf.placeholder(tf.float32, [size, size], name="x")
    y = tf.placeholder(tf.float32, [size, size], name="y")
    left, right = tf.cumsum(x, 0, name="left"), tf.cumsum(y, 1, name="right")
    return tf.matmul(left, right, name="joined"), x, y


def test_steps_that_do_not_read_each_other_are_one_part() -> None:
    joined, x, y = two_products(None)
    with tf.Session() as session:
        plan = session.plan(joined, [x, y])
        assert [step.node for step in plan.steps] == ["left", "right", "joined"]
        assert parallel_segments(plan) == [PlanSegment(0, 2, True), PlanSegment(2, 3, False)]


def test_small_steps_are_left_in_their_order() -> None:
    joined, x, y = two_products(10)
    with tf.Session() as session:
        assert parallel_segments(session.plan(joined, [x, y])) is None


def test_heavy_steps_meet_on_two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    joined, x, y = two_products(None)
    opdef, meeting = OPS["Cumsum"], threading.Barrier(2, timeout=60)
    plain = opdef.kernels.get("numpy") or opdef.kernels["*"]

    def kernel(xp: Any, *args: Any) -> Any:
        meeting.wait()  # both are here at once, or the barrier breaks
        return plain(xp, *args)

    data = np.random.default_rng(0).random((HEAVY, HEAVY)).astype("f4")
    with tf.Session(config=tf.SessionConfig(passes=(), threads=1)) as alone:
        want = alone.run(joined, {x: data, y: data})
    monkeypatch.setattr("penstock.runtime.base.thread_pool.cores", lambda: 2)
    monkeypatch.setitem(opdef.kernels, "numpy", kernel)
    with tf.Session(config=tf.SessionConfig(threads=2)) as session:
        np.testing.assert_array_equal(session.run(joined, {x: data, y: data}), want)


def test_the_error_is_that_of_the_first_step(monkeypatch: pytest.MonkeyPatch) -> None:
    joined, x, y = two_products(None)
    opdef = OPS["Cumsum"]

    def kernel(xp: Any, *args: Any) -> Any:
        raise tf.errors.InvalidArgumentError(message=f"axis {int(args[1])} is bad")

    monkeypatch.setitem(opdef.kernels, "numpy", kernel)
    data = np.ones((HEAVY, HEAVY), "f4")
    told = pytest.raises(tf.errors.InvalidArgumentError, match='axis 0 is bad\n  in node "left"')
    with tf.Session(config=tf.SessionConfig(threads=2)) as session, told:
        session.run(joined, {x: data, y: data})


def test_a_step_that_writes_in_place_is_never_beside_one_that_reads() -> None:
    x = tf.placeholder(tf.float32, [HEAVY, HEAVY], name="x")
    whole = tf.sqrt(x, name="whole")
    sums = tf.cumsum(whole, 0, name="sums")
    after = tf.tensor_scatter_nd_update(whole, [[0]], x[:1], name="update")
    others = [tf.cumsum(x, 1, name="before"), tf.cumsum(x, 0, name="later")]
    with tf.Session(config=tf.SessionConfig(passes=())) as session:
        plan = session.plan([sums, after, *others], [x])
        [position] = [i for i, step in enumerate(plan.steps) if step.donor is not None]
        assert plan.steps[position].node == "update"
        parts = parallel_segments(plan) or []
        assert any(part.independent for part in parts)
        assert not any(part.independent and part.start <= position < part.stop for part in parts)


def test_what_ran_side_by_side_is_freed_when_nobody_reads_it_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.runtime.base.thread_pool.cores", lambda: 2)
    made: list[Any] = []
    alive: list[bool] = []

    def make(x: Any) -> Any:
        if not made:
            result = x.copy()
            made.append(weakref.ref(result))
            return result
        alive.append(made[0]() is not None)  # the second call comes last
        return x.copy()

    x = tf.placeholder(tf.float32, [HEAVY, HEAVY], name="x")
    with op_of(make, fresh=True) as maker:
        first = maker(x)
        second = tf.cumsum(x, 0)
        with tf.control_dependencies([first]):
            left = tf.cumsum(first, 0)
        right = tf.cumsum(second, 1)
        last = maker(tf.matmul(left, right))
        with tf.Session(config=tf.SessionConfig(threads=2, passes=())) as session:
            plan = session.plan(last, [x])
            apart = [part for part in parallel_segments(plan) or [] if part.independent]
            freed = [i for i, step in enumerate(plan.steps) if plan.steps[0].outputs[0] in step.frees]
            assert plan.steps[0].node == first.op.name
            assert any(part.start <= freed[0] < part.stop for part in apart), "the value is freed in a parallel part"
            session.run(last, {x: np.ones((HEAVY, HEAVY), "f4")})
    assert alive == [False]
