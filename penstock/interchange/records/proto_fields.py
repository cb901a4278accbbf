"""The kinds of fields of protobuf messages: how each is set, read from the wire format, and written."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection
from typing import Any, Final, Generic, TypeVar

from ...errors import DecodeError
from ...graph.common.tracebacks import hides_frames
from ...graph.serial.protobuf_cursor import FOUR, LENGTH, VARINT, fields, varint
from ..wire.wire_format import varint_bytes
from .message_lists import MessageMap, Repeated, RepeatedMessages, as_content, as_float32, as_int64, as_name

M = TypeVar("M")
_SIGN: Final = 1 << 63
_WORD: Final = (1 << 64) - 1
_NOTHING: Final[frozenset[str]] = frozenset()
MOST_MESSAGES: Final = 2_000_000
"""The messages that one call reads, those inside others counted: two bytes become a message of 150 bytes in memory."""

DEEPEST_MESSAGES: Final = 64
"""So deeply messages nest in what is read."""


class Allowance:
    """How many more messages may be read, and how deeply they nest."""

    __slots__ = ("_depth", "_left")

    def __init__(self) -> None:
        self._left = MOST_MESSAGES
        self._depth = 0

    def enter(self) -> None:
        """Counts a message inside of another.

        Raises:
            DecodeError: they nest too deeply.
        """
        self._depth += 1
        if self._depth > DEEPEST_MESSAGES:
            raise DecodeError(f"messages are nested more than {DEEPEST_MESSAGES} deep")

    def leave(self) -> None:
        """Ends what `enter` began."""
        self._depth -= 1

    def spend(self) -> None:
        """Counts a message that is about to be made.

        Raises:
            DecodeError: there are too many.
        """
        self._left -= 1
        if self._left < 0:
            raise DecodeError(f"it holds more than {MOST_MESSAGES} messages; write several shorter ones")


class ProtoField:
    """A field of a message: its number, and its name, which is that of the attribute."""

    name: str

    def __init__(self, number: int) -> None:
        self.number = number
        self.head = varint_bytes(number << 3 | LENGTH)

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.name = name

    @hides_frames
    def __set__(self, message: Any, value: Any) -> None:
        if value is not None and value is message._values.get(self.name):
            return  # `field += [...]` has changed the list itself
        raise AttributeError(
            f"the field {self.name!r} of {type(message).__name__} is not assigned; write {self.name}.{self.setter}"
        )

    setter = "CopyFrom(message)"

    def is_set(self, message: Any) -> bool:
        """Whether the field holds something."""
        return bool(message._values.get(self.name))

    def new(self, message: Any) -> Any:
        """What the field holds at first."""
        raise NotImplementedError

    def value(self, message: Any) -> Any:
        """What the field holds; it is made at the first look."""
        held = message._values.get(self.name)
        if held is None:
            held = message._values[self.name] = self.new(message)
        return held

    def assign(self, message: Any, value: Any) -> None:
        """Sets the field to what a call of the class gives for it."""
        self.value(message).extend(value)

    def merge(self, message: Any, other: Any) -> None:
        """Adds what the field of another message holds."""
        self.value(message).MergeFrom(other)

    def written(self, held: Any) -> bytes:
        """The field in the wire format."""
        raise NotImplementedError

    def read(self, message: Any, data: memoryview, wire: int, begin: int, end: int, left: Allowance) -> bool:
        """Takes a field from the wire format; False if it is none of this kind."""
        raise NotImplementedError


class OneMessage(ProtoField, Generic[M]):
    """A field that holds a message, or none."""

    def __init__(self, number: int, kind: type[M]) -> None:
        super().__init__(number)
        self.kind = kind

    def __get__(self, message: Any, owner: Any = None) -> M:
        return self.value(message)  # type: ignore[no-any-return]

    def new(self, message: Any) -> M:
        """See `ProtoField`."""
        child: Any = self.kind()
        child._owner = (message, self.name)
        return child  # type: ignore[no-any-return]

    def is_set(self, message: Any) -> bool:
        """See `ProtoField`."""
        return self.name in message._present

    def assign(self, message: Any, value: Any) -> None:
        """See `ProtoField`."""
        child = self.value(message)
        child.MergeFrom(self.kind(**value) if isinstance(value, dict) else value)
        child.SetInParent()

    def merge(self, message: Any, other: Any) -> None:
        """See `ProtoField`."""
        self.assign(message, other)

    def written(self, held: Any) -> bytes:
        """See `ProtoField`."""
        content: bytes = held._bytes()
        return self.head + _sized(content)

    def read(self, message: Any, data: memoryview, wire: int, begin: int, end: int, left: Allowance) -> bool:
        """See `ProtoField`."""
        if wire != LENGTH:
            return False
        child = self.value(message)
        child.SetInParent()
        child._read(data, begin, end, left)
        return True


class Values(ProtoField):
    """A field that holds a list of ints, floats or bytes."""

    setter = "extend([...])"

    def __init__(
        self,
        convert: Callable[[Any], Any],
        packed: Callable[[list[Any]], bytes] | None,
        unpacked: Callable[[memoryview, int, int, int], list[Any] | None],
    ) -> None:
        super().__init__(1)
        self.convert, self.packed, self.unpacked = convert, packed, unpacked

    def __get__(self, message: Any, owner: Any = None) -> Repeated[Any]:
        return self.value(message)  # type: ignore[no-any-return]

    def new(self, message: Any) -> Repeated[Any]:
        """See `ProtoField`."""
        return Repeated(self.convert, message.SetInParent)

    def merge(self, message: Any, other: Any) -> None:
        """See `ProtoField`."""
        list.extend(self.value(message), other)
        message.SetInParent()

    def written(self, held: Any) -> bytes:
        """See `ProtoField`."""
        if self.packed is None:
            return b"".join([part for each in held for part in (self.head, varint_bytes(len(each)), each)])
        content = self.packed(held)
        return self.head + _sized(content)

    def read(self, message: Any, data: memoryview, wire: int, begin: int, end: int, left: Allowance) -> bool:
        """See `ProtoField`."""
        items = self.unpacked(data, wire, begin, end)
        if items is None:
            return False
        list.extend(self.value(message), items)
        return True


def _packed_ints(values: list[int]) -> bytes:
    if values and max(values) < 128 and min(values) >= 0:
        return bytes(values)
    return b"".join([varint_bytes(value & _WORD) for value in values])


def _unpacked_ints(data: memoryview, wire: int, at: int, end: int) -> list[int] | None:
    if wire == VARINT:
        value = varint(data, at, end)[0]
        return [value - (1 << 64) if value & _SIGN else value]
    if wire != LENGTH:
        return None
    content = bytes(data[at:end])
    if content.isascii():  # each byte is a number
        return list(content)
    values = []
    while at < end:
        value, at = varint(data, at, end)
        values.append(value - (1 << 64) if value & _SIGN else value)
    return values


def _packed_floats(values: list[float]) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def _unpacked_floats(data: memoryview, wire: int, at: int, end: int) -> list[float] | None:
    if wire not in (FOUR, LENGTH):
        return None
    if (end - at) % 4:
        raise DecodeError(f"the {end - at} bytes at byte {at} are no whole number of floats")
    return list(struct.unpack_from(f"<{(end - at) // 4}f", data, at))


def _content(data: memoryview, wire: int, at: int, end: int) -> list[bytes] | None:
    return [bytes(data[at:end])] if wire == LENGTH else None


def ints() -> Values:
    """The field of a list of ints of 64 bits."""
    return Values(as_int64, _packed_ints, _unpacked_ints)


def floats() -> Values:
    """The field of a list of floats of 32 bits."""
    return Values(as_float32, _packed_floats, _unpacked_floats)


def contents() -> Values:
    """The field of a list of bytes."""
    return Values(as_content, None, _content)


class Messages(ProtoField, Generic[M]):
    """A field that holds a list of messages."""

    setter = "extend([...])"

    def __init__(self, number: int, kind: type[M]) -> None:
        super().__init__(number)
        self.kind = kind

    def __get__(self, message: Any, owner: Any = None) -> RepeatedMessages[M]:
        return self.value(message)  # type: ignore[no-any-return]

    def new(self, message: Any) -> RepeatedMessages[M]:
        """See `ProtoField`."""
        return RepeatedMessages(self.kind, message.SetInParent)

    def written(self, held: Any) -> bytes:
        """See `ProtoField`."""
        contents = [each._bytes() for each in held]
        return b"".join([part for each in contents for part in (self.head, varint_bytes(len(each)), each)])

    def read(self, message: Any, data: memoryview, wire: int, begin: int, end: int, left: Allowance) -> bool:
        """See `ProtoField`."""
        if wire != LENGTH:
            return False
        self.value(message).add()._read(data, begin, end, left)
        return True


class NamedMessages(ProtoField, Generic[M]):
    """A field that holds messages by their names. In the wire format each is an entry: 1 is the name, 2 the message."""

    def __init__(self, number: int, kind: type[M]) -> None:
        super().__init__(number)
        self.kind = kind

    def __get__(self, message: Any, owner: Any = None) -> MessageMap[M]:
        return self.value(message)  # type: ignore[no-any-return]

    def new(self, message: Any) -> MessageMap[M]:
        """See `ProtoField`."""
        return MessageMap(self.kind, message.SetInParent)

    def assign(self, message: Any, value: Any) -> None:
        """See `ProtoField`."""
        held = self.value(message)
        if not hasattr(value, "items"):
            raise TypeError(f"{type(message).__name__}({self.name}=...) takes a dict of messages, not {value!r:.60}")
        for name, each in value.items():
            copy: Any = self.kind(**each) if isinstance(each, dict) else self.kind()
            if not isinstance(each, dict):
                copy.CopyFrom(each)
            held.put(as_name(name), copy)

    def written(self, held: Any) -> bytes:
        """See `ProtoField`."""
        parts: list[bytes] = []
        for name, message in sorted_items(held):
            parts += (self.head, _sized(self._entry(name, message, (1, 2))))
        return b"".join(parts)

    def _entry(self, name: str, message: Any, seen: Collection[int]) -> bytes:
        key = b"\x0a" + _sized(name.encode()) if 1 in seen else b""
        return key + b"\x12" + _sized(message._bytes()) if 2 in seen else key

    def read(self, message: Any, data: memoryview, wire: int, begin: int, end: int, left: Allowance) -> bool:
        """See `ProtoField`."""
        if wire != LENGTH:
            return False
        entry: Any = self.kind()
        name, rest = "", [b""]
        seen = set()
        for number, kind, first, start, stop in fields(data, begin, end):
            if number == 1 and kind == LENGTH:
                try:
                    name = str(data[start:stop], "utf-8")
                except UnicodeDecodeError:
                    raise DecodeError(f"the name at byte {start} is not UTF-8") from None
            elif number == 2 and kind == LENGTH:
                entry._read(data, start, stop, left)
            else:
                rest.append(bytes(data[first:stop]))
                continue
            seen.add(number)
        if len(rest) > 1:  # protobuf keeps the whole entry as a field that it does not know
            message._unknown.append(self.head + _sized(self._entry(name, entry, seen) + b"".join(rest)))
            return True
        self.value(message).put(name, entry)
        return True


def _sized(content: bytes) -> bytes:
    """Bytes behind their length."""
    return varint_bytes(len(content)) + content


def sorted_items(entries: MessageMap[M]) -> list[tuple[str, M]]:
    """The entries of a map in the order in which protobuf's deterministic form has them: by the bytes of the names, a
    name before those that it begins with."""
    return sorted(entries.items(), key=lambda item: item[0].encode() + b"\xff")
