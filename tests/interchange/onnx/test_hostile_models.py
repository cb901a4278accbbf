"""Damaged and hostile ONNX models give one clear error, in little time and memory."""

from __future__ import annotations

import os
import random
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError
from penstock.graph.serial import Limits
from penstock.interchange.onnx.wire.onnx_messages import (
    ModelProto,
    OnnxFunctionProto,
    OnnxGraphProto,
    OnnxNodeProto,
    OnnxTensorProto,
    OpsetProto,
    TextEntryProto,
    ValueInfoProto,
)
from penstock.interchange.onnx.wire.onnx_tensors import tensor_proto
from penstock.interchange.onnx.writing.onnx_writer import attribute, value_info
from penstock.interchange.wire.wire_format import encode


def node(op: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "", **attributes: Any) -> OnnxNodeProto:
    given = [attribute(name, value) for name, value in attributes.items()]
    return OnnxNodeProto(list(inputs), list(outputs), "", op, given, "", domain)


def model(nodes: Sequence[OnnxNodeProto], arrays: Sequence[OnnxTensorProto] = (), **more: Any) -> bytes:
    graph = OnnxGraphProto(list(nodes), "g", list(arrays))
    graph.inputs = [value_info("x", tf.float32, tf.TensorShape([2, 3]))]
    graph.outputs = [ValueInfoProto("y", None)]
    return encode(ModelProto(10, graph=graph, opsets=[OpsetProto("", 21), OpsetProto("own", 1)], **more))


def ints(name: str, *values: int) -> OnnxTensorProto:
    return tensor_proto(np.array(values, np.int64), name)


def refused(content: bytes | Path, **options: Any) -> str:
    """The message of the error; the graph is as it was, little memory was used, and it took little time."""
    tracemalloc.start()
    began = time.process_time()
    try:
        with tf.Graph().as_default() as graph:
            with pytest.raises(GraphFormatError) as caught:
                tf.load_onnx(content, **options)
            assert graph.get_operations() == []
        assert tracemalloc.get_traced_memory()[1] < 200 << 20
        assert time.process_time() - began < 20
    finally:
        tracemalloc.stop()
    assert len(str(caught.value)) < 2500
    return str(caught.value)


GOOD = model([node("Add", ["x", "b"], ["s"]), node("Relu", ["s"], ["y"])], [tensor_proto(np.ones(3, np.float32), "b")])


def test_a_truncated_model_is_refused() -> None:
    with tf.Graph().as_default():
        tf.load_onnx(GOOD)
    for end in range(len(GOOD)):
        try:
            with tf.Graph().as_default():
                tf.load_onnx(GOOD[:end])
        except GraphFormatError:
            continue
        assert end > len(GOOD) - 12, end  # without its opsets a model is one of opset 1


def test_random_and_changed_bytes_give_one_error_and_no_other() -> None:
    rng = random.Random(7)
    for count in range(1500):
        content = bytearray(GOOD) if count % 4 else bytearray(rng.randbytes(count % 200))
        for _ in range(rng.choice([1, 2, 8]) if content else 0):
            content[rng.randrange(len(content))] = rng.randrange(256)
        try:
            with tf.Graph().as_default():
                tf.load_onnx(bytes(content))
        except GraphFormatError:
            pass


def test_values_that_need_themselves_are_refused() -> None:
    circle = model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Neg", ["b"], ["y"])])
    assert "used before any node" in refused(circle)
    assert "given twice" in refused(model([node("Neg", ["x"], ["y"]), node("Neg", ["x"], ["y"])]))
    assert "used before" in refused(model([node("Neg", ["x"], ["z"])]))


def test_functions_that_call_each_other_are_refused() -> None:
    itself = OnnxFunctionProto("f", ["a"], ["b"], nodes=[node("f", ["a"], ["b"], "own")], domain="own")
    assert "nested more than" in refused(model([node("f", ["x"], ["y"], "own")], functions=[itself]))
    doubling = [
        OnnxFunctionProto(f"f{i}", ["a"], ["c"], domain="own", nodes=[
            node(f"f{i + 1}", ["a"], ["b"], "own"), node(f"f{i + 1}", ["b"], ["c"], "own")])
        for i in range(30)
    ]  # fmt: skip
    last = OnnxFunctionProto("f30", ["a"], ["c"], nodes=[node("Neg", ["a"], ["c"])], domain="own")
    many = model([node("f0", ["x"], ["y"], "own")], functions=[*doubling, last])
    assert "more nodes than the limit" in refused(many, limits=Limits(nodes=1_000))


def field(number: int, content: bytes) -> bytes:
    """A field of a message that holds a message."""
    size, length = len(content), bytearray()
    while size > 127:
        length.append(size & 127 | 128)
        size >>= 7
    return bytes([number << 3 | 2, *length, size]) + content


@pytest.mark.parametrize("depth", [30, 300, 5_000])
def test_graphs_within_graphs_without_end_are_refused(depth: int) -> None:
    graph = b""
    for _ in range(depth):  # a graph, its node, the node's attribute, the attribute's graph
        graph = field(1, field(4, b"If") + field(5, field(1, b"then_branch") + field(6, graph)))
    refused(field(7, graph) + field(8, b"\x10\x15"))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"dims": [1 << 62]}, "limit"),
        ({"dims": [1 << 40, 1 << 40]}, "limit"),
        ({"dims": [-3]}, "has the sizes"),
        ({"dims": [4]}, "needs"),
        ({"dims": [0, 1 << 62]}, "limit|needs"),
        ({"dims": [1] * 100}, "has the sizes"),
        ({"data_type": 99}, "element type"),
        ({"raw_data": b"1234567"}, "bytes"),
    ],
)
def test_arrays_that_lie_about_their_size_are_refused(change: dict[str, Any], says: str) -> None:
    array = tensor_proto(np.ones(3, np.float32), "b")
    for name, value in change.items():
        setattr(array, name, value)
    text = refused(model([node("Add", ["x", "b"], ["y"])], [array]))
    assert any(word in text for word in says.split("|")), text


def test_a_length_of_ten_to_the_nine_nodes_is_refused() -> None:
    assert refused(b"\x3a\xff\xff\xff\xff\x7f\x0a\xff\xff\xff\xff\x7f")
    many = model([node("Neg", ["x"], ["y"])]) + b"\x3a\x80\x80\x80\x80\x40" + b"\x0a\x00" * 1000
    assert refused(many)
    limits = Limits(nodes=1000)
    assert "limit" in refused(model([node("Neg", ["x"], [f"y{i}"]) for i in range(2000)]), limits=limits)


@pytest.mark.parametrize(
    "location", ["../secret", "/etc/hostname", "a/../../secret", "link", "", "a\0b", "..", ".", "missing", "folder"]
)
def test_files_outside_the_folder_of_the_model_are_not_read(location: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"\0" * 12)
    folder = tmp_path / "model"
    (folder / "folder").mkdir(parents=True)
    os.symlink(tmp_path / "secret", folder / "link")
    array = OnnxTensorProto([3], 1, name="b", external_data=[TextEntryProto("location", location)], data_location=1)
    path = folder / "m.onnx"
    path.write_bytes(model([node("Add", ["x", "b"], ["y"])], [array]))
    if location == "missing":
        with tf.Graph().as_default(), pytest.raises((GraphFormatError, OSError)):
            tf.load_onnx(path)
    else:
        refused(path)
    assert "beside the model" in refused(path.read_bytes())


@pytest.mark.parametrize(
    "entries", [{"offset": "8"}, {"offset": "-1"}, {"length": "99"}, {"offset": "1" * 30}, {"length": "x"}]
)
def test_places_outside_a_file_are_refused(entries: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes(b"\0" * 12)
    told = [TextEntryProto("location", "w"), *[TextEntryProto(*each) for each in entries.items()]]
    array = OnnxTensorProto([3], 1, name="b", external_data=told, data_location=1)
    (tmp_path / "m.onnx").write_bytes(model([node("Add", ["x", "b"], ["y"])], [array]))
    refused(tmp_path / "m.onnx")


FAR = 10**12
LARGE: dict[str, bytes] = {
    "Pad": model([node("Pad", ["x", "p"], ["y"], mode="edge")], [ints("p", 0, FAR, 0, 0)]),
    "Split": model([node("Split", ["x"], ["y"], axis=1, num_outputs=FAR)]),
    "Unsqueeze": model([node("Unsqueeze", ["x", "a"], ["y"])], [ints("a", *range(3000))]),
    "HannWindow": model([node("HannWindow", ["n"], ["y"])], [ints("n", FAR)]),
    "MelWeightMatrix": model([node("MelWeightMatrix", ["n", "n", "n", "f", "f"], ["y"])],
                             [tensor_proto(np.array(FAR), "n"), tensor_proto(np.array(1.0, np.float32), "f")]),
    "DFT": model([node("DFT", ["x", "n"], ["y"])], [tensor_proto(np.array(FAR), "n")]),
    "LRN": model([node("LRN", ["x"], ["y"], size=FAR)]),
    "Upsample": model([node("Resize", ["x", "", "", "s"], ["y"], mode="linear")], [ints("s", 2, FAR)]),
    "EyeLike": model([node("Expand", ["x", "s"], ["z"]), node("EyeLike", ["z"], ["y"])], [ints("s", FAR, 2, 3)]),
}  # fmt: skip


@pytest.mark.parametrize("name", LARGE)
def test_large_numbers_in_nodes_are_refused_or_cost_nothing_before_a_run(name: str) -> None:
    tracemalloc.start()
    began = time.process_time()
    try:
        with tf.Graph().as_default():
            try:
                tf.load_onnx(LARGE[name])
            except GraphFormatError as error:
                assert len(str(error)) < 2500
        assert tracemalloc.get_traced_memory()[1] < 200 << 20
        assert time.process_time() - began < 20
    finally:
        tracemalloc.stop()


def test_a_loop_of_ten_to_the_nine_iterations_is_read_at_once() -> None:
    body = OnnxGraphProto([node("Identity", ["c"], ["d"]), node("Neg", ["v"], ["w"])], "b")
    body.inputs = [ValueInfoProto(name, None) for name in ("i", "c", "v")]
    body.outputs = [ValueInfoProto(name, None) for name in ("d", "w")]
    loop = node("Loop", ["m", "", "x"], ["y"], body=body)
    began = time.process_time()
    with tf.Graph().as_default():
        tf.load_onnx(model([loop], [tensor_proto(np.array(10**9), "m")]))
    assert time.process_time() - began < 5
