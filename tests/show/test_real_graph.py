"""The engine's own graphs as pictures: the contract that `picture_of` relies on holds."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import penstock as tf
from penstock.show import BoxKind, export, picture_of, text_tree


def _graph() -> tuple[tf.Graph, tf.Tensor]:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, ["batch", 3], name="x")
        offset = tf.constant([1.0, 2.0, 3.0], name="offset")
        with tf.name_scope("dense"):
            shifted = tf.add(x, offset, name="shifted")
            doubled = tf.add(shifted, shifted, name="doubled")
        with tf.control_dependencies([offset.op, x.op]):
            ready = tf.placeholder(tf.float32, ["batch", 3], name="ready")
        tf.add(ready, ready, name="unused")
    return graph, doubled


def test_a_built_graph_is_drawn_with_its_shapes_values_and_scopes() -> None:
    graph, doubled = _graph()
    assert text_tree(picture_of(graph, fetches=doubled, hide=["ready", "unused"])) == (
        "3 boxes, 3 arrows\n"
        "x  Placeholder  float32 (batch, 3)\n"
        "dense/\n"
        "  shifted  Add  float32 (batch, 3)  <- x:0, y = offset: [1.0, 2.0, 3.0]\n"
        "  doubled  Add  float32 (batch, 3)  <- dense/shifted:0, dense/shifted:0  [fetched]\n"
    )


def test_control_edges_and_pruned_nodes_are_told_apart() -> None:
    graph, doubled = _graph()
    picture = picture_of(graph, fetches=[doubled])
    controls = [(arrow.source, arrow.target) for arrow in picture.arrows if arrow.kind == "control"]
    pruned = {box.id for box in picture.boxes if box.kind is BoxKind.PRUNED}
    assert sorted(controls) == [("offset", "ready"), ("x", "ready")]
    assert pruned == {"ready", "unused"}


@pytest.mark.parametrize("depth", [None, 0])
def test_a_built_graph_is_written_as_svg(tmp_path: Path, depth: int | None) -> None:
    graph, _ = _graph()
    path = export(graph, tmp_path / "graph.svg", depth=depth)
    root = ElementTree.parse(path).getroot()
    texts = [element.text for element in root.iter() if element.tag.endswith("}text")]
    assert "dense" in texts
    assert ("shifted" in texts) == (depth is None)
