"""`Session.debug`: steps forwards and backwards, values, edits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.debugger.debugger import Debugger

from ...helpers import frames_of, op_of


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
    """Every value that the frames hold now, and when their steps ended."""
    frames = frames_of(dbg)
    values = {
        f"{len(frame.path)} {name}": np.array(frame.slots[slot])
        for frame in frames
        for name, slot in frame.code.slot_of.items()
        if slot in frame.slots
    }
    return values | {f"{len(frame.path)} times": np.array(frame.times, np.int64) for frame in frames}


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


@pytest.mark.parametrize("edit", ["limit", "predicate"])
def test_python_functions_behind_an_edited_limit_or_predicate_are_called_anew(edit: str) -> None:
    calls: list[Any] = []

    def noted(name: str) -> Any:
        def note(value: Any) -> Any:
            calls.append((name, float(value)))
            return value * 10.0

        return lambda value: tf.reshape(tf.py_func(note, [value], tf.float32, name=name), [])

    with tf.Graph().as_default() as graph:
        n, p = tf.placeholder(tf.int32, [], name="n"), tf.placeholder(tf.bool, [], name="p")
        x, y = tf.constant(2.0), tf.constant(3.0)
        # Neither the bodies nor the branches read what is edited; which of them run, and how often, depends on it.
        looped = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + noted("inside")(x)), [0, 0.0])[1]
        chosen = tf.cond(p, lambda: noted("first")(x), lambda: noted("second")(y))
        after = [noted("after_loop")(looped), noted("after_choice")(chosen)]
    session = tf.Session(graph=graph)
    before: dict[Any, Any] = {"n:0": 4, "p:0": True}
    for changed in ({"n:0": 2}, {"n:0": 6}, {"n:0": 0}) if edit == "limit" else ({"p:0": False},):
        dbg = session.debug(after, before)
        dbg.step(1000)
        assert dbg.has_ended and calls
        dbg.goto(0)
        calls.clear()
        ((name, value),) = changed.items()
        dbg.set(name.partition(":")[0], value)
        got = dbg.finish()
        asked_again = [each[0] for each in calls]
        want = session.run(after, {**before, **changed})
        assert [float(each) for each in got] == [float(each) for each in want] != [800.0, 200.0]
        assert ("after_loop" if edit == "limit" else "after_choice") in asked_again
        assert ("after_choice" if edit == "limit" else "after_loop") not in asked_again  # what is not edited stays


def test_a_python_function_is_called_anew_for_the_same_bytes_in_another_shape() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, name="x")
        shape = tf.py_func(lambda value: np.array(value.shape, np.int32), [x], tf.int32, name="shape")
    dbg = tf.Session(graph=graph).debug(shape, {x: np.zeros(())})
    for value in (np.zeros((2, 3), np.float32), np.zeros((3, 2), np.float32), np.zeros(6, np.float32)):
        dbg.goto(0)
        dbg.set("x", value)
        dbg.step(1000)
        assert dbg.value("shape").tolist() == list(value.shape)


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


@pytest.mark.parametrize("every", [1, 1000])
def test_values_stay_what_they_were_when_later_steps_would_overwrite_them(every: int) -> None:
    """In a run the update takes the memory of what it updates."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [4], name="x")
        doubled = tf.multiply(x, 2.0, name="doubled")
        changed = tf.tensor_scatter_nd_update(doubled, [[1]], [9.0], name="changed")
        v = tf.Variable(np.ones(4, "f4"), name="v")
        added = v.assign_add(changed, name="added")
        scattered = tf.scatter_add(v, [2], [5.0], name="scattered")

        def body(i: Any, s: Any) -> Any:
            return i + 1, tf.tensor_scatter_nd_update(s + 0.0, [[0]], [-1.0], name="inner")

        with tf.control_dependencies([scattered]):
            _, last = tf.while_loop(lambda i, s: i < 2, body, [0, v.read_value()], name="steps")
        session.run(v.initializer)
        plan = session.plan([added, scattered, last], [x])
        assert [step.donor for step in plan.steps if step.donor is not None]  # so there is something to overwrite
        dbg = session.debug([added, scattered, last], {x: [1.0, 2.0, 3.0, 4.0]}, every=every)
        seen = [_values(dbg)]
        while not dbg.has_ended:
            dbg.step()
            seen.append(_values(dbg))
        for time in [*reversed(range(len(seen))), len(seen) - 1]:
            dbg.goto(time)
            assert _are_equal(_values(dbg), seen[time]), time
        assert dbg.value("doubled").tolist() == [2, 4, 6, 8]
        assert dbg.value("changed").tolist() == [2, 9, 6, 8]
        assert dbg.value("v").tolist() == [1, 1, 1, 1] and dbg.value("added").tolist() == [3, 10, 7, 9]
        assert dbg.value("scattered").tolist() == [3, 10, 12, 9]
        assert session.run(v).tolist() == [1, 1, 1, 1]


def test_values_stay_what_they_were_when_a_kernel_changes_its_last_result() -> None:
    """A user's kernel may return an array that it keeps, and write to it in its next call."""
    kept = np.zeros(2, "f4")

    def add_one(x: Any) -> Any:
        kept[...] = x + 1
        return kept

    with op_of(add_one) as add, tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2], name="x")
        first, second = add(x), add(x * 10.0)
        _, last = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, add(s)), [0, second])
        dbg = session.debug([first, second, last], {x: [1.0, 2.0]})
        while not dbg.has_ended:
            dbg.step()
        assert dbg.value(first).tolist() == [2, 3] and dbg.value(second).tolist() == [11, 21]
        assert [each.tolist() for each in dbg.finish()] == [[2, 3], [11, 21], [14, 24]]
