"""Names that stood only in TensorFlow's files, as programs import and call them."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import penstock
import penstock.compat.v1 as tf
from penstock.tf1 import file_names, nested_values
from penstock.tf1.checked_programs import is_here


def imported(path: str, name: str) -> Any:
    with penstock.tensorflow_stand_in():
        return getattr(importlib.import_module(f"tensorflow.{path}"), name)


@pytest.fixture
def saved(tmp_path: Path) -> SimpleNamespace:
    """A model in a GraphDef of each form, its checkpoint with a MetaGraph, a SavedModel, and what it computes."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", [2, 3])
        y = tf.nn.softmax(tf.matmul(x, w), name="y")
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, str(tmp_path / "model"))
        tf.train.write_graph(session.graph_def, tmp_path, "graph.pbtxt")
        tf.train.write_graph(session.graph_def, tmp_path, "graph.pb", as_text=False)
        tf.saved_model.simple_save(session, str(tmp_path / "saved"), {"x": x}, {"y": y})
        value = session.run(y, {x: [[1.0, 2.0]]})
    return SimpleNamespace(folder=tmp_path, prefix=prefix, value=value)


SOURCES: dict[str, Any] = {
    "text": lambda at: ((f"{at.folder}/graph.pbtxt", "", False, at.prefix), {}),
    "binary": lambda at: ((f"{at.folder}/graph.pb", "", True, at.prefix), {}),
    "meta": lambda at: (("", "", True, at.prefix), {"input_meta_graph": f"{at.prefix}.meta"}),
    "saved": lambda at: (("", "", True, ""), {"input_saved_model_dir": f"{at.folder}/saved"}),
}


@pytest.mark.parametrize("source", SOURCES)
def test_freeze_graph_writes_the_values_of_the_checkpoint(source: str, saved: SimpleNamespace) -> None:
    freeze = imported("python.tools.freeze_graph", "freeze_graph")
    first, named = SOURCES[source](saved)
    path = saved.folder / "frozen.pb"
    frozen = freeze(*first, "y", "save/restore_all", "save/Const:0", str(path), True, "", **named)
    assert not {"VariableV2", "Assign"} & {node.op for node in frozen.node}
    written = tf.GraphDef()
    written.ParseFromString(path.read_bytes())
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(written, name="")
        np.testing.assert_array_equal(session.run("y:0", {"x:0": [[1.0, 2.0]]}), saved.value)


def test_freeze_graph_needs_a_node_to_keep() -> None:
    with pytest.raises(ValueError, match="output_node_names is empty"):
        file_names.freeze_graph("", "", True, "", "", None, None, "", True, "")


def test_a_file_has_the_files_that_it_imports() -> None:
    with penstock.tensorflow_stand_in():
        rnn = importlib.import_module("tensorflow.python.ops.rnn")
        cells = importlib.import_module("tensorflow.python.ops.rnn_cell_impl")
        assert rnn.rnn_cell_impl.LSTMCell is cells.LSTMCell and rnn.math_ops.add is tf.add
        assert importlib.import_module("tensorflow.python.ops.math_ops").gradients is tf.gradients  # a name goes first
        assert not hasattr(rnn, "no_such_ops") and not hasattr(rnn, "tape")
    assert is_here("python.ops.rnn.rnn_cell_impl.LSTMCell", "1") and not is_here("python.ops.rnn.tape", "1")


def test_time_and_batch_change_places() -> None:
    exchange = imported("python.ops.rnn", "_transpose_batch_time")
    with tf.Graph().as_default():
        assert exchange(tf.zeros([2, 3, 4])).shape.as_list() == [3, 2, 4]
        assert exchange(tf.zeros([2])).shape.as_list() == [2]
        unknown = exchange(tf.placeholder(tf.float32))
        with tf.Session() as session:
            assert session.run(unknown, {"Placeholder:0": np.zeros([2, 3, 4, 5])}).shape == (3, 2, 4, 5)


def test_files_are_read_and_written(tmp_path: Path) -> None:
    with penstock.tensorflow_stand_in():
        io = importlib.import_module("tensorflow.python.lib.io.file_io")
        io.recursive_create_dir(str(tmp_path / "a" / "b"))
        io.write_string_to_file(str(tmp_path / "a" / "text"), "two\nlines")
        io.write_string_to_file(str(tmp_path / "a" / "bytes"), b"\x00\xff")
        assert sorted(io.list_directory(str(tmp_path / "a"))) == ["b", "bytes", "text"]
        assert io.read_file_to_string(str(tmp_path / "a" / "text")) == "two\nlines"
        assert io.read_file_to_string(str(tmp_path / "a" / "bytes"), binary_mode=True) == b"\x00\xff"
        with io.FileIO(str(tmp_path / "a" / "text"), "r") as file:
            assert file.read() == "two\nlines"
        assert io.file_exists(str(tmp_path / "a")) and io.is_directory(str(tmp_path / "a"))


def test_dtypes_have_their_numbers() -> None:
    half = imported("core.framework.types_pb2", "DT_HALF")
    assert half == 19 and tf.as_dtype(half) is tf.float16


def test_the_modules_of_queues_have_their_classes() -> None:
    assert imported("queue", "FIFOQueue") is tf.FIFOQueue
    assert imported("train.queue_runner", "QueueRunner") is tf.train.QueueRunner


@pytest.mark.parametrize("name", ["a/b", "^a/b", "loc:@a/b"])
def test_scopes_are_put_before_names_and_taken_away(name: str) -> None:
    longer = file_names.prepend_name_scope(name, "tower/")
    assert longer.endswith("tower/a/b") and file_names.strip_name_scope(longer, "tower") == name
    assert file_names.prepend_name_scope(name, None) == file_names.strip_name_scope(name, "other") == name


@pytest.mark.parametrize("value", [3, (1, 2), {"a": 0}], ids=str)
def test_a_shallower_structure_must_fit(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        nested_values.flatten_up_to([0, [0]], value)


def test_a_list_times_a_size_is_a_longer_list() -> None:
    size = tf.Dimension(3)
    assert [None] * size == size * [None] == [None] * 3 and (0,) * size == (0, 0, 0)


def test_a_variable_is_true_where_programs_of_tensorflow_1_run() -> None:
    with tf.Graph().as_default():
        bias = tf.Variable(0.0)
        with penstock.tensorflow_stand_in():
            assert bias and bias
            with pytest.raises(tf.errors.UseError, match="Python bool"):
                bool(bias + 1.0)
        with pytest.raises(tf.errors.UseError, match="Python bool"):
            bool(bias)
