"""Protobuf's text format of messages: `MessageToString`, `Parse`, `Merge`, as in `google.protobuf.text_format`.

The reader is that of the other text files (`tensorflow.wire.text_format`); what differs is how a message is filled.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

from ...errors import DecodeError, GraphFormatError
from ...graph.common.tracebacks import hides_frames
from ...graph.serial.limits import DEFAULT_LIMITS, Limits
from ..records.message_text import text_of
from ..records.proto_fields import Messages, NamedMessages, OneMessage, ProtoField, Values
from ..records.proto_message import ProtoMessage
from ..tensorflow.wire.text_format import from_text
from ..wire.message_fields import Field
from .scalar_fields import NamedTexts, ScalarField, Scalars

M = TypeVar("M", bound=ProtoMessage)


class ParseError(DecodeError):
    """A text that is no such message."""


@hides_frames
def MessageToString(message: ProtoMessage) -> str:  # protobuf's name
    """A message as text, one field a line.

    Args:
        message: a message of Penstock, such as a `GraphDef`.

    Returns:
        A str.

    Raises:
        TypeError: it is no message.
    """
    if not isinstance(message, ProtoMessage):
        raise TypeError(f"MessageToString: {message!r:.60} is no message of Penstock")
    return text_of(message)


@hides_frames
def Parse(text: str | bytes, message: M) -> M:  # protobuf's name
    """Reads a text into an empty message.

    Args:
        text: the text.
        message: the message that is filled.

    Returns:
        The message.

    Raises:
        ParseError (a DecodeError): the text is no such message; the error says which line.
    """
    message.Clear()
    return Merge(text, message)


@hides_frames
def Merge(text: str | bytes, message: M, limits: Limits = DEFAULT_LIMITS) -> M:  # protobuf's name
    """Adds what a text says to a message.

    Args:
        text: the text.
        message: the message.
        limits: the largest counts to accept.

    Returns:
        The message.

    Raises:
        ParseError (a DecodeError): the text is no such message; the error says which line.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogateescape")
    try:
        message.MergeFrom(from_text(type(message), text, limits, _by_name))
    except (GraphFormatError, TypeError, ValueError) as error:
        raise ParseError(f"the text is no {type(message).__name__}: {error}") from None
    return message


# ---- what the reader asks of a class ------------------------------------------------------------


class _Entry:
    """An entry of a map while it is read."""

    kind: Any = None

    def __init__(self) -> None:
        self.key = ""
        self.value: Any = None


class _TextField(Field):
    """A field of a message for the reader of texts."""

    def __init__(self, field: ProtoField, kind: Any) -> None:
        super().__init__(field.number, field.name, field.name, kind)
        object.__setattr__(self, "_field", field)

    def store(self, message: Any, value: Any) -> None:
        """Set the field of a message, or add to it."""
        field: ProtoField = self._field  # type: ignore[attr-defined]  # frozen: set above
        if isinstance(field, OneMessage):
            field.value(message).MergeFrom(value)
            field.value(message).SetInParent()
        elif isinstance(field, NamedMessages):
            field.value(message).put(value.key, value.value or field.kind())
        elif isinstance(field, NamedTexts):
            field.value(message)[value.key] = value.value or ""
        elif isinstance(field, Messages):
            list.append(field.value(message), value)
        elif isinstance(field, (Scalars, Values)):
            field.value(message).append(value)
        else:
            field.assign(message, value)


_KINDS = {"int32": "int", "int64": "int"}
_OF_RECORDS = {"as_int64": "int", "as_float32": "float", "as_content": "bytes"}


def _kind_of(field: ProtoField) -> Any:
    if isinstance(field, (ScalarField, Scalars)):
        return _KINDS.get(field.scalar.name, field.scalar.name)
    if isinstance(field, NamedTexts):
        return _entry_of("text")
    if isinstance(field, NamedMessages):
        kind: Any = field.kind
        return _entry_of(kind)
    if isinstance(field, (OneMessage, Messages)):
        return field.kind
    return _OF_RECORDS[field.convert.__name__] if isinstance(field, Values) else None


@cache
def _entry_of(kind: Any) -> type[_Entry]:
    """The class of the entries of a map to values of a kind."""
    return type("Entry", (_Entry,), {"kind": kind})


@cache
def _by_name(kind: Any) -> dict[str, Field]:
    """The fields of a class of messages, or of entries, as the reader of texts asks for them."""
    if issubclass(kind, _Entry):
        return {"key": Field(1, "key", "key", "text"), "value": Field(2, "value", "value", kind.kind)}
    return {field.name: _TextField(field, _kind_of(field)) for field in kind.FIELDS}
