"""Values that no step at hand has: of iterations that are over, of loops that have ended, inside fused groups."""

from __future__ import annotations

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphError
from penstock.runtime.debugger.debugger import Debugger


def loops() -> Debugger:
    """A loop in a loop, with a branch: `k` adds 10 in each inner iteration."""
    with tf.Graph().as_default() as graph:

        def outer(i: tf.Tensor, t: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            inner = tf.while_loop(
                lambda j, u: j <= i, lambda j, u: (j + 1, tf.add(u, 10, name="k")), [0, t], name="inner"
            )[1]
            picked = tf.cond(i > 1, lambda: tf.negative(inner, name="neg"), lambda: tf.add(inner, 1, name="more"))
            return i + 1, tf.multiply(picked, 2, name="h")

        result = tf.while_loop(lambda i, t: i < 4, outer, [0, 1], name="outer")
        out = tf.negative(result[1], name="out")
    return tf.Session(graph=graph).debug(out)


BY_HAND = {  # t is 1; k: t + 10; more: k + 1; h: 2 * more; and so on
    "outer[0]/t": 1, "outer[0]/inner[0]/k": 11, "outer[0]/more": 12, "outer[0]/h": 24, "outer[1]/t": 24,
    "outer[1]/inner[1]/k": 44, "outer[1]/inner[1]/u": 34, "outer[1]/h": 90, "outer[2]/neg": -120, "outer[2]/h": -240,
    "outer[2]/body/h": -240, "outer[2]/outer/body/h:0": -240, "outer[4]/cond/Less": False, "outer[3]/cond/Less": True,
}  # fmt: skip


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_value_of_any_iteration_has_an_address(is_whole: bool) -> None:
    dbg = loops()
    if is_whole:
        dbg.next()
    else:
        while dbg.here.node != "out":
            dbg.step()
    stood, time = str(dbg.here), dbg.time
    assert {address: dbg.value(address).item() for address in BY_HAND} == BY_HAND
    assert (str(dbg.here), dbg.time) == (stood, time) and dbg.finish() == -dbg.value("outer[3]/h")


def test_what_is_not_computed_up_to_here_is_told() -> None:
    dbg = loops()
    for address in ("outer[0]/h", "outer[1]/t"):
        with pytest.raises(GraphError, match=r"up to here nothing of the name .* was computed in outer"):
            dbg.value(address)
    dbg.until("*/h")
    dbg.until("*/h")
    assert dbg.value("outer[1]/inner[1]/k") == 44 and dbg.value("outer[0]/h") == 24
    for address in ("outer[1]/h", "outer[2]/t", "outer[1]/neg", "outer[1]/k"):
        with pytest.raises(GraphError, match="up to here nothing"):
            dbg.value(address)
    with pytest.raises(GraphError, match=r"this run has no loop other\[0\]"):
        dbg.value("other[0]/h")
    dbg.go()
    with pytest.raises(GraphError, match=r"outer/body/h:0 is inside outer, which is not under way .*'outer\[0\]/h'"):
        dbg.value("h")
    with pytest.raises(GraphError, match=r"dbg.back_to\('h'\) goes to the last iteration"):
        dbg.set("outer[0]/h", 1)


def test_an_address_sees_what_was_set() -> None:
    dbg = loops()
    dbg.until("*/h")
    dbg.set("t", 5)
    dbg.go()
    assert dbg.value("outer[0]/t") == 5 and dbg.value("outer[0]/h") == 32 and dbg.value("outer[1]/t") == 32


def test_what_a_loop_prints_is_not_printed_again() -> None:
    calls: list[int] = []

    def called(i: np.int32) -> np.int32:
        calls.append(int(i))
        return i + np.int32(1)

    with tf.Graph().as_default() as graph:
        loop = tf.while_loop(
            lambda i: i < 3, lambda i: tf.reshape(tf.py_func(called, [i], tf.int32, name="next"), []), [0], name="steps"
        )
    dbg = tf.Session(graph=graph).debug(loop)
    dbg.go()
    assert [dbg.value(f"steps[{i}]/next") for i in range(3)] == [1, 2, 3] and calls == [0, 1, 2]


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_watch_keeps_the_last_value_of_a_loop_that_has_ended(is_whole: bool) -> None:
    dbg = loops()
    dbg.watch("outer/body/h:0")
    assert dbg.here.watched == ("outer/body/h:0 = not computed yet",)
    if not is_whole:
        dbg.until("*/h")
    dbg.next() if is_whole else dbg.out()
    assert dbg.value("outer[3]/h") == 400
    (line,) = dbg.here.watched
    assert line.startswith("outer/body/h:0 = 400  (the last value, in outer[3])")
    dbg.back()
    assert dbg.here.watched[0].startswith("outer/body/h:0 = not computed yet")


def test_a_loop_that_keeps_values_for_its_gradient_has_the_address_of_the_loop() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant([1.0, 2.0, 3.0], name="x")
        sums = tf.scan(lambda h, row: tf.multiply(h + row, h, name="state"), x, initializer=2.0, name="steps")
        slope = tf.gradients(sums[-1], x)[0]
        out = tf.reduce_sum(slope + sums, name="out")
    dbg = tf.Session(graph=graph).debug(out)
    dbg.watch("steps/fn/state:0")
    dbg.until("out")
    assert [dbg.value(f"steps[{i}]/state") for i in range(3)] == [6, 48, 2448]
    assert dbg.value("steps[1]/row") == 2 and dbg.value("steps_grad/forward[1]/state") == 48
    assert dbg.here.watched[0].startswith("steps/fn/state:0 = 2448.0")


def test_values_inside_a_fused_group_are_computed_from_its_inputs() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        a = tf.add(x, 1.0, name="a")
        out = tf.reduce_sum(tf.multiply(tf.exp(a, name="b"), a, name="c"), name="out")
    dbg = tf.Session(graph=graph).debug(out, {x: [1.0, 2.0]}, fused=True)
    assert [step.op for step in dbg.record().plan.steps] == ["Fused"]
    with pytest.raises(GraphError, match=r"not computed yet; .* dbg.until\('b'\) goes there"):
        dbg.value("b")
    before = dbg.listing()
    dbg.next()
    np.testing.assert_array_equal(dbg.value("a"), [2.0, 3.0])
    np.testing.assert_allclose(dbg.value("b"), np.exp([2.0, 3.0]), rtol=1e-6)
    np.testing.assert_allclose(dbg.value("c").sum(), dbg.value("out"), rtol=1e-6)
    rows = [line.split()[:3] for line in dbg.listing().splitlines()[1:5]]
    assert [row[:3] for row in rows[:3]] == [["|", "a", "Add"], ["|", "b", "Exp"], ["|", "c", "Mul"]]
    assert "[2. 3.]" in dbg.listing() and "[2. 3.]" not in before


def test_a_rewound_run_holds_little_and_runs_again() -> None:
    with tf.Graph().as_default() as graph:
        w = tf.Variable(np.ones(1000, np.float32), name="w")
        out = tf.reduce_sum(w.assign_add(tf.random_uniform([1000], seed=1)), name="out")
    session = tf.Session(graph=graph)
    session.run(w.initializer)
    dbg = session.debug(out, every=1)
    result = dbg.finish()
    assert dbg.held_bytes > 4000
    assert 4000 <= dbg.rewind() < 4500 and dbg.held_bytes == 0 and dbg.time == 0
    np.testing.assert_array_equal(dbg.value("w"), np.ones(1000))
    dbg.go()
    assert dbg.value("out") == result


def watched_run(value: float, exclude: str = "") -> tuple[Debugger, str]:
    """A debugged run of a session with a watch, and the error of the run itself."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        loop = tf.while_loop(
            lambda i, v: i < 3, lambda i, v: (i + 1, tf.sqrt(v - 1.0, name="root")), [0, x], name="steps"
        )
        y = tf.add(loop[1], 1.0, name="y")
    session = tf.Session(graph=graph, config=tf.SessionConfig(watch=tf.Watch(exclude=exclude)))
    try:
        text = str(session.run(y, {x: [value]}))
    except tf.errors.NonFiniteError as error:
        text = str(error)
    return session.debug(y, {x: [value]}), text


@pytest.mark.parametrize("value", [4.0, float("nan"), float("inf")])
def test_a_debugged_run_of_a_session_with_a_watch_ends_as_the_run_does(value: float) -> None:
    dbg, text = watched_run(value)
    stop = dbg.go()
    assert "NonFiniteError" in stop.reason
    assert stop.inside == (("steps[2]",) if value == 4.0 else ())
    with pytest.raises(tf.errors.NonFiniteError) as caught:
        dbg.finish()
    assert str(caught.value) == text and str(caught.value).startswith("watch: ")


def test_another_value_lets_a_watched_run_go_on() -> None:
    dbg, _ = watched_run(4.0)
    dbg.go()
    dbg.set("root", [0.0])
    np.testing.assert_array_equal(dbg.finish(), [1.0])


def test_what_a_watch_excludes_does_not_stop_a_debugged_run() -> None:
    dbg, text = watched_run(4.0, "*root")
    assert "steps/cond/v:0 float32 [1] was fed NaN" in text  # what an iteration begins with is looked at too
    with pytest.raises(tf.errors.NonFiniteError) as caught:
        dbg.finish()
    assert str(caught.value) == text
    dbg, text = watched_run(4.0, "steps*")
    assert "y:0 float32 [1] had NaN" in text and dbg.go().node == "y"
    dbg, text = watched_run(100.0)
    assert str(dbg.finish()) == text
