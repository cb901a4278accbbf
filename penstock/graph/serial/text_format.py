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
from .messages import FIELDS, Field
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

_TOKEN = re.compile(
    r"""(?P<space>(?:\s+|\#[^\n]*)+)|(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"""|(?P<number>-?\s*(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?))"""
    r"""|(?P<word>-?[A-Za-z_][A-Za-z0-9_]*)|(?P<mark>[{}<>\[\]:;,])""",
    re.DOTALL,
)
_BRACKETS = {"{": "}", "<": ">"}


def from_text(kind: type, text: str) -> Any:
    """The message of class `kind` that `text` describes.

    Raises:
        GraphFormatError: the text is no such message; the error says which line.
    """
    reader = _Reader(text)
    message = reader.message(kind, "", 0)
    return message


class _Reader:
    """A cursor over the tokens of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._kind = ""
        self._token = ""
        self._begin = 0
        self._next()

    def _next(self) -> None:
        while True:
            self._begin = self._at
            if self._at >= len(self._text):
                self._kind, self._token = "end", ""
                return
            found = _TOKEN.match(self._text, self._at)
            if found is None:
                raise self._error(f"{self._text[self._at]!a} cannot stand here")
            self._at = found.end()
            if found.lastgroup != "space":
                self._kind, self._token = found.lastgroup or "", found[0]
                return

    def _error(self, what: str) -> GraphFormatError:
        line = self._text.count("\n", 0, self._begin) + 1
        return GraphFormatError(f"line {line}: {what}")

    def _take(self, mark: str) -> bool:
        if self._kind == "mark" and self._token == mark:
            self._next()
            return True
        return False

    def message(self, kind: type | None, closing: str, depth: int) -> Any:
        """Fields up to the closing bracket; of an unknown kind, they are only passed over."""
        if depth > _DEEPEST:
            raise self._error(f"messages are nested more than {_DEEPEST} deep")
        message = None if kind is None else kind()
        fields = {} if kind is None else {spec.name: spec for spec in FIELDS[kind]}
        while not (self._take(closing) if closing else self._kind == "end"):
            if self._kind != "word":
                raise self._error(f"expected the name of a field, found {ascii(self._token)[:40] or 'the end'}")
            spec = fields.get(self._token)
            self._next()
            colon = self._take(":")
            self._values(message, spec, colon, depth)
            _ = self._take(",") or self._take(";")
        return message

    def _values(self, message: Any, spec: Field | None, colon: bool, depth: int) -> None:
        if not self._take("["):
            self._put(message, spec, colon, depth)
            return
        while not self._take("]"):
            self._put(message, spec, True, depth)
            if not self._take(",") and not (self._kind == "mark" and self._token == "]"):
                raise self._error("a list goes on with `,` or ends with `]`")

    def _put(self, message: Any, spec: Field | None, colon: bool, depth: int) -> None:
        if self._kind == "mark" and self._token in _BRACKETS:
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
        token, found = self._token, self._kind
        if found == "string":
            parts = []
            while self._kind == "string":
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

    return _ESCAPE.sub(byte, token[1:-1].encode("utf-8", "surrogateescape"))
