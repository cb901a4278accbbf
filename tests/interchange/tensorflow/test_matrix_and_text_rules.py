"""Nodes about diagonals, mirrored borders and patterns: read in all their generations, and written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.errors import GraphFormatError

X = np.arange(12.0, dtype=np.float32).reshape(3, 4)
V = np.array([1.0, 2.0, 3.0], np.float32)


def imported(type: str, inputs: list[Any], **attrs: Any) -> Any:
    """The value of a node of TensorFlow's whose inputs are constants."""
    graph_def = tf.GraphDef()
    names = []
    for place, value in enumerate(inputs):
        array = np.asarray(value)
        node = graph_def.node.add(name=f"input_{place}", op="Const")
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(array))
        node.attr["dtype"].type = tf.as_dtype(array.dtype).as_datatype_enum if array.dtype != object else 7
        names.append(node.name)
    node = graph_def.node.add(name="node", op=type, input=names)
    for key, value in attrs.items():
        if isinstance(value, bool):
            node.attr[key].b = value
        elif isinstance(value, bytes):
            node.attr[key].s = value
        else:
            node.attr[key].type = value.as_datatype_enum
    with tf.Graph().as_default(), tf.Session() as session:
        results: Any = tf.import_graph_def(graph_def, return_elements=["node:0"], name="")
        return session.run(results[0])


@pytest.mark.parametrize("type", ["MatrixDiag", "BatchMatrixDiag"])
def test_the_oldest_nodes_of_diagonals(type: str) -> None:
    assert np.array_equal(imported(type, [V], T=tf.float32), np.diag(V))
    assert np.array_equal(imported(f"{type}Part", [X], T=tf.float32), np.diag(X))
    expect = X.copy()
    np.fill_diagonal(expect, V)
    assert np.array_equal(imported(type.replace("Diag", "SetDiag"), [X, V], T=tf.float32), expect)


@pytest.mark.parametrize("generation", ["V2", "V3"])
def test_nodes_of_several_diagonals(generation: str) -> None:
    align = {"align": b"RIGHT_LEFT"} if generation == "V3" else {}
    number = [np.int32(each) for each in (1, -1, -1)]
    found = imported(f"MatrixDiag{generation}", [V, *number, np.float32(9)], T=tf.float32, **align)
    assert np.array_equal(found, np.where(np.eye(4, k=1, dtype=bool), np.diag(V, 1), 9))
    parts = imported(f"MatrixDiagPart{generation}", [X, np.array([-1, 0], np.int32), np.float32(-1)], T=tf.float32,
                     **align)  # fmt: skip
    assert parts.tolist() == [[0.0, 5.0, 10.0], [4.0, 9.0, -1.0]]
    both = imported(f"MatrixSetDiag{generation}", [X, V, np.int32(1)], T=tf.float32, **align)
    assert np.array_equal(both, np.where(np.eye(3, 4, k=1, dtype=bool), np.diag(V, 1)[:3], X))


@pytest.mark.parametrize(("mode", "numpy"), [(b"REFLECT", "reflect"), (b"SYMMETRIC", "symmetric")])
def test_mirrored_borders(mode: bytes, numpy: Any) -> None:
    rows = np.array([[2, 1], [0, 3]], np.int32)
    assert np.array_equal(imported("MirrorPad", [X, rows], T=tf.float32, mode=mode), np.pad(X, rows, mode=numpy))


def test_patterns_of_texts() -> None:
    texts = np.array([b"a1b22", b""], object)
    found = imported("StaticRegexReplace", [texts], pattern=b"[0-9]", rewrite=b"-", replace_global=False)
    assert found.tolist() == [b"a-b22", b""]
    assert imported("RegexReplace", [texts, b"[0-9]+", b"<\\0>"]).tolist() == [b"a<1>b<22>", b""]


def test_diagonals_that_are_no_constants_are_refused() -> None:
    graph_def = tf.GraphDef()
    for name in ("x", "k"):
        graph_def.node.add(name=name, op="Placeholder").attr["dtype"].type = 1 if name == "x" else 3
    graph_def.node.add(name="node", op="MatrixSetDiagV3", input=["x", "x", "k"])
    with tf.Graph().as_default(), pytest.raises(GraphFormatError, match="gives the diagonals, and is no constant"):
        tf.import_graph_def(graph_def)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x, v, t = tf.placeholder(tf.float32, [3, 4]), tf.placeholder(tf.float32, [3]), tf.placeholder(tf.string, [2])
        results = [tf.matrix_diag(v, k=1, padding_value=2.0), tf.matrix_diag_part(x, k=(-1, 1)),
                   tf.matrix_set_diag(x, v), tf.regex_replace(t, "a+", "b"), tf.pad(x, [[1, 1], [2, 0]], "REFLECT"),
                   tf.eye(3)]  # fmt: skip
        feeds = {x.name: X, v.name: V, t.name: [b"caat", b"a"]}
        expect = session.run(results, feeds)
        graph_def = tf.GraphDef.FromString(graph.as_graph_def().SerializeToString())
        assert {"MatrixDiagV3", "MatrixDiagPartV3", "MatrixSetDiagV3", "StaticRegexReplace"} <= {
            node.op for node in graph_def.node}  # fmt: skip
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        for value, wanted in zip(session.run([r.name for r in results], feeds), expect, strict=True):
            assert np.array_equal(value, wanted)


def test_a_loaded_model_keeps_its_start_and_forgets_the_parts_of_old_loops(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        graph.add_to_collection("while_context", b"of TensorFlow")
        builder = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
        builder.add_meta_graph_and_variables(session, ["serve"], main_op=tf.group(v.assign(2.0).op))
        builder.save()
    with tf.Session(graph=tf.Graph()) as session:
        tf.saved_model.loader.load(session, ["serve"], str(tmp_path / "model"))
        assert session.graph.get_collection("while_context") == []
        with session.graph.as_default():
            again = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "again"))
            with pytest.raises(ValueError, match=r"more main ops.*clear_collection\('saved_model"):
                again.add_meta_graph_and_variables(session, ["serve"], main_op=tf.no_op())
            again = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "third"))
            again.add_meta_graph_and_variables(session, ["serve"])
            again.save()
    with tf.Session(graph=tf.Graph()) as session:
        tf.saved_model.loader.load(session, ["serve"], str(tmp_path / "third"))
        assert session.run(session.graph.get_collection("variables")[0]) == 2.0
