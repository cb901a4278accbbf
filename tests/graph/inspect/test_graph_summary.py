"""The table of nodes: one row each, the user's line last."""

from __future__ import annotations

import os
from typing import Any

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
    assert without_lines(g.summary(width=0)) == [
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


# ---- width and columns --------------------------------------------------------------------------


@pytest.mark.parametrize("width", [70, 85])
def test_a_table_fits_its_width(g: tf.Graph, width: int) -> None:
    assert max(map(len, g.summary(width=width).splitlines())) <= width


@pytest.mark.parametrize("width", [100, 110])
def test_names_and_lines_are_cut_last(g: tf.Graph, width: int) -> None:
    rows = g.summary(width=width).splitlines()
    assert max(map(len, rows)) <= width
    assert [row.split()[0] for row in rows[1:]] == [op.name for op in g.get_operations()]
    assert all(row.endswith(op.origin.place) for row, op in zip(rows[1:], g.get_operations(), strict=True))


def test_the_name_of_a_file_is_cut_first_if_it_is_long_and_the_number_of_the_line_stays() -> None:
    code = compile("tf.placeholder(tf.float32, ['batch', 6], name='x')", "a_file_with_a_very_long_name.py", "exec")
    with tf.Graph().as_default() as graph:
        exec(code, {"tf": tf})
    row = graph.summary(width=74).splitlines()[1]
    assert row.split() == ["x", "Placeholder", "float32", "(batch,", "6)", "a_file_with_a_very_lo...:1"]


def test_a_table_fits_100_columns_unless_a_terminal_is_printed_to(
    g: tf.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 80 < max(map(len, g.summary().splitlines())) <= 100
    monkeypatch.setattr("sys.stdout", _Terminal())
    monkeypatch.setattr("os.get_terminal_size", lambda _: os.terminal_size((72, 20)))
    assert 60 < max(map(len, g.summary().splitlines())) <= 72


class _Terminal:
    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1


def test_the_columns_can_be_chosen(g: tf.Graph) -> None:
    assert g.summary("tower", columns=["type", "name"]) == (
        "type                                    name\n"
        "int32 ()                                tower/halves/split_dim\n"
        "float32 (batch, 3), float32 (batch, 3)  tower/halves\n"
        "float32 (batch, 3)                      tower/sum"
    )
    table = g.summary(columns=("name", "attributes", "code", "device"), width=0)
    assert table.columns == ("name", "attributes", "code", "device")
    assert table.rows[2][1] == "num_split=2"
    assert table.rows[2][2] == 'parts = tf.split(1, 2, x, name="halves")'
    assert g.summary(columns="name").splitlines()[0] == "name"


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"columns": ["nam"]}, ValueError, r"there is no column 'nam'; did you mean 'name'\?; there are name, op"),
        ({"columns": []}, ValueError, "no column is named"),
        ({"width": -1}, ValueError, "a width is at least 0"),
        ({"width": "wide"}, TypeError, "a width is an int, or None"),
    ],
)
def test_wrong_columns_and_widths_are_told(
    options: dict[str, Any], error: type[Exception], words: str, g: tf.Graph
) -> None:
    with pytest.raises(error, match=rf"^Graph\.summary\((columns|width)=.*{words}"):
        g.summary(**options)


def test_a_table_is_a_text_that_a_console_and_a_notebook_show_as_a_table(g: tf.Graph) -> None:
    table = g.summary(width=60)
    assert isinstance(table, str) and repr(table) == str(table)
    html = table._repr_html_()
    assert html is not None and html.count("<tr>") == 1 + len(g)
    assert "tower/halves, tower/halves:1, ^x" in html, "cells are not cut there"


def test_a_notebook_shows_the_first_rows_of_a_long_table() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        for _ in range(600):
            x = tf.tanh(x)
    html = graph.summary()._repr_html_()
    assert html is not None and html.count("<tr>") == 501 and "and 101 more rows" in html


def test_long_names_leave_room_for_ops_and_inputs() -> None:
    with tf.Graph().as_default() as graph, tf.name_scope("a_scope/of_many/parts_with/long_names"):
        x = tf.placeholder(tf.float32, ["batch", 3], name="x")
        tf.reduce_sum(x, name="y")
    first = graph.summary(width=80).split("\n")[1]
    assert len(first) <= 80 and "  Placeholder  " in first


def test_where_the_output_is_no_terminal_the_environment_says_the_width(
    g: tf.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = ["name", "op", "inputs", "attributes", "type", "device", "code", "line"]
    widths = {}
    for told in (None, "40", "95", "0", "wide", "1000"):
        if told is None:
            monkeypatch.delenv("COLUMNS", raising=False)
        else:
            monkeypatch.setenv("COLUMNS", told)
        widths[told] = max(map(len, g.summary(columns=columns).splitlines()))
    whole = max(map(len, g.summary(columns=columns, width=0).splitlines()))
    assert widths[None] == widths["0"] == widths["wide"] == 100 and widths["1000"] == whole > 100
    assert widths["40"] < widths["95"] <= 95  # columns have a least width


def test_names_can_be_told_apart_in_a_narrow_table() -> None:
    """Of a recurrent network with its gradients, whose names are long and begin alike."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", "time", 3], name="x")
        outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), x, dtype=tf.float32)
        tf.gradients(tf.reduce_sum(outputs), tf.trainable_variables())
    for width in (60, 80, 100):
        table = graph.summary(width=width)
        head, *lines = str(table).splitlines()
        end = head.index(" op ")
        names = [line[:end].rstrip() for line in lines]
        assert len(set(names)) == len({row[0] for row in table.rows}), width
        assert max(map(len, lines)) <= width
        assert table.columns == ("name", "op", "inputs", "dtype", "shape", "line")
    assert str(graph.summary(width=60)).splitlines()[0].split() == ["name", "op", "dtype", "shape"]
