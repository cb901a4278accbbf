"""Do damaged and hostile files give one clear error, and never anything else?"""

from __future__ import annotations

import io
import json
import random
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError
from penstock.graph.serial import Limits, read_graphdef, save_graph, write_graphdef
from penstock.graph.serial.messages import GraphProto
from penstock.graph.serial.text_format import from_text
from tests.graph.serial.programs import program

FUZZED = 100_000


def read(suffix: str, content: bytes, folder: Path) -> str:
    """How reading ended: "" for a graph, else the message of the one error that is allowed."""
    path = folder / f"fuzzed{suffix}"
    path.write_bytes(content)
    try:
        tf.load_graph(path)
    except GraphFormatError as error:
        return str(error)
    return ""


def files(folder: Path) -> dict[str, bytes]:
    graph, _, _ = program()
    return {s: save_graph(graph, folder / f"good{s}").read_bytes() for s in (".json", ".pb", ".pbtxt")}


@pytest.mark.parametrize("suffix", [".json", ".pb", ".pbtxt"])
def test_a_truncated_file_is_refused_or_is_a_smaller_graph(suffix: str, tmp_path: Path) -> None:
    content = files(tmp_path)[suffix]
    ends = [read(suffix, content[:end], tmp_path) for end in range(0, len(content) - 2, max(1, len(content) // 150))]
    assert sum(bool(text) for text in ends) > 100
    assert all(len(text) < 2000 for text in ends)


@pytest.mark.parametrize("suffix", [".json", ".pb", ".pbtxt"])
def test_changed_bytes_give_one_error_and_no_other(suffix: str, tmp_path: Path) -> None:
    content = files(tmp_path)[suffix]
    rng = random.Random(11)
    changed = 0
    while changed < FUZZED // 3:
        damaged = bytearray(content)
        for _ in range(rng.choice([1, 2, 20, 200])):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            changed += 1
        read(suffix, bytes(damaged), tmp_path)


@pytest.mark.parametrize("suffix", [".json", ".pb", ".pbtxt"])
def test_random_bytes_give_one_error(suffix: str, tmp_path: Path) -> None:
    rng = random.Random(5)
    assert read(suffix, rng.randbytes(FUZZED), tmp_path)
    for size in range(1, 200):
        assert read(suffix, rng.randbytes(size), tmp_path) or suffix != ".json"


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        (".json", b"[" * 200_000),
        (".json", b'{"a":' * 200_000),
        (".json", b"\xff\xfe"),
        (".json", b'{"format": "penstock-graph", "version": 99, "nodes": []}'),
        (".json", b'{"format": "penstock-graph", "version": 1, "nodes": [' + b"[" * 900 + b"]" * 900 + b"]}"),
        (".json", b'{"format": "penstock-graph", "version": 1, "nodes": NaN}'),
        (".json", b'{"format": "penstock-graph", "version": ' + b"1" * 5000 + b"}"),
        (".pbtxt", b"node { " * 50_000),
        (".pbtxt", b"unknown { " * 50_000),
        (".pbtxt", b'node { name: "' + b"\\" * 1001),
        (".pb", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
        (".pb", b"\x0a" + b"\xff" * 30),
        (".pb", b"\x0b\x0b\x0b"),
    ],
)
def test_deep_nesting_and_false_lengths_are_refused(suffix: str, content: bytes, tmp_path: Path) -> None:
    assert read(suffix, content, tmp_path)


CIRCLE = """
node { name: "a" op: "Neg" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "b" op: "Neg" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
"""
HUGE = """
node { name: "a" op: "Const"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: %d } } float_val: 1.0 } } } }
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (CIRCLE, "needs itself"),
        (HUGE % (1 << 60), "larger than the limit"),
        (HUGE % (1 << 28), "256 MiB"),
        (HUGE % -3, "shape is not known"),
        ('node { name: "a" op: "NoOp" input: "^nobody" }', "which is no node"),
        ('node { name: "a" op: "NoOp" } node { name: "a" op: "NoOp" }', "occurs twice"),
        ('node { name: "" op: "NoOp" }', "its name is"),
        ('node { name: "a" op: "Placeholder" }', "attribute dtype is missing"),
        ('node { name: 3 op: "NoOp" }', "line 1: '3' stands where"),
        ("versions { producer: 1 }", "no node"),
    ],
)
def test_a_graphdef_that_is_no_graph_is_refused(text: str, says: str) -> None:
    with pytest.raises(GraphFormatError, match=says):
        read_graphdef(text.encode(), text=True)


def test_a_refused_file_takes_little_memory(tmp_path: Path) -> None:
    shape = [1 << 34]
    node = {"name": "c", "op": "Const", "outputs": [["float64", shape]],
            "attrs": {"value": {"array": {"dtype": "float64", "shape": shape, "values": []}}}}  # fmt: skip
    document = json.dumps({"format": "penstock-graph", "version": 1, "nodes": [node]}).encode()
    tracemalloc.start()
    try:
        assert read(".json", document, tmp_path)
        with pytest.raises(GraphFormatError):
            read_graphdef((HUGE % (1 << 40)).encode(), text=True)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_limits_are_the_users_to_set(tmp_path: Path) -> None:
    graph, _, _ = program()
    path = save_graph(graph, tmp_path / "graph.json")
    for limits in (Limits(nodes=3), Limits(file_bytes=100), Limits(outputs=2), Limits(constant_bytes=4)):
        with pytest.raises(GraphFormatError, match="limit"):
            tf.load_graph(path, limits=limits)
    with pytest.raises(GraphFormatError, match="limit"):
        read_graphdef(write_graphdef(graph), limits=Limits(nodes=3))


def npz(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name + ".npy", content)
    return buffer.getvalue()


def npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def test_hostile_archives_are_refused() -> None:
    from penstock.graph.serial.arrays import ArrayReader

    good = npy(np.zeros(300, np.float32))
    pickled = io.BytesIO()
    np.save(pickled, np.array([object], object), allow_pickle=True)
    compressed = io.BytesIO()
    with zipfile.ZipFile(compressed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("c0.npy", good)
    wanted = {"dtype": "float32", "shape": [300], "npz": "c0"}
    assert ArrayReader(Limits(), npz(c0=good)).read(wanted).shape == (300,)
    for content in (
        npz(c1=good),
        npz(c0=good[:-4]),
        npz(c0=good + b"more"),
        npz(c0=b""),
        npz(c0=npy(np.zeros(300, np.float64))),
        npz(c0=npy(np.zeros((30, 10), np.float32))),
        npz(c0=good.replace(b"(300,)", b"(10**9,)")),
        npz(c0=pickled.getvalue()),
        compressed.getvalue(),
        b"PK\x03\x04",
        b"",
    ):
        with pytest.raises(GraphFormatError):
            ArrayReader(Limits(), content).read(wanted)


def test_text_that_protobuf_allows_is_read() -> None:
    text = """
    # a comment
    node < name: 'a' op: "No" 'Op'; unknown_field: [1, 2.5, -inf, { deep: "x" }], device: "\\x2f\\143\\n" >
    library { function { signature { name: "f" } } }
    versions: { producer: 0x10 }
    """
    proto = from_text(GraphProto, text)
    assert [(n.name, n.op, n.device) for n in proto.nodes] == [("a", "NoOp", "/c\n")]
    assert proto.versions is not None and proto.versions.producer == 16
