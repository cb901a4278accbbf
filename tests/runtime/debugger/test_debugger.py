"""`Session.debug`: steps forwards and backwards, values, edits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.debugger.debugger import Debugger


def _a_run_with_everything(printed: list[str]) -> tuple[tf.Session, Debugger]:
    """A loop, a branch, a variable, random numbers and a call of Python."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, ["n"], name="x")
        v = tf.Variable(1.0, name="v")

        def body(i: Any, s: Any) -> Any:
            return i + 1, tf.add(s * 2.0, x, name="h")

        _, s = tf.while_loop(lambda i, s: i < 4, body, [0, x], name="steps")
        noise = tf.random_normal([2], name="noise")
        update = v.assign_add(tf.reduce_sum(s), name="update")
        y = tf.cond(tf.reduce_sum(s) > 5, lambda: tf.sqrt(s), lambda: s, name="pick")

        def say(value: Any) -> Any:
            printed.append(str(value))
            return value

        called = tf.py_func(say, [y], tf.float32, name="say")
    session = tf.Session(graph=graph)
    session.run(v.initializer)
    return session, session.debug([y, update, noise, called], {x: [1.0, 2.0]})


def _values(dbg: Debugger) -> dict[str, Any]:
    """Every value that the frames hold now."""
    frames = dbg._now.frames
    return {
        f"{len(frame.path)} {name}": np.array(frame.slots[slot])
        for frame in frames
        for name, slot in frame.code.slot_of.items()
        if slot in frame.slots
    }


def _are_equal(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a.keys() == b.keys() and all(a[name].tobytes() == b[name].tobytes() for name in a)


@pytest.mark.parametrize("every", [1, 3, 1000])
def test_going_back_gives_the_values_of_the_first_time(every: int) -> None:
    printed: list[str] = []
    session, _ = _a_run_with_everything(printed)
    fetches = ["pick:0", "update:0", "noise:0", "say:0"]
    dbg = session.debug(fetches, {"x:0": [1.0, 2.0]}, every=every)
    first = [_values(dbg)]
    while not dbg.has_ended:
        dbg.step()
        first.append(_values(dbg))
    for time in [*reversed(range(len(first))), 7, 3, len(first) - 1, 0]:
        dbg.goto(time)
        assert _are_equal(_values(dbg), first[time]), time
    assert len(printed) == 1


def test_finish_gives_what_a_run_gives_and_leaves_the_session_as_a_run_does() -> None:
    session, dbg = _a_run_with_everything([])
    other = tf.Session(graph=session.graph)
    other.run("v/Assign")
    other.set_random_state(session.random_state())
    dbg.step(12)
    dbg.back(5)
    found = dbg.finish()
    wanted = other.run(["pick:0", "update:0"], {"x:0": [1.0, 2.0]})
    np.testing.assert_array_equal(found[0], wanted[0])
    assert found[1] == wanted[1] == session.run("v:0") == other.run("v:0")
    with pytest.raises(TypeError, match="has been finished"):
        dbg.finish()


def test_random_numbers_are_drawn_when_the_run_is_finished() -> None:
    graph = tf.Graph()
    with graph.as_default():
        noise = tf.random_uniform([3], seed=4)
    session, other = tf.Session(graph=graph), tf.Session(graph=graph)
    dbg = session.debug(noise)
    dbg.step()
    dbg.back()
    wanted = [other.run(noise), other.run(noise)]
    np.testing.assert_array_equal(dbg.finish(), wanted[0])
    np.testing.assert_array_equal(session.run(noise), wanted[1])


def test_nothing_of_the_session_changes_before_the_end() -> None:
    session, dbg = _a_run_with_everything([])
    before = session.random_state()
    while not dbg.has_ended:
        dbg.step()
    assert session.run("v:0") == 1.0
    assert session.random_state() == before


def test_a_variable_that_another_run_has_changed_is_not_overwritten() -> None:
    session, dbg = _a_run_with_everything([])
    session.run("update", {"x:0": [1.0, 2.0]})
    now = session.run("v:0")
    with pytest.raises(tf.errors.AbortedError, match="another run has changed the variable 'v'"):
        dbg.finish()
    assert session.run("v:0") == now


def test_next_runs_a_loop_at_once_and_step_goes_inside() -> None:
    _, dbg = _a_run_with_everything([])
    assert dbg.next().step == 2
    assert dbg.time == 1
    dbg.back()
    assert dbg.step().inside == ("steps[0]/cond",)
    assert dbg.until("*h").inside == ("steps[0]",)
    assert dbg.until("*h").inside == ("steps[1]",)
    assert dbg.back_to("*h").inside == ("steps[0]",)
    assert dbg.next().inside == ("steps[1]/cond",)


def test_a_value_that_is_set_reaches_what_depends_on_it_only() -> None:
    printed: list[str] = []
    session, dbg = _a_run_with_everything(printed)
    dbg.until("say")
    dbg.step()
    assert len(printed) == 1
    noise = dbg.value("noise")
    dbg.set("x", [4.0, 9.0])
    np.testing.assert_array_equal(dbg.value("noise"), noise)
    assert len(printed) == 2  # its input has changed
    wanted = session.run("pick:0", {"x:0": [4.0, 9.0]})
    np.testing.assert_array_equal(dbg.value("say"), wanted)
    dbg.unset("x")
    assert len(printed) == 2
    np.testing.assert_array_equal(dbg.value("pick:0"), session.run("pick:0", {"x:0": [1.0, 2.0]}))
    assert dbg.changed == ()


def test_a_value_set_in_one_iteration_changes_the_iterations_after_it() -> None:
    _, dbg = _a_run_with_everything([])
    dbg.until("*h")
    dbg.until("*h")
    dbg.set("h", [100.0, 200.0])
    dbg.next("steps/*")
    dbg.until("noise/mul")
    np.testing.assert_array_equal(dbg.value("steps:1"), [403.0, 806.0])
    assert "steps:1" in dbg.changed


def test_a_step_that_fails_is_not_taken_and_its_error_names_the_iteration() -> None:
    graph = tf.Graph()
    with graph.as_default():
        n = tf.placeholder(tf.int32, [], name="n")
        last = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.floordiv(s, n - i)), [0, 12], name="steps")[1]
    session = tf.Session(graph=graph)
    dbg = session.debug(last, {n: 1})
    while dbg.error is None:
        stop = dbg.step()
    assert "InvalidArgumentError" in stop.reason or "failed" in stop.reason
    with pytest.raises(tf.errors.OpError) as found:
        session.run(last, {n: 1})
    wanted = str(found.value)
    assert "in iteration 1" in wanted or "iteration 1 of" in wanted
    assert str(dbg.error).splitlines()[0] == wanted.splitlines()[0]
    assert "iteration 1 of" in str(dbg.error)
    dbg.back()
    assert dbg.error is None
    dbg.set("n", 10)
    dbg.finish()


def test_the_states_kept_for_going_back_stay_within_their_memory() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float64, ["n"], name="x")
        y = x
        for i in range(60):
            y = tf.sin(y, name=f"s{i}")
    session = tf.Session(graph=graph)
    bound = 20 * 8000
    dbg = session.debug(y, {x: np.arange(1000.0)}, every=1, memory=bound)
    while not dbg.has_ended:
        dbg.step()
        assert dbg.held_bytes <= bound
    trace = session.trace(y, {x: np.arange(1000.0)})
    for i in reversed(range(60)):
        dbg.goto(i + 1)
        np.testing.assert_array_equal(dbg.value(f"s{i}"), trace[f"s{i}"])
    assert dbg.held_bytes <= bound


def test_a_name_that_the_run_does_not_compute_is_an_error_with_a_hint() -> None:
    _, dbg = _a_run_with_everything([])
    with pytest.raises(ValueError, match=r"computes no 'noize'.*noise"):
        dbg.value("noize")
    with pytest.raises(ValueError, match="not computed yet"):
        dbg.value("noise")


def test_the_rest_of_a_loop_runs_at_once_and_gives_what_its_iterations_give() -> None:
    session, dbg = _a_run_with_everything([])
    wanted = session.trace("pick:0", {"x:0": [1.0, 2.0]})
    dbg.until("*h")
    dbg.until("*h")
    time = dbg.time
    assert dbg.out().node == "noise/shape" or dbg.time == time + 1
    np.testing.assert_array_equal(dbg.value("steps:1"), wanted["steps:1"])
    dbg.back()
    assert dbg.here.inside == ("steps[1]",)
    dbg.step()
    assert dbg.latest == time + 1  # what came after was one step
    dbg.set("h", [0.0, 0.0])
    dbg.out()
    np.testing.assert_array_equal(dbg.value("steps:1"), [3.0, 6.0])


def test_a_step_whose_results_are_set_does_not_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [])
        y = tf.add(tf.floordiv(6, x, name="part"), 1)
        dbg = session.debug(y, {x: 0})
        dbg.next()
        assert dbg.error is not None
        dbg.set("part", 4)
        assert dbg.finish() == 5


def test_a_value_that_was_dropped_is_made_again() -> None:
    session, dbg = _a_run_with_everything([])
    while not dbg.has_ended:
        dbg.step()
    np.testing.assert_array_equal(dbg.value("x"), [1.0, 2.0])
    assert dbg.value("v:0") == 1.0
    assert dbg.next().node == ""
    assert session.run("v:0") == 1.0


def test_a_full_name_means_the_tensor_that_has_it_also_inside_of_a_branch() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.identity(1.0, name="h")
        y = tf.cond(tf.equal(x, 1.0), lambda: tf.add(tf.identity(x * 2.0, name="h"), 1.0), lambda: x, name="pick")
        dbg = session.debug(y)
        dbg.until("pick/true/Add")
        assert dbg.value("h:0") == 1.0
        assert dbg.value(x) == 1.0
        assert dbg.value("h_1") == 2.0


def test_results_that_must_not_be_made_again_go_to_a_file_where_they_are_large() -> None:
    calls: list[int] = []

    def made(i: Any) -> Any:
        calls.append(int(i))
        return np.full(1000, i, np.float64)

    with tf.Graph().as_default(), tf.Session() as session:
        found = [tf.py_func(made, [i], tf.float64, name=f"made{i}") for i in range(20)]
        y = tf.add_n([tf.reduce_sum(each) for each in found])
        bound = 50_000
        dbg = session.debug(y, every=2, memory=bound)
        while not dbg.has_ended:
            dbg.step()
            assert dbg.held_bytes <= bound
        dbg.goto(0)
        assert dbg.held_bytes <= bound
        for i in range(20):
            dbg.until(f"made{i}")
            dbg.step()
            np.testing.assert_array_equal(dbg.value(f"made{i}"), np.full(1000, float(i)))
        assert dbg.finish() == 1000 * sum(range(20))
        assert calls == list(range(20))


def test_errors_between_the_iterations_of_a_loop_are_those_of_a_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        goes_on = tf.placeholder(tf.bool, None, name="goes_on")
        sizes = tf.placeholder(tf.float32, [None], name="sizes")
        loop = tf.while_loop(lambda i, q: q, lambda i, q: (i + 1, q), [0, goes_on], name="loop")[0]
        rows = tf.map_fn(lambda size: tf.range(tf.cast(size, tf.int32)), sizes, dtype=tf.int32, name="rows")
        for fetch, feeds in ((loop, {goes_on: [True, False]}), (rows, {sizes: [1.0, 2.0, 3.0]})):
            with pytest.raises(tf.errors.InvalidArgumentError) as wanted:
                session.run(fetch, feeds)
            dbg = session.debug(fetch, feeds)
            while dbg.error is None:
                dbg.step()
            assert str(dbg.error) == str(wanted.value)
