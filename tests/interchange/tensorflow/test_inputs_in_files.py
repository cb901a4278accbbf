"""Queues, readers, datasets, iterators and tables in GraphDefs: written, read again, and run by TensorFlow.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow; `inputs.json` has what TensorFlow 2.21 computed with our files.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock.compat.v1 as tf
from penstock.errors import GraphFormatError
from penstock.interchange.tensorflow import read_graphdef, write_graphdef
from tests.interchange.tensorflow.input_programs import PROGRAMS, values

PYTHON = os.environ.get("PENSTOCK_TF_PYTHON", "")
ROOT = Path(__file__).resolve().parents[3]
RECORDED: dict[str, Any] = json.loads(Path(__file__).with_name("inputs.json").read_text())


def built(name: str) -> tf.Graph:
    with tf.Graph().as_default() as graph:
        PROGRAMS[name](tf)
    return graph


@pytest.mark.parametrize("name", PROGRAMS)
def test_inputs_are_written_and_read_again(name: str) -> None:
    graph = built(name)
    loaded = read_graphdef(write_graphdef(graph))
    assert (loaded.missing, loaded.left_out) == ({}, ())
    assert values(tf, name, graph) == RECORDED[name]
    assert values(tf, name, loaded.graph) == RECORDED[name]
    again = read_graphdef(write_graphdef(loaded.graph))
    assert values(tf, name, again.graph) == RECORDED[name]


@pytest.mark.skipif(not PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_tensorflow_computes_the_same_with_our_files(tmp_path: Path) -> None:
    for name in PROGRAMS:
        (tmp_path / f"{name}.pb").write_bytes(write_graphdef(built(name)))
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [PYTHON, "-m", "tests.interchange.tensorflow.input_programs", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, timeout=300)
    found = {name: json.loads((tmp_path / f"{name}.out.json").read_text()) for name in PROGRAMS}
    assert found == RECORDED


def _groups_of_pairs() -> None:
    data = tf.data.Dataset.zip((tf.data.Dataset.range(4), tf.data.Dataset.range(4)))
    groups = tf.data.experimental.group_by_window(lambda a, b: a % 2, lambda key, group: group.batch(2), 2)
    data.apply(groups).make_initializable_iterator()


def _generator() -> None:
    tf.data.Dataset.from_generator(lambda: iter([1]), tf.int32)


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (_groups_of_pairs, "groups elements of 2 parts"),
        (_generator, "no file holds a Python function"),
    ],
)
def test_what_no_file_can_hold_is_named(program: Callable[[], None], says: str) -> None:
    with tf.Graph().as_default() as graph:
        program()
    with pytest.raises(GraphFormatError, match=says):
        write_graphdef(graph)


@pytest.mark.parametrize(
    ("node", "says"),
    [
        ('op: "Barrier"', "no op here does what 'Barrier' does"),
        ('op: "QueueDequeueV2" input: "q" attr { key: "timeout_ms" value { i: 5 } }', "a timeout"),
        ('op: "ShuffleDatasetV3"', "no op here does what 'ShuffleDatasetV3' does"),
    ],
)
def test_what_has_no_counterpart_is_named(node: str, says: str) -> None:
    text = f"""
    node {{ name: "q" op: "FIFOQueueV2" attr {{ key: "component_types" value {{ list {{ type: DT_FLOAT }} }} }} }}
    node {{ name: "it" {node} }}
    """
    loaded = read_graphdef(text.encode(), text=True)
    assert says in loaded.reasons["it"]
    assert "it" not in {op.name for op in loaded.graph.get_operations()}
