"""`graph.create_op`: an operation of a type that a GraphDef may name, or of an op declared here, from its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import GraphFormatError, UseError, ValueRuleError
from ...graph.common.tracebacks import hides_frames
from ...graph.declare.op_declaration import declared
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.model.tensor_source import TensorSource
from ...graph.shapes.dtypes import DType, as_dtype
from ...graph.shapes.shape import TensorShape
from ..tensorflow.graphdef_reader import GIVEN, add_graphdef
from ..tensorflow.node_reader import knows_type
from ..tensorflow.node_writer import attr_value
from ..tensorflow.wire.messages import AttrEntry, GraphProto, ListValue, NodeProto
from ..tensorflow.wire.messages import AttrValue as WireValue
from ..wire.wire_format import decode
from .graph_protos import AttrValue


@hides_frames
def create_op(
    graph: Graph,
    op_type: str,
    inputs: Sequence[Any] | None = None,
    dtypes: Sequence[Any] | None = None,
    input_types: Sequence[Any] | None = None,
    name: str | None = None,
    attrs: Mapping[str, Any] | None = None,
    op_def: Any = None,
    compute_shapes: bool = True,
    compute_device: bool = True,
) -> Operation:
    """See `Graph.create_op`."""
    if not isinstance(op_type, str):
        raise UseError(f"create_op: op_type is {op_type!r:.60}; it is the name of an op, such as 'Add'")
    tensors = [_tensor(graph, each, op_type) for each in inputs or ()]
    if input_types is not None:
        wanted = [as_dtype(each) for each in input_types]
        if [t.dtype for t in tensors] != wanted:
            dtype_names = ", ".join(t.dtype.name for t in tensors)
            raise UseError(f"create_op({op_type!r}): the inputs are {dtype_names}, but input_types says "
                           f"{', '.join(each.name for each in wanted)}")  # fmt: skip

    def build() -> Operation:
        op = _of_a_file(graph, op_type, tensors, attrs or {}, name)
        if dtypes is not None and [t.dtype for t in op.outputs] != [as_dtype(each) for each in dtypes]:
            result_names = ", ".join(t.dtype.name for t in op.outputs) or "none"
            raise UseError(f"create_op({op_type!r}): its results are {result_names}, but dtypes says "
                           f"{', '.join(as_dtype(each).name for each in dtypes)}")  # fmt: skip
        return op

    made: Operation = graph.journal.all_or_nothing(build)
    return made


def _tensor(graph: Graph, value: Any, op_type: str) -> Tensor:
    if isinstance(value, TensorSource):
        value = value.element
    if not isinstance(value, Tensor):
        raise UseError(f"create_op({op_type!r}): an input is {value!r:.60}; inputs are tensors: write "
                       "tf.convert_to_tensor(value)")  # fmt: skip
    return value if graph.admits(value) else graph.as_graph_element(value)  # type: ignore[return-value]  # it raises


def _of_a_file(
    graph: Graph, op_type: str, tensors: list[Tensor], attrs: Mapping[str, Any], name: str | None
) -> Operation:
    if not knows_type(op_type):
        return _of_a_declaration(graph, op_type, tensors, attrs, name)
    full = graph.unique_name((name or op_type).rstrip("/"))
    given = {f"{GIVEN}{place}": tensor for place, tensor in enumerate(tensors)}
    controls = [op for op in graph.surroundings.controls if all(op is not t.op for t in tensors)]
    waits = {f"{GIVEN}{len(tensors) + place}": op for place, op in enumerate(controls)}
    node = NodeProto(full, op_type, [*given, *[f"^{each}" for each in waits]])
    node.attrs = [AttrEntry(key, _wire(op_type, key, value)) for key, value in attrs.items()]
    node.attrs += _usual_attrs(op_type, tensors, attrs)
    proto = GraphProto([*[NodeProto(each, GIVEN) for each in (*given, *waits)], node])
    try:
        loaded = add_graphdef(proto, "create_op", graph, given, waits)
    except GraphFormatError as error:
        raise ValueRuleError(f"create_op({op_type!r}): {error}") from None
    if loaded.missing:
        raise ValueRuleError(f"create_op({op_type!r}): {'; '.join(loaded.reasons.values())}")
    return graph.get_operation_by_name(full)


def _usual_attrs(op_type: str, tensors: list[Tensor], attrs: Mapping[str, Any]) -> list[AttrEntry]:
    """Dtypes of inputs, which TensorFlow infers where they are left out."""
    if not tensors or op_type in ("Cast",):
        return []
    return [AttrEntry("T", attr_value(tensors[0].dtype))] if "T" not in attrs else []


def _wire(op_type: str, key: str, value: Any) -> WireValue:
    """The value of an attribute: a message, or a Python value."""
    try:
        if isinstance(value, AttrValue) or hasattr(value, "SerializeToString"):
            found: WireValue = decode(WireValue, value.SerializeToString())
            return found
        if isinstance(value, (list, tuple)) and value and all(isinstance(each, str) for each in value):
            return WireValue(list=ListValue(s=[each.encode() for each in value]))
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], (DType, TensorShape)):
            return attr_value(tuple(value))
        if isinstance(value, (list, tuple)):
            return attr_value(tuple(value))
        if isinstance(value, np.generic):
            value = value.item()
        return attr_value(value)
    except GraphFormatError:
        raise UseError(f"create_op({op_type!r}): the attribute {key} is {value!r:.60}; give a tf.AttrValue, a number, "
                       "a text, a dtype or a shape") from None  # fmt: skip


def _of_a_declaration(
    graph: Graph, op_type: str, tensors: list[Tensor], attrs: Mapping[str, Any], name: str | None
) -> Operation:
    """An op that is declared here alone, such as one of the program's own."""
    opdef = declared(op_type)
    if opdef is None:
        raise ValueRuleError(f"create_op({op_type!r}): no op of that name is declared here, and none that files may "
                             "have")  # fmt: skip
    places = {position for position, _, _ in opdef.operands}
    lists = [position for position, _, operand in opdef.operands if operand.many]
    rest = list(tensors)
    arguments: dict[str, Any] = {}
    for position, parameter in enumerate(opdef.parameters):
        if position in lists:
            count = len(rest) - sum(1 for each in places if each > position)
            arguments[parameter], rest = rest[:count], rest[count:]
        elif position in places and rest:
            arguments[parameter] = rest.pop(0)
    if rest:
        raise UseError(f"create_op({op_type!r}): it takes {len(tensors) - len(rest)} inputs, not {len(tensors)}")
    with graph.as_default():
        made = opdef(**arguments, **attrs, name=name)
    while isinstance(made, (list, tuple)):
        made = made[0]
    operation: Operation = made if isinstance(made, Operation) else made.op
    return operation
