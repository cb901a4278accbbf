"""The table of nodes: one row each, the user's line last."""

from __future__ import annotations

import pytest

import penstock as tf
from penstock.graph.inspect.text_table import format_table


@pytest.fixture
def g() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 6], name="x")
        with tf.name_scope("tower"):
            parts = tf.split(1, 2, x, name="halves")
            with tf.control_dependencies([x]):
                tf.add(parts[0], parts[1], name="sum")
        tf.no_op(name="towers")
    return graph


def without_lines(text: str) -> list[str]:
    return [row.rpartition("  ")[0].rstrip() for row in text.splitlines()]


def test_every_node_has_a_row_with_all_its_outputs(g: tf.Graph) -> None:
    assert without_lines(g.summary()) == [
        "name                    op           inputs                            dtype       shape",
        "x                       Placeholder                                    float32     (batch, 6)",
        "tower/halves/split_dim  Const                                          int32       ()",
        "tower/halves            Split        tower/halves/split_dim, x         float32 x2  (batch, 3) (batch, 3)",
        "tower/sum               Add          tower/halves, tower/halves:1, ^x  float32     (batch, 3)",
        "towers                  NoOp",
    ]


def test_every_row_ends_with_the_users_line(g: tf.Graph) -> None:
    rows = g.summary().splitlines()[1:]
    operations = g.get_operations()
    assert [row.split()[-1] for row in rows] == [op.origin.place for op in operations]
    assert all(op.origin.place.startswith("test_graph_summary.py:") for op in operations)


@pytest.mark.parametrize("scope", ["tower", "tower/"])
def test_a_scope_shows_what_is_below_it_and_nothing_else(g: tf.Graph, scope: str) -> None:
    names = [row.split()[0] for row in g.summary(scope).splitlines()[1:]]
    assert names == ["tower/halves/split_dim", "tower/halves", "tower/sum"]


def test_one_operation_can_be_asked_for(g: tf.Graph) -> None:
    assert [row.split()[0] for row in g.summary("tower/sum").splitlines()] == ["name", "tower/sum"]


def test_an_empty_graph_is_a_head() -> None:
    assert tf.Graph().summary() == "name  op  inputs  dtype  shape  line"


def test_long_cells_are_cut() -> None:
    wide = format_table(("a", "b"), [("x" * 50, "y")]).splitlines()[1]
    assert wide == "x" * 37 + "...  y"
