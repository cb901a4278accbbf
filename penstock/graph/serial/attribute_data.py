"""Attribute values as data.

    null, true, 3, 1.5, "text"       as JSON has them; a list is a tuple
    {"float": "nan"}                 a float that JSON cannot write
    {"bytes": base64}  {"complex": [re, im]}  {"dtype": "int32"}  {"shape": [...]}  {"dim": ...}  {"array": ...}
    {"list": [...]}  {"ellipsis": true}
    {"record": "Span", "fields": {...}}    a frozen dataclass that the table of records (graph.hooks) lists

Reading makes only these, and a record only with fields of the types that its class declares.
"""

from __future__ import annotations

import math
import types
from dataclasses import fields
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from ...errors import GraphFormatError
from ..common.function_attribute import PythonFunction
from ..common.hooks import hooks
from ..shapes.dimension import Dimension, raw
from ..shapes.dtypes import DType
from ..shapes.shape import TensorShape
from .array_data import ArrayReader, ArrayWriter, dtype_called, from_base64, to_base64
from .error_text import short
from .limits import Limits
from .shape_data import SymbolReader, SymbolWriter

_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def write_value(value: Any, symbols: SymbolWriter, arrays: ArrayWriter) -> Any:
    """An attribute's value as data.

    Raises:
        GraphFormatError: the value is of a type that has no written form.
    """
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if kind is bytes:
        return {"bytes": to_base64(value)}
    if kind is complex:
        return {"complex": [write_value(part, symbols, arrays) for part in (value.real, value.imag)]}
    if kind in (tuple, list):
        items = [write_value(item, symbols, arrays) for item in value]
        return items if kind is tuple else {"list": items}
    if isinstance(value, DType):
        return {"dtype": value.name}
    if isinstance(value, TensorShape):
        return {"shape": symbols.shape(value)}
    if isinstance(value, Dimension):
        return {"dim": symbols.dim(raw(value))}
    if isinstance(value, (np.ndarray, np.generic)):
        return {"array": arrays.write(np.asarray(value))}
    if value is ...:
        return {"ellipsis": True}
    record = next((name for name, each in hooks.records.items() if each is kind), None)
    if record is not None:
        members = {f.name: write_value(getattr(value, f.name), symbols, arrays) for f in fields(value)}
        return {"record": record, "fields": members}
    if isinstance(value, PythonFunction):
        raise GraphFormatError(f"the Python function {value!r} has no written form; build the node again after loading")
    raise GraphFormatError(f"a value of type {kind.__name__} has no written form")


OF_A_PLAN = "passes made it for a plan: save the graph that the session runs"
"""What to say of a fused group, which files do not hold."""


class ValueReader:
    """Makes attribute values of data."""

    def __init__(self, symbols: SymbolReader, arrays: ArrayReader, limits: Limits) -> None:
        self._symbols = symbols
        self._arrays = arrays
        self._limits = limits

    def read(self, data: Any, depth: int = 0) -> Any:
        """A value of data.

        Raises:
            GraphFormatError: the data is none of the forms, or nested too deeply.
        """
        if depth > self._limits.depth:
            raise GraphFormatError(f"a value is nested more than {self._limits.depth} deep", code="file/limit")
        if isinstance(data, list):
            return tuple(self.read(item, depth + 1) for item in data)
        if not isinstance(data, dict):
            return data  # null, true, a number, a text: json makes nothing else
        if "record" in data:
            return self._record(data, depth)
        if len(data) != 1:
            raise GraphFormatError(f"a value has the keys {ascii(list(data))[:60]}; one key says its form")
        ((form, content),) = data.items()
        if form == "list" and isinstance(content, list):
            return [self.read(item, depth + 1) for item in content]
        if form == "float" and isinstance(content, str) and content in _SPECIAL:
            return _SPECIAL[content]
        if form == "bytes":
            return from_base64(content)
        if form == "complex" and isinstance(content, list) and len(content) == 2:
            parts = [self.read(part, depth + 1) for part in content]
            if all(type(p) in (int, float) for p in parts):
                return complex(*parts)
        if form == "dtype":
            return dtype_called(content)
        if form == "shape":
            return self._symbols.shape(content)
        if form == "dim":
            return Dimension(self._symbols.dim(content))
        if form == "array":
            return self._arrays.read(content)
        if form == "ellipsis" and content is True:
            return ...
        raise GraphFormatError(
            f"a value has the form {short(form)}, which is unknown or does not hold what it must"
        )

    def _record(self, data: dict[str, Any], depth: int) -> Any:
        name, given = data["record"], data.get("fields")
        kind = hooks.records.get(name) if isinstance(name, str) else None
        if kind is None or not isinstance(given, dict):
            raise GraphFormatError(f"a value is a record {short(name)}, which is unknown")
        hints = get_type_hints(kind)
        if given.keys() != {f.name for f in fields(kind)}:
            raise GraphFormatError(f"a record {name} has the fields {ascii(list(given))[:60]}")
        members = {key: self.read(value, depth + 1) for key, value in given.items()}
        for key, value in members.items():
            if not _fits(value, hints[key]):
                raise GraphFormatError(f"the field {key} of a record {name} is {short(value)}")
        return kind(**members)


def _fits(value: Any, hint: Any) -> bool:
    """Whether `value` is of the annotated type: a union, tuple[X, ...] or a plain class, as in records."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, each) for each in get_args(hint))
    if origin is tuple:
        inner = get_args(hint)[0]
        return type(value) is tuple and all(_fits(item, inner) for item in value)
    return value is None if hint is type(None) else type(value) is hint
