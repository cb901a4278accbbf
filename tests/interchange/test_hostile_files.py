"""Damaged and hostile files give one clear error, and nothing else."""

from __future__ import annotations

import base64
import copy
import io
import json
import random
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock import save_graph
from penstock.errors import GraphFormatError
from penstock.graph.serial import Limits
from penstock.interchange.tensorflow import read_graphdef, write_graphdef
from penstock.interchange.tensorflow.wire.messages import GraphProto
from penstock.interchange.tensorflow.wire.text_format import from_text
from penstock.interchange.wire.wire_format import decode, encode
from tests.graph.serial.programs import program
from tests.helpers import nightly

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
    ends = [read(suffix, content[:end], tmp_path) for end in range(0, len(content) - 2, max(1, len(content) // 80))]
    assert sum(bool(text) for text in ends) > 50
    assert all(len(text) < 2000 for text in ends)


@pytest.mark.parametrize("changes", [FUZZED // 8, *nightly([FUZZED // 2])])
@pytest.mark.parametrize("suffix", [".json", ".pb", ".pbtxt"])
def test_changed_bytes_give_one_error_and_no_other(suffix: str, changes: int, tmp_path: Path) -> None:
    content = files(tmp_path)[suffix]
    rng = random.Random(11)
    changed = 0
    while changed < changes:
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
        (CIRCLE, "depends on itself"),
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
        with pytest.raises(GraphFormatError, match=r"(the|larger) limit"):
            tf.load_graph(path, limits=limits)
    with pytest.raises(GraphFormatError, match=r"(the|larger) limit"):
        read_graphdef(write_graphdef(graph), limits=Limits(nodes=3))


@pytest.mark.parametrize("suffix", [".json", ".pb", ".pbtxt"])
def test_a_file_is_as_large_as_its_limit_at_most(suffix: str, tmp_path: Path) -> None:
    graph, _, _ = program()
    path = save_graph(graph, tmp_path / f"graph{suffix}")
    size = path.stat().st_size
    assert len(tf.load_graph(path, limits=Limits(file_bytes=size))) >= len(graph)
    for most in (size - 1, size // 2, 0):
        with pytest.raises(GraphFormatError, match=f"the file has {size} bytes or more; the limit is {most};"):
            tf.load_graph(path, limits=Limits(file_bytes=most))


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
    from penstock.graph.serial.array_data import ArrayReader

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


@pytest.mark.parametrize("byte", [2, 128, 255])
def test_bools_have_no_other_bytes_than_0_and_1(byte: int) -> None:
    from penstock.graph.serial.array_data import ArrayReader

    content = np.array([0, 1, byte] * 100, np.uint8)
    bits = npy(content.view(np.bool_))
    text = base64.b64encode(content.tobytes()).decode()
    for data in ({"npz": "c0"}, {"base64": text}):
        with pytest.raises(GraphFormatError, match="bool has bytes other than 0 and 1"):
            ArrayReader(Limits(), npz(c0=bits)).read({"dtype": "bool", "shape": [300], **data})
    proto = b"".join([varint(1 << 3), varint(10), field(2, field(2, varint(1 << 3) + varint(300))),
                      field(4, content.tobytes())])  # fmt: skip
    node = field(1, b"c") + field(2, b"Const") + field(5, field(1, b"dtype") + field(2, varint(6 << 3) + varint(10)))
    with pytest.raises(GraphFormatError, match="bool has bytes other than 0 and 1"):
        read_graphdef(field(1, node + field(5, field(1, b"value") + field(2, field(8, proto)))))


def test_the_letters_of_stored_strings_count_for_the_limit() -> None:
    from penstock.graph.serial.array_data import ArrayReader

    ends = np.array([500, 1000], np.int64)
    content = npz(**{"c0": npy(np.zeros(1000, np.uint8)), "c0.ends": npy(ends)})
    wanted = {"dtype": "string", "shape": [2], "npz": "c0"}
    assert [len(text) for text in ArrayReader(Limits(constant_bytes=2000), content).read(wanted)] == [500, 500]
    with pytest.raises(GraphFormatError, match="larger than the limit"):
        ArrayReader(Limits(constant_bytes=900), content).read(wanted)


@pytest.mark.parametrize("count", [9, 10, 11, 12, 40])
def test_a_number_of_more_than_64_bits_is_refused(count: int) -> None:
    number = b"\xff" * count + b"\x01"
    content = field(1, field(1, b"a") + field(2, b"NoOp")) + field(4, varint(1 << 3) + number)
    if count == 9:  # ten bytes: -1
        assert decode(GraphProto, content).versions.producer == -1
        return
    with pytest.raises(GraphFormatError, match="longer than 64 bits"):
        decode(GraphProto, content)


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


# ---- files of which much memory would be made ------------------------------------------------------


def varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def field(number: int, content: bytes) -> bytes:
    """A field of protobuf's that holds a text, bytes or a message."""
    return varint(number << 3 | 2) + varint(len(content)) + content


NODE = field(1, b"a") + field(2, b"NoOp")
MANY = 200_000
SWOLLEN = {
    "nodes": (".pb", field(1, b"") * MANY),
    "inputs": (".pb", field(1, NODE + field(3, b"x") * MANY)),
    "attributes": (".pb", field(1, NODE + field(5, b"") * MANY)),
    "numbers in a list": (".pb", field(1, NODE + field(5, field(2, field(1, field(3, b"\x01" * MANY)))))),
    "nodes as text": (".pbtxt", b"node{}" * MANY),
    "inputs as text": (".pbtxt", b'node{name:"a" op:"NoOp" ' + b'input:"x" ' * MANY + b"}"),
    "a list as text": (".pbtxt", b'node{name:"a" op:"NoOp" input:[' + b'"x",' * MANY + b'"x"]}'),
    "lists": (".json", b'{"format":"penstock-graph","version":1,"nodes":[' + b"[]," * MANY + b"[]]}"),
    "objects": (".json", b'{"format":"penstock-graph","version":1,"nodes":[' + b'{"a":{}},' * MANY + b"{}]}"),
    "names of scopes": (
        ".json",
        b'{"format":"penstock-graph","version":1,"nodes":[],"scopes":[' + b'"a",' * MANY + b'"a"]}',
    ),
}


@pytest.mark.parametrize("what", SWOLLEN)
def test_a_file_of_many_small_things_is_refused_before_they_are_made(what: str, tmp_path: Path) -> None:
    suffix, content = SWOLLEN[what]
    path = tmp_path / f"graph{suffix}"
    path.write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(GraphFormatError, match="limit"):
            tf.load_graph(path, limits=Limits(nodes=1000, values=10_000))
        # The file itself, as text too if it is one, and what the limits allow.
        assert tracemalloc.get_traced_memory()[1] < 3 * len(content) + (2 << 20)
    finally:
        tracemalloc.stop()


def test_a_limit_on_values_leaves_ordinary_files_alone(tmp_path: Path) -> None:
    graph, _, _ = program()
    for suffix in (".json", ".pb", ".pbtxt"):
        path = save_graph(graph, tmp_path / f"graph{suffix}")
        assert len(tf.load_graph(path, limits=Limits(values=path.stat().st_size))) >= len(graph)
        with pytest.raises(GraphFormatError, match="more values than the limit of 100"):
            tf.load_graph(path, limits=Limits(values=100))


def test_names_that_differ_in_case_and_number_only_are_taken_without_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from penstock.graph.model.names import NameTable

    nodes = [{"name": f"a_{i}", "op": "NoOp"} for i in range(200)] + [{"name": "a", "op": "NoOp"}]
    nodes += [{"name": f"{scope}/x", "op": "NoOp"} for scope in ("A", "A_1", "a_7")]
    path = tmp_path / "graph.json"
    path.write_text(json.dumps({"format": "penstock-graph", "version": 1, "nodes": nodes}))
    searches: list[str] = []
    unique = NameTable.unique

    def noted(self: NameTable, name: str, mark: bool = True) -> str:
        searches.append(name)
        return unique(self, name, mark)

    monkeypatch.setattr(NameTable, "unique", noted)
    graph = tf.load_graph(path)
    assert searches == []
    assert graph.unique_name("a") == "a_200"


def test_an_array_file_with_a_false_header_is_refused_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from penstock.cli.main import main

    graph, _, _ = program()
    path = save_graph(graph, tmp_path / "graph.json")
    good = npy(np.zeros((2, 3), np.float32))
    for number, content in enumerate((good.replace(b"(2, 3)", b"(1<<9)"), good[:60], b"", b"\x93NUMPY\x01\x00\xff\xff{",
                                      good.replace(b"<f4", b"|O8"), b"\x80\x04K\x01.")):  # fmt: skip
        (tmp_path / "x.npy").write_bytes(content)
        assert main(["run", str(path), "--feed", f"x={tmp_path / 'x.npy'}", "--fetch", "x:0"]) == 2, number
        told = capsys.readouterr().err
        assert told.startswith("penstock run: ") and len(told) < 2000


# ---- files that are well formed and say something else ---------------------------------------------

STRANGE: list[Any] = [
    None, True, -1, 2**70, 1e308, "", "x:0", "a" * 70_000, [], {}, [[]], {"a": 1}, "float32", "\ud800", 'x = "i4,"',
    {"shape": [-1]}, {"shape": [2**62, 2**62]}, {"dtype": "nope"}, {"array": {}}, {"list": [None]},
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to every part of a document."""
    yield path
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


@pytest.mark.parametrize("count", [60, *nightly([400])])
def test_a_document_with_parts_exchanged_gives_one_error_or_a_graph_that_can_be_kept_and_drawn(
    tmp_path: Path, count: int
) -> None:
    graph, _, _ = program()
    with graph.as_default(), tf.name_scope("shut", show="collapsed"):
        tf.constant(1, name="one")
    good = json.loads(save_graph(graph, tmp_path / "good.json").read_text())
    ways = list(places(good))[1:]
    rng = random.Random(3)
    read_well = 0
    for _ in range(count):
        document = copy.deepcopy(good)
        *way, last = rng.choice(ways)
        part = document
        for key in way:
            part = part[key]
        part[last] = copy.deepcopy(rng.choice(STRANGE))
        told = read(".json", json.dumps(document).encode(), tmp_path)
        assert len(told) < 1000
        if not told:
            read_well += 1
            again = tf.load_graph(tmp_path / "fuzzed.json")
            again.export(tmp_path / "again.svg")
            assert not again.diff(tf.load_graph(save_graph(again, tmp_path / "again.json")))
    assert 0 < read_well < count / 2


@pytest.mark.parametrize("count", [20, pytest.param(400, marks=pytest.mark.nightly)])
def test_a_graphdef_with_parts_exchanged_gives_one_error_or_a_graph(tmp_path: Path, count: int) -> None:
    graph, _, _ = program()
    good = decode(GraphProto, write_graphdef(graph))
    rng = random.Random(count)
    read_well = 0
    for _ in range(count):
        proto = copy.deepcopy(good)
        node, other = rng.choice(proto.nodes), rng.choice(proto.nodes)
        match rng.randrange(6):
            case 0:
                node.op = other.op
            case 1:
                node.inputs = list(other.inputs)
            case 2:
                node.attrs = copy.deepcopy(other.attrs)
            case 3:
                rng.shuffle(node.inputs)
            case 4 if node.attrs and other.attrs:
                rng.choice(node.attrs).value = copy.deepcopy(rng.choice(other.attrs).value)
            case _:
                node.inputs = [*node.inputs, f"{other.name}:{rng.choice([0, 1, 7, 10**30])}"]
        told = read(".pb", encode(proto), tmp_path)
        assert len(told) < 1000
        read_well += not told
    assert 0 < read_well < count


@pytest.mark.parametrize("text", ['x = "i4,"', "\ud800", "(1,", "i4,f4", "a" * 10_000, "M8[ns]"])
def test_a_text_that_is_no_dtype_is_one_error_for_callers_and_for_files(text: str) -> None:
    from penstock.graph.serial.array_data import dtype_called

    with pytest.raises(TypeError, match="as_dtype"):
        tf.as_dtype(text)
    with pytest.raises(GraphFormatError, match="there is no dtype"):
        dtype_called(text)


# ---- functions that call each other ---------------------------------------------------------------


def calls_of_calls(levels: int, times: int, size: int = 1, caller: str = "") -> bytes:
    """A GraphDef of functions each of which calls the next one several times; the last one has `size` nodes.

    caller: the type of the nodes that call, with an attribute `f`; "" for nodes whose type is the function.
    """
    both = 'input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT }'
    argument = f'signature {{ name: "f%d" {both} }} '
    functions = []
    for level in range(levels + 1):
        last = level == levels
        op = "Neg" if last else caller or f"f{level + 1}"
        attr = 'attr { key: "T" value { type: DT_FLOAT } } ' if last else ""
        if caller and not last:
            attr = f'attr {{ key: "f" value {{ func {{ name: "f{level + 1}" }} }} }} '
        nodes, before = [], "x"
        for number in range(size if last else times):
            nodes.append(f'node_def {{ name: "n{number}" op: "{op}" input: "{before}" {attr}}} ')
            before = f"n{number}:y:0"
        functions.append(f"function {{ {argument % level}{''.join(nodes)} ret {{ key: 'y' value: '{before}' }} }}\n")
    op, attr = (caller, 'attr { key: "f" value { func { name: "f0" } } }') if caller else ("f0", "")
    top = 'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }\n'
    top += f'node {{ name: "c" op: "{op}" input: "x" {attr} }}\n'
    return (top + "library { " + "".join(functions) + "}").encode()


@pytest.mark.share(4)
@pytest.mark.parametrize("caller", ["", "PartitionedCall", "StatefulPartitionedCall"])
@pytest.mark.parametrize(("levels", "times"), [(8, 8), (30, 2), (3, 40), (2, 300), (300, 3)])
def test_functions_that_call_each_other_are_counted_before_they_are_expanded(
    caller: str, levels: int, times: int
) -> None:
    content = calls_of_calls(levels, times, caller=caller)
    tracemalloc.start()
    try:
        with pytest.raises(GraphFormatError, match=r"node 1 \('c', .*becomes one of more than .* Limits\(") as caught:
            read_graphdef(content, text=True)
        assert tracemalloc.get_traced_memory()[1] < 200 * len(content) + (1 << 20)
    finally:
        tracemalloc.stop()
    assert caught.value.code == "file/limit"


@pytest.mark.parametrize("caller", ["", "PartitionedCall"])
def test_functions_that_are_called_often_are_read(caller: str) -> None:
    loaded = read_graphdef(calls_of_calls(3, 5, caller=caller), text=True)
    assert not loaded.missing and len(loaded.graph) == 1 + 125 + 1 + 5 + 25 + 125
    loaded = read_graphdef(calls_of_calls(20, 1, 50, caller=caller), text=True)
    assert not loaded.missing and len(loaded.graph) == 1 + 50 + 21


def test_the_growth_of_a_graph_is_the_users_to_set() -> None:
    content = calls_of_calls(1, 2000, 10)  # 2012 nodes in the file, and 10 for each call
    assert len(read_graphdef(content, text=True).graph) == 2 + 22_000
    for limits in (Limits(nodes=20_000), Limits(growth=7)):
        with pytest.raises(GraphFormatError, match="becomes one of more than"):
            read_graphdef(content, text=True, limits=limits)


def test_a_function_that_calls_itself_is_not_counted_without_end() -> None:
    content = calls_of_calls(2, 2).replace(b'op: "Neg"', b'op: "f1"')
    loaded = read_graphdef(content, text=True)
    assert any("calls itself" in reason for reason in loaded.reasons.values())
