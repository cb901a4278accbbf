"""How does a message become protobuf text (.pbtxt), and back?

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
from collections.abc import Iterator
from typing import Any

from ...errors import GraphFormatError
from ...graph.serial.limits import DEFAULT_LIMITS, Budget, Limits
from .messages import FIELDS, Field, NodeProto
from .tensor_proto import DATA_TYPES, NUMBERS_OF_TYPES

_DEEPEST = 32


# ---- writing ------------------------------------------------------------------------------------


def to_text(message: Any) -> str:
    """A message as text, one field a line."""
    return "".join(_lines(message, ""))


def _lines(message: Any, indent: str) -> Iterator[str]:
    for spec in FIELDS[type(message)]:
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

_SPACE = r"(?:\s|\#[^\n]*+)*+"
_TOKEN = re.compile(
    _SPACE + r"""(?:(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"""|(?P<number>-?\s*(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?))"""
    r"""|(?P<word>-?[A-Za-z_][A-Za-z0-9_]*)|(?P<mark>[{}<>\[\]:;,])|(?P<end>\Z)|(?P<other>.))""",
    re.DOTALL,
)
# What a printer writes on a line, in one step instead of three: `name: "value"`, `name: value`, `name {`, `}`. Anything
# else (escapes, strings in two parts, lists, separators) is read token by token: 19 s for 100,000 nodes, not 5.
_LINE = re.compile(
    _SPACE + r"""(?:([A-Za-z_][A-Za-z0-9_]*)(?::[ ]?(?:"([^"\\\n]*+)"|([-+.A-Za-z0-9_]++))(?=\n\s*+[A-Za-z}])"""
    r"""|:?[ ]?([{<]))|([}>]))"""
)
_STRING, _PLAIN, _OPEN, _CLOSE = 2, 3, 4, 5
_BRACKETS = {"{": "}", "<": ">"}
_BY_NAME = {kind: {spec.name: spec for spec in fields} for kind, fields in FIELDS.items()}


def from_text(kind: type, text: str, limits: Limits = DEFAULT_LIMITS) -> Any:
    """The message of class `kind` that `text` describes.

    Raises:
        GraphFormatError: the text is no such message; the error says which line. Or more values than the limits allow.
    """
    reader = _Reader(text, Budget(limits))
    message = reader.message(kind, "", 0)
    return message


class _Reader:
    """A cursor over a text; the token behind it is looked at when somebody asks."""

    def __init__(self, text: str, budget: Budget) -> None:
        self._text = text
        self._budget = budget
        self._at = 0
        self._looked = -1
        self._after = self._begin = 0
        self._kind = self._token = ""

    def _look(self) -> str:
        """The kind of the next token."""
        if self._looked != self._at:
            self._looked = self._at
            found = _TOKEN.match(self._text, self._at)
            assert found is not None and found.lastgroup is not None  # whatever stands there, one group takes it
            self._kind, self._token = found.lastgroup, found[found.lastgroup]
            self._begin, self._after = found.start(found.lastgroup), found.end()
            if self._kind == "other":
                raise self._error(f"{self._token!a} cannot stand here")
        return self._kind

    def _error(self, what: str) -> GraphFormatError:
        line = self._text.count("\n", 0, self._begin) + 1
        return GraphFormatError(f"line {line}: {what}")

    def _next(self) -> None:
        self._at = self._after

    def _take(self, mark: str) -> bool:
        if self._look() == "mark" and self._token == mark:
            self._next()
            return True
        return False

    def message(self, kind: type | None, closing: str, depth: int) -> Any:
        """Fields up to the closing bracket; of an unknown kind, they are only passed over."""
        if depth > _DEEPEST:
            self._look()
            raise self._error(f"messages are nested more than {_DEEPEST} deep")
        if kind is NodeProto:
            self._budget.node()
        message = None if kind is None else kind()
        fields = {} if kind is None else _BY_NAME[kind]
        match, text = _LINE.match, self._text
        spend = self._budget.spend
        while True:
            spend(1)
            found = match(text, self._at)
            if found is not None:
                if found[_CLOSE] and found[_CLOSE] == closing:
                    self._at = found.end()
                    return message
                if self._read_line(found, message, fields, depth):
                    continue
            if self._take(closing) if closing else self._look() == "end":
                return message
            if self._kind != "word":
                raise self._error(f"expected the name of a field, found {ascii(self._token)[:40] or 'the end'}")
            spec = fields.get(self._token)
            self._next()
            colon = self._take(":")
            self._values(message, spec, colon, depth)
            _ = self._take(",") or self._take(";")

    def _read_line(self, found: re.Match[str], message: Any, fields: dict[str, Field], depth: int) -> bool:
        """Read a field that stands on a line of its own; False if it has to be read token by token."""
        way = found.lastindex
        spec = fields.get(found[1]) if found[1] else None
        if spec is None:
            return False
        if way == _OPEN:
            if isinstance(spec.kind, str):
                return False
            self._at = found.end()
            value = self.message(spec.kind, _BRACKETS[found[_OPEN]], depth + 1)
            if self._text[self._at : self._at + 1] in (",", ";"):
                self._at += 1
        elif way == _STRING and spec.kind == "text" and found[_STRING].isascii():
            value = found[_STRING]
        elif way == _STRING and spec.kind == "bytes":
            value = found[_STRING].encode("utf-8", "surrogateescape")
        elif way == _PLAIN and isinstance(spec.kind, str):
            value = _plain(spec.kind, found[_PLAIN])
        else:
            return False
        if value is None:
            return False
        self._at = found.end() if way != _OPEN else self._at
        if spec.repeated:
            getattr(message, spec.attribute).append(value)
        else:
            setattr(message, spec.attribute, value)
        return True

    def _values(self, message: Any, spec: Field | None, colon: bool, depth: int) -> None:
        if not self._take("["):
            self._put(message, spec, colon, depth)
            return
        while not self._take("]"):
            self._budget.spend(1)
            self._put(message, spec, True, depth)
            if not self._take(",") and not (self._look() == "mark" and self._token == "]"):
                raise self._error("a list goes on with `,` or ends with `]`")

    def _put(self, message: Any, spec: Field | None, colon: bool, depth: int) -> None:
        if self._look() == "mark" and self._token in _BRACKETS:
            closing = _BRACKETS[self._token]
            self._next()
            if spec is not None and isinstance(spec.kind, str):
                raise self._error(f"{spec.name} is no message")
            value = self.message(spec.kind if spec is not None else None, closing, depth + 1)
        elif not colon:
            raise self._error("expected `:` or `{` after the name of a field")
        else:
            value = self._read_scalar(spec.kind if spec is not None else None)
        if spec is None:
            return
        if spec.repeated:
            getattr(message, spec.attribute).append(value)
        else:
            setattr(message, spec.attribute, value)

    def _read_scalar(self, kind: Any) -> Any:
        found, token = self._look(), self._token
        if found == "string":
            parts = []
            while self._look() == "string":
                parts.append(_unquoted(self._token))
                self._next()
            content = b"".join(parts)
            if kind in ("bytes", None):
                return content
            if kind == "text":
                try:
                    return content.decode("utf-8")
                except UnicodeDecodeError:
                    raise self._error("a text is not UTF-8") from None
            raise self._error(f"a string stands where {_described(kind)} must be")
        if found not in ("number", "word"):
            raise self._error(f"expected a value, found {ascii(token)[:40] or 'the end'}")
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
