"""Messages with the interface that protobuf's classes have in Python.

A class states its fields as descriptors (`OneMessage`, `Values`, `Messages`, `NamedMessages`). A message that is a
field of another one is made when it is first read, and is there once something has been put into it: it tells its
owner. Where the fields are a oneof, the last one set replaces the others.

Fields that a class does not know are kept, and written behind the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from ...errors import DecodeError
from ...graph.common.tracebacks import hides_frames
from ...graph.serial.protobuf_cursor import fields
from .message_text import text_of
from .proto_fields import Allowance, OneMessage, ProtoField

_NOTHING: frozenset[str] = frozenset()


class _WithoutDict(type):
    """Messages have their fields and no other attributes."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
        return super().__new__(cls, name, bases, {"__slots__": ()} | body)


class ProtoMessage(metaclass=_WithoutDict):
    """What all messages can do, under protobuf's names."""

    __slots__ = ("_owner", "_present", "_unknown", "_values")

    FIELDS: ClassVar[tuple[ProtoField, ...]] = ()
    ONEOF: ClassVar[str] = ""
    """The name of the oneof of which all fields are members, or those of `MEMBERS`."""
    MEMBERS: ClassVar[frozenset[str] | None] = None
    """The fields that are members of the oneof; None for all."""
    _BY_NUMBER: ClassVar[dict[int, ProtoField]] = {}

    def __init_subclass__(cls) -> None:
        own = [each for each in vars(cls).values() if isinstance(each, ProtoField)]
        cls.FIELDS = tuple(sorted(own, key=lambda field: field.number))
        cls._BY_NUMBER = {field.number: field for field in own}

    @hides_frames
    def __init__(self, **values: Any) -> None:
        self._owner: tuple[ProtoMessage, str] | None = None
        self._values: dict[str, Any] = {}
        self._present: frozenset[str] = _NOTHING
        self._unknown: list[bytes] = []
        for name, value in values.items():
            field = self._field(name)
            if value is not None:
                field.assign(self, value)

    def _field(self, name: str) -> ProtoField:
        for field in self.FIELDS:
            if field.name == name:
                return field
        names = ", ".join(field.name for field in self.FIELDS)
        raise ValueError(f"{type(self).__name__} has no field {name!r}; it has {names}")

    def SetInParent(self) -> None:
        """Says that the message is there, in the message of which it is a field, even if it is empty.

        >>> import penstock as tf
        >>> feature = tf.train.Feature()
        >>> feature.int64_list.SetInParent()
        >>> feature.WhichOneof("kind")
        'int64_list'
        """
        if self._owner is None:
            return
        owner, name = self._owner
        if name not in owner._present:
            owner._choose(name)
            owner.SetInParent()

    def _choose(self, name: str) -> None:
        """Note that a field is there; the other members of its oneof are not any more."""
        if self.ONEOF and (self.MEMBERS is None or name in self.MEMBERS):
            for other in self._present - {name}:
                if self.MEMBERS is None or other in self.MEMBERS:
                    self._drop(other)
        self._present |= {name}

    def _drop(self, name: str) -> None:
        child = self._values.pop(name, None)
        if isinstance(child, ProtoMessage):
            child._owner = None
        elif hasattr(child, "_touch"):
            child._touch = _ignored
        self._present -= {name}

    # ---- fields -------------------------------------------------------------------------------

    @hides_frames
    def HasField(self, field_name: str) -> bool:
        """Whether a field that holds a message, or a oneof, is set.

        Args:
            field_name: the name of the field.

        Returns:
            A bool.

        Raises:
            ValueError: there is no such field, or it is a list.

        >>> import penstock as tf
        >>> tf.train.Example().HasField("features")
        False
        """
        if field_name and field_name == self.ONEOF:
            return self.WhichOneof(field_name) is not None
        field = self._field(field_name)
        if not isinstance(field, OneMessage) and not getattr(field, "is_member", False):
            if not isinstance(field.value(self), (list, Mapping)):
                raise ValueError(f"the field {field_name!r} of {type(self).__name__} holds a value, not a message: it "
                                 "always has one. Look at the value")  # fmt: skip
            raise ValueError(f"the field {field_name!r} of {type(self).__name__} is repeated; ask for its length")
        return field.is_set(self)

    @hides_frames
    def WhichOneof(self, oneof_group: str) -> str | None:
        """Which field of a oneof is set.

        Args:
            oneof_group: the name of the oneof.

        Returns:
            The name of the field, or None.

        Raises:
            ValueError: there is no such oneof.

        >>> import penstock as tf
        >>> tf.train.Feature(float_list=tf.train.FloatList(value=[1.0])).WhichOneof("kind")
        'float_list'
        """
        if not self.ONEOF or oneof_group != self.ONEOF:
            raise ValueError(f"{type(self).__name__} has no oneof {oneof_group!r}")
        return next((name for name in self._present if self.MEMBERS is None or name in self.MEMBERS), None)

    @hides_frames
    def ClearField(self, field_name: str) -> None:
        """Makes a field, or a oneof, empty.

        Args:
            field_name: its name.

        Raises:
            ValueError: there is no such field.

        >>> import penstock as tf
        >>> ints = tf.train.Int64List(value=[1])
        >>> ints.ClearField("value")
        >>> ints.value
        []
        """
        if field_name and field_name == self.ONEOF:
            found = self.WhichOneof(field_name)
            if found is not None:
                self._drop(found)
        else:
            self._drop(self._field(field_name).name)

    def Clear(self) -> None:
        """Makes all fields empty.

        >>> import penstock as tf
        >>> ints = tf.train.Int64List(value=[1])
        >>> ints.Clear()
        >>> ints == tf.train.Int64List()
        True
        """
        for field in self.FIELDS:
            self._drop(field.name)
        self._unknown = []

    def ListFields(self) -> list[tuple[ProtoField, Any]]:
        """The fields that are set.

        Returns:
            A list of pairs: a field, which has a `name` and a `number`, and what it holds.

        >>> import penstock as tf
        >>> [(field.name, value) for field, value in tf.train.Int64List(value=[1]).ListFields()]
        [('value', [1])]
        """
        return [(field, field.value(self)) for field in self.FIELDS if field.is_set(self)]

    def IsInitialized(self) -> bool:
        """Whether all required fields are set; these messages have none.

        Returns:
            True.

        >>> import penstock as tf
        >>> tf.train.Example().IsInitialized()
        True
        """
        return True

    def DiscardUnknownFields(self) -> None:
        """Removes fields that the class does not know, here and in the messages inside.

        >>> import penstock as tf
        >>> example = tf.train.Example.FromString(b"\\x12\\x01a")
        >>> example.DiscardUnknownFields()
        >>> example.SerializeToString()
        b''
        """
        self._unknown = []
        for _, held in self.ListFields():
            inner = held.values() if isinstance(held, Mapping) else held if isinstance(held, list) else (held,)
            for each in inner:
                if isinstance(each, ProtoMessage):
                    each.DiscardUnknownFields()

    # ---- copies -------------------------------------------------------------------------------

    @hides_frames
    def MergeFrom(self, other: Self) -> None:
        """Adds what another message of the class holds: lists get longer, entries of maps are replaced.

        Args:
            other: the other message.

        Raises:
            TypeError: it is of another class.

        >>> import penstock as tf
        >>> ints = tf.train.Int64List(value=[1])
        >>> ints.MergeFrom(tf.train.Int64List(value=[2]))
        >>> ints.value
        [1, 2]
        """
        if type(other) is not type(self):
            raise TypeError(f"{type(self).__name__}.MergeFrom takes a {type(self).__name__}, not {other!r:.60}")
        for field, held in other.ListFields():
            field.merge(self, held)
        self._unknown += other._unknown

    @hides_frames
    def CopyFrom(self, other: Self) -> None:
        """Becomes a copy of another message of the class.

        Args:
            other: the other message.

        Raises:
            TypeError: it is of another class.

        >>> import penstock as tf
        >>> ints = tf.train.Int64List(value=[1])
        >>> ints.CopyFrom(tf.train.Int64List(value=[2]))
        >>> ints.value
        [2]
        """
        if other is self:
            return
        if type(other) is not type(self):
            raise TypeError(f"{type(self).__name__}.CopyFrom takes a {type(self).__name__}, not {other!r:.60}")
        self.Clear()
        self.MergeFrom(other)
        self.SetInParent()

    def __deepcopy__(self, memo: Any) -> Self:
        copy = type(self)()
        copy.MergeFrom(self)
        return copy

    def __reduce__(self) -> Any:
        return type(self).FromString, (self._bytes(),)

    # ---- bytes --------------------------------------------------------------------------------

    def _bytes(self) -> bytes:
        parts = [field.written(self._values[field.name]) for field in self.FIELDS if field.is_set(self)]
        return b"".join((*parts, *self._unknown))

    def SerializeToString(self, deterministic: bool | None = None) -> bytes:
        """The message in protobuf's wire format: the same bytes for equal messages, maps in the order of their names.

        Args:
            deterministic: makes no difference; protobuf's own classes give these bytes if it is True.

        Returns:
            Bytes.

        Raises:
            TypeError: there is another argument.

        >>> import penstock as tf
        >>> tf.train.Int64List(value=[1, 2]).SerializeToString()
        b'\\n\\x02\\x01\\x02'
        """
        return self._bytes()

    SerializePartialToString = SerializeToString

    def ByteSize(self) -> int:
        """How many bytes `SerializeToString` gives.

        Returns:
            An int.

        >>> import penstock as tf
        >>> tf.train.Int64List(value=[1, 2]).ByteSize()
        4
        """
        return len(self._bytes())

    @classmethod
    @hides_frames
    def FromString(cls, s: bytes) -> Self:
        """The message that bytes hold.

        Args:
            s: the bytes.

        Returns:
            A message of this class. Fields that the class does not know are kept as they are.

        Raises:
            TypeError: `s` is not bytes.
            DecodeError: the bytes are no such message.

        >>> import penstock as tf
        >>> tf.train.Int64List.FromString(b"\\n\\x02\\x01\\x02").value
        [1, 2]
        """
        message = cls()
        message.MergeFromString(s)
        return message

    @hides_frames
    def ParseFromString(self, serialized: bytes) -> int:
        """Becomes the message that bytes hold.

        Args:
            serialized: the bytes.

        Returns:
            How many bytes there are.

        Raises:
            TypeError: `serialized` is not bytes.
            DecodeError: the bytes are no such message.

        >>> import penstock as tf
        >>> ints = tf.train.Int64List(value=[7])
        >>> ints.ParseFromString(b"\\n\\x02\\x01\\x02"), ints.value
        (4, [1, 2])
        """
        self.Clear()
        return self.MergeFromString(serialized)

    @hides_frames
    def MergeFromString(self, serialized: bytes) -> int:
        """Adds the message that bytes hold.

        Args:
            serialized: the bytes.

        Returns:
            How many bytes there are.

        Raises:
            TypeError: `serialized` is not bytes.
            DecodeError: the bytes are no such message.

        >>> import penstock as tf
        >>> ints = tf.train.Int64List(value=[7])
        >>> ints.MergeFromString(b"\\n\\x02\\x01\\x02"), ints.value
        (4, [7, 1, 2])
        """
        if not isinstance(serialized, (bytes, bytearray, memoryview)):
            raise TypeError(f"{type(self).__name__} is read from bytes, not from a {type(serialized).__name__}")
        data = memoryview(serialized).cast("B")
        try:
            self._read(data, 0, len(data), Allowance())
        except DecodeError as error:
            raise DecodeError(f"the {len(data)} bytes are no {type(self).__name__}: {error}") from None
        return len(data)

    def _read(self, data: memoryview, at: int, end: int, left: Allowance) -> None:
        left.spend()
        left.enter()
        for number, wire, start, begin, stop in fields(data, at, end):
            field = self._BY_NUMBER.get(number)
            if field is None or not field.read(self, data, wire, begin, stop, left):
                self._unknown.append(bytes(data[start:stop]))
        left.leave()

    # ---- Python -------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return self._bytes() == other._bytes() if type(other) is type(self) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return text_of(self)

    __str__ = __repr__


def _ignored() -> None:
    """What a list that no message has any more tells of a change."""
