"""Graphs as messages: fields and text as protobuf's have them; `import_graph_def`, `create_op`, `graph_util`."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.errors import GraphFormatError


@pytest.fixture
def graph() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.Variable(np.array([[1.0], [2.0]], "f4"), name="w")
        y = tf.matmul(x, w, name="y")
        tf.identity(tf.nn.relu(y, name="kept"), name="z")
    return graph


def test_a_graph_goes_through_bytes_and_text(graph: tf.Graph) -> None:
    message = graph.as_graph_def()
    assert tf.GraphDef.FromString(message.SerializeToString()) == message
    other = tf.GraphDef()
    other.ParseFromString(message.SerializeToString())
    assert {node.name for node in other.node} >= {"x", "w", "w/read", "w/Assign", "y", "kept", "z"}
    y = next(node for node in message.node if node.name == "y")
    assert (y.op, list(y.input), y.attr["transpose_a"].b) == ("MatMul", ["x", "w/read"], False)
    assert y.attr["T"].type == tf.float32.as_datatype_enum == 1
    assert 'op: "MatMul"' in str(y)
    assert message.versions.producer > 0
    assert not message.HasField("library")


def test_operations_tell_their_node_definition_and_attributes(graph: tf.Graph) -> None:
    op = graph.get_operation_by_name("y")
    assert op.node_def.input[1] == "w/read"
    assert op.op_def.name == "MatMul"
    assert op.get_attr("T") is tf.float32
    assert op.colocation_groups() == [b"loc:@y"]
    with pytest.raises(ValueError, match="no attribute of that name; it has T"):
        op.get_attr("nothing")


def test_operations_and_tensors_refuse_to_be_pickled(graph: tf.Graph) -> None:
    op = graph.get_operation_by_name("y")
    for each in (op, op.outputs[0]):
        with pytest.raises(TypeError, match="a place in its graph"):
            pickle.dumps(each)


def test_import_graph_def_maps_inputs_and_returns_elements(graph: tf.Graph) -> None:
    message = graph.as_graph_def()
    with tf.Graph().as_default() as other, tf.Session(graph=other) as session:
        rows = tf.constant([[3.0, 4.0]])
        found = tf.import_graph_def(message, {"x:0": rows}, ["y:0", "kept"], name="part")
        assert found is not None
        y, op = found
        assert (y.name, op.name) == ("part/y:0", "part/kept")
        assert y.op.inputs[0] is rows
        session.run("part/w/Assign")
        assert session.run(y).tolist() == [[11.0]]
        tf.import_graph_def(message)
        assert other.get_operation_by_name("import/y").type == "MatMul"


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"graph_def": "text"}, TypeError, "must be a GraphDef proto"),
        ({"input_map": {"nothing:0": None}}, ValueError, "inputs that were not found"),
        ({"return_elements": ["nothing:0"]}, ValueError, "nothing"),
    ],
)
def test_what_import_graph_def_cannot_do_adds_nothing(
    graph: tf.Graph, arguments: dict[str, object], error: type[Exception], says: str
) -> None:
    with tf.Graph().as_default() as other:
        given = {"graph_def": graph.as_graph_def()} | arguments
        if "input_map" in given:
            given["input_map"] = {"nothing:0": tf.constant(1.0)}
        before = len(other.get_operations())
        with pytest.raises(error, match=says):
            tf.import_graph_def(**given)
        assert len(other.get_operations()) == before


def test_a_node_without_a_counterpart_is_named_before_anything_is_built() -> None:
    message = tf.GraphDef(node=[tf.NodeDef(name="a", op="NoOp"), tf.NodeDef(name="b", op="Nowhere")])
    with tf.Graph().as_default() as graph:
        with pytest.raises(GraphFormatError, match="missing: Nowhere x1"):
            tf.import_graph_def(message)
        assert graph.get_operations() == []
        tf.import_graph_def(message, name="", allow_missing=True)
        assert [op.name for op in graph.get_operations()] == ["a"]


def test_create_op_adds_declared_ops(graph: tf.Graph) -> None:
    x, w = graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name("w/read:0")
    made = graph.create_op("MatMul", [x, w], [tf.float32], name="product", attrs={"transpose_a": tf.AttrValue(b=False)})
    assert (made.name, made.type) == ("product", "MatMul")
    with pytest.raises(ValueError, match="no op of that name"):
        graph.create_op("Nowhere", [x], [tf.float32])


def test_frozen_graphs_have_constants_for_variables(graph: tf.Graph) -> None:
    with tf.Session(graph=graph) as session:
        session.run("w/Assign")
        frozen = tf.graph_util.convert_variables_to_constants(session, session.graph_def, ["z"])
    assert "VariableV2" not in {node.op for node in frozen.node}
    trained = tf.graph_util.remove_training_nodes(frozen)
    part = tf.graph_util.extract_sub_graph(trained, ["y"])
    assert "kept" not in {node.name for node in part.node}
    with tf.Graph().as_default() as other, tf.Session(graph=other) as session:
        found = tf.import_graph_def(part, return_elements=["y:0"])
        assert found is not None
        assert session.run(found[0], {"import/x:0": [[1.0, 1.0]]}).tolist() == [[3.0]]


def test_tensor_protos_hold_arrays() -> None:
    for value in (np.arange(6, dtype="f4").reshape(2, 3), np.array([b"a", b"bc"], object), np.array(True), np.zeros(0)):
        found = tf.make_ndarray(tf.make_tensor_proto(value))
        assert found.dtype == value.dtype
        assert found.tolist() == value.tolist()


def test_runs_in_parts_compute_each_node_once(graph: tf.Graph) -> None:
    with graph.as_default():
        count = tf.py_func(lambda x: x + 1.0, [graph.get_tensor_by_name("x:0")], tf.float32, name="count")
        late = tf.placeholder(tf.float32, [], name="late")
        total = tf.add(tf.reduce_sum(count), late, name="total")
    with tf.Session(graph=graph) as session:
        handle = session.partial_run_setup([count, total], ["x:0", late])
        first = session.partial_run(handle, count, {"x:0": [[1.0, 2.0]]})
        assert first.tolist() == [[2.0, 3.0]]
        with pytest.raises(ValueError, match="late"):
            session.partial_run(handle, total)
        assert session.partial_run(handle, total, {late: 10.0}) == 15.0
        with pytest.raises(ValueError, match="fed in an earlier part"):
            session.partial_run(handle, total, {late: 1.0})
