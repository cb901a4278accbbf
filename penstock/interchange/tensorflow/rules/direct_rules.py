"""Nodes that are one op with the same inputs, both ways: what the declarations of ops say.

Most ops differ from TensorFlow's nodes only in the spelling of attributes, and say so themselves (see
`graph.declare.graphdef_form`). The others have functions in the files beside this one.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from ....errors import GraphFormatError
from ....graph.common.hooks import hooks
from ....graph.declare.graphdef_form import MISSING, FormAttribute, GraphDefForm, graphdef_form
from ....graph.declare.op_declaration import OPS
from ....graph.model.nodes import Operation, Tensor
from ....graph.serial.rebuild import find_opdef
from ....graph.shapes.dtypes import DType
from ..foreign_node import ForeignNode
from ..node_writer import NodeWriter
from ..wire.tensor_proto import Unsupported, dtype_of, shape_of_proto

_readers: tuple[tuple[int, str], dict[str, list[str]]] = (0, ""), {}
"""How many ops there were and the last of them, and what `types_by_node` gave for them."""


def form_of(type: str) -> GraphDefForm | None:
    """The node that every use of an op is; None if it has rules of its own, or no counterpart.

    Args:
        type: of the op.
    """
    opdef = OPS.get(type)
    text = None if opdef is None else opdef.facts.graphdef
    return None if text is None else graphdef_form(type, text)


def types_by_node() -> Mapping[str, list[str]]:
    """For each type of TensorFlow's nodes the ops that it may be; first those whose attributes have fixed values."""
    global _readers
    hooks.declare_every_op()
    known, readers = _readers
    ops = len(OPS), next(reversed(OPS))
    if known != ops:
        readers = {}
        for type in OPS:
            if form := form_of(type):
                readers.setdefault(form.type, []).append(type)
        for node, types in readers.items():
            types.sort(key=lambda type: (not _has_constants(type), type != node))
        _readers = ops, readers
    return readers


def _has_constants(type: str) -> bool:
    form = form_of(type)
    return form is not None and any(each.source == "constant" for each in form.attributes)


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


def read_direct(source: ForeignNode, types: list[str]) -> Operation:
    """The node as the first of our ops whose form it has."""
    forms = [(type, form) for type in types if (form := form_of(type))]
    fitting = [(type, form) for type, form in forms if all(is_value for *_, is_value in _fixed(source, form))]
    if not fitting:
        values = ", ".join(f"{name}={value}" for name, value, _ in _fixed(source, forms[-1][1]))
        raise Unsupported(f"no op here has {values}")
    type, form = fitting[0]
    opdef = find_opdef(type)
    args: list[Any] = [None] * len(opdef.parameters)
    lists = sum(operand.many for _, _, operand in opdef.operands)
    single = len(opdef.operands) - lists
    count = (len(source.inputs) - single) // lists if lists else 0
    rest = list(source.take(single + lists * count))
    for position, _, operand in opdef.operands:
        taken = count if operand.many else 1
        args[position] = tuple(rest[:taken]) if operand.many else rest[0]
        del rest[:taken]
    spelled = {each.parameter: each for each in form.attributes if each.source == "parameter"}
    for position, named in opdef.attrs:
        default = opdef.signature.parameters[named.name].default
        args[position] = _attribute(source, spelled.get(named.name), default)
    return source.add(type, *args)


def _fixed(source: ForeignNode, form: GraphDefForm) -> Iterator[tuple[str, Any, bool]]:
    """The attributes whose value the form says: their name, their value in the file, whether it is the one said."""
    for each in form.attributes:
        if each.source == "constant":
            value = source.attr(each.name, "type" if isinstance(each.value, DType) else "i", each.value)
            yield each.name, value, value == each.value


def _attribute(source: ForeignNode, attribute: FormAttribute | None, default: Any) -> Any:
    """The value of the attribute, whatever kind it has; where it is left out TensorFlow's default, or our own."""
    found = None if attribute is None else source.node.attr(attribute.name)
    if found is None:
        if attribute is not None and attribute.default is not MISSING:
            return attribute.default
        if default is inspect.Parameter.empty:
            raise GraphFormatError(f"its attribute {None if attribute is None else attribute.name} is missing")
        return default
    if found.type is not None:
        return dtype_of(found.type)
    if found.shape is not None:
        return shape_of_proto(found.shape)
    if found.list is not None:  # of numbers: lists of other kinds have rules of their own
        return tuple(found.list.f or found.list.i)
    if found.s is not None:
        return found.s
    if found.f is not None:
        return found.f
    return found.b if found.b is not None else found.i
