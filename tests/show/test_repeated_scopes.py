"""Rows of equal scopes: what folds, and how it is drawn folded."""

from __future__ import annotations

from collections.abc import Sequence

import penstock as tf
from penstock.show import Arrow, Box, Picture, collapse, fit, picture_of
from penstock.show.content.picture import all_groups
from penstock.show.content.repeated_scopes import folded, painted_scopes, repeats_of


def steps(names: Sequence[str], between: bool = False) -> tf.Graph:
    """A chain of scopes, each the tanh of a product; `between`: a node without scope after each."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        y = tf.placeholder(tf.float32, [4], name="y")
        for name in names:
            with tf.name_scope(name):
                y = tf.tanh(x * y, name="out")
            if between:
                y = tf.negative(y)
        tf.identity(y, name="result")
    return graph


def rows(graph: tf.Graph) -> list[tuple[str, ...]]:
    return [tuple("/".join(path) for path in row) for row in repeats_of(picture_of(graph)).rows]


def test_a_chain_of_equal_scopes_is_a_row() -> None:
    assert rows(steps(["step"] * 4)) == [("step", "step_1", "step_2", "step_3")]
    assert rows(steps(["block_9", "block_10", "block_11"])) == [("block_9", "block_10", "block_11")]


def test_two_scopes_and_scopes_of_other_names_are_no_row() -> None:
    assert rows(steps(["step"] * 2)) == []
    assert rows(steps(["setosa", "versicolor", "virginica"])) == []


def test_scopes_of_other_names_have_one_colour_all_the_same() -> None:
    groups = all_groups(painted_scopes(picture_of(steps(["a", "b"]))))
    assert groups["a",].hue == groups["b",].hue >= 0


def test_a_scope_that_differs_ends_a_row() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        for number in range(7):
            with tf.name_scope(f"layer_{number}"):
                x = tf.exp(x) if number == 3 else tf.tanh(x)
    assert rows(graph) == [("layer_0", "layer_1", "layer_2"), ("layer_4", "layer_5", "layer_6")]
    labels = [group.label for group in all_groups(folded(picture_of(graph))).values()]
    assert labels == ["layer_0 to layer_2 x3", "layer_3", "layer_4 to layer_6 x3"]


def test_a_row_is_left_alone_if_something_between_its_scopes_makes_a_cycle() -> None:
    assert rows(steps(["step"] * 3, between=True)) == []
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        for _ in range(3):
            with tf.name_scope("even"):
                x = tf.tanh(x)
            with tf.name_scope("odd"):
                x = tf.exp(x)
    assert rows(graph) == []


def test_a_folded_row_is_its_first_scope_which_says_what_it_hands_to_the_next() -> None:
    picture = folded(picture_of(steps(["step"] * 3)))
    assert [box.id for box in picture.boxes] == ["x", "y", "step/mul", "step/out", "result"]
    assert {(arrow.source, arrow.target, arrow.slot) for arrow in picture.arrows} == {
        ("x", "step/mul", 0), ("y", "step/mul", 1), ("step/mul", "step/out", 0), ("step/out", "result", 0)}  # fmt: skip
    assert all(arrow.tensors == (f"{arrow.source}:0",) for arrow in picture.arrows)
    assert [box.detail for box in picture.boxes if len(box.detail) > 1] == [("float32 (4,)", "in the next: from out")]
    (group,) = all_groups(picture).values()
    assert (group.label, group.times) == ("step x3", 3)


def test_a_folded_row_that_is_closed_says_what_each_of_its_scopes_holds() -> None:
    picture = collapse(folded(picture_of(steps(["step"] * 3))), depth=0)
    (closed,) = [box for box in picture.boxes if box.contents]
    assert (closed.label, closed.detail) == ("step x3", ("each 2 operations", "Mul x1, Tanh x1"))


def test_a_reader_of_all_scopes_of_a_row_has_one_arrow_from_it() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        made = []
        for _ in range(5):
            with tf.name_scope("tower"):
                made.append(tf.tanh(x, name="out"))
        tf.add_n(made, name="sum")
    picture = folded(picture_of(graph))
    ends = sorted((arrow.source, arrow.target) for arrow in picture.arrows)
    assert ends == [("tower/out", "sum"), ("x", "tower/out")]


def test_rows_fold_inside_rows() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        for block in range(3):
            with tf.name_scope(f"block_{block}"):
                made = []
                for head in range(4):
                    with tf.name_scope(f"head_{head}"):
                        made.append(tf.tanh(x))
                x = tf.add_n(made)
    picture = folded(picture_of(graph))
    assert [box.id for box in picture.boxes] == ["x", "block_0/head_0/Tanh", "block_0/AddN"]
    assert sorted((arrow.source, arrow.target) for arrow in picture.arrows) == [
        ("block_0/head_0/Tanh", "block_0/AddN"), ("x", "block_0/head_0/Tanh")]  # fmt: skip
    assert picture.boxes[1].detail[1:] == ("in the next: from AddN",)
    assert [group.label for group in all_groups(picture).values()] == ["block x3", "head x4"]
    assert len(fit(picture, 2).boxes) == 2


def test_a_row_of_boxes_without_scopes_is_not_looked_for() -> None:
    boxes = tuple(Box(f"step_{number}", "step", type="Tanh") for number in range(5))
    arrows = tuple(Arrow(f"step_{number}", f"step_{number + 1}") for number in range(4))
    picture = Picture("", boxes, arrows)
    assert repeats_of(picture).rows == () and folded(picture) == picture


def test_a_structure_keeps_its_colour_as_the_graph_around_it_grows() -> None:
    few, many = (painted_scopes(picture_of(steps(names))) for names in (["s"] * 2, ["s"] * 5))
    assert all_groups(few)["s",].hue == all_groups(many)["s",].hue


def test_a_closed_scope_counts_every_scope_of_a_row_inside() -> None:
    with tf.Graph().as_default() as graph, tf.name_scope("model"):
        y = tf.placeholder(tf.float32, [4], name="y")
        for _ in range(5):
            with tf.name_scope("step"):
                y = tf.tanh(y * 2.0, name="out")
    plain, drawn = collapse(picture_of(graph), depth=0), collapse(folded(picture_of(graph)), depth=0)
    assert [box.detail for box in drawn.boxes] == [box.detail for box in plain.boxes]
    twice = collapse(collapse(folded(picture_of(graph)), closed=["model/step"]), depth=0)
    assert [box.detail for box in twice.boxes] == [box.detail for box in plain.boxes]
