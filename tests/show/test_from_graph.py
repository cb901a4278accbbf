"""Pictures of graphs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penstock.show.content.from_graph import picture_of
from penstock.show.content.picture import Box, BoxKind, Picture
from penstock.show.formats.export_graph import export
from penstock.show.layout.picture_layout import lay_out

from .fakes import FakeGraph, dense_graph


def _boxes(picture: Picture) -> dict[str, Box]:
    return {box.id: box for box in picture.boxes}


def test_kinds_types_and_scopes_come_from_the_operations() -> None:
    boxes = _boxes(picture_of(dense_graph(), constants="boxes"))
    assert boxes["x"].kind is BoxKind.FED
    assert boxes["dense/kernel"].kind is BoxKind.CONSTANT
    assert boxes["dense/add"] == Box(
        "dense/add", "add", BoxKind.OPERATION, "Add", ("float32 (batch, 4)",), ("dense",), alike=("float32 (batch, 4)",)
    )


def test_every_input_is_an_arrow_with_its_type() -> None:
    arrows = [arrow for arrow in picture_of(dense_graph()).arrows if arrow.target == "out"]
    assert {a.label for a in arrows} == {""}, "the box that it comes from says the type"
    assert [(a.source, a.type, a.kind, a.slot) for a in arrows] == [
        ("dense/add", "float32 (batch, 4)", "data", 0),
        ("dense/add", "float32 (batch, 4)", "data", 1),
        ("init", "", "control", 0),
    ]


@pytest.mark.parametrize(
    ("shapes", "detail", "labels"),
    [
        (["(3,)", "(3,)"], ("2 outputs: float32 (3,)",), [":0", ":1"]),
        (["(3,)", "()"], (":0 float32 (3,)", ":1 float32 ()"), [":0", ":1"]),
        (["()", "(2,)", "()", "(4,)"], (":0 float32 ()", ":1 float32 (2,)", ":2 float32 ()", "and 1 more output"),
         [":0", ":1", ":2", ":3 float32 (4,)"]),
    ],
)  # fmt: skip
def test_arrows_of_a_box_with_several_outputs_say_which(
    shapes: list[str], detail: tuple[str, ...], labels: list[str]
) -> None:
    graph = FakeGraph()
    split = graph.add("split", "Split", outputs=shapes)
    graph.add("reads", "Add", split.outputs)
    picture = picture_of(graph)
    assert _boxes(picture)["split"].detail == detail
    assert [arrow.label for arrow in picture.arrows] == labels
    assert [arrow.type for arrow in picture.arrows] == [f"float32 {shape}" for shape in shapes]


def test_small_constants_show_their_value_and_large_ones_do_not() -> None:
    boxes = _boxes(picture_of(dense_graph(), constants="boxes"))
    assert boxes["dense/bias"].detail == ("float32 ()", "0.5")
    assert boxes["dense/kernel"].detail == ("float32 (3, 4)",)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.array([1, 2]), "[1, 2]"),
        (np.array([[True], [False]]), "[[True], [False]]"),
        (np.array(1 / 3), "0.333333"),
        (np.array([b"a"]), "[b'a']"),
        (np.zeros((0, 3)), "[]"),
    ],
)
def test_values_read_as_python(value: np.ndarray, text: str) -> None:
    graph = FakeGraph()
    graph.add("c", "Const", value=value)
    assert picture_of(graph).boxes[0].detail[-1] == text


def test_a_constant_without_a_value_shows_its_type() -> None:
    graph = FakeGraph()
    graph.add("c", "Const")
    assert picture_of(graph).boxes[0].detail == ("float32 (batch, 3)",)


def test_what_the_fetches_do_not_need_is_pruned() -> None:
    graph = dense_graph()
    out = next(op for op in graph.operations if op.name == "out")
    kinds = {box.id: box.kind for box in picture_of(graph, fetches=out.outputs[0]).boxes}
    assert kinds["out"] is BoxKind.FETCHED
    assert kinds["summary/mean"] is BoxKind.PRUNED
    assert kinds["init"] is BoxKind.OPERATION  # needed through a control edge
    assert [name for name, kind in kinds.items() if kind is BoxKind.PRUNED] == ["summary/mean"]


def test_fetches_may_be_operations_names_and_nested() -> None:
    graph = dense_graph()
    add = next(op for op in graph.operations if op.name == "dense/add")
    by_operation = picture_of(graph, fetches=add)
    assert by_operation == picture_of(graph, fetches=["dense/add:0"])
    assert by_operation == picture_of(graph, fetches=({"y": add.outputs[0]}, [add]))


def test_an_unknown_fetch_is_refused_with_the_cure() -> None:
    with pytest.raises(ValueError, match=r"'nothing' is not one of the 8 operations.*Draw the graph"):
        picture_of(dense_graph(), fetches="nothing")


def test_hidden_nodes_take_their_arrows_along() -> None:
    picture = picture_of(dense_graph(), hide=["dense/k*", "summary/*"])
    assert not {"dense/kernel", "summary/mean"} & _boxes(picture).keys()
    assert all("kernel" not in arrow.source for arrow in picture.arrows)


def test_depth_closes_scopes() -> None:
    assert {box.id for box in picture_of(dense_graph(), depth=0).boxes} == {
        "x",
        "init",
        "out",
        "dense/",
        "summary/",
    }


def test_many_outputs_are_summed_up() -> None:
    graph = FakeGraph()
    graph.add("split", "Split", outputs=("(1,)", "(2,)", "(3,)", "(4,)", "(5,)"))
    assert picture_of(graph).boxes[0].detail[-1] == "and 2 more outputs"


def test_an_operation_and_a_scope_of_the_same_name_are_both_drawn() -> None:
    graph = FakeGraph()
    outer = graph.add("a", "Placeholder")
    graph.add("a/b", "Neg", [outer.outputs[0]])
    layout = lay_out(picture_of(graph))
    assert [placed.box.id for placed in layout.boxes] == ["a", "a/b"]
    assert [group.group.path for group in layout.groups] == [("a",)]


def test_an_empty_graph_is_an_empty_picture() -> None:
    assert picture_of(FakeGraph()) == Picture()


@pytest.mark.parametrize("suffix", [".svg", ".dot", ".txt"])
def test_export_writes_a_graph_in_one_call(tmp_path: Path, suffix: str) -> None:
    path = export(dense_graph(), tmp_path / f"g{suffix}", fetches="out", depth=0, title="dense")
    assert "dense" in path.read_text(encoding="utf-8")


def test_the_constant_of_a_literal_stands_beside_its_operation_and_not_in_a_scope_of_one() -> None:
    import penstock as tf

    with tf.Graph().as_default() as graph, tf.name_scope("tower"):
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.add(x, 1.0, name="more")
    groups = {box.id: box.group for box in picture_of(graph, constants="boxes").boxes}
    assert groups["tower/more/y"] == groups["tower/more"] == ("tower",)
