"""Random graphs that TensorFlow wrote: they load, compute TensorFlow's values, and are written and read again.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow, PENSTOCK_TF_GRAPHS the number of programs. `docs/verified.md`
has the last large run. `graphs.json` holds some of them as TensorFlow 2.21 wrote them:

    python -m tests.fuzz.graph_programs 0 40 tests/fuzz/graphs.json
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError
from penstock.interchange.tensorflow import read_graphdef, write_graphdef

from ..control_flow import test_beside_tensorflow as beside
from ..helpers import some_nightly
from .graph_programs import FEEDS, RUNS, Report

RECORDED: dict[str, Report] = {
    seed: report
    for seed, report in json.loads(Path(__file__).with_name("graphs.json").read_text()).items()
    if "error" not in report
}
COUNT = int(os.environ.get("PENSTOCK_TF_GRAPHS", "100"))
FIRST = int(os.environ.get("PENSTOCK_TF_FIRST", "0"))


def complaint(report: Report) -> str:
    """What is wrong with the values of a graph of TensorFlow's here; "" if nothing is."""
    loaded = read_graphdef(zlib.decompress(base64.b64decode(report["graph"])))
    if loaded.missing:  # a branch of a cond inside another one on the same predicate may be left out: it never runs
        if any("DT_RESOURCE" in reason for reason in loaded.reasons.values()):
            return ""  # stacks of handles of TensorArrays, which are refused by name
        return f"{loaded.report}: {loaded.reasons}"
    found = difference(loaded.graph, report)
    if found:
        return found
    try:
        content = write_graphdef(loaded.graph)
    except GraphFormatError:  # variables inside of bodies, gradients of TensorArrays
        return ""
    again = read_graphdef(content)
    if again.missing:
        return f"written and read again: {again.report}: {again.reasons}"
    found = difference(again.graph, report)
    return f"written and read again: {found}" if found else ""


def difference(graph: tf.Graph, report: Report) -> str:
    """The first value that is not TensorFlow's."""
    fetches = report["fetches"]
    with tf.Session(graph=graph) as session:
        session.run("start")
        for number, wanted in enumerate(report["values"]):
            if number:
                session.run("update", FEEDS)
            for name, value, (shape, numbers) in zip(fetches, session.run(fetches, FEEDS), wanted, strict=True):
                array = np.asarray(value, np.float64)
                if list(array.shape) != shape:
                    return f"{name} after {number} updates has shape {list(array.shape)}, not {shape}"
                if not np.allclose(array.reshape(-1), numbers, rtol=2e-4, atol=2e-5, equal_nan=True):
                    return f"{name} after {number} updates is {array.tolist()}, not {numbers}"
    return ""


def told(report: Report) -> str:
    """`complaint`, or the error that was raised."""
    try:
        return complaint(report)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.share(4)
@pytest.mark.parametrize("seed", some_nightly(RECORDED, list(RECORDED)[::2]))
def test_a_graph_computes_what_tensorflow_computed(seed: str) -> None:
    assert complaint(RECORDED[seed]) == ""


@pytest.mark.nightly
def test_the_graphs_have_loops_branches_and_state() -> None:
    missing = {"If", "While", "VariableV2", "FIFOQueueV2", "MapDataset", "IteratorGetNext"}
    for report in RECORDED.values():
        assert len(report["values"]) == RUNS + 1
        if missing:
            graph = read_graphdef(zlib.decompress(base64.b64decode(report["graph"]))).graph
            missing -= {op.type for op in graph.get_operations()}
    assert missing == set()


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_random_graphs_beside_tensorflow(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [beside.PYTHON, "-m", "tests.fuzz.graph_programs", str(FIRST), str(COUNT), str(path)]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    theirs: dict[str, Any] = json.loads(path.read_text())
    assert sum("error" in report for report in theirs.values()) < len(theirs) // 10
    different = {seed: told(report) for seed, report in theirs.items() if "error" not in report}
    assert {seed: what for seed, what in different.items() if what} == {}
