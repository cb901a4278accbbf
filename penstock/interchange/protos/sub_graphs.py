"""`tf.graph_util`: GraphDefs without what a model that is only used does not need.

Source: TensorFlow 1.x, `tf.graph_util` (python/framework/graph_util_impl.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import UseError, ValueRuleError
from ...graph.common.near_names import did_you_mean
from ...graph.common.tracebacks import hides_frames
from ..tensorflow.node_writer import attr_value
from ..tensorflow.wire.messages import AttrEntry, GraphProto, NodeProto
from ..wire.wire_format import encode
from .graph_protos import GraphDef
from .import_graph_def import wire_graph

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
_ASSIGNED = ("Assign", "AssignVariableOp")


@hides_frames
def extract_sub_graph(graph_def: Any, dest_nodes: Sequence[str]) -> GraphDef:
    """The part of a GraphDef that some nodes need.

    Args:
        graph_def: a `GraphDef`.
        dest_nodes: the names of the nodes.

    Returns:
        A new `GraphDef`, its nodes in their order.

    Raises:
        TypeError: `dest_nodes` is one text, or `graph_def` is no GraphDef.
        ValueError: a name is not in it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as g:
    ...     x = tf.placeholder(tf.float32, [], name="x")
    ...     y, z = tf.negative(x, name="y"), tf.exp(x, name="z")
    >>> [node.name for node in tf.graph_util.extract_sub_graph(g.as_graph_def(), ["y"]).node]
    ['x', 'y']

    Source: TensorFlow 1.x, `tf.graph_util.extract_sub_graph`.
    """
    proto = wire_graph(graph_def, "extract_sub_graph")
    _cut(proto, _listed(dest_nodes, "extract_sub_graph", "dest_nodes"), "extract_sub_graph")
    return GraphDef.FromString(encode(proto))


def _listed(names: Any, call: str, parameter: str) -> list[str]:
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise UseError(f"{call}: {parameter} must be an iterable of names, not {names!r:.60}; write [{names!r:.30}]")
    return [str(name) for name in names]


def _cut(proto: GraphProto, wanted: list[str], call: str) -> None:
    """Leave the nodes that some of them need."""
    by_name = {node.name: node for node in proto.nodes}
    for name in wanted:
        if name not in by_name:
            cure = did_you_mean(name.partition(":")[0], by_name) or "; give names of operations, such as op.name"
            raise ValueRuleError(f"{call}: {name} is not in graph{cure}")
    needed: set[str] = set()
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        if name in needed or name not in by_name:
            continue
        needed.add(name)
        waiting += map(node_name, by_name[name].inputs)
    proto.nodes = [node for node in proto.nodes if node.name in needed]


def node_name(reference: str) -> str:
    """The node that a reference such as "x:1" or "^x" names."""
    text = reference.removeprefix("^")
    node, colon, index = text.rpartition(":")
    return node if colon and index.isdigit() else text


@hides_frames
def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Sequence[str],
    variable_names_whitelist: Iterable[str] | None = None,
    variable_names_blacklist: Iterable[str] | None = None,
) -> GraphDef:
    """A GraphDef in which the variables are constants: their values in a session.

    Args:
        sess: the session that has the values.
        input_graph_def: the graph as a `GraphDef`.
        output_node_names: the names of the nodes that the result has to compute.
        variable_names_whitelist: the names of the variables to convert; without it all.
        variable_names_blacklist: the names of variables that stay.

    Returns:
        A new `GraphDef` with what the output nodes need.

    Raises:
        TypeError: an argument is of another type.
        ValueError: a name is not in the graph.
        FailedPreconditionError: a variable has no value in the session.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as g, tf.Session() as session:
    ...     w = tf.Variable([2.0], name="w")
    ...     y = tf.multiply(w, 3.0, name="y")
    ...     session.run(w.initializer)
    ...     frozen = tf.graph_util.convert_variables_to_constants(session, g.as_graph_def(), ["y"])
    >>> [(node.name, node.op) for node in frozen.node]
    [('w', 'Const'), ('w/read', 'Identity'), ('y/y', 'Const'), ('y', 'Mul')]

    Source: TensorFlow 1.x, `tf.graph_util.convert_variables_to_constants`.
    """
    call = "convert_variables_to_constants"
    proto = wire_graph(input_graph_def, call)
    _cut(proto, _listed(output_node_names, call, "output_node_names"), call)
    allowed = None if variable_names_whitelist is None else set(variable_names_whitelist)
    kept = set(variable_names_blacklist or ())
    names = [node.name for node in proto.nodes if node.op in _VARIABLES and node.name not in kept
             and (allowed is None or node.name in allowed)]  # fmt: skip
    values = sess.run([f"{name}:0" for name in names]) if names else []
    arrays = dict(zip(names, values, strict=True))
    proto.nodes = [_with_constants(node, arrays) for node in proto.nodes]
    return GraphDef.FromString(encode(proto))


def _with_constants(node: NodeProto, arrays: dict[str, Any]) -> NodeProto:
    """A variable as a constant, a read of one by its handle as an Identity."""
    if node.name in arrays:
        array = arrays[node.name]
        value = attr_value(_as_array(array))
        entries = [entry for entry in node.attrs if entry.key in ("dtype", "_output_shapes")]
        return NodeProto(node.name, "Const", [], node.device, [*entries, AttrEntry("value", value)])
    reads = bool(node.inputs) and node_name(node.inputs[0]) in arrays
    marked = [entry for entry in node.attrs if entry.key not in ("_penstock_read", "_penstock_latest")]
    if reads and node.op == "ReadVariableOp":
        entries = [AttrEntry("T", entry.value) for entry in node.attrs if entry.key == "dtype"]
        return NodeProto(node.name, "Identity", node.inputs, node.device, entries)
    if reads and node.op == "ResourceGather":
        return _gather_of(node)
    return NodeProto(node.name, node.op, node.inputs, node.device, marked) if reads else node


def _gather_of(node: NodeProto) -> NodeProto:
    """A gather from a variable as one from a tensor."""
    renamed = {"dtype": "Tparams", "Tindices": "Tindices"}
    entries = [AttrEntry(renamed[entry.key], entry.value) for entry in node.attrs if entry.key in renamed]
    return NodeProto(node.name, "Gather", node.inputs, node.device, entries)


def _as_array(value: Any) -> Any:
    return np.asarray(value, object) if isinstance(value, (bytes, str)) else np.asarray(value)


@hides_frames
def remove_training_nodes(input_graph: Any, protected_nodes: Sequence[str] | None = None) -> GraphDef:
    """A GraphDef without the nodes that only matter in training: CheckNumerics, and Identity between others.

    Args:
        input_graph: a `GraphDef`.
        protected_nodes: names of nodes that stay.

    Returns:
        A new `GraphDef`.

    Raises:
        TypeError: it is no GraphDef.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as g:
    ...     x = tf.placeholder(tf.float32, [], name="x")
    ...     y = tf.negative(tf.identity(x, name="same"), name="y")
    >>> [node.name for node in tf.graph_util.remove_training_nodes(g.as_graph_def(), ["y"]).node]
    ['x', 'y']

    Source: TensorFlow 1.x, `tf.graph_util.remove_training_nodes`.
    """
    proto = wire_graph(input_graph, "remove_training_nodes")
    protected = set(protected_nodes or ())
    sources = {node.name: node.inputs[0] for node in proto.nodes
               if node.op == "CheckNumerics" and node.name not in protected and node.inputs}  # fmt: skip
    used = {text.removeprefix("^") for node in proto.nodes for text in node.inputs if text[:1] == "^"}
    for node in proto.nodes:
        plain = node.op == "Identity" and len(node.inputs) == 1 and node.inputs[0][:1] != "^"
        marked = any(entry.key in ("_class", "_penstock_read", "_penstock_latest") for entry in node.attrs)
        if plain and not marked and node.name not in protected and node.name not in used:
            sources[node.name] = node.inputs[0]
    kept = [node for node in proto.nodes if node.name not in sources]
    for node in kept:
        node.inputs = [_behind(text, sources) for text in node.inputs]
    proto.nodes = kept
    return GraphDef.FromString(encode(proto))


def _behind(text: str, sources: dict[str, str]) -> str:
    """The reference that stands where nodes that are gone stood."""
    mark = "^" if text[:1] == "^" else ""
    found = text.removeprefix("^")
    while node_name(found) in sources:
        found = sources[node_name(found)]
    return mark + (node_name(found) if mark else found)


@hides_frames
def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> Any:
    """The static shape of the first output of a node.

    Args:
        graph: a `Graph`.
        input_name: the name of a node, or a reference to one.

    Returns:
        A TensorShape.

    Raises:
        KeyError: there is no such node.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as g:
    ...     x = tf.placeholder(tf.float32, [2, 3], name="x")
    >>> print(tf.graph_util.tensor_shape_from_node_def_name(g, "x"))
    (2, 3)

    Source: TensorFlow 1.x, `tf.graph_util.tensor_shape_from_node_def_name`.
    """
    name = input_name if ":" in input_name else f"{input_name}:0"
    return graph.get_tensor_by_name(name.removeprefix("^")).shape


@hides_frames
def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Whether TensorFlow can run a node on a CPU only.

    Args:
        node: an Operation or a NodeDef.
        pin_variables_on_cpu: whether variables count too.

    Returns:
        A bool: constants of strings, and nodes that give strings.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     text = tf.constant("a")
    >>> tf.graph_util.must_run_on_cpu(text.op)
    True

    Source: TensorFlow 1.x, `tf.graph_util.must_run_on_cpu`.
    """
    node = getattr(node, "node_def", node)
    string = 7
    if node.op == "Const" and node.attr["dtype"].type == string:
        return True
    if node.op == "DynamicStitch" and node.attr["T"].type == string:
        return True
    if pin_variables_on_cpu and node.op in (*_VARIABLES, *_ASSIGNED):
        return True
    return bool(node.op == "Placeholder" and node.attr["dtype"].type == string)
