"""Penstock writes valid GraphDefs and reads GraphDefs, checked without TensorFlow.

The golden files were checked by TensorFlow (docs/verified.md); `PENSTOCK_UPDATE_GOLDEN=1` writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError
from penstock.graph.declare.effects import PURE
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.model.subgraph import SubGraph
from penstock.interchange.tensorflow import read_graphdef, write_graphdef
from penstock.interchange.tensorflow.wire.messages import (
    AttrValue,
    DimProto,
    GraphProto,
    NodeProto,
    ShapeProto,
    TensorProto,
)
from penstock.interchange.tensorflow.wire.text_format import from_text, to_text
from penstock.interchange.wire.wire_format import decode, encode
from tests.graph.serial.programs import HOSTILE, hostile_graph, program

GOLDEN = Path(__file__).resolve().parents[2] / "golden_files"


@pytest.mark.parametrize("suffix", [".pb", ".pbtxt"])
def test_what_is_written_is_the_golden_file(suffix: str) -> None:
    graph, _, _ = program()
    path, written = GOLDEN / f"graphdef{suffix}", write_graphdef(graph, text=suffix == ".pbtxt")
    if os.environ.get("PENSTOCK_UPDATE_GOLDEN", "") not in ("", "0"):
        path.write_bytes(written)
    assert written == path.read_bytes()


@pytest.mark.parametrize("suffix", [".pb", ".pbtxt"])
def test_the_golden_files_are_read_and_compute_the_same(suffix: str) -> None:
    graph, fetches, feeds = program()
    loaded = tf.load_graph(GOLDEN / f"graphdef{suffix}")
    assert str(loaded.get_tensor_by_name("x:0").shape) == "(batch, 3)"
    with tf.Session(graph=graph) as one, tf.Session(graph=loaded) as two:
        for a, b in zip(one.run(fetches, feeds), two.run(fetches, feeds), strict=True):
            np.testing.assert_array_equal(a, b)


def test_the_bytes_are_protobufs_known_ones() -> None:
    # field 1 (length 1) "a", field 2 (length 1) "b": what every protobuf implementation writes
    assert encode(NodeProto("a", "b")) == b"\x0a\x01a\x12\x01b"
    assert encode(DimProto(-1)) == b"\x08" + b"\xff" * 9 + b"\x01"
    assert encode(DimProto(300, "n")) == b"\x08\xac\x02\x12\x01n"
    assert encode(TensorProto(float_val=[1.0, -0.0])) == b"\x2a\x08\x00\x00\x80\x3f\x00\x00\x00\x80"
    assert encode(AttrValue(b=False)) == b"\x28\x00"
    assert encode(ShapeProto()) == b""
    assert encode(AttrValue(shape=ShapeProto())) == b"\x3a\x00"


def test_both_forms_say_the_same_and_come_back() -> None:
    graph, _, _ = program()
    proto = decode(GraphProto, write_graphdef(graph))
    assert from_text(GraphProto, write_graphdef(graph, text=True).decode()) == proto
    assert decode(GraphProto, encode(proto)) == proto
    assert from_text(GraphProto, to_text(proto)) == proto


def test_unpacked_numbers_and_unknown_fields_are_read() -> None:
    # float_val (5) one by one, then an unknown field 99 of every wire type
    content = (
        b"\x2d\x00\x00\x80\x3f\x2d\x00\x00\x00\x40"
        + b"\x98\x06\x05\x99\x06"
        + b"\0" * 8
        + b"\x9a\x06\x01x\x9d\x06\0\0\0\0"
    )
    assert decode(TensorProto, content).float_val == [1.0, 2.0]


@pytest.mark.parametrize("text", [False, True])
def test_names_that_tensorflow_does_not_allow_are_replaced_and_come_back(text: bool) -> None:
    import re

    graph = hostile_graph()
    content = write_graphdef(graph, text=text)
    proto = from_text(GraphProto, content.decode()) if text else decode(GraphProto, content)
    assert all(re.fullmatch(r"[A-Za-z0-9.][A-Za-z0-9_>./\\-]*", node.name) for node in proto.nodes)
    loaded = read_graphdef(content, text=text).graph
    assert [op.name for op in loaded.get_operations()] == [op.name for op in graph.get_operations()]
    values = [op.get_attr("value").item() for op in loaded.get_operations()[::2]]
    assert values == [name.encode("utf-8", "surrogatepass") for name in HOSTILE]


UNKNOWN = """
node { name: "boxes" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "nms" op: "ExtractGlimpseV2" input: "boxes" }
node { name: "after" op: "Neg" input: "nms" attr { key: "T" value { type: DT_INT32 } } }
node { name: "fine" op: "Neg" input: "boxes" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "q" op: "Const" attr { key: "value" value { tensor { dtype: DT_QINT8 } } } }
"""


def test_what_is_not_supported_is_counted_and_the_rest_runs() -> None:
    loaded = read_graphdef(UNKNOWN.encode(), text=True)
    assert str(loaded) == (
        "2 of 4 op types supported; missing: ExtractGlimpseV2 x1, Const x1; 1 node that needs them is left out"
    )
    assert loaded.left_out == ("after",)
    assert loaded.reasons["q"] == "the dtype DT_QINT8 does not exist here"
    with tf.Session(graph=loaded.graph) as session:
        assert session.run("fine:0", {"boxes:0": [1.0]}).tolist() == [-1.0]


def test_load_graph_wants_every_op_supported(tmp_path: Path) -> None:
    (tmp_path / "unknown.pbtxt").write_text(UNKNOWN)
    with pytest.raises(GraphFormatError, match=r"ExtractGlimpseV2 x1.*Use load_graphdef"):
        tf.load_graph(tmp_path / "unknown.pbtxt")
    assert len(tf.load_graphdef(tmp_path / "unknown.pbtxt").graph) == 2


def test_nodes_in_any_order_are_sorted_and_loops_are_left_out() -> None:
    text = """
    node { name: "c" op: "Neg" input: "b:0" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "b" op: "Const" attr { key: "value" value { tensor { dtype: DT_FLOAT float_val: 2.0 } } } }
    node { name: "merge" op: "Merge" input: "b" input: "next" }
    node { name: "next" op: "NextIteration" input: "merge" }
    """
    loaded = read_graphdef(text.encode(), text=True)
    assert [op.name for op in loaded.graph.get_operations()] == ["b", "c"]
    assert loaded.missing == {"Merge": 1, "NextIteration": 1}


def test_nodes_of_tensorflows_that_are_not_ours_become_ours() -> None:
    text = """
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
    node { name: "axes" op: "Const" attr { key: "value" value { tensor { dtype: DT_INT32
           tensor_shape { dim { size: 1 } }
           int_val: -1 } } } }
    node { name: "zero" op: "Const" attr { key: "value" value { tensor { dtype: DT_INT32 int_val: 0 } } } }
    node { name: "flip" op: "ReverseV2" input: "x" input: "axes" }
    node { name: "bias" op: "Const" attr { key: "value" value { tensor { dtype: DT_FLOAT
           tensor_shape { dim { size: 2 } }
           float_val: 5.0 } } } }
    node { name: "sum" op: "BiasAdd" input: "flip" input: "bias" }
    node { name: "rows" op: "GatherV2" input: "sum" input: "axes_0" input: "zero" }
    node { name: "axes_0" op: "Const" attr { key: "value" value { tensor { dtype: DT_INT32
           tensor_shape { dim { size: 1 } }
           tensor_content: "\\001\\000\\000\\000" } } } }
    node { name: "size" op: "Size" input: "rows" attr { key: "out_type" value { type: DT_INT64 } } }
    """
    loaded = read_graphdef(text.encode(), text=True)
    assert loaded.missing == {}
    with tf.Session(graph=loaded.graph) as session:
        rows, size = session.run(["rows:0", "size:0"], {"x:0": [[1.0, 2.0], [3.0, 4.0]]})
    assert (rows.tolist(), size.dtype, int(size)) == ([[9.0, 8.0]], np.dtype(np.int64), 2)


def test_biases_of_channels_half_sums_of_squares_and_predictions_become_ours() -> None:
    text = """
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value {
           shape { dim { size: 1 } dim { size: 2 } dim { size: 2 } } } } }
    node { name: "bias" op: "Const" attr { key: "value" value { tensor { dtype: DT_FLOAT
           tensor_shape { dim { size: 2 } } float_val: 10.0 float_val: 20.0 } } } }
    node { name: "sum" op: "BiasAdd" input: "x" input: "bias" attr { key: "data_format" value { s: "NCHW" } } }
    node { name: "loss" op: "L2Loss" input: "x" }
    node { name: "any" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "open" op: "BiasAdd" input: "any" input: "bias" }
    node { name: "class" op: "Placeholder" attr { key: "dtype" value { type: DT_INT64 } } }
    node { name: "top" op: "InTopK" input: "any" input: "class" attr { key: "k" value { i: 1 } } }
    """
    loaded = read_graphdef(text.encode(), text=True)
    assert loaded.missing == {}
    feeds = {"x:0": [[[1.0, 2.0], [3.0, 4.0]]], "any:0": [[1.0, 2.0]], "class:0": [1]}
    with tf.Session(graph=loaded.graph) as session:
        added, loss, both, top = session.run(["sum:0", "loss:0", "open:0", "top:0"], feeds)
        assert added.tolist() == [[[11.0, 12.0], [23.0, 24.0]]] and loss == 15.0
        assert both.tolist() == [[11.0, 22.0]] and top.tolist() == [True]
        with pytest.raises(tf.errors.InvalidArgumentError, match="as many biases"):
            session.run("open:0", {"any:0": [[1.0, 2.0, 3.0]]})


@pytest.mark.parametrize("batch", [0, 1])
def test_what_is_another_op_by_an_attribute_that_ours_has_not_is_left_out(batch: int) -> None:
    text = """
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "n" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
    node { name: "turned" op: "ReverseSequence" input: "x" input: "n" attr { key: "seq_dim" value { i: 2 } }
           attr { key: "batch_dim" value { i: %d } } }
    """
    loaded = read_graphdef((text % batch).encode(), text=True)
    reasons = {} if batch == 0 else {"turned": "no op here has batch_dim=1"}
    assert loaded.reasons == reasons and len(loaded.graph) == 3 - len(reasons)


def test_a_join_of_one_tensor_runs() -> None:
    text = """
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "shape" value { shape { dim { size: 2 } } } } }
    node { name: "axis" op: "Const" attr { key: "value" value { tensor { dtype: DT_INT32 int_val: 0 } } } }
    node { name: "joined" op: "ConcatV2" input: "x" input: "axis" attr { key: "N" value { i: 1 } } }
    node { name: "sizes" op: "Shape" input: "joined" }
    """
    with tf.Session(graph=read_graphdef(text.encode(), text=True).graph) as session:
        joined, sizes = session.run(["joined:0", "sizes:0"], {"x:0": [1, 2]})
        assert joined.tolist() == [1, 2] and sizes.tolist() == [2]
        assert session.run("sizes:0", {"x:0": [1, 2]}).tolist() == [2]


def sliced(dims: str, values: str) -> str:
    """A slice whose begin, end and strides are one constant."""
    return f"""
    node {{ name: "x" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
           attr {{ key: "shape" value {{ shape {{ unknown_rank: true }} }} }} }}
    node {{ name: "c" op: "Const" attr {{ key: "value" value {{ tensor {{ dtype: DT_INT32
           tensor_shape {{ {dims} }} {values} }} }} }} }}
    node {{ name: "part" op: "StridedSlice" input: "x" input: "c" input: "c" input: "c"
           attr {{ key: "shrink_axis_mask" value {{ i: 1 }} }} }}
    """


@pytest.mark.parametrize(
    ("dims", "values"),
    [
        ("", "int_val: 1"),
        ("dim { size: 1 } dim { size: 2 }", "int_val: 1 int_val: 2"),
        ("dim { size: 33 }", "int_val: 1"),
    ],
    ids=["scalar", "matrix", "33 entries"],
)
def test_the_bounds_of_a_slice_are_vectors_of_at_most_32_ints(dims: str, values: str) -> None:
    assert read_graphdef(sliced("dim { size: 32 }", "int_val: 1").encode(), text=True).missing == {}
    with pytest.raises(GraphFormatError, match="its begin is not a vector of at most 32 ints"):
        read_graphdef(sliced(dims, values).encode(), text=True)


def test_what_tensorflow_cannot_say_is_refused_with_the_reason() -> None:
    with tf.Graph().as_default() as graph:
        tf.linspace(tf.constant([0.0, 1.0]), tf.constant([1.0, 2.0]), 3, name="lines")
    with pytest.raises(GraphFormatError, match="'lines' is a LinSpace between tensors of rank 1"):
        write_graphdef(graph)


# ---- ops that passes make for a plan ---------------------------------------------------------------


def graph_with_a_group() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        y = tf.exp(x)
        OPS["Fused"]([x], SubGraph((y.op,), (x,), (y,), PURE), name="group")
    return graph


@pytest.mark.parametrize("suffix", [".json", ".pb", ".pbtxt"])
def test_a_fused_group_has_no_written_form_and_the_error_says_what_to_save(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(GraphFormatError, match=r"'group'.*Fused.*passes made it for a plan.*save the graph that the"):
        tf.save_graph(graph_with_a_group(), tmp_path / f"graph{suffix}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".dot", ".graphml", ".html", ".mmd", ".svg", ".txt"])
def test_a_fused_group_is_drawn(suffix: str, tmp_path: Path) -> None:
    assert "group" in graph_with_a_group().export(tmp_path / f"graph{suffix}").read_text("utf-8")


def test_the_check_that_passes_leave_of_a_partition_is_kept_in_our_form_and_refused_in_tensorflows(
    tmp_path: Path,
) -> None:
    with tf.Graph().as_default() as graph:
        labels = tf.placeholder(tf.int32, [2], name="labels")
        OPS["CheckPartitions"](tf.constant([1.0, 2.0]), labels, 2, name="check")
    with pytest.raises(GraphFormatError, match=r"'check' is a CheckPartitions.*no counterpart; .json keeps it"):
        tf.save_graph(graph, tmp_path / "graph.pb")
    with tf.Session(graph=tf.load_graph(tf.save_graph(graph, tmp_path / "graph.json"))) as session:
        found = session.run("check:0", {"labels:0": [1, 0]})
        assert found.tolist() == [1, 0] and found.dtype == session.graph.get_tensor_by_name("check:0").dtype
        with pytest.raises(tf.errors.InvalidArgumentError, match="partitions"):
            session.run("check:0", {"labels:0": [1, 2]})


def test_a_report_counts_op_types_and_names_each_that_is_missing() -> None:
    known = [f'node {{ name: "n{i}" op: "{op}" input: "x" attr {{ key: "T" value {{ type: DT_FLOAT }} }} }}'
             for i, op in enumerate(("Abs", "Exp", "Neg", "Tan", "Sin", "Sign"))]  # fmt: skip
    text = "\n".join([
        'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }',
        'node { name: "boxes" op: "ExtractGlimpseV2" input: "x" }',
        'node { name: "later" op: "Exp" input: "boxes" attr { key: "T" value { type: DT_FLOAT } } }',
        *known,
    ])  # fmt: skip
    loaded = read_graphdef(text.encode(), text=True)
    assert loaded.report == (
        "7 of 8 op types supported; missing: ExtractGlimpseV2 x1; 1 node that needs them is left out"
    )
    assert loaded.left_out == ("later",)
    with tf.Session(graph=loaded.graph) as session:
        assert session.run(["n0:0", "n2:0"], {"x:0": np.float32(-2.0)}) == [2.0, 2.0]
