"""Import rules of nodes that our own writer made: attributes say which op of ours they are.

So a loop with rows and stacks, or a TensorArray, comes back as it was, although TensorFlow has other nodes for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ....errors import BuildError, GraphFormatError
from ....graph.building.capturing import InnerGraph, closed
from ....graph.model.nodes import Tensor
from ....graph.model.subgraph import DEEPEST, SubGraph
from ....graph.serial.error_text import brief
from ....graph.serial.rebuild import find_opdef
from ....graph.shapes.shape import TensorShape, shape_of
from ..bodies.body_builder import read_block
from ..bodies.flow_builder import build_flow
from ..bodies.function_library import Function
from ..foreign_node import ForeignNode, outputs_of
from ..import_scope import ImportScope, Made
from ..wire.messages import AttrValue, ListValue, ShapeProto
from ..wire.tensor_proto import dtype_of, shape_of_proto
from .functional_rules import called_function, function_of, without_arguments


def _list(function: Function, name: str) -> ListValue:
    found = _attr(function, name).list
    return ListValue() if found is None else found


def _attr(function: Function, name: str) -> AttrValue:
    for entry in function.proto.attrs:
        if entry.key == name and entry.value is not None:
            return entry.value
    raise GraphFormatError(f"the function {function.name} has no attribute {name}")


def own_body(s: ForeignNode, function: Function, operands: Sequence[Tensor]) -> SubGraph:
    """The body that a function of our own file is.

    Raises:
        GraphFormatError: it does not fit the operands, or graphs are nested too deeply.
    """
    outer, state = s.scope.rebuilder, s.scope.state
    if outer.depth >= DEEPEST:
        raise GraphFormatError(f"graphs inside ops are nested more than {DEEPEST} deep", code="file/limit")
    label = (_attr(function, "_penstock_body").s or b"body").decode("utf-8", "backslashreplace")
    captures = _attr(function, "_penstock_captures").i or 0
    names = [each.decode("utf-8", "surrogatepass") for each in _list(function, "_penstock_inputs").s]
    shapes = _list(function, "_penstock_shapes").shape
    if not len(operands) == len(names) == len(shapes) == len(function.arguments) >= captures >= 0:
        raise GraphFormatError(f"the function {function.name} does not have an input for each of {len(operands)} "
                               "operands")  # fmt: skip
    graph = InnerGraph(s.scope.graph, label)
    rebuilder = outer.inside(graph)
    inputs = []
    for operand, name, shape in zip(operands, names, shapes, strict=True):
        inputs.append(rebuilder.given(name, operand.dtype, _shape(shape, operands), operand))
    scope = ImportScope(state, function.tree.index, function.tree.aliases, rebuilder)
    scope.is_own = True
    scope.made.update({place: Made(None, (tensor,)) for place, tensor in enumerate(inputs)})
    state.calls.append(function.name)
    try:
        read_block(scope, without_arguments(function), build_flow)
        outputs = [scope.tensor(use) for use in function.results]
        always = scope.always_run(function.always)
    finally:
        state.calls.pop()
    rebuilder.finish()
    graph.finalize()
    try:
        return closed(graph, inputs, operands[len(operands) - captures :], outputs, inputs, always)
    except BuildError as error:
        raise GraphFormatError(brief(error)) from None


def _shape(proto: ShapeProto, operands: Sequence[Tensor]) -> TensorShape:
    """The shape of an input; some of its sizes are those of operands."""
    found = shape_of_proto(proto)
    if found.raw is None:
        return found
    sizes: list[Any] = list(found.raw)
    for place, dim in enumerate(proto.dims):
        number, dot, axis = dim.name[1:].partition(".")
        if dim.name[:1] == "@" and dot and number.isdecimal() and axis.isdecimal() and int(number) < len(operands):
            dims = operands[int(number)].shape.raw
            if dims is not None and int(axis) < len(dims):
                sizes[place] = dims[int(axis)]
    return shape_of(sizes)


def _extends(s: ForeignNode) -> tuple[str, ...]:
    return tuple([each.decode("utf-8", "surrogatepass") for each in s.attr("_penstock_extends", "list", ListValue()).s])


def _if(s: ForeignNode) -> Made:
    pred, *operands = s.inputs
    bodies = {label: own_body(s, function_of(s, label), operands) for label in ("then_branch", "else_branch")}
    given = _arguments("If", pred=pred, operands=tuple(operands), extends=_extends(s), **bodies)
    return outputs_of(s.add("If", *given))


def _while(s: ForeignNode) -> Made:
    found = s.attr("_penstock_while", "list").i
    if len(found) != 7:
        raise GraphFormatError("its attribute _penstock_while does not have seven numbers")
    variables, rows, reverse, back_prop, stacks, bounded, limited = found
    behind = variables + 1 + stacks + bounded
    if min(found) < 0 or len(s.uses) < behind + rows:
        raise GraphFormatError("its attribute _penstock_while does not fit its inputs")
    operands = [s.scope.tensor(use) for use in (*s.uses[:variables], *s.uses[behind:])]
    limit = s.tensor(s.attr("_penstock_limit", "s").decode()) if limited else None
    bodies = {label: own_body(s, called_function(s, _named(s, f"_penstock_{label}")), operands)
              for label in ("cond", "body")}  # fmt: skip
    given = _arguments("While", limit=limit, operands=tuple(operands), variables=variables, rows=rows,
                       reverse=bool(reverse), back_prop=bool(back_prop), extends=_extends(s),
                       **bodies)  # fmt: skip
    op = s.add("While", *given)
    made = op.outputs
    return Made(op, (*made[:variables], made[-1], *made[variables:-1]))


def _named(s: ForeignNode, attr: str) -> str:
    found = s.node.attr(attr)
    if found is None or found.func is None:
        raise GraphFormatError(f"its attribute {attr} names no function")
    return found.func.name


def _arguments(type: str, **given: Any) -> list[Any]:
    opdef = find_opdef(type)
    return [given.get(name, opdef.signature.parameters[name].default) for name in opdef.parameters]


def _own_op(s: ForeignNode) -> Made:
    """An op of ours, with its operands among the inputs and its attributes beside."""
    opdef = find_opdef(s.attr("_penstock_op", "s").decode())
    places = s.attr("_penstock_places", "list", ListValue()).i
    args: list[Any] = [None] * len(opdef.parameters)
    if len(places) != len(opdef.operands) or any(operand.many for _, _, operand in opdef.operands):
        raise GraphFormatError(f"its attributes do not fit a {opdef.type}")
    for (position, _, _), place in zip(opdef.operands, places, strict=True):
        if place >= len(s.uses):
            raise GraphFormatError(f"it has no input {place}")
        args[position] = None if place < 0 else s.scope.tensor(s.uses[place])
    for position, named in opdef.attrs:
        default = opdef.signature.parameters[named.name].default
        args[position] = _value(s.node.attr(f"_penstock_{named.name}"), default)
    return outputs_of(s.add(opdef.type, *args))


def _value(value: AttrValue | None, default: Any) -> Any:
    if value is None or value == AttrValue():
        if default is inspect.Parameter.empty:
            raise GraphFormatError("one of its attributes is missing")
        return default
    if value.type is not None:
        return dtype_of(value.type)
    if value.shape is not None:
        return shape_of_proto(value.shape)
    if value.s is not None:
        return value.s.decode("utf-8", "surrogatepass")
    return value.b if value.b is not None else value.i if value.i is not None else value.f


def _helper(s: ForeignNode) -> Made:
    return Made(None, ())


def _alias(s: ForeignNode) -> Made:
    """A node that stands for its first inputs."""
    values = tuple([s.scope.value(use) for use in s.uses[: s.attr("_penstock_alias", "i")]])
    first = values[0] if values else None
    return Made(first.op if isinstance(first, Tensor) else None, values)


OWN_NODES: dict[str, Callable[[ForeignNode], Made]] = {
    "_penstock_alias": _alias,
    "_penstock_if": _if,
    "_penstock_op": _own_op,
    "_penstock_while": _while,
    "_penstock_helper": _helper,
}
"""The attribute that marks a node -> the rule that reads it."""

