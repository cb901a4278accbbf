"""Nodes that are one op with the same inputs, both ways: what the declarations of ops say.

Most ops differ from TensorFlow's nodes only in the spelling of attributes, and say so themselves (see
`graph.declare.graphdef_form`). The others have functions in the files beside this one.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from ....errors import GraphFormatError
from ....graph.common.hooks import hooks
from ....graph.common.quick_dataclass import dataclass
from ....graph.declare.graphdef_form import MISSING, FormAttribute, GraphDefForm, graphdef_form
from ....graph.declare.op_declaration import OPS, OpDef
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import DType
from ..foreign_node import ForeignNode
from ..node_writer import NodeWriter
from ..wire.tensor_proto import Unsupported, dtype_of, shape_of_proto


@dataclass(frozen=True, slots=True, eq=False)
class DirectNode:
    """A node of TensorFlow's as one of our ops.

    Attributes:
        type: of the op.
        opdef: its declaration.
        fixed: the attributes whose value the form says.
        spelled: the attributes that say those of the op, by its parameters.
    """

    type: str
    opdef: OpDef[Any, Any]
    fixed: tuple[FormAttribute, ...]
    spelled: dict[str, FormAttribute]


_known: tuple[tuple[int, str], dict[str, list[DirectNode]]] = (0, ""), {}
"""How many ops there were and the last of them, and what `direct_nodes` gave for them."""


def form_of(type: str) -> GraphDefForm | None:
    """The node that every use of an op is; None if it has rules of its own, or no counterpart.

    Args:
        type: of the op.
    """
    opdef = OPS.get(type)
    text = None if opdef is None else opdef.facts.graphdef
    return None if text is None else graphdef_form(type, text)


def direct_nodes() -> Mapping[str, list[DirectNode]]:
    """For each type of TensorFlow's nodes the ops that it may be; first those whose attributes have fixed values."""
    global _known
    ops, nodes = _known
    if ops != (len(OPS), next(reversed(OPS))):
        hooks.declare_every_op()
        nodes = {}
        for type, opdef in OPS.items():
            form = form_of(type)
            if form is not None:
                fixed = tuple([each for each in form.attributes if each.source == "constant"])
                spelled = {each.parameter: each for each in form.attributes if each.source == "parameter"}
                nodes.setdefault(form.type, []).append(DirectNode(type, opdef, fixed, spelled))
        for node, each in nodes.items():
            each.sort(key=lambda direct: (not direct.fixed, direct.type != node))
        _known = (len(OPS), next(reversed(OPS))), nodes
    return nodes


# ---- writing --------------------------------------------------------------------------------------


def write_direct(writer: NodeWriter, op: Operation, form: GraphDefForm) -> None:
    """Write the node that `op` is."""
    attributes = {each.name: _value(op, each) for each in form.attributes if each.is_written}
    writer.node(form.type, [writer.ref(t) for t in op.inputs], **attributes)


def _value(op: Operation, attribute: FormAttribute) -> Any:
    """The value of an attribute of the node that `op` is."""
    if attribute.source == "constant":
        return attribute.value
    if attribute.source == "result":
        return op.outputs[0].dtype
    value = op.args[op.opdef.parameters.index(attribute.parameter)]
    if attribute.source == "dtypes":
        return [each.dtype for each in value]
    if attribute.source == "count":
        return len(value)
    if isinstance(value, tuple) and value and isinstance(value[0], Tensor):
        value = value[0]
    return value.dtype if isinstance(value, Tensor) else value


# ---- reading --------------------------------------------------------------------------------------


def read_direct(source: ForeignNode, nodes: list[DirectNode]) -> Operation:
    """The node as the first of our ops whose form it has."""
    direct = next((each for each in nodes if not each.fixed or _fits(source, each)), None)
    if direct is None:
        values = ", ".join(f"{each.name}={_value_in(source, each)}" for each in nodes[-1].fixed)
        raise Unsupported(f"no op here has {values}")
    opdef = direct.opdef
    args: list[Any] = [None] * len(opdef.parameters)
    lists = sum(operand.many for _, _, operand in opdef.operands)
    single = len(opdef.operands) - lists
    count = (len(source.inputs) - single) // lists if lists else 0
    rest = list(source.take(single + lists * count))
    for position, _, operand in opdef.operands:
        taken = count if operand.many else 1
        args[position] = tuple(rest[:taken]) if operand.many else rest[0]
        del rest[:taken]
    for position, named in opdef.attrs:
        default = opdef.signature.parameters[named.name].default
        args[position] = _attribute(source, direct.spelled.get(named.name), default)
    return source.add(direct.type, *args)


def _fits(source: ForeignNode, direct: DirectNode) -> bool:
    """Whether the attributes that the form fixes have its values."""
    return all(_value_in(source, each) == each.value for each in direct.fixed)


def _value_in(source: ForeignNode, fixed: FormAttribute) -> Any:
    return source.attr(fixed.name, "type" if isinstance(fixed.value, DType) else "i", fixed.value)


def _attribute(source: ForeignNode, attribute: FormAttribute | None, default: Any) -> Any:
    """The value of the attribute, whatever kind it has; where it is left out TensorFlow's default, or our own."""
    value = None if attribute is None else source.node.attr(attribute.name)
    if value is None:
        if attribute is not None and attribute.default is not MISSING:
            return attribute.default
        if default is inspect.Parameter.empty:
            raise GraphFormatError(f"its attribute {None if attribute is None else attribute.name} is missing")
        return default
    if value.type is not None:
        return dtype_of(value.type)
    if value.shape is not None:
        return shape_of_proto(value.shape)
    if value.list is not None:  # of numbers: lists of other kinds have rules of their own
        return tuple(value.list.f or value.list.i)
    if value.s is not None:
        return value.s
    if value.f is not None:
        return value.f
    return value.b if value.b is not None else value.i
