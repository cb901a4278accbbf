"""Nodes that parse examples are read and written. The files of `parsing/` are graphs of TensorFlow 2.21, with
ParseSingleExample and ParseExampleV2; it ran what is written here with the same results.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError

FILES = Path(__file__).with_name("parsing")
EXAMPLE = tf.train.Example(features=tf.train.Features(feature={
    "a": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
    "b": tf.train.Feature(int64_list=tf.train.Int64List(value=[7])),
})).SerializeToString()  # fmt: skip


def built(rank: list[int | None]) -> tf.Graph:
    with tf.Graph().as_default() as graph:
        texts = tf.placeholder(tf.string, rank, name="p")
        features = {"a": tf.FixedLenFeature([2], tf.float32), "b": tf.VarLenFeature(tf.int64)}
        parse = tf.parse_example if rank else tf.parse_single_example
        parsed = parse(texts, features)
        tf.identity(parsed["a"], name="a")
        tf.identity(parsed["b"].values, name="b")
    return graph


def check(graph: tf.Graph, is_one: bool) -> None:
    with tf.Session(graph=graph) as session:
        a, b = session.run(["a:0", "b:0"], {"p:0": EXAMPLE if is_one else [EXAMPLE, EXAMPLE]})
    np.testing.assert_array_equal(a, [1.0, 2.0] if is_one else [[1.0, 2.0]] * 2)
    assert b.tolist() == [7] * (1 if is_one else 2)


@pytest.mark.parametrize("name", ["one", "many"])
def test_graphs_of_tensorflow_are_read(name: str) -> None:
    check(tf.load_graph(FILES / f"{name}.pb"), name == "one")


@pytest.mark.parametrize(("rank", "type"), [([], "ParseSingleExample"), ([None], "ParseExample")])
def test_what_is_written_is_read(rank: list[int | None], type: str, tmp_path: Path) -> None:
    graph = built(rank)
    assert type in [node.op for node in graph.as_graph_def().node]
    check(tf.load_graph(tf.save_graph(graph, tmp_path / "g.pb")), not rank)


def test_examples_of_unknown_rank_have_no_form(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        texts = tf.placeholder_with_default(tf.constant([EXAMPLE]), None)
        tf.parse_example(texts, {"a": tf.FixedLenFeature([2], tf.float32)})
    with pytest.raises(GraphFormatError, match="ParseExample"):
        tf.load_graph(tf.save_graph(graph, tmp_path / "g.pb"))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("num_sparse", "num_sparse", ""),
        ('key: "Tdense"', 'key: "Tdensf"', "1 dense keys with 0 types"),
        ('key: "dense_shapes"', 'key: "dense_shapez"', "0 shapes"),
        ('key: "sparse_keys"', 'key: "sparse_keyz"', "0 sparse keys with 1 types"),
    ],
)
def test_damaged_nodes_are_refused(old: str, new: str, words: str, tmp_path: Path) -> None:
    path = tf.save_graph(built([]), tmp_path / "g.pbtxt")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    if not words:
        check(tf.load_graph(path), True)
        return
    with pytest.raises(GraphFormatError, match=words):
        tf.load_graph(path)
