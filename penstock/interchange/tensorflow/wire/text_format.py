"""Protobuf's text form (.pbtxt) of messages.

    node {
      name: "x"
      attr { key: "dtype" value { type: DT_FLOAT } }
    }

The same table of fields serves as for the binary form. The reader takes what protobuf's own printer writes: fields by
name, `{ }` or `< >`, an optional colon before a message, lists in brackets, `#` comments, strings in either quote that
follow one another, and skips fields it does not know.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from ....errors import GraphFormatError
from ....graph.serial.limits import DEFAULT_LIMITS, Budget, Limits
from ...wire.message_fields import Field, fields_of
from .messages import NodeProto
from .tensor_proto import DATA_TYPES, NUMBERS_OF_TYPES

_DEEPEST = 32


# ---- writing ------------------------------------------------------------------------------------


def to_text(message: Any) -> str:
    """A message as text, one field a line."""
    return "".join(_lines(message, ""))


def _lines(message: Any, indent: str) -> Iterator[str]:
    own: type = type(message)
    for spec in fields_of(own):
        value = getattr(message, spec.attribute)
        for each in value if spec.repeated else [value]:
            if each is None or not (each or spec.always or spec.repeated or not isinstance(spec.kind, str)):
                continue
            if isinstance(spec.kind, str):
                yield f"{indent}{spec.name}: {_scalar(spec.kind, each)}\n"
                continue
            yield f"{indent}{spec.name} {{\n"
            yield from _lines(each, indent + "  ")
            yield f"{indent}}}\n"


def _scalar(kind: str, value: Any) -> str:
    if kind == "bool":
        return "true" if value else "false"
    if kind == "enum":
        return DATA_TYPES.get(value, str(value))
    if kind == "text":
        return _quoted(value.encode("utf-8", "backslashreplace"))
    if kind == "bytes":
        return _quoted(value)
    if kind in ("float", "double"):
        return "nan" if math.isnan(value) else repr(value)
    return str(int(value))


_NAMED = {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", ord('"'): '\\"', ord("'"): "\\'", ord("\\"): "\\\\"}
_WRITTEN = [_NAMED.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in range(256)]


def _quoted(content: bytes) -> str:
    return '"' + "".join([_WRITTEN[b] for b in content]) + '"'


# ---- reading ------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""(?:\s|\#[^\n]*+)*+(?:(?P<string>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')|(?P<mark>[{}<>\[\]:;,])"""
    r"""|(?P<plain>-?[A-Za-z_]\w*+|-?\s*+(?:0[xX][0-9a-fA-F]++|(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?[fF]?))"""
    r"""|(?P<end>\Z)|(?P<other>.))""",
    re.DOTALL | re.ASCII,
)
_BRACKETS = {"{": "}", "<": ">"}


@cache
def _by_name(kind: type) -> dict[str, Field]:
    return {spec.name: spec for spec in fields_of(kind)}


def from_text(
    kind: type, text: str, limits: Limits = DEFAULT_LIMITS, table: Callable[[type], Mapping[str, Field]] = _by_name
) -> Any:
    """The message of class `kind` that `text` describes. `table` gives the fields of a class by name.

    Raises:
        GraphFormatError: the text is no such message; the error says which line. Or more values than the limits allow.
    """
    return _Reader(text, Budget(limits), table).message(kind, "", 0)


class _Reader:
    """A cursor over the tokens of a text: `kind` and `token` are those of the next one."""

    def __init__(self, text: str, budget: Budget, table: Callable[[type], Mapping[str, Field]]) -> None:
        self._table = table
        self._found = _TOKEN.finditer(text)
        self._text = text
        self._budget = budget
        self._next()

    def _next(self) -> None:
        found = self._match = next(self._found)
        self.kind = kind = found.lastgroup
        assert kind is not None  # whatever stands there, one group takes it
        self.token: str = found[kind]
        if kind == "other":
            raise self._error(f"{self.token!a} cannot stand here")

    def _error(self, what: str) -> GraphFormatError:
        line = self._text.count("\n", 0, self._match.start(self.kind or 0)) + 1
        return GraphFormatError(f"line {line}: {what}")

    def _take(self, mark: str) -> bool:
        if self.token != mark:
            return False
        self._next()
        return True

    def message(self, kind: type | None, closing: str, depth: int) -> Any:
        """Fields up to the closing bracket, "" for the end of the text; of an unknown kind, they are only skipped."""
        if depth > _DEEPEST:
            raise self._error(f"messages are nested more than {_DEEPEST} deep")
        if kind is NodeProto:
            self._budget.node()
        message = None if kind is None else kind()
        fields = {} if kind is None else self._table(kind)
        spend = self._budget.spend
        while True:
            spend(1)
            name = self.token
            if name == closing:
                if closing:
                    self._next()
                return message
            if self.kind != "plain" or not name.isidentifier():
                raise self._error(f"expected the name of a field, found {ascii(name)[:40] if name else 'the end'}")
            spec = fields.get(name)
            self._next()
            colon = self._take(":")
            if self.token != "[":
                self._value(message, spec, colon, depth)
            else:
                self._next()
                while not self._take("]"):
                    spend(1)
                    self._value(message, spec, True, depth)
                    if not self._take(",") and self.token != "]":
                        raise self._error("a list goes on with `,` or ends with `]`")
            if self.token in (",", ";"):
                self._next()

    def _value(self, message: Any, spec: Field | None, colon: bool, depth: int) -> None:
        kind = None if spec is None else spec.kind
        closing = _BRACKETS.get(self.token)
        if closing is not None:
            self._next()
            if isinstance(kind, str) and spec is not None:
                raise self._error(f"{spec.name} is not a message")
            value = self.message(kind, closing, depth + 1)
        elif not colon:
            raise self._error("expected `:` or `{` after the name of a field")
        else:
            value = self._scalar(kind)
        if spec is not None:
            spec.store(message, value)

    def _scalar(self, kind: Any) -> Any:
        token = self.token
        if self.kind == "string":
            parts = []
            while self.kind == "string":
                parts.append(_unquoted(self.token))
                self._next()
            content = b"".join(parts)
            if kind in ("bytes", None):
                return content
            if kind != "text":
                raise self._error(f"a string stands where {_described(kind)} must be")
            try:
                return content.decode("utf-8")
            except UnicodeDecodeError:
                raise self._error("a text is not UTF-8") from None
        if self.kind != "plain":
            raise self._error(f"expected a value, found {ascii(token)[:40] if token else 'the end'}")
        value = _plain(kind, token.replace(" ", ""))
        if value is None:
            raise self._error(f"{ascii(token)[:40]} stands where {_described(kind)} must be")
        self._next()
        return value


def _described(kind: Any) -> str:
    return f"a value of kind {kind}" if isinstance(kind, str) else "a message"


def _plain(kind: Any, token: str) -> Any:
    """A number or word as a value of that kind; None if it is none. Of an unknown field, any will do."""
    if kind is None:
        return token
    try:
        if kind == "bool":
            return {"true": True, "True": True, "t": True, "1": True, "false": False, "False": False, "f": False,
                    "0": False}.get(token)  # fmt: skip
        if kind == "enum":
            return NUMBERS_OF_TYPES[token] if token in NUMBERS_OF_TYPES else _int(token)
        if kind == "int":
            return _int(token)
        if kind in ("float", "double"):
            return float(token.rstrip("fF") if token[-1:] in "fF" and "inf" not in token.lower() else token)
    except (ValueError, OverflowError):
        pass
    return None


def _int(token: str) -> int | None:
    value = int(token, 0) if "x" in token.lower() else int(token)
    return value if -(1 << 63) <= value < 1 << 64 else None


_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def _unquoted(token: str) -> bytes:
    def byte(found: re.Match[bytes]) -> bytes:
        octal, hexadecimal, letter = found.groups()
        if octal is not None:
            return bytes([int(octal, 8) & 255])
        if hexadecimal is not None:
            return bytes([int(hexadecimal, 16)])
        return _LETTERS.get(letter, letter)

    content = token[1:-1].encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(byte, content) if "\\" in token else content
