"""Fields of messages that hold single values, lists of them, and texts by name: the kinds that `proto_fields` lacks.

A scalar that was never set reads as 0, "", b"" or False, as in protobuf's third version, and counts as set if it is
something else; a member of a oneof counts as set once it was assigned.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...errors import DecodeError
from ...graph.serial.protobuf_cursor import EIGHT, FOUR, LENGTH, VARINT, fields, varint
from ...graph.shapes.named_dtypes import DataType
from ..records.message_lists import Repeated, as_name
from ..records.message_text import escaped
from ..records.proto_fields import Allowance, ProtoField
from ..wire.wire_format import varint_bytes

_WORD: Final = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class ScalarKind:
    """How values of one kind are checked, read and written.

    Attributes:
        name: "int32", "int64", "enum", "bool", "float", "double", "text" or "bytes".
        wire: the type of such a field in the wire format.
        default: the value of a field that is not set.
        convert: what is assigned -> the value.
        packed: the value in the wire format, without its head.
    """

    name: str
    wire: int
    default: Any
    convert: Callable[[Any], Any]
    packed: Callable[[Any], bytes]


def _int_of(bits: int) -> Callable[[Any], int]:
    low, high = -(1 << bits - 1), 1 << bits - 1

    def convert(value: Any) -> int:
        try:
            number = operator.index(value)
        except TypeError:
            raise TypeError(f"the field holds an int, not {value!r:.60} of type {type(value).__name__}") from None
        if not low <= number < high:
            raise ValueError(f"the field holds an int of {bits} bits; {number} is out of range")
        return number

    return convert


def _enum(value: Any) -> int:
    if isinstance(value, str):
        if value not in DataType.__members__:
            raise ValueError(f"{value!r} is no name of a dtype; write DT_FLOAT or tf.float32.as_datatype_enum")
        return DataType[value]
    return _known(_int_of(32)(getattr(value, "as_datatype_enum", value)))


def _known(number: int) -> int:
    try:
        return DataType(number)
    except ValueError:  # of a later TensorFlow
        return number


def _bool(value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)) or value in (0, 1):
        return bool(value)
    raise TypeError(f"the field holds a bool, not {value!r:.60} of type {type(value).__name__}")


def _number(value: Any) -> float:
    if isinstance(value, (str, bytes, list, tuple)) or value is None:
        raise TypeError(f"the field holds a number, not {value!r:.60} of type {type(value).__name__}")
    return float(value)


def _float(value: Any) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(_number(value)))


def _text(value: Any) -> str:
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"the field holds a str, not {value!r:.60} of type {type(value).__name__}")
    return as_name(value)


def _bytes(value: Any) -> bytes:
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if not isinstance(value, bytes):
        cure = f"; write {value!r:.30}.encode()" if isinstance(value, str) else ""
        raise TypeError(f"the field holds bytes, not {value!r:.60} of type {type(value).__name__}{cure}")
    return value


def _varint(value: int) -> bytes:
    return varint_bytes(int(value) & _WORD)


def _sized(content: bytes) -> bytes:
    return varint_bytes(len(content)) + content


INT32: Final = ScalarKind("int32", VARINT, 0, _int_of(32), _varint)
INT64: Final = ScalarKind("int64", VARINT, 0, _int_of(64), _varint)
ENUM: Final = ScalarKind("enum", VARINT, 0, _enum, _varint)
BOOL: Final = ScalarKind("bool", VARINT, False, _bool, _varint)
FLOAT: Final = ScalarKind("float", FOUR, 0.0, _float, struct.Struct("<f").pack)
DOUBLE: Final = ScalarKind("double", EIGHT, 0.0, _number, struct.Struct("<d").pack)
TEXT: Final = ScalarKind("text", LENGTH, "", _text, lambda value: _sized(value.encode("utf-8", "surrogatepass")))
BYTES: Final = ScalarKind("bytes", LENGTH, b"", _bytes, _sized)


def _read_one(kind: ScalarKind, data: memoryview, begin: int, end: int) -> tuple[Any, int]:
    """The value at a place, and the place behind it."""
    if kind.wire == VARINT:
        number, behind = varint(data, begin, end)
        if kind is BOOL:
            return number != 0, behind
        if kind is ENUM and number < 1 << 31:
            return _known(number), behind
        return (number - (1 << 64) if number >> 63 else number), behind
    if kind.wire == LENGTH:
        content = bytes(data[begin:end])
        if kind is BYTES:
            return content, end
        try:
            return content.decode("utf-8"), end
        except UnicodeDecodeError:
            raise DecodeError(f"the text at byte {begin} is not UTF-8") from None
    size = 4 if kind.wire == FOUR else 8
    if begin + size > end:
        raise DecodeError(f"the data end inside a number at byte {begin}")
    return struct.unpack_from("<f" if size == 4 else "<d", data, begin)[0], begin + size


def as_text(kind: ScalarKind, value: Any) -> str:
    """A value as the text format has it."""
    if kind is BOOL:
        return "true" if value else "false"
    if kind is ENUM:
        return value.name if isinstance(value, DataType) else str(value)
    if kind is TEXT:
        return f'"{escaped(value.encode("utf-8", "surrogatepass"))}"'
    if kind is BYTES:
        return f'"{escaped(value)}"'
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if kind is DOUBLE:
        return repr(value).removesuffix(".0")
    short = f"{value:.6g}"
    return short if np.float32(short) == np.float32(value) else f"{value:.9g}"


class ScalarField(ProtoField):
    """A field that holds one value."""

    def __init__(self, number: int, kind: ScalarKind, is_member: bool = False) -> None:
        super().__init__(number)
        self.scalar = kind
        self.is_member = is_member
        self.head = varint_bytes(number << 3 | kind.wire)

    def __get__(self, message: Any, owner: Any = None) -> Any:
        if message is None:
            return self
        return message._values.get(self.name, self.scalar.default)

    def __set__(self, message: Any, value: Any) -> None:
        self._put(message, self.scalar.convert(value))

    def _put(self, message: Any, value: Any) -> None:
        message._values[self.name] = value
        if self.is_member:
            message._choose(self.name)
        message.SetInParent()

    def text(self, value: Any) -> str:
        """A value in the text format."""
        return as_text(self.scalar, value)

    def is_set(self, message: Any) -> bool:
        """See `ProtoField`."""
        if self.is_member:
            return self.name in message._present
        return bool(message._values.get(self.name, self.scalar.default) != self.scalar.default)

    def value(self, message: Any) -> Any:
        """See `ProtoField`."""
        return message._values.get(self.name, self.scalar.default)

    def assign(self, message: Any, value: Any) -> None:
        """See `ProtoField`."""
        self._put(message, self.scalar.convert(value))

    def merge(self, message: Any, other: Any) -> None:
        """See `ProtoField`."""
        self._put(message, other)

    def written(self, held: Any) -> bytes:
        """See `ProtoField`."""
        return self.head + self.scalar.packed(held)

    def read(self, message: Any, data: memoryview, wire: int, begin: int, end: int, left: Allowance) -> bool:
        """See `ProtoField`."""
        if wire != self.scalar.wire:
            return False
        self._put(message, _read_one(self.scalar, data, begin, end)[0])
        return True


class Scalars(ProtoField):
    """A field that holds a list of values; numbers are packed."""

    setter = "extend([...])"

    def __init__(self, number: int, kind: ScalarKind) -> None:
        super().__init__(number)
        self.scalar = kind

    def __get__(self, message: Any, owner: Any = None) -> Any:
        return self if message is None else self.value(message)

    def text(self, value: Any) -> str:
        """A value in the text format."""
        return as_text(self.scalar, value)

    def new(self, message: Any) -> Repeated[Any]:
        """See `ProtoField`."""
        return Repeated(self.scalar.convert, message.SetInParent)

    def merge(self, message: Any, other: Any) -> None:
        """See `ProtoField`."""
        list.extend(self.value(message), other)
        message.SetInParent()

    def written(self, held: Any) -> bytes:
        """See `ProtoField`."""
        packed = self.scalar.packed
        if self.scalar.wire == LENGTH:
            return b"".join([part for each in held for part in (self.head, packed(each))])
        return self.head + _sized(b"".join(map(packed, held)))

    def read(self, message: Any, data: memoryview, wire: int, begin: int, end: int, left: Allowance) -> bool:
        """See `ProtoField`."""
        kind = self.scalar
        if wire != kind.wire and (wire != LENGTH or kind.wire == LENGTH):
            return False
        values = self.value(message)
        message.SetInParent()
        if wire == kind.wire:
            list.append(values, _read_one(kind, data, begin, end)[0])
            return True
        while begin < end:
            value, begin = _read_one(kind, data, begin, end)
            list.append(values, value)
        return True


class TextMap(MutableMapping[str, str]):
    """Texts by name."""

    __slots__ = ("_entries", "_touch")

    def __init__(self, touch: Callable[[], None]) -> None:
        self._entries: dict[str, str] = {}
        self._touch = touch

    def __getitem__(self, key: str) -> str:
        return self._entries[key]

    def __setitem__(self, key: str, value: str) -> None:
        self._entries[as_name(key)] = _text(value)
        self._touch()

    def __delitem__(self, key: str) -> None:
        del self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def MergeFrom(self, other: TextMap) -> None:
        """Takes the entries of another map."""
        self.update(other)

    def __repr__(self) -> str:
        return repr(self._entries)


class NamedTexts(ProtoField):
    """A field that holds texts by name."""

    def __get__(self, message: Any, owner: Any = None) -> Any:
        return self if message is None else self.value(message)

    def new(self, message: Any) -> TextMap:
        """See `ProtoField`."""
        return TextMap(message.SetInParent)

    def assign(self, message: Any, value: Any) -> None:
        """See `ProtoField`."""
        self.value(message).update(value)

    def written(self, held: Any) -> bytes:
        """See `ProtoField`."""
        entries = sorted(held.items(), key=lambda item: item[0].encode() + b"\xff")
        return b"".join([self.head + _sized(b"\x0a" + TEXT.packed(name) + b"\x12" + TEXT.packed(value))
                         for name, value in entries])  # fmt: skip

    def read(self, message: Any, data: memoryview, wire: int, begin: int, end: int, left: Allowance) -> bool:
        """See `ProtoField`."""
        if wire != LENGTH:
            return False
        entry = ["", ""]
        for number, kind, _, start, stop in fields(data, begin, end):
            if number in (1, 2) and kind == LENGTH:
                entry[number - 1] = _read_one(TEXT, data, start, stop)[0]
        self.value(message)[entry[0]] = entry[1]
        return True
