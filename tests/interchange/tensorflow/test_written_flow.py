"""Branches, loops and TensorArrays are written as TensorFlow's functional nodes, and come back as they were.

TensorFlow runs what is written: `test_graphdef_tensorflow` lets it, where it is there. The golden file is one it ran.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError
from penstock.interchange.tensorflow import read_graphdef, write_graphdef
from penstock.interchange.tensorflow.wire.messages import GraphProto
from penstock.interchange.wire.wire_format import decode
from tests.interchange.tensorflow.flow_programs import PROGRAMS, built

GOLDEN = Path(__file__).resolve().parents[2] / "golden_files" / "flow.pb"


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("text", [False, True])
def test_what_is_written_is_read_as_it_was(name: str, text: bool) -> None:
    graph, fetches, feeds = built(name)
    loaded = read_graphdef(write_graphdef(graph, text=text), text=text)
    assert (loaded.missing, loaded.left_out) == ({}, ())
    # Bounds of slices and shapes of elements are constants in a file; our nodes hold them as attributes.
    ours = ("+ TensorArray", "strided_slice")
    added = [each for each in str(graph.diff(loaded.graph)).splitlines() if not any(text in each for text in ours)]
    assert added in ([], ["no difference"])
    with tf.Session(graph=graph) as one, tf.Session(graph=loaded.graph) as two:
        for a, b in zip(one.run(fetches, feeds), two.run(fetches, feeds), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_file_has_no_nodes_of_the_old_control_flow(name: str) -> None:
    proto = decode(GraphProto, write_graphdef(built(name)[0]))
    functions = proto.library.functions if proto.library else []
    types = {node.op for node in proto.nodes} | {node.op for f in functions for node in f.nodes}
    assert not types & {"Switch", "Merge", "Enter", "Exit"}
    assert types & {"StatelessIf", "StatelessWhile"}


def test_the_golden_file_is_what_is_written() -> None:
    written = write_graphdef(built("maps_and_scans")[0])
    if os.environ.get("PENSTOCK_UPDATE_GOLDEN", "") not in ("", "0"):
        GOLDEN.write_bytes(written)
    assert written == GOLDEN.read_bytes()


def test_a_variable_in_a_body_is_refused_by_name() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")
        tf.while_loop(lambda i: i < 3.0, lambda i: i + v.assign_add(1.0), [0.0])
    with pytest.raises(GraphFormatError, match=r"inside 'while' uses a variable.*\.json keeps it"):
        write_graphdef(graph)
