"""Graphs with control flow that TensorFlow wrote: they load as If and While, and compute what TensorFlow computed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import penstock as tf
from penstock.interchange.tensorflow.graphdef_reader import read_graphdef_file
from tests.golden_cases import decode

from ...helpers import every_case

FOLDER = Path(__file__).resolve().parents[2] / "golden_extra" / "foreign_graphs"
CASES: list[dict[str, Any]] = json.loads((FOLDER / "cases.json").read_text())["cases"]


@every_case("case", CASES, parts=6, by_day=1)
def test_a_graph_of_tensorflow_computes_what_tensorflow_computed(case: dict[str, Any]) -> None:
    loaded = read_graphdef_file(FOLDER / f"{case['name']}.pb")
    assert (loaded.missing, loaded.left_out) == ({}, ())
    flow = {"Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond"}
    assert not flow & {op.type for op in loaded.graph.get_operations()}
    for run in case["runs"]:
        with tf.Session(graph=loaded.graph) as session:
            if any(op.name == "init" for op in loaded.graph.get_operations()):
                session.run("init")
            if any(op.name == "train" for op in loaded.graph.get_operations()):
                for _ in range(5):
                    session.run("train")
            found = session.run(case["fetches"], run["feeds"])
        for name, value, recorded in zip(case["fetches"], found, run["results"], strict=True):
            same(name, np.asarray(value), decode(recorded))


def same(name: str, found: Any, wanted: Any) -> None:
    assert found.shape == wanted.shape, name
    if wanted.dtype == object:
        assert found.tolist() == wanted.tolist(), name
    else:
        assert found.dtype == wanted.dtype, name
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-6, err_msg=name)
