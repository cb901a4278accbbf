"""Nodes of a GraphDef as they are written: names, references to tensors, attributes.

Names that TensorFlow does not allow are replaced; the true one stands in the attribute `_penstock_name`. Shapes
stand in `_output_shapes`, where TensorBoard looks for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...errors import GraphFormatError
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import DType, of_numpy
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape
from .wire.messages import AttrEntry, AttrValue, ListValue, NodeProto
from .wire.tensor_proto import dtype_number, shape_proto, tensor_proto

_SHARED = frozenset({DType, bool, int, str})
"""Classes of small values that nodes have in common."""
_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_>./\\-]*")


class NodeWriter:
    """Collects the nodes of operations. One operation may take several; the last of them has its name.

    `library` collects the functions of the file: a `function_writer.LibraryWriter`.
    """

    def __init__(self, operations: Sequence[Operation], library: Any) -> None:
        self.nodes: list[NodeProto] = []
        self.library = library
        self.hides_helpers = False  # whether our reader passes over helpers: the last node says all
        self._taken = {op.name for op in operations if _NAME.fullmatch(op.name)}
        self._names = {
            op: op.name if _NAME.fullmatch(op.name) else self._free(_cleaned(op.name)) for op in operations
        }
        self._op: Operation | None = None
        self._variables = {op.name: name for op, name in self._names.items() if op.opdef.facts.state == "holds"}
        self._stands: dict[Tensor, str] = {}
        self._entries: dict[tuple[Any, ...], AttrEntry] = {}

    def begin(self, op: Operation) -> None:
        """Write nodes of `op` from now on."""
        self._op = op

    def ref(self, tensor: Tensor) -> str:
        """How an input refers to `tensor`."""
        if self._stands and tensor in self._stands:
            return self._stands[tensor]
        name = self._names[tensor.op]
        return f"{name}:{tensor.value_index}" if tensor.value_index else name

    def name_of(self, op: Operation) -> str:
        """The name of an operation in the file."""
        return self._names[op]

    def stand_for(self, tensor: Tensor, node: str) -> None:
        """Let inputs refer to `node` instead of `tensor`."""
        self._stands[tensor] = node

    def reserved(self, name: str) -> str:
        """A name that no node will have."""
        return self._free(name)

    def variable(self, resource: str) -> str:
        """The node of a variable.

        Raises:
            GraphFormatError: its operation is not in the graph.
        """
        found = self._variables.get(resource)
        if found is None:
            raise GraphFormatError(f"the variable {resource!r} has no operation in the graph")
        return found

    def node(self, type: str, inputs: Sequence[str], label: str = "", **attrs: Any) -> str:
        """Add a node; with a label it is a helper called `operation/label`. Returns how to refer to it."""
        op = self._op
        assert op is not None
        name = self._free(f"{self._names[op]}/{label}") if label else self._names[op]
        controls = [] if label else ["^" + self._names[c] for c in op.control_inputs]
        proto = NodeProto(name, type, [*inputs, *controls], op.device)
        if label and self.hides_helpers:
            attrs["_penstock_helper"] = True
        proto.attrs = [self._entry(key, value) for key, value in sorted(attrs.items())]
        if not label:
            proto.attrs += self._own_attrs(op, name)
        self.nodes.append(proto)
        return name

    def constant(self, label: str, array: Array) -> str:
        """Add a helper that holds an array."""
        return self.node("Const", (), label, value=array, dtype=of_numpy(array.dtype))

    def _own_attrs(self, op: Operation, name: str) -> list[AttrEntry]:
        entries = []
        if op.outputs and not op.opdef.bodies:  # TensorFlow's nodes that hold graphs have other outputs
            entries.append(self._entry("_output_shapes", tuple([t.shape for t in op.outputs])))
        if name != op.name:
            entries.append(AttrEntry("_penstock_name", attr_value(op.name)))
        return entries

    def _entry(self, key: str, value: Any) -> AttrEntry:
        """An attribute. Nodes share equal ones, which `wire_format` encodes once: 100,000 variables take a third of
        the time.
        """
        kind = value.__class__
        if kind in _SHARED:
            what: Any = value
        elif kind is tuple and value and isinstance(value[0], TensorShape):
            what = tuple([shape.raw for shape in value])
        else:
            return AttrEntry(key, attr_value(value))
        found = self._entries.get((key, kind, what))
        if found is None:
            found = self._entries[key, kind, what] = AttrEntry(key, attr_value(value))
        return found

    def _free(self, name: str) -> str:
        free, count = name, 0
        while free in self._taken:
            count += 1
            free = f"{name}_{count}"
        self._taken.add(free)
        return free


ExportRule: TypeAlias = Callable[[NodeWriter, Operation], bool | None]
"""Writes the nodes of an operation; False where it leaves that to the form that the op declares."""


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
    if isinstance(value, float):
        return AttrValue(f=value)
    if isinstance(value, str):
        return AttrValue(s=value.encode("utf-8", "surrogatepass"))
    if isinstance(value, bytes):
        return AttrValue(s=value)
    if isinstance(value, TensorShape):
        return AttrValue(shape=shape_proto(value))
    if isinstance(value, np.ndarray):
        return AttrValue(tensor=tensor_proto(value))
    if isinstance(value, (list, tuple)):
        return AttrValue(list=_list_value(value))
    raise GraphFormatError(f"an attribute of type {type(value).__name__} has no form in a GraphDef")


def _list_value(values: Sequence[Any]) -> ListValue:
    first = values[0] if values else 0
    if isinstance(first, DType):
        return ListValue(type=[dtype_number(each) for each in values])
    if isinstance(first, TensorShape):
        return ListValue(shape=[shape_proto(each) for each in values])
    if isinstance(first, float):
        return ListValue(f=list(values))
    return ListValue(s=list(values)) if isinstance(first, bytes) else ListValue(i=list(values))


def _cleaned(name: str) -> str:
    """A name that TensorFlow allows, as close to `name` as it can be; scopes stay scopes."""
    parts = [re.sub(r"[^A-Za-z0-9_.-]+", "_", part)[:200].strip("_.-") for part in name.split("/")[:20]]
    return "/".join(part for part in parts if part) or "node"
