"""Every sample of every op comes back from each written form, and computes the same."""

from __future__ import annotations

from pathlib import Path

import pytest

import penstock as tf
from penstock import load_graph, save_graph
from penstock.errors import GraphFormatError
from penstock.interchange.tensorflow.array_export_rules import ARRAYS
from penstock.interchange.tensorflow.list_export_rules import OF_LISTS
from tests.op_samples import OF_VARIANTS, USERS_OPS, Call, all_known, calls, runnable, same

REFUSED = ("ShardOf", "MeanOfShards", "OnlySizes", "LogsumexpOfShards", "JoinedShape",
           "BooleanMask", "LinSpace", "CombineRows", "NextCount", "ReplaceSlice", "ValueIfInitialized",
           "CheckedValue", "KeptValue", "NoVariant")  # fmt: skip
"""Some of their samples are calls that TensorFlow's nodes cannot say; the four before the last are parts of plans."""

WRITTEN = ARRAYS.keys() | OF_LISTS.keys()
AS_LISTS = ("TensorArraySplit-0", "TensorArraySplit-1")
"""Come back as lists of TensorFlow's: these are made by the node, and not given to it."""

EMPTY_ROWS = "Multiplex-2"
"""Comes back as a GatherNd, which refuses to take from what is empty."""


@pytest.mark.parametrize("suffix", [".json", ".pb", ".pbtxt"])
def test_every_sample_comes_back_and_computes_the_same(suffix: str, tmp_path: Path) -> None:
    refused, wrong = [], []
    for type in USERS_OPS:
        for call in calls(USERS_OPS[type]):
            if str(call) in AS_LISTS and suffix != ".json":
                continue
            try:
                equal = comes_back(call, tmp_path / f"graph{suffix}")
            except GraphFormatError:
                refused.append(type)
            else:
                if not equal:
                    wrong.append(str(call))
    assert wrong == []
    python = {"PyFunc", "PyFuncStateless"}  # functions of the program have no written form
    assert set(refused) == (python if suffix == ".json" else {*REFUSED, *OF_VARIANTS.keys() - WRITTEN, *python})


def comes_back(call: Call, path: Path) -> bool:
    """Whether the call has the same results after it was written to a file and read from it."""
    with tf.Graph().as_default() as graph:
        fetches, feeds = call.with_placeholders(all_known(call))
    save_graph(graph, path)
    loaded = load_graph(path)
    there = [loaded.get_tensor_by_name(tensor.name) for tensor in fetches]
    if [str(tensor.shape) for tensor in there] != [str(tensor.shape) for tensor in fetches]:
        return False
    if not runnable(call) or (str(call) == EMPTY_ROWS and path.suffix != ".json"):
        return True
    with tf.Session(graph=graph) as one, tf.Session(graph=loaded) as two:
        want = one.run(fetches, feeds)
        found = two.run(there, {loaded.get_tensor_by_name(tensor.name): array for tensor, array in feeds.items()})
    return all(same(a, b) for a, b in zip(want, found, strict=True))
