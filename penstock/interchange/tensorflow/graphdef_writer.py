"""How does a graph become a GraphDef, the form in which TensorFlow keeps graphs?

Each operation becomes one node of TensorFlow's or a few (`op_table`, `export_rules`), the last of which has
the operation's name. Names that TensorFlow does not allow are replaced; the true one stands in the attribute
`_penstock_name`. Shapes stand in `_output_shapes`, where TensorBoard looks for them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import GraphFormatError
from ...graph.dtypes import DType, of_numpy
from ...graph.graph import Graph
from ...graph.literal import Array
from ...graph.nodes import Operation, Tensor
from ...graph.serial.attribute_data import OF_A_PLAN
from ...graph.shape import TensorShape
from .export_rules import SPECIAL
from .messages import AttrEntry, AttrValue, GraphProto, ListValue, NodeProto, VersionProto
from .op_table import ALWAYS, DIRECT, Direct
from .tensor_proto import dtype_number, shape_proto, tensor_proto
from .text_format import to_text
from .wire_format import encode

_PRODUCER = 440
"""The version of TensorFlow's graph format whose rules the nodes follow."""

_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_>./\\-]*")


def write_graphdef(graph: Graph, *, text: bool = False) -> bytes:
    """The graph as a GraphDef: protobuf's binary form, or its text form in UTF-8.

    Raises:
        GraphFormatError: an op has no counterpart in TensorFlow.
    """
    proto = GraphDefWriter(graph).proto()
    return to_text(proto).encode("utf-8") if text else encode(proto)


class GraphDefWriter:
    """Collects nodes; the functions of `export_rules` call `node`, `constant` and `ref`."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._nodes: list[NodeProto] = []
        self._taken: set[str] = set()
        self._names: dict[Operation, str] = {}
        self._op: Operation | None = None

    def proto(self) -> GraphProto:
        """The whole graph."""
        operations = self._graph.get_operations()
        self._taken = {op.name for op in operations if _NAME.fullmatch(op.name)}
        for op in operations:
            self._names[op] = op.name if _NAME.fullmatch(op.name) else self._free(_cleaned(op.name))
        for op in operations:
            self._write(op)
        return GraphProto(self._nodes, VersionProto(_PRODUCER))

    # ---- for those who write a node ---------------------------------------------------------------

    def ref(self, tensor: Tensor) -> str:
        """How an input refers to `tensor`."""
        name = self._names[tensor.op]
        return f"{name}:{tensor.value_index}" if tensor.value_index else name

    def node(self, type: str, inputs: Sequence[str], label: str = "", **attrs: Any) -> str:
        """Add a node; with a label it is a helper called `operation/label`. Returns how to refer to it."""
        op = self._op
        assert op is not None
        name = self._free(f"{self._names[op]}/{label}") if label else self._names[op]
        controls = [] if label else ["^" + self._names[c] for c in op.control_inputs]
        proto = NodeProto(name, type, [*inputs, *controls], op.device)
        proto.attrs = [AttrEntry(key, attr_value(value)) for key, value in sorted(attrs.items())]
        if not label:
            proto.attrs += self._own_attrs(op, name)
        self._nodes.append(proto)
        return name

    def constant(self, label: str, array: Array) -> str:
        """Add a helper that holds an array."""
        return self.node("Const", (), label, value=array, dtype=of_numpy(array.dtype))

    # ---- inside ----------------------------------------------------------------------------------

    def _write(self, op: Operation) -> None:
        self._op = op
        special = SPECIAL.get(op.type)
        if special is not None and special(self, op):
            return
        direct = DIRECT.get(op.type)
        if direct is None:
            raise GraphFormatError(f"the node {op.name!r} is a {op.type}, for which TensorFlow has no counterpart; "
                                   f"{_instead(op)}")  # fmt: skip
        self.node(direct.type, [self.ref(t) for t in op.inputs], **direct_attrs(op, direct))

    def _own_attrs(self, op: Operation, name: str) -> list[AttrEntry]:
        entries = []
        if op.outputs:
            shapes = ListValue(shape=[shape_proto(t.shape) for t in op.outputs])
            entries.append(AttrEntry("_output_shapes", AttrValue(list=shapes)))
        if name != op.name:
            entries.append(AttrEntry("_penstock_name", attr_value(op.name)))
        return entries

    def _free(self, name: str) -> str:
        free, count = name, 0
        while free in self._taken:
            count += 1
            free = f"{name}_{count}"
        self._taken.add(free)
        return free


def _instead(op: Operation) -> str:
    """What to do with a node that has no counterpart."""
    if op.opdef.lower_rule is not None:
        return OF_A_PLAN
    inside = ", and none for graphs inside ops" if op.opdef.bodies else ""
    return f".json keeps it{inside}"


def direct_attrs(op: Operation, direct: Direct) -> dict[str, Any]:
    """The attributes of a node that has a line in the table."""
    return {key: _source(op, direct.type, key, source) for key, source in direct.attrs.items()}


def _source(op: Operation, type: str, key: str, source: Any) -> Any:
    if (type, key) in ALWAYS:
        return AttrValue(type=ALWAYS[type, key])
    if not isinstance(source, str):
        return source
    value = op.args[op.opdef.parameters.index(source.removeprefix("#"))]
    if source.startswith("#"):
        return len(value)
    if isinstance(value, tuple) and value and isinstance(value[0], Tensor):
        value = value[0]
    return value.dtype if isinstance(value, Tensor) else value


def attr_value(value: Any) -> AttrValue:
    """A Python value as an attribute."""
    if isinstance(value, AttrValue):
        return value
    if isinstance(value, DType):
        return AttrValue(type=dtype_number(value))
    if isinstance(value, bool):
        return AttrValue(b=value)
    if isinstance(value, int):
        return AttrValue(i=value)
    if isinstance(value, str):
        return AttrValue(s=value.encode("utf-8", "surrogatepass"))
    if isinstance(value, TensorShape):
        return AttrValue(shape=shape_proto(value))
    if isinstance(value, np.ndarray):
        return AttrValue(tensor=tensor_proto(value))
    if isinstance(value, tuple):
        return AttrValue(list=ListValue(i=list(value)))
    raise GraphFormatError(f"an attribute of type {type(value).__name__} has no form in a GraphDef")


def _cleaned(name: str) -> str:
    """A name that TensorFlow allows, as close to `name` as it can be; scopes stay scopes."""
    parts = [re.sub(r"[^A-Za-z0-9_.-]+", "_", part)[:200].strip("_.-") for part in name.split("/")[:20]]
    return "/".join(part for part in parts if part) or "node"
