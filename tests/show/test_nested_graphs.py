"""Graphs inside ops in pictures: groups in the scope of the op that holds them, in every form."""

from __future__ import annotations

from pathlib import Path

import pytest

import penstock as tf
from penstock.show.content.from_graph import picture_of

from ..holders import call, count_up, either


def program() -> tuple[tf.Graph, tf.Tensor]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        p = tf.placeholder(tf.bool, [], name="p")
        w = tf.constant([1.0, 2.0, 3.0], name="w")

        def yes(a: tf.Tensor) -> tf.Tensor:
            with tf.control_dependencies([count_up(a, name="noted")]):
                return call(lambda b: tf.multiply(b, w, name="m"), [a], name="in")[0]

        (y,) = either(p, yes, lambda a: a, [x], name="out")
    return graph, y


def test_a_body_is_a_group_inside_the_group_of_its_op() -> None:
    picture = picture_of(program()[0])
    groups = {box.id: "/".join(box.group) for box in picture.boxes}
    assert groups == {
        "x": "", "p": "", "out": "out",
        "out/yes/a": "out/yes", "out/yes/w": "out/yes", "out/yes/noted": "out/yes", "out/yes/in": "out/yes/in",
        "out/yes/in/body/b": "out/yes/in/body", "out/yes/in/body/w": "out/yes/in/body",
        "out/yes/in/body/m": "out/yes/in/body", "out/no/a": "out/no", "out/no/w": "out/no",
    }  # fmt: skip


def test_arrows_lead_through_the_inputs_and_results_of_bodies() -> None:
    arrows = {(a.source, a.target, a.kind) for a in picture_of(program()[0]).arrows}
    assert arrows == {
        ("p", "out", "data"), ("x", "out/yes/a", "data"), ("x", "out/no/a", "data"),
        ("out/yes/a", "out/yes/noted", "data"), ("out/yes/noted", "out/yes/in", "control"),
        ("out/yes/a", "out/yes/in/body/b", "data"), ("out/yes/w", "out/yes/in/body/w", "data"),
        ("out/yes/in/body/b", "out/yes/in/body/m", "data"), ("out/yes/in/body/w", "out/yes/in/body/m", "data"),
        ("out/yes/in/body/m", "out/yes/in", "data"), ("out/yes/in", "out", "data"), ("out/no/a", "out", "data"),
    }  # fmt: skip


def test_a_constant_is_written_at_the_inputs_that_it_enters_by() -> None:
    written = {box.id: [each.line for each in box.constants] for box in picture_of(program()[0]).boxes if box.constants}
    line = "operand = w: [1.0, 2.0, 3.0]"
    assert written == {"out/yes/w": [line], "out/no/w": [line]}


def test_what_a_fetch_needs_inside_is_not_grey() -> None:
    graph, y = program()
    with graph.as_default():
        call(lambda a: tf.exp(a), [graph.get_tensor_by_name("x:0")], name="other")
    grey = {box.id for box in picture_of(graph, fetches=y).boxes if box.kind == "pruned"}
    assert grey == {"other", "other/body/a", "other/body/Exp", "out/no/w"}


@pytest.mark.parametrize("suffix", [".svg", ".dot", ".mmd", ".html", ".txt", ".graphml"])
@pytest.mark.parametrize("colour", ["kind", "type", "device"])
def test_every_form_shows_the_nodes_inside(suffix: str, colour: str, tmp_path: Path) -> None:
    graph, _ = program()
    text = graph.export(tmp_path / f"graph{suffix}", colour=colour).read_text("utf-8")
    assert "noted" in text
    assert "in/body" in text or "body" in text


def test_a_page_of_a_run_has_cards_for_the_nodes_inside_at_every_stage(tmp_path: Path) -> None:
    graph, y = program()
    session = tf.Session(graph=graph)
    path = graph.export(tmp_path / "run.html", fetches=y, session=session, feeds={"x:0": [1, 2, 3], "p:0": True})
    text = path.read_text("utf-8")
    assert "out/yes/in/body/m" in text
    assert "2 operations: TestCountUp, TestCall" in text


def test_the_scope_of_a_body_can_be_closed() -> None:
    picture = picture_of(program()[0], depth=1)
    assert {group.label or group.path[-1] for group in picture.groups} >= {"out"}
    assert all(len(box.group) <= 1 for box in picture.boxes)
