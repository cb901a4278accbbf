"""Messages in protobuf's text format, as `str` of a message gives it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from .message_lists import MessageMap

_MARKS: Final = {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", ord('"'): '\\"', ord("'"): "\\'",
                 ord("\\"): "\\\\"}  # fmt: skip


def text_of(message: Any) -> str:
    """The fields of a message, one a line, those of messages inside indented."""
    lines: list[str] = []
    _write(message, "", lines)
    return "".join(f"{line}\n" for line in lines)


def _write(message: Any, indent: str, lines: list[str]) -> None:
    """Messages nest only as deep as their classes do."""
    for field, held in message.ListFields():
        if isinstance(held, MessageMap):
            for name in sorted(held, key=str.encode):
                lines.append(f"{indent}{field.name} {{")
                lines.append(f'{indent}  key: "{escaped(name.encode(), keeps=True)}"')
                _inside("value", held[name], f"{indent}  ", lines)
                lines.append(f"{indent}}}")
        elif isinstance(held, Mapping):
            for name in sorted(held, key=str.encode):
                key, value = escaped(name.encode(), keeps=True), escaped(held[name].encode(), keeps=True)
                lines += (f"{indent}{field.name} {{", f'{indent}  key: "{key}"', f'{indent}  value: "{value}"')
                lines.append(f"{indent}}}")
        elif hasattr(field, "scalar"):
            for each in held if isinstance(held, list) else [held]:
                lines.append(f"{indent}{field.name}: {field.text(each)}")
        elif not isinstance(held, list):
            _inside(field.name, held, indent, lines)
        else:
            for each in held:
                if isinstance(each, (int, float, bytes)):
                    lines.append(f"{indent}{field.name}: {_scalar(each)}")
                else:
                    _inside(field.name, each, indent, lines)


def _inside(name: str, message: Any, indent: str, lines: list[str]) -> None:
    lines.append(f"{indent}{name} {{")
    _write(message, f"{indent}  ", lines)
    lines.append(f"{indent}}}")


def _scalar(value: bytes | float) -> str:
    if isinstance(value, bytes):
        return f'"{escaped(value)}"'
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    short = f"{value:.6g}"
    return short if np.float32(short) == np.float32(value) else f"{value:.9g}"


def escaped(content: bytes, keeps: bool = False) -> str:
    """Bytes as a text between quotes has them; `keeps` leaves characters beyond ASCII as they are."""
    if keeps:
        return "".join(each if ord(each) > 127 else escaped(each.encode()) for each in content.decode())
    return "".join([_MARKS.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in content])
