"""Nodes at their edges, with the values of onnxruntime that `tests.fuzz.of_onnx_nodes` has shown to differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penstock.interchange.onnx import backend
from penstock.interchange.onnx.rules.cast_reads import bits_of_float
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


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_place_may_count_from_the_end(axis: int) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    got = run("Gather", x, ints(-1, 0, -2), axis=axis)
    assert got.tolist() == np.take(x, [-1, 0, -2], axis).tolist()


def test_the_logarithm_of_a_sum_of_ints_is_an_int() -> None:
    made = run("ReduceLogSum", np.array([3, 5], np.int64), axes=[0], keepdims=0)
    assert made.dtype == np.int64
    assert made == 2


@pytest.mark.parametrize(("axis", "want"), [(0, (1, 24)), (1, (2, 12)), (-1, (6, 4)), (-2, (2, 12)), (3, (24, 1))])
def test_flatten_counts_a_negative_axis_from_the_end(axis: int, want: tuple[int, int]) -> None:
    assert run("Flatten", np.zeros((2, 3, 4), np.float32), axis=axis).shape == want


NOTHING = np.zeros(0, np.float32)


def test_sizes_by_a_shared_scale_are_rounded() -> None:
    x = np.zeros((1, 1, 3, 4), np.float32)
    for policy, want in (("not_larger", (5, 7)), ("not_smaller", (7, 9))):
        resized = run("Resize", x, NOTHING, NOTHING, ints(5, 9), opset=18, axes=[2, 3], keep_aspect_ratio_policy=policy)
        assert resized.shape == (1, 1, *want)


def test_weights_outside_of_an_image_are_shared_by_those_inside() -> None:
    scales, ones = np.array([1, 2.5], np.float32), np.ones((2, 5), np.float32)
    resized = run("Resize", ones, NOTHING, scales, opset=13, mode="cubic", exclude_outside=1)
    np.testing.assert_allclose(resized, np.ones((2, 12)), 1e-6)


def test_an_older_resize_takes_the_pixel_to_the_left() -> None:
    x, scales = np.arange(4, dtype=np.float32)[None], np.array([1, 1.5], np.float32)
    assert run("Upsample", x, scales, opset=9, mode="nearest").tolist() == [[0, 0, 1, 2, 2, 3]]
    assert run("Resize", x, scales, opset=10, mode="nearest").tolist() == [[0, 0, 1, 2, 2, 3]]


@pytest.mark.parametrize("periodic", [0, 1])
@pytest.mark.parametrize(
    ("op", "terms"),
    [("HannWindow", [0.5, -0.5]), ("HammingWindow", [25 / 46, -21 / 46]), ("BlackmanWindow", [0.42, -0.5, 0.08])],
)
def test_a_window_is_a_sum_of_cosines_of_multiples_of_the_place(op: str, terms: list[float], periodic: int) -> None:
    angle = 2 * np.pi * np.arange(9) / (9 if periodic else 8)
    wanted = sum(term * np.cos(i * angle) for i, term in enumerate(terms))
    np.testing.assert_allclose(run(op, np.array(9, np.int64), periodic=periodic), wanted, 1e-5, 1e-6)


@pytest.mark.parametrize("size", [65, None])
def test_a_determinant_is_of_few_rows_that_are_known(size: int | None) -> None:
    graph = OnnxGraphProto([OnnxNodeProto(["x"], ["y"], "", "Det", [])], "g")
    graph.inputs = [value_info("x", tf.float32, tf.TensorShape([size, size]))]
    graph.outputs = [value_info("y", tf.float32, tf.TensorShape(None))]
    with pytest.raises(Exception, match="size is not known before a run, or is above 64"):
        model = backend.prepare(encode(ModelProto(8, graph=graph, opsets=[OpsetProto("", 17)])))
        model.run({"x": np.eye(65, dtype=np.float32)})


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_the_bits_of_floats_are_found_by_arithmetic(dtype: str) -> None:
    ends = np.finfo(dtype)
    places = np.array([0.0, -0.0, 1.0, -1.5, 3.1415, 65504.0, ends.tiny, ends.max, -ends.max, ends.smallest_subnormal,
                       ends.tiny - ends.smallest_subnormal, np.inf, -np.inf, 1 / 3], dtype)  # fmt: skip
    with tf.Graph().as_default(), tf.Session() as session:
        bits = session.run(bits_of_float(tf.constant(places)))
    assert bits.tolist() == places.view(f"i{places.itemsize}").tolist()
