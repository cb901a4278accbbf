"""Graphs inside ops in pictures: groups in the scope of the op that holds them, in every form."""

from __future__ import annotations

from pathlib import Path

import pytest

import penstock as tf
from penstock.show.content.from_graph import picture_of
from penstock.show.content.nested_graphs import output_names
from penstock.show.layout.picture_layout import lay_out

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


def fibonacci() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int64, [], name="n")
        zero, one = (tf.constant(value, tf.int64) for value in (0, 1))
        last = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b), [zero, zero, one], name="fib")
        tf.identity(last[1], name="out")
    return graph


def test_results_of_a_loop_lead_back_to_the_variables_whose_next_values_they_are() -> None:
    picture = picture_of(fibonacci())
    back = {(arrow.target, arrow.source) for arrow in picture.arrows if arrow.kind == "loop"}
    assert back == {("fib/body/add", "fib/body/i"), ("fib/body/b", "fib/body/a"), ("fib/body/add_1", "fib/body/b")}
    boxes = {box.id: box for box in picture.boxes}
    assert [each.line for each in boxes["fib/body/b"].constants] == ["start = 1"]
    assert boxes["fib"].detail == (":0 i: int64 () from add", ":1 a: int64 () from b", ":2 b: int64 () from add_1",
                                   ":3 iterations: int64 ()")  # fmt: skip
    (label,) = [arrow.label for arrow in picture.arrows if arrow.target == "out"]
    assert label == ":1 a"


def test_only_lines_that_lead_back_run_upwards_in_the_picture_of_a_loop() -> None:
    for placed in lay_out(picture_of(fibonacci(), fetches="out", context="cut")).arrows:
        ends = placed.points[0][1], placed.points[-1][1]
        assert ends[0] < ends[1], placed.arrow  # drawn from the variable, with the head at the variable


@pytest.mark.parametrize(("suffix", "words"), [
    (".svg", 'class="line loop" marker-start="url(#head-loop)"'), (".dot", "dir=back"), (".mmd", "<-.->"),
    (".txt", "next fib/body/add_1:0"), (".graphml", ">loop<"), (".picture.json", '"kind": "loop"'),
    (".html", '"fib/body/a"'),
])  # fmt: skip
def test_every_form_shows_where_a_loop_goes_back(suffix: str, words: str, tmp_path: Path) -> None:
    assert words in fibonacci().export(tmp_path / f"fib{suffix}").read_text("utf-8")


def test_the_stacks_of_a_scan_have_names() -> None:
    with tf.Graph().as_default() as graph:
        tf.scan(lambda total, row: total + row, tf.constant([1.0, 2.0]), name="sums")
    (loop,) = [op for op in graph.get_operations() if op.type == "While"]
    names = output_names(loop)
    assert len(names) == len(loop.outputs) and names[-1] == "iterations"
    assert any(name.startswith("rows of ") for name in names)


def test_loop_variables_have_the_names_of_the_program_where_they_are_structures_too() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        tf.while_loop(
            lambda t, s: t < 20,
            lambda t, s: (t + 1, {"pos": s["pos"] + 0.1 * s["vel"], "vel": s["vel"] - 0.1 * s["pos"]}),
            [0, {"pos": x, "vel": x}],
            name="orbit",
        )
        tf.map_fn(lambda row: row * 2.0, x, name="twice")
        tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(2), tf.zeros([1, 4, 3]), dtype=tf.float32)
    boxes = {box.id: box for box in picture_of(graph).boxes}
    assert [line.split(":")[1].split()[-1] for line in boxes["orbit"].detail] == ["t", "s_pos", "s_vel", "iterations"]
    assert boxes["twice"].detail == (
        ":0 rows of mul: float32 (3,)", ":1 iterations: int64 ()", "an iteration for each row")  # fmt: skip
    assert {"rnn/while/step/state_c", "rnn/while/step/state_h", "rnn/while/step/inputs"} <= boxes.keys()


def test_a_loop_over_rows_has_no_condition_that_is_always_true() -> None:
    """`condition = True` reads as if the loop did not end, and its inputs are read by nothing."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 7, 3], name="x")
        outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), x, dtype=tf.float32)
        slopes = tf.gradients(outputs, tf.trainable_variables())
        tf.while_loop(lambda i: True, lambda i: i + 1, [tf.constant(0)], maximum_iterations=3, name="goes")
    picture = picture_of(graph, fetches=slopes)
    lines = {box.id: [*box.detail, *(each.line for each in box.constants)] for box in picture.boxes}
    assert "an iteration for each row" in lines["rnn/while"]
    assert [name for name in lines if "/cond/" in name] == ["goes/cond/i"]
    assert [name for name, told in lines.items() if "condition = True" in told] == ["goes"]


def test_a_variant_says_what_it_holds() -> None:
    with tf.Graph().as_default() as graph:
        first = tf.TensorArray(tf.int32, 3, name="first").write(0, 7)
        _, last, _ = tf.while_loop(
            lambda i, a, b: i < 3,
            lambda i, a, b: (i + 1, a.write(i, tf.cast(i, tf.float32)), b.write(i, i)),
            [tf.constant(1), tf.TensorArray(tf.float32, 3), first],
            name="fills",
        )
        kept = tf.cond(tf.constant(True), lambda: last.write(0, 1.0).flow, lambda: last.flow, name="one")
    boxes = {box.id: box for box in picture_of(graph, fetches=kept).boxes}
    for name, text in {
        "first": "int32", "fills/cond/b": "int32", "fills/body/a": "float32", "fills/body/TensorArrayWrite": "float32",
        "fills/body/TensorArrayWrite_1": "int32", "one": "float32",
    }.items():  # fmt: skip
        assert f"TensorArray of {text}" in boxes[name].detail, boxes[name]
    assert [line.partition(" from")[0] for line in boxes["fills"].detail[1:3]] == [
        ":1 a: TensorArray of float32", ":2 b: TensorArray of int32"]  # fmt: skip
    assert not any("variant" in line for box in boxes.values() for line in box.detail)
