"""Do independent heavy steps run at the same time, with the results and errors of one after the other?"""

import threading
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.opdef import OPS
from penstock.runtime.side_by_side import Part, parts_of

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
        assert parts_of(plan) == [Part(0, 2, True), Part(2, 3, False)]


def test_small_steps_are_left_in_their_order() -> None:
    joined, x, y = two_products(10)
    with tf.Session() as session:
        assert parts_of(session.plan(joined, [x, y])) is None


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
    monkeypatch.setattr("penstock.runtime.threads.cores", lambda: 2)
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
