"""Parts of loops and branches of files are found by the names of their tensors, or errors say where they belong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import FetchError
from penstock.interchange.tensorflow.graphdef_reader import read_graphdef, read_graphdef_file

FOLDER = Path(__file__).resolve().parents[2] / "golden_extra" / "foreign_graphs"
CASES = {case["name"]: case for case in json.loads((FOLDER / "cases.json").read_text())["cases"]}


def fetched(name: str, fetch: str) -> Any:
    graph = read_graphdef_file(FOLDER / f"{name}.pb").graph
    with tf.Session(graph=graph) as session:
        return session.run(fetch, CASES[name]["runs"][0]["feeds"])


@pytest.mark.parametrize(
    ("name", "fetch", "value"),
    [
        ("case.v1", "case/cond/Merge:0", -101.0),
        ("case.v1", "case/cond/Merge:1", 1),
        ("case.v1", "case/cond/pred_id:0", True),
        ("map_fn.v1", "map/TensorArrayStack/range:0", [0, 1]),
        ("map_fn.v1", "map/TensorArrayStack/TensorArrayGatherV3:0", [6.0, 15.0]),
        ("map_fn.v1", "map/while/Enter:0", 0),
        ("map_fn.v1", "map/while/Exit:0", 2),
    ],
)
def test_a_part_is_found_by_the_name_of_its_tensor(name: str, fetch: str, value: Any) -> None:
    assert np.asarray(fetched(name, fetch)).tolist() == value


@pytest.mark.parametrize(
    ("name", "fetch", "says"),
    [
        ("case.v1", "case/cond/switch_t", "it is a part of 'case/cond', which is one If here"),
        ("map_fn.v1", "map/while/Merge:0", "it is a part of 'map/while', which is one While here"),
        ("map_fn.v1", "map/while/add:0", "inside the body of 'map/while'"),
    ],
)
def test_a_part_without_one_value_is_refused_in_words(name: str, fetch: str, says: str) -> None:
    with pytest.raises(FetchError, match=says):
        fetched(name, fetch)


def test_nodes_that_nothing_needs_stay() -> None:
    folder = FOLDER.parent / "foreign_models"
    with tf.Session(graph=tf.Graph()) as session:
        tf.saved_model.loader.load(session, ["serve"], folder / "branches.v1" / "saved")
        assert session.graph.get_operation_by_name("that_nothing_needs").type == "Max"


def test_arguments_and_results_of_functions_are_nodes() -> None:
    text = b"""
    node { name: "a" op: "_Arg" attr { key: "T" value { type: DT_FLOAT } } attr { key: "index" value { i: 0 } } }
    node { name: "b" op: "Neg" input: "a" }
    node { name: "r" op: "_Retval" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
    """
    loaded = read_graphdef(text, text=True)
    with tf.Session(graph=loaded.graph) as session:
        assert session.run("r:0", {"a:0": 2.0}) == -2.0
