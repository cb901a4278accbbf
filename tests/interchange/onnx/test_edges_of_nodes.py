"""Nodes at their edges, with the values of onnxruntime that `tests.fuzz.of_onnx_nodes` has shown to differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penstock.interchange.onnx import backend
from penstock.interchange.onnx.wire.onnx_messages import ModelProto, OnnxGraphProto, OnnxNodeProto, OpsetProto
from penstock.interchange.onnx.wire.onnx_tensors import tensor_proto
from penstock.interchange.onnx.writing.onnx_writer import attribute, value_info
from penstock.interchange.wire.wire_format import encode

import penstock as tf  # isort: skip


def run(op: str, x: Any, *arrays: Any, opset: int = 17, **attributes: Any) -> Any:
    """The result of a node on a value that is fed and arrays of the file."""
    names = [f"a{i}" for i in range(len(arrays))]
    node = OnnxNodeProto(["x", *names], ["y"], "", op, [attribute(k, v) for k, v in attributes.items()])
    graph = OnnxGraphProto([node], "g", [tensor_proto(a, k) for a, k in zip(arrays, names, strict=True)])
    graph.inputs = [value_info("x", tf.as_dtype(x.dtype), tf.TensorShape(x.shape))]
    graph.outputs = [value_info("y", tf.float32, tf.TensorShape(None))]
    (made,) = backend.prepare(encode(ModelProto(8, graph=graph, opsets=[OpsetProto("", opset)]))).run({"x": x})
    return made


def ints(*values: int) -> Any:
    return np.array(values, np.int64)


@pytest.mark.parametrize(
    ("start", "end", "step", "want"),
    [(-100, -101, -1, [0]), (-100, 2, -1, []), (100, -100, -2, [3, 1]), (1, 100, -1, []), (-1, -3, -1, [3, 2])],
)
def test_a_slice_that_runs_backwards_begins_within_the_axis(start: int, end: int, step: int, want: list[int]) -> None:
    x = np.arange(4, dtype=np.int64)
    assert run("Slice", x, ints(start), ints(end), ints(0), ints(step)).tolist() == want


def test_what_asks_for_no_place_has_none() -> None:
    empty = np.zeros((0, 2, 0), np.float32)
    assert run("ArgMax", empty, axis=2, keepdims=1).shape == (0, 2, 1)
    assert run("ArgMin", empty, axis=0, keepdims=0).shape == (2, 0)
    assert run("Hardmax", empty, axis=1).shape == (0, 2, 0)
    assert run("GatherND", np.zeros((3, 0), np.float32), np.array([[1], [2]], np.int64)).shape == (2, 0)


def test_the_logarithm_of_a_sum_of_ints_is_an_int() -> None:
    made = run("ReduceLogSum", np.array([3, 5], np.int64), axes=[0], keepdims=0)
    assert made.dtype == np.int64
    assert made == 2


@pytest.mark.parametrize(("axis", "want"), [(0, (1, 24)), (1, (2, 12)), (-1, (6, 4)), (-2, (2, 12)), (3, (24, 1))])
def test_flatten_counts_a_negative_axis_from_the_end(axis: int, want: tuple[int, int]) -> None:
    assert run("Flatten", np.zeros((2, 3, 4), np.float32), axis=axis).shape == want
