"""Which protobuf messages make up a TensorFlow GraphDef, as far as graphs need them?

Each message is a dataclass, and `FIELDS` says for each of its fields the number and the kind on the wire. The binary
form (`wire_format`) and the text form (`text_format`) are both written and read from this one table; fields that
it does not list are skipped. Source: TensorFlow's graph.proto, node_def.proto, attr_value.proto, tensor.proto,
tensor_shape.proto, types.proto.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Field:
    """One field: number, attribute of the dataclass, name in the text form, and kind.

    kind: "int", "bool", "enum", "float", "double", "bytes", "text", or a message class. always: written even when it is
    0, empty or False, because its presence says something (a member of a oneof).
    """

    number: int
    attribute: str
    name: str
    kind: Any
    repeated: bool = False
    always: bool = False


@dataclass(slots=True)
class DimProto:
    """One dimension; -1 is not known. TensorFlow ignores `name`; ours keeps the named dimension."""

    size: int = 0
    name: str = ""


@dataclass(slots=True)
class ShapeProto:
    """A shape, perhaps of unknown rank."""

    dims: list[DimProto] = field(default_factory=list)
    unknown_rank: bool = False


@dataclass(slots=True)
class TensorProto:
    """An array: bytes in `content`, or numbers in the list of its dtype, the last of which repeats."""

    dtype: int = 0
    shape: ShapeProto | None = None
    content: bytes = b""
    half_val: list[int] = field(default_factory=list)
    float_val: list[float] = field(default_factory=list)
    double_val: list[float] = field(default_factory=list)
    int_val: list[int] = field(default_factory=list)
    string_val: list[bytes] = field(default_factory=list)
    scomplex_val: list[float] = field(default_factory=list)
    int64_val: list[int] = field(default_factory=list)
    bool_val: list[bool] = field(default_factory=list)
    dcomplex_val: list[float] = field(default_factory=list)
    uint32_val: list[int] = field(default_factory=list)
    uint64_val: list[int] = field(default_factory=list)


@dataclass(slots=True)
class ListValue:
    """A list as an attribute; one of the lists is used."""

    s: list[bytes] = field(default_factory=list)
    i: list[int] = field(default_factory=list)
    f: list[float] = field(default_factory=list)
    b: list[bool] = field(default_factory=list)
    type: list[int] = field(default_factory=list)
    shape: list[ShapeProto] = field(default_factory=list)


@dataclass(slots=True)
class AttrValue:
    """An attribute: one member is there, the others are None."""

    list: ListValue | None = None
    s: bytes | None = None
    i: int | None = None
    f: float | None = None
    b: bool | None = None
    type: int | None = None
    shape: ShapeProto | None = None
    tensor: TensorProto | None = None


@dataclass(slots=True)
class AttrEntry:
    """An entry of the map from names to attributes."""

    key: str = ""
    value: AttrValue | None = None


@dataclass(slots=True)
class NodeProto:
    """A node: inputs are "node", "node:1" or, for control inputs, "^node"."""

    name: str = ""
    op: str = ""
    inputs: list[str] = field(default_factory=list)
    device: str = ""
    attrs: list[AttrEntry] = field(default_factory=list)

    def attr(self, name: str) -> AttrValue | None:
        """The attribute of that name; the last one counts, as in a map."""
        for entry in reversed(self.attrs):
            if entry.key == name:
                return entry.value
        return None


@dataclass(slots=True)
class VersionProto:
    """Which TensorFlow wrote the graph, by the number of its graph format."""

    producer: int = 0
    min_consumer: int = 0


@dataclass(slots=True)
class GraphProto:
    """A graph."""

    nodes: list[NodeProto] = field(default_factory=list)
    versions: VersionProto | None = None


def _many(number: int, attribute: str, kind: Any, name: str = "") -> Field:
    return Field(number, attribute, name or attribute, kind, repeated=True)


def _one(number: int, attribute: str, kind: Any, name: str = "") -> Field:
    return Field(number, attribute, name or attribute, kind)


def _member(number: int, attribute: str, kind: Any) -> Field:
    return Field(number, attribute, attribute, kind, always=True)


FIELDS: dict[type, tuple[Field, ...]] = {
    DimProto: (_member(1, "size", "int"), _one(2, "name", "text")),
    ShapeProto: (_many(2, "dims", DimProto, "dim"), _one(3, "unknown_rank", "bool")),
    TensorProto: (
        _one(1, "dtype", "enum"),
        _one(2, "shape", ShapeProto, "tensor_shape"),
        _one(4, "content", "bytes", "tensor_content"),
        _many(5, "float_val", "float"),
        _many(6, "double_val", "double"),
        _many(7, "int_val", "int"),
        _many(8, "string_val", "bytes"),
        _many(9, "scomplex_val", "float"),
        _many(10, "int64_val", "int"),
        _many(11, "bool_val", "bool"),
        _many(12, "dcomplex_val", "double"),
        _many(13, "half_val", "int"),
        _many(16, "uint32_val", "int"),
        _many(17, "uint64_val", "int"),
    ),
    ListValue: (
        _many(2, "s", "bytes"),
        _many(3, "i", "int"),
        _many(4, "f", "float"),
        _many(5, "b", "bool"),
        _many(6, "type", "enum"),
        _many(7, "shape", ShapeProto),
    ),
    AttrValue: (
        _member(1, "list", ListValue),
        _member(2, "s", "bytes"),
        _member(3, "i", "int"),
        _member(4, "f", "float"),
        _member(5, "b", "bool"),
        _member(6, "type", "enum"),
        _member(7, "shape", ShapeProto),
        _member(8, "tensor", TensorProto),
    ),
    AttrEntry: (_one(1, "key", "text"), _one(2, "value", AttrValue)),
    NodeProto: (
        _one(1, "name", "text"),
        _one(2, "op", "text"),
        _many(3, "inputs", "text", "input"),
        _one(4, "device", "text"),
        _many(5, "attrs", AttrEntry, "attr"),
    ),
    VersionProto: (_one(1, "producer", "int"), _one(2, "min_consumer", "int")),
    GraphProto: (_many(1, "nodes", NodeProto, "node"), _one(4, "versions", VersionProto)),
}
