"""Every sample of every op comes back from each written form, and computes the same.

Of a GraphDef this is tried with the binary form; the text form says the same, byte for byte. Of our own form it is
tried with the first sample of each op: `graph/serial/test_json_files.py` compares the graphs of all of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import penstock as tf
from penstock import load_graph, save_graph
from penstock.errors import GraphFormatError
from penstock.interchange.tensorflow.graphdef_writer import has_counterpart
from penstock.interchange.tensorflow.rules.array_export_rules import ARRAYS
from penstock.interchange.tensorflow.rules.list_export_rules import OF_LISTS
from penstock.interchange.tensorflow.wire.messages import GraphProto
from penstock.interchange.tensorflow.wire.text_format import from_text
from penstock.interchange.wire.wire_format import encode
from tests.helpers import EVERY, nightly
from tests.op_samples import OF_VARIANTS, USERS_OPS, all_known, of_each_kind, runnable, same

REFUSED = ("BooleanMask", "LinSpace", "NoVariant", "ParseExample")
"""Some of their samples are calls that TensorFlow's nodes cannot say: a single example has no name in TensorFlow."""

WRITTEN = ARRAYS.keys() | OF_LISTS.keys()
AS_LISTS = ("TensorArraySplit-0", "TensorArraySplit-1")
"""Come back as lists of TensorFlow's: these are made by the node, and not given to it."""

PLAIN = tf.SessionConfig(passes=())
"""Op by op: what passes make of a graph does not depend on where it comes from."""

EMPTY_ROWS = "Multiplex-2"
"""Comes back as a GatherNd, which refuses to take from what is empty."""


@pytest.mark.parametrize("first", [1, *nightly([EVERY])])
def test_every_sample_comes_back_and_computes_the_same(first: int, tmp_path: Path) -> None:
    """first: of each op so many samples are tried, and each of a kind that none before was."""
    wrong: list[str] = []
    refused: dict[str, set[str]] = {".json": set(), ".pb": set()}
    for place, type in enumerate(USERS_OPS):
        for call in of_each_kind(USERS_OPS[type], first):
            with tf.Graph().as_default() as graph:
                fetches, feeds = call.with_placeholders(all_known(call))
            want = tf.Session(graph=graph, config=PLAIN).run(fetches, feeds) if runnable(call) else None
            for suffix in refused:
                if (suffix == ".pb" and str(call) in AS_LISTS) or (suffix == ".json" and call.number):
                    continue
                try:
                    file = save_graph(graph, tmp_path / f"{call}{suffix}")
                    loaded = load_graph(file)
                except GraphFormatError:
                    refused[suffix].add(type)
                    continue
                there = [loaded.get_tensor_by_name(tensor.name) for tensor in fetches]
                fed = {loaded.get_tensor_by_name(tensor.name): array for tensor, array in feeds.items()}
                equal = [str(tensor.shape) for tensor in there] == [str(tensor.shape) for tensor in fetches]
                if equal and want is not None and not (str(call) == EMPTY_ROWS and suffix == ".pb"):
                    found = tf.Session(graph=loaded, config=PLAIN).run(there, fed)
                    equal = all(same(a, b) for a, b in zip(want, found, strict=True))
                # The text of a field does not depend on the sample.
                if suffix == ".pb" and call.number % 3 == 0 and (first == EVERY or place % 3 == 0):
                    equal = equal and encode(from_text(GraphProto, in_text(graph, file))) == file.read_bytes()
                if not equal:
                    wrong.append(file.name)
    assert wrong == []
    python = {"PyFunc", "PyFuncStateless"}  # functions of the program have no written form
    assert refused[".json"] == python
    without = {type for type in USERS_OPS if not has_counterpart(type)}
    assert sorted(refused[".pb"]) == sorted({*REFUSED, *OF_VARIANTS.keys() - WRITTEN, *without, *python})


def in_text(graph: tf.Graph, file: Path) -> str:
    """The other form of a GraphDef."""
    return save_graph(graph, file.with_suffix(".pbtxt")).read_text("utf-8")
