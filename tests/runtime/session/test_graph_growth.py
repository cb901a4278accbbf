"""The growth guard: a line that adds nodes between runs again and again is named once."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator

import pytest

import penstock as tf
from penstock.runtime.session.graph_growth import PATIENCE, GrowthWarning


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as g:
        yield g


@pytest.fixture
def session(graph: tf.Graph) -> Iterator[tf.Session]:
    with tf.Session(graph=graph) as s:
        yield s


def test_a_line_that_adds_nodes_in_a_run_loop_is_named_once_with_the_cure(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(3 * PATIENCE):
            session.run(x + float(i), {x: 1.0})  # the growing line
    (warning,) = caught
    lines, start = inspect.getsourcelines(
        test_a_line_that_adds_nodes_in_a_run_loop_is_named_once_with_the_cure
    )
    line = start + next(i for i, text in enumerate(lines) if "# the growing line" in text)
    text = str(warning.message)
    assert warning.category is GrowthWarning
    assert text.startswith(f"test_graph_growth.py:{line}: this line has added nodes to the graph between runs")
    assert "session.run(x + float(i), {x: 1.0})" in text
    assert "feed changing values through a placeholder" in text
    assert "graph.finalize()" in text
    assert (warning.filename, warning.lineno) == (__file__, line)


def test_a_line_that_adds_nodes_now_and_then_is_not_named(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(5 * PATIENCE):
            if i < PATIENCE - 1:
                y = x + float(i)
            session.run(y, {x: 1.0})


def test_different_lines_may_each_add_their_part(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(3 * PATIENCE):
            # Code of its own for each step stands for a program of many lines.
            space = {"x": x}
            exec(compile("y = x + 1.0", f"<line {i}>", "exec"), space)
            session.run(space["y"], {x: 1.0})


@pytest.mark.parametrize("prompt", ["<stdin>", "<string>", "<console>"])
def test_statements_typed_at_a_prompt_are_no_line_of_a_program(session: tf.Session, prompt: str) -> None:
    space = {"x": tf.placeholder(tf.float32, []), "session": session}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(3 * PATIENCE):
            exec(compile(f"session.run(x + {i}.0, {{x: 1.0}})", prompt, "exec"), space)


def test_a_graph_built_in_a_loop_before_the_first_run_is_no_growth(session: tf.Session) -> None:
    x = t = tf.placeholder(tf.float32, [])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(5 * PATIENCE):
            t = t + 1.0
        for _ in range(5 * PATIENCE):
            session.run(t, {x: 1.0})


def test_a_finalized_graph_turns_growth_into_an_error(session: tf.Session, graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    graph.finalize()
    assert session.run(y, {x: 1.0}) == 2
    with pytest.raises(RuntimeError, match="finalized"):
        session.run(x + 2.0, {x: 1.0})
