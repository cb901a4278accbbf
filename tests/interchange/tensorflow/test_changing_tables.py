"""Tables that change in files: a SavedModel of TensorFlow 2.21 with such tables loads, and ours comes back."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import penstock.compat.v1 as tf

from ...control_flow import test_beside_tensorflow as beside
from ...golden_extra.record_changing_tables import FOLDER, build, save


def loaded(folder: Path) -> dict[str, Any]:
    """What a saved model gives at first, after an insertion, and after a removal."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.saved_model.loader.load(session, [tf.saved_model.tag_constants.SERVING], str(folder))
        feeds = {"query:0": [b"a", b"b", b"new", b"?"]}
        fetches = [graph.get_tensor_by_name(f"{name}:0") for name in ("found", "of_row", "size")]
        results = {"loaded": session.run(fetches, feeds)}
        for label, scope in (("added", "add"), ("dropped", "drop")):
            change = next(op for op in graph.get_operations() if op.name.startswith(scope))
            while not change.type.startswith("LookupTable"):
                change = next(op for op in graph.get_operations() if op.name.startswith(f"{scope}/LookupTable"))
            session.run(change)
            results[label] = session.run(fetches, feeds)
        return {label: [each.tolist() for each in arrays] for label, arrays in results.items()}


ROWS = [[1.5, 2.5], [0.0, 0.5]]
WANTED = {
    "loaded": [[1, 2, -1, -1], ROWS, 2],
    "added": [[1, 2, 9, -1], ROWS, 3],
    "dropped": [[-1, 2, 9, -1], ROWS, 2],
}


def test_a_model_of_tensorflow_has_its_tables() -> None:
    assert loaded(FOLDER) == WANTED


def test_a_model_of_ours_comes_back(tmp_path: Path) -> None:
    save(tf, tmp_path / "model")
    assert loaded(tmp_path / "model") == WANTED


@pytest.mark.parametrize("type", ["MutableHashTable", "MutableDenseHashTable"])
@pytest.mark.parametrize("suffix", [".pb", ".pbtxt", ".json"])
def test_every_node_is_written_and_read(tmp_path: Path, type: str, suffix: str) -> None:
    with tf.Graph().as_default() as graph:
        keys = {"empty_key": 0, "deleted_key": -1} if "Dense" in type else {}
        table = getattr(tf.contrib.lookup, type)(tf.int64, tf.float32, [0.0], **keys)
        tf.group(table.insert([1, 2], [[1.0], [2.0]]), name="fill")
        tf.group(table.remove([2]), name="drop")
        tf.identity(table.lookup([1, 2]), name="found")
        tf.identity(table.export()[1], name="exported")
        tf.identity(table.size(), name="size")
    file = tf.save_graph(graph, tmp_path / f"tables{suffix}")
    again = tf.load_graph(file)
    with tf.Session(graph=again) as session:
        session.run("fill")
        assert session.run(["found:0", "size:0"])[0].tolist() == [[1.0], [2.0]]
        session.run("drop")
        assert session.run("exported:0").tolist() == [[1.0]]
        assert session.run("size:0") == 1
    assert str(again.get_tensor_by_name("exported:0").shape) == "(?, 1)"


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_tensorflow_reads_a_model_of_ours(tmp_path: Path) -> None:
    save(tf, tmp_path / "model")
    program = (
        "import sys, tensorflow; tf = tensorflow.compat.v1\n"
        "with tf.Session(graph=tf.Graph()) as session:\n"
        "    tf.saved_model.loader.load(session, ['serve'], sys.argv[1])\n"
        "    print(session.run(['found:0', 'of_row:0', 'size:0'], {'query:0': [b'a', b'b', b'new', b'?']}))\n"
    )
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run([beside.PYTHON, "-c", program, str(tmp_path / "model")], env=environment, check=True,
                          capture_output=True, text=True)  # fmt: skip
    assert "[ 1,  2, -1, -1]" in done.stdout, done.stdout


def test_the_recorded_program_builds_here() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        parts = build(tf)
        session.run(parts["fill"])
        assert session.run(parts["found"], {parts["query"]: ["b"]}).tolist() == [2]
