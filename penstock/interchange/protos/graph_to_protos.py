"""Graphs and operations as messages: `graph.as_graph_def()`, `op.node_def`, `op.op_def`, and TensorFlow's attributes.

A node whose op TensorFlow lacks is written under its own type, without attributes: the message can be looked at, and
`tf.import_graph_def` says which op it is.
"""

from __future__ import annotations

from typing import Any

from ...errors import GraphError
from ...graph.common.tracebacks import hides_frames
from ...graph.common.weak_table import WeakTable
from ...graph.declare.effects import effects_of
from ...graph.model.nodes import Graph, Operation
from ..tensorflow.graphdef_writer import graph_proto_in_any_case
from ..tensorflow.result_names import reference
from ..tensorflow.rules.direct_rules import form_of
from ..tensorflow.wire.messages import AttrValue as WireValue
from ..tensorflow.wire.messages import GraphProto, NodeProto
from ..tensorflow.wire.tensor_proto import dtype_number, dtype_of, shape_of_proto
from ..wire.wire_format import encode
from .graph_protos import AttrValue, GraphDef, NodeDef, OpDef, TensorProto

_SHAPES = "_output_shapes"


@hides_frames
def as_graph_def(graph: Graph, from_version: int | None = None, add_shapes: bool = False) -> GraphDef:
    """See `Graph.as_graph_def`."""
    proto = graph_proto_in_any_case(graph)
    if from_version is not None:
        names = {op.name for op in graph.get_operations()[:from_version]}
        proto.nodes = [node for node in proto.nodes if _own_name(node) not in names]
    if not add_shapes:
        _without_shapes(proto)
    return GraphDef.FromString(encode(proto))


def _own_name(node: NodeProto) -> str:
    given = node.attr("_penstock_name")
    return node.name if given is None or given.s is None else given.s.decode("utf-8", "surrogatepass")


def _without_shapes(proto: GraphProto) -> None:
    for node in proto.nodes:
        node.attrs = [entry for entry in node.attrs if entry.key != _SHAPES]


# ---- one operation ------------------------------------------------------------------------------

_nodes: WeakTable[Graph, tuple[int, dict[str, NodeProto]]] = WeakTable()
"""The nodes of a graph by the names of operations, as they were when the graph had so many operations."""


def _node_of(op: Operation) -> NodeProto:
    graph = op.graph
    known = _nodes.get(graph)
    if known is None or known[0] != graph.version:
        proto = graph_proto_in_any_case(graph)
        _without_shapes(proto)
        known = graph.version, {_own_name(node): node for node in proto.nodes}
        _nodes[graph] = known
    return known[1][op.name]


@hides_frames
def node_def(op: Operation) -> NodeDef:
    """See `Operation.node_def`."""
    return NodeDef.FromString(encode(_node_of(op)))


@hides_frames
def op_def(op: Operation) -> OpDef:
    """See `Operation.op_def`."""
    node, opdef = _node_of(op), op.opdef
    message = OpDef(name=node.op, is_stateful=not effects_of(op).is_pure)
    types = {entry.key for entry in node.attrs if entry.value is not None and entry.value.type is not None}
    form = form_of(op.type)
    attributes = {(each.source, each.parameter): each.name for each in form.attributes} if form else {}
    for position, name, operand in opdef.operands:
        value = op.args[position]
        if value is None:
            continue
        argument = message.input_arg.add(name=name)
        type_attr = attributes.get(("parameter", name))
        if type_attr in types:
            argument.type_attr = type_attr
        elif not operand.many:
            argument.type = dtype_number(value.dtype)
        if operand.many and ("count", name) in attributes:
            argument.number_attr = attributes["count", name]
        elif operand.many and ("dtypes", name) in attributes:
            argument.type_list_attr = attributes["dtypes", name]
    for place, output in enumerate(op.outputs):
        name = reference("", node.op, place).split(":")[1] if len(op.outputs) == 1 else f"output_{place}"
        message.output_arg.add(name=name, type=dtype_number(output.dtype))
    for entry in node.attrs:
        if not entry.key.startswith("_"):
            message.attr.add(name=entry.key, type=_kind(entry.value))
    return message


def _kind(value: WireValue | None) -> str:
    kinds = {"s": "string", "i": "int", "f": "float", "b": "bool", "type": "type", "shape": "shape",
             "tensor": "tensor", "func": "func", "list": "list"}  # fmt: skip
    return next((word for field, word in kinds.items() if getattr(value, field, None) is not None), "")


@hides_frames
def foreign_attribute(op: Operation, name: str) -> Any:
    """The value of an attribute that the node has in TensorFlow, such as "T" or "N".

    Raises:
        GraphError (a ValueError): it has none of that name.
    """
    node = _node_of(op)
    value = node.attr(name)
    if value is None:
        known = sorted({*op.attrs, *[entry.key for entry in node.attrs if not entry.key.startswith("_penstock")]})
        raise GraphError(f"get_attr({name!r}): {op.type} has no attribute of that name; it has "
                         f"{', '.join(known) or 'none'}")  # fmt: skip
    if value.type is not None:
        return dtype_of(value.type)
    if value.shape is not None:
        return shape_of_proto(value.shape)
    if value.tensor is not None:
        return TensorProto.FromString(encode(value.tensor))
    for kind in ("s", "i", "f", "b"):
        if getattr(value, kind) is not None:
            return getattr(value, kind)
    held = AttrValue.FromString(encode(value))
    if value.list is None:
        return held.func
    items = value.list
    if items.type:
        return [dtype_of(number) for number in items.type]
    if items.shape:
        return [shape_of_proto(shape) for shape in items.shape]
    return next((list(field) for _, field in held.list.ListFields()), [])
