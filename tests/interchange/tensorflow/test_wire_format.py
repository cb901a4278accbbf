"""Tests of protobuf's wire format: what is written once for many nodes has the bytes of each alone."""

from __future__ import annotations

import penstock as tf
from penstock.interchange.tensorflow.graphdef_writer import graph_proto
from penstock.interchange.tensorflow.wire.messages import GraphProto, NodeProto
from penstock.interchange.wire.wire_format import decode, encode


def _graph() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        v = tf.Variable([[1.0, 2.0]], name="v")
        with tf.device("/cpu:0"), tf.control_dependencies([v.initializer]):
            x = tf.placeholder(tf.float32, [None, 2], name="x")
            tf.add(x, v, name="total")
            tf.split(1, 2, x)
    return graph


def test_a_node_has_the_same_bytes_alone_and_in_a_graph() -> None:
    proto, _ = graph_proto(_graph())
    whole = encode(proto)
    assert decode(GraphProto, whole) == proto
    for node in proto.nodes:
        alone = encode(node)
        assert alone in whole
        assert decode(NodeProto, alone) == node


def test_nodes_share_equal_attributes() -> None:
    proto, _ = graph_proto(_graph())
    entries = [entry for node in proto.nodes for entry in node.attrs if entry.key in ("T", "dtype")]
    shared = {(entry.key, entry.value.type): entry for entry in entries if entry.value is not None}
    assert all(entry is shared[entry.key, entry.value.type] for entry in entries if entry.value is not None)
    kinds = [entry for node in proto.nodes for entry in node.attrs if entry.key == "use_locking"]
    assert all(entry.value is not None and entry.value.b is True and entry.value.i is None for entry in kinds)
