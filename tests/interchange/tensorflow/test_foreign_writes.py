"""Graphs of TensorFlow that write variables in branches, loops and functions compute what TensorFlow computed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.interchange.tensorflow.bodies.reads_in_loops import with_reads_inside
from penstock.interchange.tensorflow.graphdef_reader import read_graphdef_file
from penstock.interchange.tensorflow.wire.messages import GraphProto
from penstock.interchange.wire.wire_format import decode as decode_message
from tests.golden_cases import decode

FOLDER = Path(__file__).resolve().parents[2] / "golden_extra" / "foreign_writes"
CASES: list[dict[str, Any]] = json.loads((FOLDER / "cases.json").read_text())["cases"]


@pytest.mark.share(3)
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_writes_inside_are_those_of_tensorflow(case: dict[str, Any]) -> None:
    loaded = read_graphdef_file(FOLDER / f"{case['name']}.pb")
    assert (loaded.missing, loaded.left_out) == ({}, ())
    for run in case["runs"]:
        with tf.Session(graph=loaded.graph) as session:
            if any(op.name == "init" for op in loaded.graph.get_operations()):
                session.run("init")
            for results in run["results"]:
                found = session.run(case["fetches"], {"n:0": run["n"]})
                for name, value, recorded in zip(case["fetches"], found, results, strict=True):
                    np.testing.assert_allclose(value, decode(recorded), rtol=2e-5, atol=1e-6, err_msg=name)


def test_only_reads_of_variables_that_the_loop_writes_are_moved() -> None:
    def nodes(name: str) -> Any:
        return decode_message(GraphProto, (FOLDER / f"{name}.pb").read_bytes()).nodes

    before = nodes("plain_reads_in_a_loop.v1")
    after = with_reads_inside(before)
    added = after[len(before) :]
    assert [node.op for node in added] == ["Identity"] and added[0].name.endswith("/Enter/read")
    assert [node.name for node in after[: len(before)]] == [node.name for node in before]
    resources = nodes("plain_reads_in_a_loop.v2")
    assert with_reads_inside(resources) is resources


def test_a_name_that_is_taken_gets_a_number() -> None:
    proto = decode_message(GraphProto, (FOLDER / "plain_reads_in_a_loop.v1.pb").read_bytes())
    (read,) = with_reads_inside(proto.nodes)[len(proto.nodes) :]
    proto.nodes.append(type(read)(read.name, "NoOp", [], "", []))
    (other,) = with_reads_inside(proto.nodes)[len(proto.nodes) :]
    assert other.name == f"{read.name}_1"
