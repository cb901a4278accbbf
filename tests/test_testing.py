"""Golden files of graphs match, report what changed, and are written on request."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock.testing import assert_graph_matches, graph_text
from tests.graph.serial.programs import hostile_graph


def graph(value: float) -> tf.Graph:
    with tf.Graph().as_default() as made:
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        tf.add(x[0], value, name="y")
        tf.constant(np.full(100, value, np.float32), name="large")
    return made


def test_a_graph_matches_the_file_that_was_written_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "golden" / "graph.txt"
    monkeypatch.setenv("PENSTOCK_UPDATE_GOLDEN", "1")
    assert_graph_matches(graph(1.0), file)
    monkeypatch.delenv("PENSTOCK_UPDATE_GOLDEN")
    assert_graph_matches(graph(1.0), file)
    with pytest.raises(AssertionError) as found:
        assert_graph_matches(graph(2.0), file)
    text = str(found.value)
    assert "-y/y = Const(value=1.0)  float32 ()\n+y/y = Const(value=2.0)  float32 ()" in text
    assert "PENSTOCK_UPDATE_GOLDEN=1" in text
    assert "-large = " in text


def test_a_missing_file_is_no_match(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="there is no golden file"):
        assert_graph_matches(graph(1.0), tmp_path / "none.txt")


def test_one_node_is_one_printable_line_whatever_its_name() -> None:
    text = graph_text(hostile_graph())
    assert len(text.splitlines()) == len(hostile_graph())
    assert text.isprintable() is False and text.replace("\n", "").isprintable()
