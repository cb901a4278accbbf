"""The protobuf messages of a TensorFlow GraphDef, as far as graphs need them.

Each message is a dataclass, and each of its fields carries the number and the kind that it has in a file. The binary
form (`wire_format`) and the text form (`text_format`) are both written and read from `FIELDS`; fields that it does not
list are skipped. Source: TensorFlow's graph.proto, node_def.proto, attr_value.proto, tensor.proto, tensor_shape.proto,
types.proto.
"""

# ruff: noqa: RUF009  # the calls in the classes below return dataclasses.field(...)

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message.

    Attributes:
        number: its number in the binary form.
        attribute: the attribute of the dataclass.
        name: its name in the text form.
        kind: "int", "bool", "enum", "float", "double", "bytes", "text", or a message class.
        repeated: whether it is a list.
        always: whether it is written even if it is 0, empty or False, because its presence has a meaning (a oneof).
    """

    number: int
    attribute: str
    name: str
    kind: Any
    repeated: bool = False
    always: bool = False

    def store(self, message: Any, value: Any) -> None:
        """Set the field of a message, or add to it if it is a list."""
        if self.repeated:
            getattr(message, self.attribute).append(value)
        else:
            setattr(message, self.attribute, value)


def _one(number: int, kind: Any, default: Any, name: str = "", always: bool = False) -> Any:
    return field(default=default, metadata={"number": number, "kind": kind, "name": name, "always": always})


def _many(number: int, kind: Any, name: str = "") -> Any:
    return field(default_factory=list, metadata={"number": number, "kind": kind, "name": name, "repeated": True})


def _member(number: int, kind: Any) -> Any:
    """A member of a oneof: None where another one is there."""
    return _one(number, kind, None, always=True)


@dataclass(slots=True)
class DimProto:
    """One dimension; -1 is not known. TensorFlow ignores `name`; ours keeps the named dimension."""

    size: int = _one(1, "int", 0, always=True)
    name: str = _one(2, "text", "")


@dataclass(slots=True)
class ShapeProto:
    """A shape, perhaps of unknown rank."""

    dims: list[DimProto] = _many(2, DimProto, "dim")
    unknown_rank: bool = _one(3, "bool", False)


@dataclass(slots=True)
class TensorProto:
    """An array: bytes in `content`, or numbers in the list of its dtype, the last of which repeats."""

    dtype: int = _one(1, "enum", 0)
    shape: ShapeProto | None = _one(2, ShapeProto, None, "tensor_shape")
    content: bytes = _one(4, "bytes", b"", "tensor_content")
    float_val: list[float] = _many(5, "float")
    double_val: list[float] = _many(6, "double")
    int_val: list[int] = _many(7, "int")
    string_val: list[bytes] = _many(8, "bytes")
    scomplex_val: list[float] = _many(9, "float")
    int64_val: list[int] = _many(10, "int")
    bool_val: list[bool] = _many(11, "bool")
    dcomplex_val: list[float] = _many(12, "double")
    half_val: list[int] = _many(13, "int")
    uint32_val: list[int] = _many(16, "int")
    uint64_val: list[int] = _many(17, "int")


@dataclass(slots=True)
class ListValue:
    """A list as an attribute; one of the lists is used."""

    s: list[bytes] = _many(2, "bytes")
    i: list[int] = _many(3, "int")
    f: list[float] = _many(4, "float")
    b: list[bool] = _many(5, "bool")
    type: list[int] = _many(6, "enum")
    shape: list[ShapeProto] = _many(7, ShapeProto)


@dataclass(slots=True)
class AttrValue:
    """An attribute: one member is there, the others are None."""

    list: ListValue | None = _member(1, ListValue)
    s: bytes | None = _member(2, "bytes")
    i: int | None = _member(3, "int")
    f: float | None = _member(4, "float")
    b: bool | None = _member(5, "bool")
    type: int | None = _member(6, "enum")
    shape: ShapeProto | None = _member(7, ShapeProto)
    tensor: TensorProto | None = _member(8, TensorProto)


@dataclass(slots=True)
class AttrEntry:
    """An entry of the map from names to attributes."""

    key: str = _one(1, "text", "")
    value: AttrValue | None = _one(2, AttrValue, None)


@dataclass(slots=True)
class NodeProto:
    """A node: inputs are "node", "node:1" or, for control inputs, "^node"."""

    name: str = _one(1, "text", "")
    op: str = _one(2, "text", "")
    inputs: list[str] = _many(3, "text", "input")
    device: str = _one(4, "text", "")
    attrs: list[AttrEntry] = _many(5, AttrEntry, "attr")

    def attr(self, name: str) -> AttrValue | None:
        """The attribute of that name; the last one counts, as in a map."""
        return next((entry.value for entry in reversed(self.attrs) if entry.key == name), None)


@dataclass(slots=True)
class VersionProto:
    """Which TensorFlow wrote the graph, by the number of its graph format."""

    producer: int = _one(1, "int", 0)
    min_consumer: int = _one(2, "int", 0)


@dataclass(slots=True)
class GraphProto:
    """A graph."""

    nodes: list[NodeProto] = _many(1, NodeProto, "node")
    versions: VersionProto | None = _one(4, VersionProto, None)


def _fields(message: type[Any]) -> tuple[Field, ...]:
    return tuple(
        Field(attribute=each.name, **{**each.metadata, "name": each.metadata["name"] or each.name})
        for each in fields(message)
    )


FIELDS: dict[type[Any], tuple[Field, ...]] = {
    message: _fields(message)
    for message in (DimProto, ShapeProto, TensorProto, ListValue, AttrValue, AttrEntry, NodeProto, VersionProto,
                    GraphProto)
}  # fmt: skip
"""For each kind of message its fields."""
