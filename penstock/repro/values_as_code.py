"""Arrays, shapes and attribute values as Python code, exact in all their bits."""

from __future__ import annotations

import base64
import math
import re
import zlib
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from ..errors import GraphFormatError
from ..graph.common.hooks import hooks
from ..graph.shapes.dimension import Dim, Dimension, Symbol, raw
from ..graph.shapes.dtypes import DType, of_numpy
from ..graph.shapes.literal import Array
from ..graph.shapes.shape import TensorShape

_MOST = 256
"""The most elements of an array that are listed one by one; more are packed into a text."""
_WORD = re.compile(r"[A-Za-z]\w*")
SizeText = Callable[[Symbol], str | None]
_LINE = 100
"""The characters of a packed array in one line."""


def array_text(array: Array) -> str:
    """An array as code; texts become a list of bytes, or an array of objects where it is empty.

    Raises:
        GraphFormatError: it holds what has no written form.
    """
    dtype = of_numpy(array.dtype)
    if dtype.is_variant:
        raise GraphFormatError("a constant that holds no numbers or texts has no form as Python code")
    if dtype.is_string:
        return repr(array.tolist()) if array.size else f"np.empty({array.shape}, object)"
    name = _numpy_name(dtype)
    if not array.size:
        return f"np.zeros({array.shape}, {name})"
    first = array.flat[0]
    if array.size > 4 and (array == first).all() and not (first == 0 and np.signbit(array.real).any()):
        return f"np.full({array.shape}, {_nested(_plain(array.flat[:1], dtype)[0])}, {name})"
    if array.size > _MOST or _has_rare_nan(array):
        return _packed(array, name)
    return f"np.array({_nested(_plain(array, dtype))}, {name})"


def constant_text(array: Array) -> str:
    """An array as the argument of `tf.constant`: Python numbers where they become exactly this array.

    Raises:
        GraphFormatError: it holds what has no written form.
    """
    kind = array.dtype.name
    if kind not in ("float32", "int32", "bool") or not array.size or array.size > _MOST:
        return array_text(array)
    if _has_rare_nan(array):
        return array_text(array)
    listed = array.tolist() if kind != "float32" else _shortest(array)
    if kind == "float32" and np.asarray(listed, np.float32).tobytes() != array.tobytes():
        return array_text(array)
    return _nested(listed)


def _shortest(array: Array) -> Any:
    """The floats with the fewest digits that become these numbers."""
    if array.ndim == 0:
        return float(str(array[()])) if np.isfinite(array) else float(array)
    return [_shortest(each) for each in array]


def _numpy_name(dtype: DType) -> str:
    if dtype.name == "bool":
        return "np.bool_"
    return f"np.{dtype.name}" if hasattr(np, dtype.name) else f"tf.{dtype.name}.as_numpy_dtype"


def _plain(array: Array, dtype: DType) -> list[Any]:
    """Nested lists of numbers of Python that become the array again."""
    known = array if hasattr(np, dtype.name) or dtype.name == "bool" else array.astype(np.float64)
    listed: list[Any] = known.tolist()
    return listed


def _has_rare_nan(array: Array) -> bool:
    """Whether a NaN has other bits than the usual one."""
    if array.dtype.kind not in "fc":
        return False
    parts = [array.real, array.imag] if array.dtype.kind == "c" else [array]
    return any(part[np.isnan(part)].tobytes() != np.full(int(np.isnan(part).sum()), np.nan, part.dtype).tobytes()
               for part in parts)  # fmt: skip


def _packed(array: Array, name: str) -> str:
    content = base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes())).decode()
    lines = [content[i : i + _LINE] for i in range(0, len(content), _LINE)]
    text = "\n        ".join(repr(line) for line in lines)
    return f"np.frombuffer(zlib.decompress(base64.b64decode(\n        {text})), {name}).reshape({array.shape})"


def _nested(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_nested, value))}]"
    return value_text(value)


def value_text(value: Any, size: SizeText = lambda symbol: None) -> str:
    """The value of an attribute as code.

    Args:
        value: the value.
        size: what an unknown size is called, None where it has no name.

    Raises:
        GraphFormatError: it has no such form.
    """
    if value is ...:
        return "..."
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, (bool, int, bytes)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
    if isinstance(value, complex):
        return f"complex({value_text(value.real)}, {value_text(value.imag)})"
    if isinstance(value, DType):
        return f"tf.{value.name}"
    if isinstance(value, TensorShape):
        return f"tf.TensorShape({shape_text(value, size)})"
    if isinstance(value, Dimension):
        return f"tf.Dimension({_size_text(raw(value), size)})"
    if isinstance(value, (np.ndarray, np.generic)):
        found = array_text(np.asarray(value))
        return f"np.array({found}, object)" if found.startswith(("[", "b'", 'b"')) else found
    if isinstance(value, (tuple, list)):
        inside = ", ".join([value_text(each, size) for each in value])
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    record = next((name for name, kind in hooks.records.items() if kind is type(value)), None)
    if record is None:
        raise GraphFormatError(f"a value of type {type(value).__name__} has no form as Python code")
    members = [f"{each.name}={value_text(getattr(value, each.name), size)}" for each in fields(value)]
    return f"record({', '.join([quoted(record), *members])})"


def quoted(text: str) -> str:
    """A text as code, in double quotes where that needs no escapes."""
    found = repr(text)
    return f'"{found[1:-1]}"' if found[0] == "'" and '"' not in found else found


def shape_text(shape: TensorShape, size: SizeText = lambda symbol: None) -> str:
    """A static shape as code; `size` as of `value_text`."""
    return "None" if shape.raw is None else f"[{', '.join([_size_text(each, size) for each in shape.raw])}]"


def _size_text(dim: Dim, size: SizeText) -> str:
    if isinstance(dim, int):
        return str(dim)
    terms = []
    for symbol, count in dim.terms:
        is_word = symbol.name is not None and _WORD.fullmatch(symbol.name)
        if is_word and len(dim.terms) == 1 and count == 1 and not dim.const:
            return quoted(str(symbol.name))
        called = f"tf.Dimension({quoted(str(symbol.name))})" if is_word else size(symbol)
        if called is None:
            return "None"
        terms.append(called if count == 1 else f"{called} * {count}")
    return " + ".join([*terms, *([str(dim.const)] if dim.const else [])])
