"""Arrays and attributes as data for the play page.

A tensor is `{"dtype": "float32", "shape": [2, 3], "data": [...]}` with its elements row by row. What JSON cannot write
is text: "NaN", "Infinity", "-Infinity", "-0", and ints of 64 bits as decimal numbers. A complex number is `[re, im]`, a
string is text if it is plain, else `{"base64": ...}`.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ...graph.shapes.dimension import Dimension
from ...graph.shapes.dtypes import DType, bfloat16, float16, of_numpy
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape

_PLAIN = frozenset(range(0x20, 0x7F)) | {0x09, 0x0A}
_EXACT = 1 << 53


class NoPageFormError(TypeError):
    """A value that the page cannot hold, such as a Python function."""


def tensor_data(value: Any) -> dict[str, Any]:
    """An array as data.

    Raises:
        NoPageFormError: it holds Python objects.

    >>> tensor_data(np.array([1.5, -0.0, np.inf], np.float32))
    {'dtype': 'float32', 'shape': [3], 'data': [1.5, '-0', 'Infinity']}
    """
    array = np.asarray(value)
    dtype = of_numpy(array.dtype)
    if dtype.is_variant:
        raise NoPageFormError("its elements are objects of a run")
    return {"dtype": dtype.name, "shape": list(array.shape), "data": _elements(array.reshape(-1), dtype)}


def _elements(flat: Array, dtype: DType) -> list[Any]:
    if dtype.is_string:
        return [_text(each) for each in flat.tolist()]
    if dtype.is_complex:
        parts = flat.view(dtype.real_dtype.np).reshape(-1, 2) if flat.flags.c_contiguous else None
        pairs = np.stack([flat.real, flat.imag], 1) if parts is None else parts
        return [[_float(a), _float(b)] for a, b in _shortest(pairs)]
    if dtype.is_floating:
        return [_float(each) for each in _shortest(flat.astype(np.float32) if dtype in (float16, bfloat16) else flat)]
    if dtype.is_integer and dtype.size == 8:
        return [str(each) for each in flat.tolist()]
    return [int(each) for each in flat.tolist()]


def _shortest(floats: Array) -> Any:
    """Floats as Python's, with the fewest digits that say the same float32."""
    return floats.astype(np.str_).astype(np.float64).tolist() if floats.dtype == np.float32 else floats.tolist()


def _float(number: float) -> float | int | str:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "-0" if math.copysign(1.0, number) < 0 else 0
    return int(number) if number == int(number) and abs(number) < 1e15 else number


def _text(value: bytes | str) -> str | dict[str, str]:
    content = value if isinstance(value, bytes) else value.encode()
    if _PLAIN.issuperset(content):
        return content.decode("ascii")
    return {"base64": base64.b64encode(content).decode("ascii")}


def attribute_data(value: Any) -> Any:
    """The value of an attribute as data; a dtype and an array are objects of their own.

    Raises:
        NoPageFormError: the page has no form for it.

    >>> attribute_data((1, None, float("nan"), TensorShape([2, None])))
    [1, None, 'NaN', [2, None]]
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value) if abs(int(value)) < _EXACT else str(value)
    if isinstance(value, (float, np.floating)):
        return _float(float(value))
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, DType):
        return {"dtype": value.name}
    if isinstance(value, TensorShape):
        return None if value.raw is None else [attribute_data(size) for size in value.raw]
    if isinstance(value, Dimension):
        return None
    if isinstance(value, (np.ndarray, np.generic)):
        return {"tensor": tensor_data(value)}
    if value is ...:
        return "..."
    if isinstance(value, (tuple, list)):
        return [attribute_data(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): attribute_data(each) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        members = {each.name: attribute_data(getattr(value, each.name)) for each in fields(value)}
        return {"record": type(value).__name__, **members}
    raise NoPageFormError(f"a {type(value).__name__} has no form on a page")
