"""get_variable and variable_scope: words of errors, failed calls, threads, bodies."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import penstock as tf


def state(graph: tf.Graph) -> Any:
    """What a failed call must leave as it was."""
    return [op.name for op in graph.get_operations()], graph.get_collection("variables"), dict(graph.shared_variables)


def test_a_name_that_is_taken_shows_both_lines_and_the_cure() -> None:
    with tf.Graph().as_default() as graph, tf.variable_scope("layer"):
        tf.get_variable("w", [2])  # the first
        before = state(graph)
        with pytest.raises(ValueError, match="Variable layer/w already exists, disallowed") as caught:
            tf.get_variable("w", [2])  # the second
        assert state(graph) == before
    text = str(caught.value)
    assert "made first 'layer/w' at test_get_variable.py" in text and "# the first" in text
    assert "asked again 'layer/w' at test_get_variable.py" in text and "# the second" in text
    assert "tf.variable_scope('layer', reuse=True)" in text


def test_a_name_that_is_not_made_shows_the_nearest_with_its_line() -> None:
    with tf.Graph().as_default():
        with tf.variable_scope("layer"):
            tf.get_variable("weights", [2])  # the nearest
        with tf.variable_scope("layer", reuse=True), pytest.raises(ValueError, match="does not exist") as caught:
            tf.get_variable("weigths", [2])
    text = str(caught.value)
    assert "The nearest name is 'layer/weights'" in text and "# the nearest" in text


def test_a_variable_of_the_class_is_not_shared_and_the_error_says_so() -> None:
    with tf.Graph().as_default():
        tf.Variable(1.0, name="w")
        with tf.variable_scope("", reuse=True), pytest.raises(ValueError, match=r"by tf.Variable; get_variable finds"):
            tf.get_variable("w", [])


def test_another_shape_or_dtype_shows_both_and_both_lines() -> None:
    with tf.Graph().as_default():
        tf.get_variable("w", [2, 3])
        with tf.variable_scope("", reuse=True):
            with pytest.raises(ValueError, match=r"specified shape \(3, 2\) and found shape \(2, 3\).*\n  made fi"):
                tf.get_variable("w", [3, 2])
            with pytest.raises(ValueError, match=r"specified dtype int32 and found dtype float32"):
                tf.get_variable("w", [2, 3], tf.int32)


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"name": 3}, TypeError, "a name is a str"),
        ({"name": "w", "shape": [2], "partitioner": lambda shape, dtype: None}, ValueError, "must return a sequence"),
        ({"name": "w"}, ValueError, "needs a shape"),
        ({"name": "w", "shape": [2], "initializer": [1.0, 2.0]}, ValueError, "tf.constant_initializer"),
        ({"name": "w", "shape": [None, 2]}, ValueError, "not fully known"),
        ({"name": "w", "shape": [2], "dtype": tf.complex64}, ValueError, "no default initializer for complex64"),
        ({"name": "w", "shape": [2], "dtype": "float99"}, TypeError, "float99"),
        ({"name": "w", "dtype": tf.int32, "initializer": [1.5]}, ValueError, "don't match"),
        ({"name": "a b", "shape": [2]}, ValueError, "not a valid"),
        ({"name": "w", "shape": [2], "custom_getter": 3}, TypeError, "not a function"),
        ({"name": "w", "shape": [-1]}, ValueError, "negative|must be >= 0|not less"),
    ],
)
def test_wrong_arguments_are_refused_in_words_and_add_nothing(
    arguments: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with tf.Graph().as_default() as graph:
        before = state(graph)
        with pytest.raises(kind, match=words):
            tf.get_variable(**arguments)
        assert state(graph) == before


@pytest.mark.parametrize("part", ["initializer", "regularizer", "custom_getter"])
def test_a_call_whose_function_fails_leaves_nothing_behind(part: str) -> None:
    def fails(*args: Any, **named: Any) -> Any:
        if "getter" in named:
            named.pop("getter")(**named)
        tf.constant(1.0)
        raise KeyError("on purpose")

    with tf.Graph().as_default() as graph:
        before = state(graph)
        arguments: dict[str, Any] = {part: fails}
        with pytest.raises(KeyError, match="on purpose"):
            tf.get_variable("w", [2], **arguments)
        assert state(graph) == before
        made = tf.get_variable("w", [2])
        assert made.name == "w:0" and graph.shared_variables == {"w": made}


def test_threads_that_ask_for_one_name_share_one_variable() -> None:
    graph = tf.Graph()
    found: list[Any] = []
    start = threading.Barrier(8)

    def ask() -> None:
        with graph.as_default():
            start.wait()
            for i in range(20):
                with tf.variable_scope("shared", reuse=tf.AUTO_REUSE):
                    found.append((i, tf.get_variable(f"w{i}", [2], initializer=tf.zeros_initializer())))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 160 and len({id(variable) for _, variable in found}) == 20
    assert len(graph.get_collection("variables")) == 20
    assert {variable.name for _, variable in found} == {f"shared/w{i}:0" for i in range(20)}


def test_a_scope_belongs_to_a_thread_and_a_graph() -> None:
    names: list[str] = []
    graph = tf.Graph()

    def ask() -> None:
        with graph.as_default():
            names.append(tf.get_variable_scope().name)

    with graph.as_default(), tf.variable_scope("a"):
        other = threading.Thread(target=ask)
        other.start()
        other.join()
        with tf.Graph().as_default():
            names.append(tf.get_variable_scope().name)
        names.append(tf.get_variable_scope().name)
    assert names == ["", "", "a"]


def test_an_error_inside_a_block_ends_it() -> None:
    with tf.Graph().as_default():
        with pytest.raises(KeyError), tf.variable_scope("a"), tf.variable_scope("b"):
            raise KeyError
        assert tf.get_variable_scope().name == "" and tf.constant(1.0, name="c").name == "c:0"


def test_the_initial_value_of_another_variable_is_one_of_a_new_one() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a = tf.get_variable("a", [2], initializer=tf.ones_initializer())
        b = tf.get_variable("b", initializer=a.initialized_value())
        session.run(tf.global_variables_initializer())
        assert session.run(b).tolist() == [1, 1]


def test_variables_that_are_not_initialised_are_reported_and_asserted() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.get_variable("a", [2]), tf.get_variable("b", [], tf.int32)
        report, check = tf.report_uninitialized_variables(), tf.assert_variables_initialized()
        assert session.run(report).tolist() == [b"a", b"b"]
        session.run(b.initializer)
        assert session.run(report).tolist() == [b"a"]
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value a"):
            session.run(check)
        session.run(a.initializer)
        assert session.run(report).tolist() == [] and len(session.run(check)) == 2
    with tf.Graph().as_default():
        assert tf.assert_variables_initialized() is None


def test_default_names_are_numbered_and_start_anew_in_a_scope_that_is_entered_again() -> None:
    with tf.Graph().as_default():
        with tf.variable_scope("around") as around:
            for _ in range(300):
                with tf.variable_scope(None, "layer") as scope:
                    pass
            assert scope.name == "around/layer_299"
        with tf.variable_scope(around), tf.variable_scope(None, "layer") as scope:
            assert scope.name == "around/layer"


def test_default_names_in_a_scope_that_is_entered_again_inside_itself_are_tensorflow_s() -> None:
    """Recorded from TensorFlow 2.21: the inner block goes on counting, and its end forgets what it counted."""
    names = []
    with tf.Graph().as_default():
        with tf.variable_scope("around") as around:

            def name_of_a() -> None:
                with tf.variable_scope(None, "a") as scope:
                    names.append(scope.name)

            name_of_a()
            with tf.variable_scope(around):
                name_of_a()
                name_of_a()
                with tf.variable_scope(around):
                    name_of_a()
                name_of_a()
            name_of_a()
        with tf.variable_scope(around):
            name_of_a()
    assert [name.removeprefix("around/") for name in names] == ["a", "a_1", "a_2", "a_3", "a_3", "a_1", "a"]


def test_a_local_variable_without_a_value_is_reported_too() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a = tf.Variable(1.0, name="a")
        local = tf.Variable(2.0, name="b", collections=[tf.GraphKeys.LOCAL_VARIABLES])
        report = tf.report_uninitialized_variables()
        assert session.run(report).tolist() == [b"a", b"b"]
        session.run(tf.global_variables_initializer())
        assert session.run(report).tolist() == [b"b"] and session.run(a) == 1.0
        session.run(tf.local_variables_initializer())
        assert session.run(report).tolist() == [] and session.run(local) == 2.0
