"""Protobuf messages as dataclasses: each field carries the number and the kind that it has in a file.

    @dataclass(slots=True)
    class VersionProto:
        producer: int = one(1, "int", 0)
        min_consumer: int = one(2, "int", 0)

The binary form (`wire_format`) and TensorFlow's text form (`text_format`) are written and read from `fields_of` a
class; fields of a file that it does not list are skipped.
"""

from __future__ import annotations

from dataclasses import field, fields
from functools import cache
from types import FunctionType
from typing import Any

from ...graph.common.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message.

    Attributes:
        number: its number in the binary form.
        attribute: the attribute of the dataclass.
        name: its name in the text form.
        kind: "int", "bool", "enum" (a dtype), "float", "double", "fixed32", "fixed64", "bytes", "view" (bytes that
            stay where they are), "text", or a message class; a function that gives it where a class holds itself.
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


def one(number: int, kind: Any, default: Any, name: str = "", always: bool = False) -> Any:
    """A field that holds one value; it is written only if it differs from 0, "" and None, or `always`."""
    return field(default=default, metadata={"number": number, "kind": kind, "name": name, "always": always})


def many(number: int, kind: Any, name: str = "") -> Any:
    """A field that holds a list; numbers are written packed."""
    return field(default_factory=list, metadata={"number": number, "kind": kind, "name": name, "repeated": True})


def member(number: int, kind: Any) -> Any:
    """A member of a oneof: None where another one is there."""
    return one(number, kind, None, always=True)


@cache
def fields_of(message: type[Any]) -> tuple[Field, ...]:
    """The fields of a class of messages."""
    return tuple(
        Field(attribute=each.name, **{**each.metadata, "name": each.metadata["name"] or each.name,
                                      "kind": _resolved(each.metadata["kind"])})
        for each in fields(message)
    )  # fmt: skip


def _resolved(kind: Any) -> Any:
    return kind() if isinstance(kind, FunctionType) else kind
