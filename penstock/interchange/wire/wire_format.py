"""Protobuf's wire format of messages that are dataclasses (`message_fields`).

A message is a run of fields: a varint `number << 3 | type`, and the value. Type 0 is a varint, 1 eight bytes, 2 a
length and as many bytes (texts, messages, packed numbers), 5 four bytes. Unknown fields are skipped. Nothing in a file
is trusted: a length must lie inside the data, and messages nest only as deep as the limits say.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ...errors import GraphFormatError
from ...graph.serial.limits import DEFAULT_LIMITS, Budget, Limits
from .message_fields import Field, fields_of

_VARINT, _EIGHT, _LENGTH, _FOUR = 0, 1, 2, 5
_WIRE = {"int": _VARINT, "bool": _VARINT, "enum": _VARINT, "float": _FOUR, "double": _EIGHT, "fixed32": _FOUR,
         "fixed64": _EIGHT}  # fmt: skip
_PACK = {"float": "<f", "double": "<d", "fixed32": "<I", "fixed64": "<Q"}
_WRAP = 1 << 64


# ---- writing ------------------------------------------------------------------------------------


def encode(message: Any) -> bytes:
    """The bytes of a message. A class of messages may bring a faster way, its `quick_encoding`."""
    return _encoded(message, {})


def _encoded(message: Any, shared: dict[int, bytes]) -> bytes:
    """shared: the bytes of parts that occur often, by identity; the message keeps them alive."""
    parts: list[bytes] = []
    own: type = type(message)
    for attribute, head, kind, is_number, repeated, shown_if_zero in _plan(own):
        value = getattr(message, attribute)
        if value is None or (not value and (repeated or not shown_if_zero)):
            continue
        if not repeated:
            parts += (head, _number_bytes(kind, value) if is_number else block(kind, value, shared))
        elif is_number:
            packed = _packed(kind, value)
            parts += (head, varint_bytes(len(packed)), packed)
        elif (quick := getattr(kind, "quick_encoding", None)) is not None:
            for each in value:
                content = quick(each, shared)
                parts += (head, varint_bytes(len(content)), content)
        else:
            for each in value:
                parts += (head, block(kind, each, shared))
    return b"".join(parts)


def text_block(text: str) -> bytes:
    """A text with its length before it."""
    content = text.encode("utf-8", "backslashreplace")
    return varint_bytes(len(content)) + content


def block(kind: Any, value: Any, shared: dict[int, bytes]) -> bytes:
    """A text, bytes or a message, with its length before it."""
    if kind == "text":
        return text_block(value)
    content = value if kind in ("bytes", "view") else _encoded(value, shared)
    return varint_bytes(len(content)) + content


def _packed(kind: str, values: Sequence[Any]) -> bytes:
    """Numbers one after the other."""
    if kind in _PACK:
        form = _PACK[kind]
        return struct.pack(f"{form[0]}{len(values)}{form[1:]}", *values)
    return b"".join([_number_bytes(kind, each) for each in values])


def _number_bytes(kind: str, value: Any) -> bytes:
    if kind in _PACK:
        return struct.pack(_PACK[kind], value)
    return varint_bytes(int(value) % _WRAP)  # a negative int is its two's complement in 64 bits


_BYTES = [bytes([number]) for number in range(128)]


def varint_bytes(value: int) -> bytes:
    """A number that is not negative, seven bits a byte, the lowest first."""
    if value < 128:
        return _BYTES[value]
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _head(spec: Field) -> bytes:
    return varint_bytes(spec.number << 3 | (_LENGTH if spec.repeated else _WIRE.get(spec.kind, _LENGTH)))


@cache
def _plan(kind: type) -> tuple[tuple[str, bytes, Any, bool, bool, bool], ...]:
    """For each field: attribute, the bytes before the value, kind, and what decides how it is written.

    Repeated texts and messages have their head once for each, packed numbers once for all.
    """
    return tuple(
        (s.attribute, _head(s), s.kind, s.kind in _WIRE, s.repeated, s.always or not isinstance(s.kind, str))
        for s in fields_of(kind)
    )


# ---- reading ------------------------------------------------------------------------------------


def decode(kind: type, content: bytes | memoryview, limits: Limits = DEFAULT_LIMITS) -> Any:
    """The message of class `kind` in `content`.

    Raises:
        GraphFormatError: the bytes are no such message, or more values than the limits allow.
    """
    return _decode(kind, memoryview(content), 0, len(content), Budget(limits), limits.depth)


@cache
def _by_number(kind: type) -> dict[int, Field]:
    return {spec.number: spec for spec in fields_of(kind)}


def _decode(kind: type, data: memoryview, at: int, end: int, budget: Budget, depth: int) -> Any:
    """depth: how many messages may still be inside one another; classes may hold themselves."""
    if depth < 0:
        raise GraphFormatError(f"the message at byte {at} is nested too deeply", code="file/limit")
    if getattr(kind, "counts_as_node", False):
        budget.node()
    message = kind()
    fields = _by_number(kind)
    while at < end:
        tag = data[at]
        if tag < 128:  # as it is for every field up to number 15
            at += 1
        else:
            tag, at = _varint(data, at, end)
        spec, wire = fields.get(tag >> 3), tag & 7
        budget.spend(1)
        if wire == _LENGTH:
            size, at = _varint(data, at, end)
            start, at = at, at + size
            if at > end:
                raise GraphFormatError(f"a field of {size} bytes at byte {start} goes beyond the end of its message")
            if spec is not None:
                _put_field(message, spec, data, start, at, budget, depth)
            continue
        start, at = at, _skip(data, at, end, wire)
        if spec is None:
            continue
        if _WIRE.get(spec.kind) != wire:
            raise GraphFormatError(f"the field {spec.name} at byte {start} has wire type {wire}")
        spec.store(message, _number(spec.kind, data, start, at)[0])
    return message


def fields_in(data: bytes, at: int, end: int) -> list[tuple[int, int, int]]:
    """(number << 3 | type, start, stop) of each field of a message, which is not decoded.

    Raises:
        GraphFormatError: the bytes are no message.
    """
    fields: list[tuple[int, int, int]] = []
    while at < end:
        tag = data[at]
        if tag < 128:
            at += 1
        else:
            tag, at = _varint(data, at, end)
        if tag & 7 == _LENGTH:
            size = data[at] if at < end else 128
            if size < 128:
                at += 1
            else:
                size, at = _varint(data, at, end)
            start, at = at, at + size
            if at > end:
                raise GraphFormatError(f"a field of {size} bytes at byte {start} goes beyond the end of its message")
        else:
            start, at = at, _skip(data, at, end, tag & 7)
        fields.append((tag, start, at))
    return fields


def _skip(data: bytes | memoryview, at: int, end: int, wire: int) -> int:
    if wire == _VARINT:
        return _varint(data, at, end)[1]
    if wire not in (_FOUR, _EIGHT):
        raise GraphFormatError(f"byte {at} begins a field of wire type {wire}, which messages of this kind do not have")
    after = at + (4 if wire == _FOUR else 8)
    if after > end:
        raise GraphFormatError(f"the file ends inside a number at byte {at}")
    return after


def _put_field(
    message: Any, spec: Field, data: memoryview, start: int, end: int, budget: Budget, depth: int
) -> None:
    if spec.kind == "text":
        try:
            spec.store(message, bytes(data[start:end]).decode("utf-8"))
        except UnicodeDecodeError:
            raise GraphFormatError(f"the {spec.name} at byte {start} is not UTF-8") from None
    elif spec.kind == "bytes":
        spec.store(message, bytes(data[start:end]))
    elif spec.kind == "view":
        spec.store(message, data[start:end])
    elif spec.kind not in _WIRE:
        spec.store(message, _decode(spec.kind, data, start, end, budget, depth - 1))
    elif spec.repeated:
        values = getattr(message, spec.attribute)
        budget.spend(_count(spec.kind, data, start, end))
        if spec.kind in _PACK and (end - start) % struct.calcsize(_PACK[spec.kind]) == 0:
            values += np.frombuffer(data[start:end], _PACK[spec.kind]).tolist()
            return
        while start < end:
            value, start = _number(spec.kind, data, start, end)
            values.append(value)
    else:
        raise GraphFormatError(f"the field {spec.name} at byte {start} is not a number")


def _count(kind: str, data: memoryview, start: int, end: int) -> int:
    """How many packed numbers there are: the last byte of a varint is below 128."""
    if kind in _PACK:
        return (end - start) // struct.calcsize(_PACK[kind])
    return len(bytes(data[start:end]).translate(None, _NOT_LAST))


_NOT_LAST = bytes(range(128, 256))


def _number(kind: str, data: memoryview, at: int, end: int) -> tuple[Any, int]:
    if kind in _PACK:
        size = struct.calcsize(_PACK[kind])
        if at + size > end:
            raise GraphFormatError(f"the file ends inside a number at byte {at}")
        return struct.unpack_from(_PACK[kind], data, at)[0], at + size
    value, at = _varint(data, at, end)
    if kind == "bool":
        return value != 0, at
    return (value - _WRAP if value >> 63 else value), at


def _varint(data: bytes | memoryview, at: int, end: int) -> tuple[int, int]:
    if at < end and data[at] < 128:
        return data[at], at + 1
    value = shift = 0
    while at < end:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value % _WRAP, at
        shift += 7
        if shift > 63:
            raise GraphFormatError(f"the number before byte {at} is longer than 64 bits")
    raise GraphFormatError(f"the file ends inside a number at byte {at}")
