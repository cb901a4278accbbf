"""Tables and lines that fit a width, and the reports that use them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.inspect.text_table import WIDTH, cut_text, distinct_cuts, folded, format_table

CELLS = st.text("ab/ ,", max_size=60)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=5), st.integers(40, 120))
def test_a_table_fits_its_width(rows: list[tuple[str, ...]], width: int) -> None:
    lines = format_table(("a", "b", "c"), rows, width).split("\n")
    assert len(lines) == len(rows) + 1 and max(map(len, lines)) <= width


@given(st.lists(st.text("ab ", max_size=80), max_size=4), st.integers(20, 60))
def test_folded_lines_fit_and_keep_their_words(lines: list[str], width: int) -> None:
    found = folded(lines, width)
    assert all(len(line) <= max(width, len(line) - len(line.lstrip()) + 1) for line in found)
    assert "".join("".join(found).split()) == "".join("".join(lines).split())


def test_a_cut_name_keeps_the_end_that_tells_it_apart() -> None:
    assert cut_text("tower/block_0/dense/kernel", 20) == "tower/bloc.../kernel"
    assert cut_text("a sentence / with a slash", 10) == "a sente..."


@pytest.mark.parametrize("limit", range(24, 48))
def test_names_that_differ_in_two_scopes_of_their_middle_stay_different(limit: int) -> None:
    ends = ("Assign", "Initializer/Fill", "Initializer/Fill/dims")
    names = [f"layer_with_long_name_{i}/weights/Adam{slot}/{end}"
             for i in range(3) for slot in ("", "_1") for end in ends]  # fmt: skip
    cuts = distinct_cuts(names, limit)
    assert len(set(cuts)) == len(names) and max(map(len, cuts)) <= limit, cuts


def deep() -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    """A graph whose names and lines are long."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["a_long_name_of_a_dimension", "another_long_name_of_a_dimension"], name="x")
        y = x
        for outer in ("a_tower_with_a_long_name", "another_tower_with_a_long_name"):
            with tf.name_scope(outer), tf.name_scope("a_block_with_a_long_name"):
                y = tf.tanh(tf.add(y, 1.0, name="sum_of_the_block_and_one"), name="activation_of_the_block") * 1.0
                y = tf.cumsum(y, axis=1, name="running_sum_along_the_second_dimension_of_it")
        rows = tf.boolean_mask(y, tf.reduce_max(y, 1) > 0.5, name="rows_that_are_large_enough_to_be_kept")
        total = tf.reduce_sum(rows, 0, name="total")
    return graph, x, total


REPORTS: dict[str, Callable[[tf.Session, tf.Tensor, tf.Tensor], object]] = {
    "an explanation": lambda session, x, y: session.explain(y),
    "a plan": lambda session, x, y: session.plan(y),
    "a memory plan": lambda session, x, y: session.memory(y, {x: np.ones((9, 4))}),
    "a placement": lambda session, x, y: session.placement(y),
    "a trace": lambda session, x, y: session.trace(y, {x: np.ones((9, 4))}),
    "a profile": lambda session, x, y: session.profile(y, {x: np.ones((9, 4))}, runs=1),
    "a cost": lambda session, x, y: session.graph.cost(y),
    "a record": lambda session, x, y: recorded(session, x, y),
    "why a size is unknown": lambda session, x, y: tf.why_unknown(y.op.inputs[0]),
    "where a shape comes from": lambda session, x, y: tf.explain_shape(y.op.inputs[0]),
    "a difference": lambda session, x, y: session.graph.diff(tf.Graph()),
}


def recorded(session: tf.Session, x: tf.Tensor, y: tf.Tensor) -> object:
    metadata = tf.RunMetadata()
    session.run(y, {x: np.ones((9, 4))}, tf.RunOptions(values=True), metadata)
    return metadata.record


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_fits_100_columns_and_has_no_dataclass_repr(report: str) -> None:
    graph, x, y = deep()
    found = REPORTS[report](tf.Session(graph=graph), x, y)
    for text in (str(found), repr(found)):
        wide = [line for line in text.split("\n") if len(line) > WIDTH]
        assert text and not wide
        assert not text.startswith(f"{type(found).__name__}(")


@pytest.mark.parametrize("texts", [
    ["gradients/loss_grad/mul", "gradients/rate_grad/mul", "mul"],
    ["a/very/long/name/of/step_1/in_a_scope", "a/very/long/name/of/step_2/in_a_scope"],
    [f"tower/layer_{i}/weights" for i in range(8)],
])  # fmt: skip
@pytest.mark.parametrize("limit", [12, 16, 20])
def test_names_that_differ_are_cut_so_that_they_still_differ(texts: list[str], limit: int) -> None:
    cuts = distinct_cuts(texts, limit)
    assert len(set(cuts)) == len(texts) and all(len(cut) <= limit for cut in cuts)


def test_equal_texts_have_equal_cuts_and_no_room_is_no_error() -> None:
    assert len(set(distinct_cuts(["a/long/name/of/a/node"] * 3, 12))) == 1
    assert all(len(cut) <= 4 for cut in distinct_cuts(["abcdefg", "abcdefh"], 4))


def test_a_kept_first_column_takes_room_from_the_others_until_its_cells_differ() -> None:
    names = [f"gradients/layer_{i}/weights/{end}" for i in range(12) for end in ("read", "Assign", "Adam")]
    rows = [(name, "an_operation_type", "inputs, of, many, nodes", "float32 (batch, 128)") for name in names]
    lines = format_table(("name", "op", "inputs", "type"), rows, 52, keep={"name": 20}).splitlines()
    end = lines[0].index(" op")
    assert len({line[:end] for line in lines[1:]}) == len(names)
    assert max(map(len, lines)) <= 52
