"""The protobuf messages of a TensorFlow GraphDef, as far as graphs need them.

Source: TensorFlow's graph.proto, node_def.proto, attr_value.proto, tensor.proto, tensor_shape.proto, types.proto.
"""

# the calls in the classes below return dataclasses.field(...)

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from ....graph.common.quick_dataclass import dataclass
from ...wire.message_fields import many, member, one
from ...wire.wire_format import block, text_block


@dataclass(slots=True)
class DimProto:
    """One dimension; -1 is not known. TensorFlow ignores `name`; ours keeps the named dimension."""

    size: int = one(1, "int", 0)
    name: str = one(2, "text", "")


@dataclass(slots=True)
class ShapeProto:
    """A shape, perhaps of unknown rank."""

    dims: list[DimProto] = many(2, DimProto, "dim")
    unknown_rank: bool = one(3, "bool", False)


@dataclass(slots=True)
class TensorProto:
    """An array: bytes in `content`, or numbers in the list of its dtype, the last of which repeats."""

    dtype: int = one(1, "enum", 0)
    shape: ShapeProto | None = one(2, ShapeProto, None, "tensor_shape")
    content: bytes = one(4, "bytes", b"", "tensor_content")
    float_val: list[float] = many(5, "float")
    double_val: list[float] = many(6, "double")
    int_val: list[int] = many(7, "int")
    string_val: list[bytes] = many(8, "bytes")
    scomplex_val: list[float] = many(9, "float")
    int64_val: list[int] = many(10, "int")
    bool_val: list[bool] = many(11, "bool")
    dcomplex_val: list[float] = many(12, "double")
    half_val: list[int] = many(13, "int")
    uint32_val: list[int] = many(16, "int")
    uint64_val: list[int] = many(17, "int")


@dataclass(slots=True)
class FunctionName:
    """A function of the library as an attribute. The attributes with which TensorFlow may call it are left out."""

    name: str = one(1, "text", "")


@dataclass(slots=True)
class ListValue:
    """A list as an attribute; one of the lists is used."""

    s: list[bytes] = many(2, "bytes")
    i: list[int] = many(3, "int")
    f: list[float] = many(4, "float")
    b: list[bool] = many(5, "bool")
    type: list[int] = many(6, "enum")
    shape: list[ShapeProto] = many(7, ShapeProto)
    func: list[FunctionName] = many(9, FunctionName)


@dataclass(slots=True)
class AttrValue:
    """An attribute: one member is there, the others are None."""

    list: ListValue | None = member(1, ListValue)
    s: bytes | None = member(2, "bytes")
    i: int | None = member(3, "int")
    f: float | None = member(4, "float")
    b: bool | None = member(5, "bool")
    type: int | None = member(6, "enum")
    shape: ShapeProto | None = member(7, ShapeProto)
    tensor: TensorProto | None = member(8, TensorProto)
    placeholder: str | None = member(9, "text")
    func: FunctionName | None = member(10, FunctionName)


@dataclass(slots=True)
class AttrEntry:
    """An entry of the map from names to attributes."""

    key: str = one(1, "text", "")
    value: AttrValue | None = one(2, AttrValue, None)


@dataclass(slots=True)
class NodeProto:
    """A node: inputs are "node", "node:1" or, for control inputs, "^node"."""

    counts_as_node: ClassVar[bool] = True
    quick_encoding: ClassVar[Callable[..., bytes]]

    name: str = one(1, "text", "")
    op: str = one(2, "text", "")
    inputs: list[str] = many(3, "text", "input")
    device: str = one(4, "text", "")
    attrs: list[AttrEntry] = many(5, AttrEntry, "attr")

    def attr(self, name: str) -> AttrValue | None:
        """The attribute of that name; the last one counts, as in a map."""
        return next((entry.value for entry in reversed(self.attrs) if entry.key == name), None)


def _quick_node(node: NodeProto, shared: dict[int, bytes]) -> bytes:
    """What `encode` gives for a node, of which a graph has many, in a quarter of the time; an entry that many nodes
    share is encoded once.
    """
    parts: list[bytes] = []
    if node.name:
        parts += (b"\x0a", text_block(node.name))
    if node.op:
        parts += (b"\x12", text_block(node.op))
    for each in node.inputs:
        parts += (b"\x1a", text_block(each))
    if node.device:
        parts += (b"\x22", text_block(node.device))
    for entry in node.attrs:
        found = shared.get(id(entry))
        if found is None:
            found = shared[id(entry)] = b"\x2a" + block(AttrEntry, entry, shared)
        parts.append(found)
    return b"".join(parts)


NodeProto.quick_encoding = staticmethod(_quick_node)


@dataclass(slots=True)
class VersionProto:
    """Which TensorFlow wrote the graph, by the number of its graph format."""

    producer: int = one(1, "int", 0)
    min_consumer: int = one(2, "int", 0)


@dataclass(slots=True)
class ArgProto:
    """An argument or a result of a function; its dtype is an attribute of the function where it is not `type`."""

    name: str = one(1, "text", "")
    type: int = one(3, "enum", 0)
    type_attr: str = one(4, "text", "")
    number_attr: str = one(5, "text", "")
    type_list_attr: str = one(6, "text", "")


@dataclass(slots=True)
class SignatureProto:
    """The name of a function, its arguments and its results."""

    name: str = one(1, "text", "")
    inputs: list[ArgProto] = many(2, ArgProto, "input_arg")
    outputs: list[ArgProto] = many(3, ArgProto, "output_arg")
    is_stateful: bool = one(17, "bool", False)
    control_outputs: list[str] = many(20, "text", "control_output")


@dataclass(slots=True)
class TextEntry:
    """An entry of a map from texts to texts."""

    key: str = one(1, "text", "")
    value: str = one(2, "text", "")


@dataclass(slots=True)
class FunctionProto:
    """A function: its nodes refer to arguments by name, and to results of nodes as "node:result:0".

    `returns` says which of these each result is, `control_returns` which nodes always run.
    """

    signature: SignatureProto | None = one(1, SignatureProto, None)
    nodes: list[NodeProto] = many(3, NodeProto, "node_def")
    returns: list[TextEntry] = many(4, TextEntry, "ret")
    attrs: list[AttrEntry] = many(5, AttrEntry, "attr")
    control_returns: list[TextEntry] = many(6, TextEntry, "control_ret")


@dataclass(slots=True)
class LibraryProto:
    """The functions of a graph."""

    functions: list[FunctionProto] = many(1, FunctionProto, "function")


@dataclass(slots=True)
class GraphProto:
    """A graph."""

    nodes: list[NodeProto] = many(1, NodeProto, "node")
    library: LibraryProto | None = one(2, LibraryProto, None)
    versions: VersionProto | None = one(4, VersionProto, None)
