"""Displays in notebooks: pages in a frame, tables and pictures, with every name escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

import penstock as tf
from penstock.show.content.from_plan import picture_of_plan
from penstock.show.content.picture import BoxKind
from penstock.show.formats.html_table import table


def _graph() -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        y = tf.reshape(tf.square(x, name="square"), [-1], name="y")
    return graph, x, y


def test_graphs_tensors_and_plans_are_pictures() -> None:
    graph, x, y = _graph()
    plan = tf.Session(graph=graph).plan(y, [x])
    for thing in (graph, y, plan):
        text = thing._repr_svg_()
        assert text is not None and ElementTree.fromstring(text).tag.endswith("svg")


def cells_of(shown: str | None) -> list[str]:
    """The texts of the cells of all tables."""
    assert shown is not None
    return [html.unescape(text) for text in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", shown, re.DOTALL)]


def test_an_operation_is_a_table_with_its_outputs_attributes_and_line() -> None:
    _, _, y = _graph()
    cells = cells_of(y.op._repr_html_())
    told = dict(zip(cells[::2], cells[1::2], strict=True))
    assert told["operation"] == "y" and told["output 0"] == "y:0 float32 (?,)"
    assert told["line"].startswith("test_notebook.py:")


REPORTS: dict[str, tuple[Callable[[tf.Session, tf.Tensor, tf.Tensor], Any], tuple[str, ...]]] = {
    "an explanation": (lambda session, x, y: session.explain(y), ("pruned", "fuse", "plan")),
    "a trace": (lambda session, x, y: session.trace(y, {x: [[1.0, 2.0, 3.0]]}), ("square:0", "[1. 4. 9.]")),
    "a profile": (lambda session, x, y: session.profile(y, {x: [[1.0, 2.0, 3.0]]}, runs=1), ("share", "mean")),
    "a cost": (lambda session, x, y: session.graph.cost(y), ("operations", "square")),
    "a memory plan": (lambda session, x, y: session.memory(y, {x: [[1.0, 2.0, 3.0]]}), ("12 B", "live")),
    "a placement": (lambda session, x, y: session.placement(y), ("runs on", "cpu")),
    "why a size is unknown": (lambda session, x, y: tf.why_unknown(y), ("dimension 0", "since")),
    "where a shape comes from": (lambda session, x, y: tf.explain_shape(y), ("size", "?")),
    "a difference": (lambda session, x, y: session.graph.diff(tf.Graph()), ("gone", "square")),
}


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_is_a_table_with_its_values(report: str) -> None:
    graph, x, y = _graph()
    make, words = REPORTS[report]
    found = make(tf.Session(graph=graph), x, y)._repr_html_()
    cells = cells_of(found)
    assert set(words) <= set(cells)
    assert "(" + "name=" not in found and "<style" not in found.partition("penstock-page")[0]


def test_names_are_escaped_in_every_report() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.identity(tf.constant(["<b>"], name="x"), name="y")  # the line is shown, too
    session = tf.Session(graph=graph)
    for found in (session.explain(y), session.trace(y), graph.cost(y), tf.explain_shape(y), y, y.op):
        shown = found._repr_html_()
        assert shown is not None and "<b>" not in shown


def test_a_tensor_is_a_table_with_its_line_and_what_is_not_known() -> None:
    _, _, y = _graph()
    shown = y._repr_html_()
    assert shown is not None
    cells = [html.unescape(text) for text in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", shown, re.DOTALL)]
    told = dict(zip(cells[::2], cells[1::2], strict=True))
    assert told["tensor"] == "y:0" and told["type"] == "float32 (?,)" and told["made by"] == "Reshape"
    assert told["input 0"] == "square:0 float32 (?, 3)"
    assert told["line"].startswith("test_notebook.py:")
    assert told["not known"].startswith("dimension 0 of y:0")


def test_a_shape_is_shown_with_its_rank_and_escaped() -> None:
    assert tf.TensorShape(["batch", None])._repr_html_() == "<code>(batch, ?)</code> rank 2"
    assert tf.TensorShape(None)._repr_html_() == "<code>&lt;unknown&gt;</code> unknown rank"


def test_a_plan_is_drawn_with_its_steps_slots_and_what_they_free() -> None:
    graph, x, y = _graph()
    plan = tf.Session(graph=graph).plan(y, [x])
    picture = picture_of_plan(plan, constants="boxes")
    steps = [box for box in picture.boxes if re.match(r"\d+\. ", box.label)]
    assert [box.type for box in steps] == [step.op for step in plan.steps]
    assert steps[-1].kind is BoxKind.FETCHED
    assert len(picture.arrows) == sum(len(step.inputs) for step in plan.steps)
    freed = [line for box in steps for line in box.detail if line.startswith("free ")]
    constants = {slot for slot, _, _ in plan.constants}  # the plan keeps them
    frees = [[slot for slot in step.frees if slot not in constants] for step in plan.steps]
    assert freed == [f"free {' '.join(map(str, slots))}" for slots in frees if slots]


def test_a_graph_too_large_for_a_notebook_falls_back_to_its_text() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [], name="x")
        for _ in range(5001):
            x = tf.tanh(x)
    assert graph._repr_html_() is None


def test_a_short_word_beside_a_long_text_is_not_broken() -> None:
    shown = table(("stage", "what it did"), [("simplify", "a long text " * 20)])
    assert 'white-space:pre">simplify<' in shown and 'overflow-wrap:anywhere">a long' in shown


def test_an_explanation_says_what_each_pass_did_and_of_the_order_only_the_number_of_nodes() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [4], name="x")
        y = tf.cumsum(x, name="one") + tf.cumsum(x, name="other")
        shown = html.unescape(session.explain(y, [x])._repr_html_() or "")
    rows = {cells[0]: cells[-1] for row in shown.split("<tr>") if (cells := re.findall(r"<td[^>]*>([^<]*)</td>", row))}
    assert "other with one" in rows["merge"]
    assert rows["order"] == ""
