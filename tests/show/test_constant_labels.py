"""Constants in pictures: labels at the operands that they feed, or boxes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.cli import main
from penstock.show.content.constant_labels import constants_as_labels
from penstock.show.content.from_graph import picture_of
from penstock.show.content.from_plan import picture_of_plan, picture_of_record
from penstock.show.content.picture import Arrow, Box, BoxKind, LabelledConstant, Picture
from penstock.show.formats.dot import dot_text
from penstock.show.formats.mermaid import mermaid_text
from penstock.show.formats.svg import svg_text
from penstock.show.formats.terminal_tree import text_tree
from penstock.show.layout.text_measure import box_text


@pytest.fixture
def graph() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 100], name="x")
        kernel = tf.constant(np.ones((100, 10), np.float32), name="kernel")
        rate = tf.constant(0.1, name="rate")
        product = tf.matmul(x, kernel, name="product")
        scaled = tf.multiply(rate, product, name="scaled")
        tf.reduce_sum(scaled, 1, name="total")
        tf.matmul(x, kernel, name="again")
        tf.reshape(scaled, [-1, 5], name="rows")
        tf.add(x, np.arange(100, dtype=np.float32), name="shifted")
    return graph


def labels(picture: Picture) -> dict[str, list[str]]:
    """The lines of the constants in each box that has some."""
    return {box.id: [each.line for each in box.constants] for box in picture.boxes if box.constants}


def test_a_constant_is_a_line_at_the_operand_that_it_feeds(graph: tf.Graph) -> None:
    assert labels(picture_of(graph)) == {
        "product": ["b = kernel: float32 (100, 10)"],
        "again": ["b = kernel: float32 (100, 10)"],
        "scaled": ["x = rate: 0.1"],
        "total": ["axis = 1"],
        "rows": ["shape = [-1, 5]"],
        "shifted": ["y: float32 (100,)"],
    }


def test_constants_are_boxes_on_demand(graph: tf.Graph) -> None:
    picture = picture_of(graph, constants="boxes")
    assert [box.id for box in picture.boxes] == [op.name for op in graph.get_operations()]
    assert labels(picture) == {}
    with pytest.raises(ValueError, match="constants='none': constants are drawn as 'labels' or as 'boxes'"):
        picture_of(graph, constants="none")  # type: ignore[arg-type]  # what is refused


def test_the_operands_of_a_list_are_numbered() -> None:
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int32, [], name="n")
        tf.stack([n, 3, n, 4], name="sizes")
    assert labels(picture_of(graph)) == {"sizes": ["x[1] = 3", "x[3] = 4"]}


def test_of_many_constants_the_first_are_written_and_the_rest_counted() -> None:
    many = tuple(LabelledConstant(f"c{n}", f"values[{n}]", f"values[{n}] = {n}") for n in range(9))
    assert box_text(Box("a", "a", constants=many)).lines[1:] == (
        "values[0] = 0", "values[1] = 1", "values[2] = 2", "and 6 more constants",
    )  # fmt: skip
    assert len(box_text(Box("a", "a", constants=many[:4])).lines) == 5


def test_a_constant_that_is_fetched_or_that_nothing_reads_stays_a_box(graph: tf.Graph) -> None:
    picture = picture_of(graph, fetches=["rate", "total"])
    assert "rate" in {box.id for box in picture.boxes} and "scaled" not in labels(picture)
    with tf.Graph().as_default() as alone:
        tf.constant(1, name="alone")
    assert [box.id for box in picture_of(alone).boxes] == ["alone"]


def test_a_constant_with_control_edges_stays_a_box() -> None:
    with tf.Graph().as_default() as graph:
        one = tf.constant(1, name="one")
        with tf.control_dependencies([one]):
            tf.add(tf.constant(2, name="two"), one, name="sum")
    assert {box.id for box in picture_of(graph).boxes} == {"one", "two", "sum"}


def test_a_constant_that_no_fetch_needs_is_a_label_of_what_is_not_needed(graph: tf.Graph) -> None:
    picture = picture_of(graph, fetches="product")
    found = {box.id: box.kind for box in picture.boxes}
    assert found["shifted"] is BoxKind.PRUNED and labels(picture)["shifted"] == ["y: float32 (100,)"]


def test_a_constant_that_only_hidden_operations_read_is_hidden_with_them(graph: tf.Graph) -> None:
    def found(**options: Any) -> set[str]:
        return {box.id for box in picture_of(graph, hide=["scaled", "again"], **options).boxes}

    assert "rate" not in found() and labels(picture_of(graph, hide=["again"]))["product"]
    assert "rate" in found(fetches="rate") and "rate" in found(constants="boxes")


def test_an_operand_without_a_name_is_told_by_its_number() -> None:
    boxes = (Box("c", "c", BoxKind.CONSTANT, "Const", ("int32 ()", "1"), is_constant=True, value="1"), Box("a", "a"))
    picture = constants_as_labels(Picture("", boxes, (Arrow("c", "a", slot=2),)))
    assert labels(picture) == {"a": ["input 2 = c: 1"]}


def test_a_closed_scope_counts_what_opening_it_shows(graph: tf.Graph) -> None:
    with graph.as_default(), tf.name_scope("s"):
        tf.add(tf.exp(graph.get_tensor_by_name("x:0")), 1.0)
    closed = next(box for box in picture_of(graph, depth=0).boxes if box.id == "s/")
    assert closed.detail == ("2 operations", "Add x1, Exp x1")


# ---- the forms ----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [svg_text, dot_text, mermaid_text, text_tree])
def test_every_form_writes_the_lines(form: object, graph: tf.Graph) -> None:
    assert callable(form)
    text = form(picture_of(graph))
    assert "axis = 1" in text and "b = kernel: float32 (100, 10)" in text


def test_a_text_tree_has_constants_among_the_inputs(graph: tf.Graph) -> None:
    line = next(line for line in text_tree(picture_of(graph)).split("\n") if line.startswith("scaled"))
    assert line.endswith("<- x = rate: 0.1, product:0")


@pytest.mark.parametrize(
    ("suffix", "whole"), [(".svg", False), (".txt", False), (".graphml", True), (".picture.json", True)]
)
def test_forms_that_programs_read_hold_every_node_unless_they_are_told(
    suffix: str, whole: bool, graph: tf.Graph, tmp_path: Path
) -> None:
    def has_box(**options: str) -> bool:
        text = graph.export(tmp_path / f"g{suffix}", **options).read_text("utf-8")  # type: ignore[arg-type]  # by name
        return {".svg": "<title>kernel", ".txt": "\nkernel", ".graphml": '<node id="kernel"'}.get(
            suffix, '"id": "kernel"') in text  # fmt: skip

    assert has_box() is whole
    assert has_box(constants="boxes") is True
    assert has_box(constants="labels") is False


def test_the_command_line_draws_them_as_asked(graph: tf.Graph, tmp_path: Path) -> None:
    saved = tf.save_graph(graph, tmp_path / "g.json")
    for constants, expected in (("labels", False), ("boxes", True)):
        assert main(["export", str(saved), "-o", str(tmp_path / "g.txt"), "--constants", constants]) == 0
        assert ("\nkernel" in (tmp_path / "g.txt").read_text("utf-8")) is expected


def test_a_picture_as_data_names_operands_and_values(graph: tf.Graph, tmp_path: Path) -> None:
    whole = json.loads(graph.export(tmp_path / "g.picture.json").read_text("utf-8"))
    boxes = {box["id"]: box for box in whole["boxes"]}
    assert (boxes["rate"]["is_constant"], boxes["rate"]["value"], boxes["kernel"]["value"]) == (True, "0.1", "")
    assert {a["operand"] for a in whole["arrows"] if a["target"] == "scaled"} == {"x", "y"}
    short = json.loads(graph.export(tmp_path / "g.picture.json", constants="labels").read_text("utf-8"))
    (label,) = next(box for box in short["boxes"] if box["id"] == "rows")["constants"]
    assert (label["name"], label["operand"], label["line"]) == ("rows/shape", "shape", "shape = [-1, 5]")
    assert (label["type"], label["slot"]) == ("int32 (2,)", 1)


# ---- plans and runs -----------------------------------------------------------------------------


def test_steps_of_plans_and_runs_have_their_constants_too(graph: tf.Graph) -> None:
    x = graph.get_tensor_by_name("x:0")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run("total:0", {x: np.ones((2, 100))}, run_metadata=metadata)
        plan = session.plan("total:0")
    assert metadata.record is not None
    large = next(slot for slot, array, _ in plan.constants if array.size == 1000)
    for picture, line in (
        (picture_of_plan(plan), f"b = {large}: float32 (100, 10)"),
        (picture_of_record(metadata.record), "b: float32 (100, 10)"),
    ):
        assert not any(box.is_constant for box in picture.boxes)
        found = [line for lines in labels(picture).values() for line in lines]
        assert line in found and "Mul x = 0.1" in found
    assert any(box.is_constant for box in picture_of_plan(plan, constants="boxes").boxes)


def test_the_constants_of_a_fused_group_name_the_operation_inside_that_reads_them() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        y = tf.tanh((x - 1.0) * 2.0)
    with tf.Session(graph=graph) as session:
        picture = picture_of_plan(session.plan(y))
    (fused,) = [box for box in picture.boxes if box.type == "Fused"]
    assert [each.line for each in fused.constants] == ["Sub y = 1.0", "Mul y = 2.0"]


def test_a_constant_made_for_another_operation_or_for_one_inside_a_group_has_no_name_of_its_own() -> None:
    axis = Box("total/axis", "axis", BoxKind.CONSTANT, "Const", is_constant=True, value="0")
    five = Box("scope/truediv/y", "y", BoxKind.CONSTANT, "Const", is_constant=True, value="5.0")
    arrows = (Arrow("total/axis", "total", operand="axis", slot=1), Arrow("total/axis", "concat", operand="concat_dim"),
              Arrow("scope/truediv/y", "rest", operand="RealDiv y"))  # fmt: skip
    picture = Picture("", (axis, five, Box("total", "total"), Box("concat", "concat"), Box("rest", "rest")), arrows)
    assert labels(constants_as_labels(picture)) == {
        "total": ["axis = 0"], "concat": ["concat_dim = 0"], "rest": ["RealDiv y = 5.0"],
    }  # fmt: skip
