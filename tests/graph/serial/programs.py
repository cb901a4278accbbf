"""Graphs that the tests of written forms share."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.serial.limits import Limits
from penstock.graph.serial.rebuild import Rebuilder
from penstock.graph.serial.shape_data import SymbolReader

HOSTILE = (
    'say "x"',
    "a:0",
    "^a",
    "<script>alert(1)</script>",
    "two\nlines\r\ttab",
    "\U0001f600 größe",
    "back\\slash",
    "nul\x00\x1b[31m",
    "\ud800 alone",
    "../../etc/passwd",
    "'; DROP TABLE--",
    "]]>",
    "&amp;",
    "x" * 10_000,
)


def program() -> tuple[tf.Graph, list[str], dict[str, Any]]:
    """A graph with everything that takes more than one node of TensorFlow's; what to fetch; what to feed."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 3], name="x")
        n = tf.placeholder(tf.int32, [], name="n")
        with tf.name_scope("tower"), tf.control_dependencies([x + 1.0]):
            y = x[n:, None, ..., -1]
            z = x[1, ::-1] * 2.0
        unknown = tf.placeholder(tf.float32, name="u")
        fetches = [
            y,
            z,
            tf.reduce_sum(unknown),
            tf.transpose(unknown),
            x[-1],
            tf.reduce_max(x, keepdims=True),
            tf.multiplex([x, -x], tf.constant([[1], [0]])),
            tf.boolean_mask(x, [True, False]),
            tf.softmax(x, axis=0),
            tf.zeros_like(x, dtype=tf.int32),
            tf.unpack(x, 2)[1],
            tf.concat(1, [x, x]),
            tf.constant([b"text", b"\xff\x00"]),
        ]
    feeds = {
        "x:0": np.arange(6, dtype=np.float32).reshape(2, 3),
        "n:0": np.int32(1),
        "u:0": np.ones((2, 5), np.float32),
    }
    return graph, [t.name for t in fetches], feeds


def hostile_graph() -> tf.Graph:
    """Nodes with names, devices and constants that no call would let through: as a file can bring them."""
    builder = Rebuilder(Limits(), SymbolReader())
    made = None
    for name in HOSTILE:
        text = np.array([name.encode("utf-8", "surrogatepass")], object)
        made = builder.add(name, OPS["Const"], [text], device=name, controls=() if made is None else (made,))
        builder.add(name + "/of", OPS["Identity"], [made.outputs[0]])
    return builder.finish()
