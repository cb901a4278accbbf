"""What a debugger tells: where, frames, breakpoints, watched values, why; records, and runs that have failed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.debugger.debugger import Debugger


def _losing_run() -> tuple[tf.Session, list[Any], dict[Any, Any]]:
    """A loss that becomes NaN inside a loop."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", None], name="x")
        h = tf.reduce_sum(x, 1, name="h")

        def body(i: Any, s: Any) -> Any:
            return i + 1, tf.log(tf.subtract(s, 0.5, name="less"), name="lg")

        s = tf.while_loop(lambda i, s: i < 3, body, [0, h], name="steps")[1]
        loss = tf.negative(tf.reduce_sum(s), name="loss")
        tf.square(h, name="other")
        kept = tf.boolean_mask(h, h > 0, name="kept")
    return tf.Session(graph=graph), [loss, kept], {x: [[1.0, 2.0], [0.5, 0.5]]}


def _debugger() -> Debugger:
    session, fetches, feeds = _losing_run()
    return session.debug(fetches, feeds)


def test_where_shows_operands_with_values_lines_and_both_shapes() -> None:
    dbg = _debugger()
    found = dbg.where()
    (x, axis) = found.operands
    assert (x.parameter, x.tensor, x.predicted, x.found) == ("input_tensor", "x:0", "float32 (n, ?)", (2, 2))
    assert x.value == "[[1. 2. ] [0.5 0.5]]"
    assert 'tf.placeholder(tf.float32, ["n", None], name="x")' in x.line
    assert axis.tensor == "h/axis:0"
    assert found.makes == (("h:0", "float32 (n,)"),)


def test_frames_tell_the_iteration_and_the_loop_variables() -> None:
    dbg = _debugger()
    assert dbg.frames() == ()
    dbg.until("*lg")
    dbg.until("*lg")
    (frame,) = dbg.frames()
    assert (frame.node, frame.op, frame.part, frame.iteration) == ("steps", "While", "steps[1]", 1)
    assert frame.variables[0] == ("i", 1)
    assert "in steps[1] (While)  i = 1, s = [" in str(dbg.where())


def test_a_breakpoint_on_nan_stops_in_the_iteration_that_makes_it() -> None:
    dbg = _debugger()
    made = dbg.break_on(nan=True)
    assert "steps/body/lg:0: 1 of 2 elements" in dbg.go().reason
    assert dbg.why("lg").origin == "steps/body/lg:0"
    dbg.delete(made)
    assert dbg.breakpoints == ()
    assert dbg.go().node == ""


@pytest.mark.parametrize(("nan", "where"), [(True, "difference:0"), (False, "lg:0")])
def test_a_breakpoint_on_nan_does_not_stop_at_infinite_numbers_nor_one_on_those_at_nan(nan: bool, where: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        lg = tf.log(x, name="lg")
        difference = tf.subtract(lg, lg, name="difference")
    dbg = tf.Session(graph=graph).debug([lg, difference], {x: [0.0, 1.0]})
    dbg.break_on(nan=nan, inf=not nan)
    assert dbg.go().reason.startswith(f"breakpoint 1: {where}: 1 of 2 elements, the first at [0]: ")
    assert dbg.go().node == ""


def test_breakpoints_stop_before_names_and_on_shapes_and_are_listed() -> None:
    dbg = _debugger()
    dbg.break_at("*/less")
    dbg.break_on(shape=[2], names="h")
    dbg.break_on(shape=[3], names="kept")
    assert [str(each) for each in dbg.breakpoints] == [
        "1: before */less", "2: a shape other than [2] in h", "3: a shape other than [3] in kept"
    ]  # fmt: skip
    assert dbg.go().inside == ("steps[0]",)
    dbg.delete(1)
    assert dbg.go().reason == "breakpoint 3: kept:0 has shape [2], not [3]"
    with pytest.raises(ValueError, match="no breakpoint has this number; there are 2, 3"):
        dbg.delete(9)
    with pytest.raises(TypeError, match="give what to stop on"):
        dbg.break_on()


def test_watched_values_stand_in_each_stop_with_what_they_were() -> None:
    dbg = _debugger()
    dbg.watch("s")
    assert dbg.here.watched == ("s = not computed yet",)
    dbg.until("*lg")
    assert dbg.here.watched == ("s = [3. 1.]",)
    stop = dbg.until("*lg")
    assert stop.watched[0].startswith("s = [ ")
    assert stop.watched[0].endswith("(was [3. 1.])")
    dbg.unwatch("s")
    assert len(dbg.here.watched) == 0
    with pytest.raises(ValueError, match="it is not watched"):
        dbg.unwatch("s")


def test_why_follows_a_nan_into_the_loop_that_made_it() -> None:
    dbg = _debugger()
    dbg.until("no such node")
    found = dbg.why("loss")
    text = str(found)
    assert found.origin == "steps:1"
    assert "it begins in steps[1]: steps/body/lg:0 has" in text or "it begins in steps[0]: steps/body/lg:0 has" in text
    assert "steps/body/less:0" in text


def test_why_says_what_a_shape_waits_for_and_what_a_run_does_not_need() -> None:
    dbg = _debugger()
    assert "it is step 1 of" in str(dbg.why("h"))
    assert "it is inside steps, which is not under way" in str(dbg.why("lg"))
    dbg.until("no such node")
    assert "only the run knows how many entries of the" in str(dbg.why("kept"))
    assert str(dbg.why("other")) == "other: not needed by any fetch"
    assert "no node of that name" in str(dbg.why("othr"))
    assert "of the steps so far" in str(dbg.why("h"))
    dbg.set("x", [[2.0, 2.0], [9.0, 9.0]])
    assert "depends on what was set: x:0" in str(dbg.why("h"))


def test_the_record_of_a_debugged_run_is_that_of_a_run() -> None:
    session, fetches, feeds = _losing_run()
    dbg = session.debug(fetches, feeds)
    dbg.step(3)
    assert [step.node for step in dbg.record().steps] == ["h"]
    dbg.goto(0)
    assert dbg.record().steps == ()
    dbg.until("*lg")
    while not dbg.has_ended:
        dbg.step()
    record = dbg.record()
    assert [step.node for step in record.steps][:2] == ["h", "steps"]
    assert [body.iteration for body in record.step("steps").inside if body.part == 1] == [0, 1, 2]
    assert str(record.step("loss").results[0].value) == "1 NaN"


def test_the_last_error_opens_before_the_step_that_failed_with_what_it_had() -> None:
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int32, [], name="n")
        v = tf.Variable(5.0, name="v")
        noise = tf.random_uniform([2], name="noise")

        def body(i: Any, x: Any) -> Any:
            return i + 1, tf.floordiv(x, n - i, name="quotient")

        x = tf.while_loop(lambda i, x: i < 9, body, [0, 99], name="steps")[1]
        with tf.control_dependencies([v.assign_add(1.0)]):
            last = tf.add(tf.cast(x, tf.float32), noise + v, name="last")
    session = tf.Session(graph=graph)
    with pytest.raises(TypeError, match="no run of this session has failed"):
        session.debug_last_error()
    session.run(v.initializer)
    with pytest.raises(tf.errors.OpError) as failed:
        session.run(last, {n: 3})
    session.run(noise)
    dbg = session.debug_last_error()
    assert dbg.here.inside == ("steps[3]",)
    assert dbg.here.node.endswith("quotient")
    assert str(dbg.error).splitlines()[0] == str(failed.value).splitlines()[0]
    assert dbg.value("n") == 3
    dbg.set("n", 20)
    assert np.isfinite(dbg.finish()).all()
    assert session.run(v) == 6.0


def test_an_assertion_that_fails_is_stopped_before() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with tf.control_dependencies([tf.Assert(tf.reduce_all(x > 0), [x], name="positive")]):
            y = tf.identity(x, name="y")
    dbg = tf.Session(graph=graph).debug(y, {x: [-1.0]})
    stop = dbg.go()
    assert "InvalidArgumentError: assertion failed" in stop.reason
    dbg.set("x", [1.0])
    assert dbg.go().node == ""


def test_print_shows_the_steps_around_with_their_values() -> None:
    dbg = _debugger()
    dbg.step()
    lines = dbg.listing().splitlines()
    assert lines[1].split()[:4] == ["1", "h", "Sum", "[3."]
    assert lines[2].split()[:3] == [">", "2", "steps"]
    assert "before step 2 of" in str(dbg)


def test_counts_times_and_patterns_of_a_wrong_kind_are_told() -> None:
    dbg = _debugger()
    given: Any = dbg
    with pytest.raises(TypeError, match="'2' is no whole number"):
        given.step("2")
    with pytest.raises(TypeError, match="is no whole number"):
        given.goto(None)
    with pytest.raises(TypeError, match="a pattern of names is a string"):
        given.next(3)
    with pytest.raises(ValueError, match="at least 0"):
        dbg.goto(-1)
    session, fetches, feeds = _losing_run()
    with pytest.raises(ValueError, match="at least 1"):
        session.debug(fetches, feeds, every=0)


def test_results_of_a_loop_that_writes_a_variable_have_the_names_of_its_tensors() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")

        def body(i: Any, s: Any) -> Any:
            with tf.control_dependencies([v.assign_add(1.0)]):
                return i + 1, s * v.read_value()

        loop = tf.while_loop(lambda i, s: i < 3, body, [0, 1.0], name="steps")
    session = tf.Session(graph=graph)
    session.run(v.initializer)
    dbg = session.debug([loop, v])
    assert [name for name, _ in dbg.where().makes] == ["steps:0", "steps:1", "steps:variable v:0", "steps:2"]
    dbg.break_on(lambda name, value: value == 24.0, names="steps:*")
    assert "steps:1: the predicate holds" in dbg.go().reason


def _stopped(program: Any) -> tuple[str, str]:
    """Of a gradient that is all zeros: where it begins, and the text of `why`."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        loss, source = program(x)
        (slope,) = tf.gradients(loss, source, unconnected_gradients="zero")
    with tf.Session(graph=graph) as session:
        dbg = session.debug(slope, {x: [1.0, 2.0, 30.0]})
        dbg.go()
        assert not dbg.value(slope).any()
        found = dbg.why(slope)
    return found.origin, " ".join(str(found).split())


@pytest.mark.parametrize(("program", "origin", "words"), [
    (lambda x: (tf.nn.relu(-x, name="dead") * 3.0, x), "dead_grad/ReluGrad:0", "stopped by dead (Relu)"),
    (lambda x: (tf.sigmoid(x * 1e4, name="flat") + 1.0, x), "flat_grad/mul_1:0", "stopped by flat (Sigmoid)"),
    (lambda x: (tf.clip_by_value(x * 2.0, 0.0, 1.0, name="cut"), x), "cut/Minimum_grad/Select:0", "by cut/Minimum"),
    (lambda x: (tf.tanh(tf.multiply(x, 0.0, name="none")) * 2.0, x), "none_grad/mul:0", "stopped by none (Mul)"),
    (lambda x: (tf.stop_gradient(x) * 2.0, x), "zeros_like:0", "no gradient reaches x"),
])  # fmt: skip
def test_why_tells_which_operation_has_stopped_a_gradient(program: Any, origin: str, words: str) -> None:
    found, text = _stopped(program)
    assert found == f"gradients/{origin}"
    assert words in text


def test_why_tells_every_operation_that_has_stopped_a_part_of_a_gradient() -> None:
    def program(x: Any) -> Any:
        h = tf.multiply(x, 2.0, name="h")
        return tf.nn.relu(-h, name="dead") + tf.sigmoid(h * 1e4, name="flat"), x

    origin, text = _stopped(program)
    assert origin in ("gradients/flat_grad/mul_1:0", "gradients/dead_grad/ReluGrad:0")
    assert "stopped by dead (Relu), whose gradient is" in text
    assert "stopped by flat (Sigmoid)" in text
    assert 'out "dead:0" = [0. 0. 0.]' in text and 'out "flat:0" = [1. 1. 1.]' in text


def test_a_value_that_is_zero_and_no_gradient_has_no_origin() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.multiply(tf.zeros([2]), 3.0, name="y")
    dbg = tf.Session(graph=graph).debug(y)
    dbg.go()
    assert dbg.why(y).origin == ""


def test_why_names_operands_that_are_repeated_along_each_others_axes() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 1], name="x")
        y = tf.placeholder(tf.float32, [None], name="y")
        error = tf.subtract(x, y, name="error")
        scaled = tf.multiply(error, tf.constant(2.0), name="scaled")
        with tf.Session() as session:
            debugger = session.debug([error, scaled], {x: np.zeros((3, 1)), y: np.ones(2)})
            debugger.finish()
            crossed, plain = str(debugger.why(error)), str(debugger.why(scaled))
    assert "x [3, 1] and y [2] are broadcast to [3, 2]" in crossed
    assert '"x:0" float32 [3, 1] = ' in crossed
    assert "broadcast" not in plain
