"""The ops that write and read checkpoints, as imported models hold them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.interchange.tensorflow import read_graphdef, write_graphdef
from penstock.interchange.tensorflow.node_writer import attr_value
from penstock.interchange.tensorflow.wire.messages import AttrEntry, AttrValue, GraphProto, ListValue, NodeProto
from penstock.interchange.wire.wire_format import encode
from penstock.ops.state.checkpoint_ops import (
    merge_v2_checkpoints,
    restore_v2,
    save_slices,
    save_v2,
    sharded_filename,
    sharded_filespec,
)
from tests.golden_extra.checkpoint_contents import strings

RECORDED = Path(__file__).parents[1] / "golden_extra" / "checkpoints"


def run(fetches: Any, graph: tf.Graph, **feeds: Any) -> Any:
    with tf.Session(graph=graph) as session:
        return session.run(fetches, {f"{name}:0": value for name, value in feeds.items()})


@pytest.mark.parametrize("save", [save_v2, save_slices])
def test_what_is_saved_is_restored(save: Any, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        path = tf.placeholder(tf.string, [], name="path")
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        written = save(path, ["x", "words"], ["", ""], [x, tf.constant(["a", "bc"])])
        with tf.control_dependencies([written]):
            after = tf.identity(path)
        with tf.control_dependencies([after]):
            words, part = restore_v2(path, ["words", "x"], ["", "2 3 1,1:-"], [tf.string, tf.float32])
    assert part.shape == [1, 3] and words.shape.ndims is None
    value = np.arange(6, dtype="f4").reshape(2, 3)
    got_words, got_part = run([words, part], graph, path=str(tmp_path / "model"), x=value)
    assert got_words.tolist() == [b"a", b"bc"] and got_part.tolist() == [[3, 4, 5]]


def test_parts_of_a_variable_are_saved_and_merged(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        folder = tf.placeholder(tf.string, [], name="folder")
        first = tf.string_join([folder, "/parts/0"])
        second = tf.string_join([folder, "/parts/1"])
        rows = tf.constant(np.arange(12.0).reshape(4, 3))
        saves = [save_v2(first, ["v"], ["4 3 0,1:-"], [rows[:1]]), save_v2(second, ["v"], ["4 3 1,3:-"], [rows[1:]])]
        with tf.control_dependencies(saves):
            merged = merge_v2_checkpoints([first, second], tf.string_join([folder, "/model"]))
        with tf.control_dependencies([merged]):
            (v,) = restore_v2(tf.string_join([folder, "/model"]), ["v"], [""], [tf.float64])
    (tmp_path / "parts").mkdir()
    assert np.array_equal(run(v, graph, folder=str(tmp_path)), np.arange(12.0).reshape(4, 3))
    assert not (tmp_path / "parts").exists()
    assert len(list(tmp_path.iterdir())) == 3


def test_names_of_shards() -> None:
    with tf.Graph().as_default() as graph:
        names = [sharded_filename("dir/model", 1, 3), sharded_filespec("dir/model", 3)]
    assert run(names, graph) == [b"dir/model-00001-of-00003", b"dir/model-?????-of-00003"]


def test_an_error_lists_what_matches_and_what_does_not() -> None:
    with tf.Graph().as_default() as graph:
        path = str(RECORDED / "few")
        missing = restore_v2(path, ["a", "b/w", "none"], ["", "", ""], [tf.float32, tf.float32, tf.float32])
        other = restore_v2(path, ["a", "b/w"], ["", "3 3 0,1:-"], [tf.float64, tf.float32])
        short = restore_v2(path, ["a"], ["", ""], [tf.float64, tf.float32])
    with pytest.raises(tf.errors.NotFoundError) as error:
        run(missing, graph)
    lines = str(error.value).splitlines()
    assert lines[0] == f"Key none not found in checkpoint {path!r}: 1 of 3 tensors match"
    assert lines[1:4] == ["  not there: none",
                          "  with another dtype or shape: a is double there, and float is expected",
                          "  in the checkpoint are: a, b/w, b/wide"]  # fmt: skip
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"b/w has the shape \[2, 3\] there, and \[3, 3\] is"):
        run(other, graph)
    with pytest.raises(tf.errors.InvalidArgumentError, match="there are 2 tensors, but 1 names"):
        run(short, graph)


def test_wrong_ranks_are_refused_in_the_call() -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match="must be rank 0"):
            restore_v2(["a"], ["a"], [""], [tf.float32])
        with pytest.raises(ValueError, match="must be rank 1"):
            save_v2("a", "a", [""], [1.0])
        with pytest.raises(TypeError, match="dtypes"):
            restore_v2("a", ["a"], [""], tf.float32)  # type: ignore[arg-type]
    assert not graph.get_operations()


def test_a_save_that_fails_is_an_error_of_the_run(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        save = save_v2(str(tmp_path / "no" / "model"), ["a"], [""], [1.0])
    with pytest.raises(tf.errors.NotFoundError, match=r"could not be written: No such file(?s:.*)in node \"SaveV2\""):
        run(save, graph)


def test_they_survive_every_file_of_graphs(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        save_v2("m", ["a"], [""], [1.0])
        save_slices("m", ["a"], [""], [1.0])
        restore_v2("m", ["a", "b"], ["", ""], [tf.float32, tf.string])
        merge_v2_checkpoints(["m"], "n", delete_old_dirs=False)
        sharded_filename("m", 1, 2)
        sharded_filespec("m", 2)
    for suffix in (".json", ".pb", ".pbtxt"):
        assert str(graph.diff(tf.load_graph(tf.save_graph(graph, tmp_path / f"g{suffix}")))) == "no difference"


def test_nodes_of_version_one_are_imported() -> None:
    """Restore, RestoreSlice and Save, which old models hold."""

    def const(name: str, value: object) -> NodeProto:
        return node(name, "Const", [], value=np.asarray(value), dtype=tf.string)

    def node(name: str, op: str, inputs: list[str], **attrs: object) -> NodeProto:
        return NodeProto(name, op, inputs, "", [AttrEntry(key, attr_value(value)) for key, value in attrs.items()])

    nodes = [
        const("path", strings(str(RECORDED / "one").encode()).reshape(())),
        const("name", strings(b"a").reshape(())),
        const("names", strings(b"a")),
        const("part", strings(b"4 3 2,2:0,3").reshape(())),
        const("p", strings(b"p").reshape(())),
        node("a", "Restore", ["path", "name"], dt=tf.float32, preferred_shard=-1),
        node("b", "RestoreSlice", ["path", "p", "part"], dt=tf.float64, preferred_shard=-1),
        node("save", "Save", ["path", "names", "a"], T=AttrValue(list=ListValue(type=[1]))),
    ]
    loaded = read_graphdef(encode(GraphProto(nodes)))
    assert not loaded.missing, loaded.report
    a, b = run(["a:0", "b:0"], loaded.graph)
    assert a.tolist() == [[0, 1, 2], [3, 4, 5]] and b.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert loaded.graph.get_operation_by_name("save").type == "SaveSlices"
    assert write_graphdef(loaded.graph)
