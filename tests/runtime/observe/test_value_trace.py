"""`session.trace` keeps every intermediate value, by name and in order, also before a failure."""

from __future__ import annotations

import numpy as np
import pytest

import penstock as tf
from penstock.errors import InvalidArgumentError, NonFiniteError, SessionClosedError


def test_every_node_is_there_in_the_order_of_the_run() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        same = tf.identity(x * 1.0, name="same")
        y = tf.sqrt(tf.add(same, 1.0, name="more"), name="y")
        tf.negative(y, name="unneeded")
    with tf.Session(graph=graph) as session:
        trace = session.trace({"root": y}, {x: [3.0, 8.0]})
    assert list(trace) == ["x:0", "mul/y:0", "mul:0", "same:0", "more/y:0", "more:0", "y:0"]
    assert trace[same].tolist() == [3.0, 8.0] and trace["more:0"].tolist() == [4.0, 9.0]
    assert trace["y"].tolist() == trace.result["root"].tolist() == [2.0, 3.0]
    assert len(trace) == 7 and "unneeded:0" not in trace and y in trace


def test_values_are_the_callers_own() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        y = tf.transpose(tf.reshape(x, [4, 1], name="column"), [1, 0], name="y")
    fed = np.ones((2, 2), np.float32)
    with tf.Session(graph=graph) as session:
        trace = session.trace(y, {x: fed})
    arrays = [trace["x:0"], trace["column"], trace["y"], trace.result]
    for i, array in enumerate(arrays):
        assert array.flags.c_contiguous and array.flags.writeable
        assert not any(np.shares_memory(array, other) for other in [fed, *arrays[:i]])


def test_the_values_are_those_of_a_run_to_the_bit() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        middle = tf.exp(tf.sin(x), name="middle")
        y = tf.reduce_sum(middle * 3.0, name="y")
    value = np.linspace(-9, 9, 5000, dtype=np.float32)
    with tf.Session(graph=graph) as session:
        trace = session.trace(y, {x: value})
        assert trace[middle].tobytes() == session.run(middle, {x: value}).tobytes()
        assert trace[y] == session.run(y, {x: value}) == trace.result


def test_several_outputs_strings_scalars_and_empty_arrays_are_kept() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        words = tf.placeholder(tf.string, ["m"], name="words")
        parts = tf.dynamic_partition(x, tf.cast(tf.greater(x, 9.0), tf.int32), 2, name="parts")
        values, places = tf.unique(words, name="u")
        first = words[0]
    with tf.Session(graph=graph) as session:
        trace = session.trace([*parts, values, places, first], {x: [-0.0, float("nan")], words: ["b", b"b", "a"]})
    assert trace["parts:1"].shape == (0,) and np.signbit(trace["parts:0"][0])
    assert trace["u:0"].tolist() == [b"b", b"a"] and trace["u:1"].tolist() == [0, 0, 1]
    assert trace[first] == b"b"
    text = str(trace)
    assert "parts:1" in text and "empty" in text and "string (3,)" in text and "test_value_trace.py:" in text


def test_a_fed_tensor_in_the_middle_cuts_off_what_lies_before() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        a, b = tf.split(0, 2, x, name="parts")
        y = tf.add(a, b, name="y")
    with tf.Session(graph=graph) as session:
        trace = session.trace(y, {a: [1.0, 2.0], x: [5.0, 6.0, 7.0, 8.0]})
    assert trace["parts:0"].tolist() == [1.0, 2.0] and trace["y"].tolist() == [8.0, 10.0]
    assert list(trace)[:2] == ["parts:0", "x:0"]


def test_a_failed_run_says_what_there_was_and_leaves_the_session_usable() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int32, ["n"], name="x")
        double = tf.add(x, x, name="double")
        y = tf.gather([10, 20, 30], double, name="y")
    with tf.Session(graph=graph) as session:
        with pytest.raises(InvalidArgumentError) as error:
            session.trace(y, {x: [1, 4]})
        assert list(error.value.trace) == ["x:0", "double:0", "y/params:0"]
        assert error.value.trace["double"].tolist() == [2, 8] and error.value.trace.result is None
        assert session.trace(y, {x: [1]})["y"].tolist() == [30]
        with pytest.raises(InvalidArgumentError) as error:
            session.run(y, {x: [1, 4]})
        assert error.value.trace is None


def test_a_watched_trace_ends_at_the_bad_value_and_keeps_it() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        y = tf.add(tf.log(x, name="log"), 1.0, name="y")
    config = tf.SessionConfig(watch=True)
    with tf.Session(graph=graph, config=config) as session, pytest.raises(NonFiniteError) as error:
        session.trace(y, {x: [-1.0]})
    assert np.isnan(error.value.trace["log"]).all() and "y:0" not in error.value.trace


def test_operations_are_run_and_give_no_value() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.negative(x, name="y")
        step = tf.group(y, name="step")
    with tf.Session(graph=graph) as session:
        trace = session.trace(step, {x: 2.0})
    assert trace.result is None and trace["y"] == -2.0


def test_what_was_not_computed_is_a_key_error_with_the_name() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.negative(tf.constant(1.0), name="y")
    with tf.Session(graph=graph) as session:
        trace = session.trace(y)
    with pytest.raises(KeyError, match="nobody:0"):
        trace["nobody:0"]
    assert "<Trace of 2 values>" in repr(trace)


def test_a_long_trace_is_shortened_in_print_alone() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.placeholder(tf.float32, [], name="x")
        for _ in range(150):
            y = tf.negative(y)
    with tf.Session(graph=graph) as session:
        trace = session.trace(y, {"x:0": 1.0})
    assert len(trace) == 151 and "51 values more" in str(trace)


def test_a_closed_session_traces_nothing() -> None:
    session = tf.Session(graph=tf.Graph())
    session.close()
    with pytest.raises(SessionClosedError):
        session.trace([])


def test_results_of_a_loop_that_writes_a_variable_have_the_names_of_its_tensors() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)

        def body(i: tf.Tensor) -> tf.Tensor:
            with tf.control_dependencies([v.assign_add(1.0)]):
                return i + 1

        count = tf.while_loop(lambda i: i < 3, body, [0]).op.outputs[-1]
        session.run(v.initializer)
        assert session.trace(count)[count] == 3
