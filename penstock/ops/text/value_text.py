"""Arrays as text, as TensorFlow prints them: for `Print`, `Assert` and `tf.print`.

`first_elements` writes the first elements on one line; `Print` and `Assert` use it:

    [[1 2][3...]...]

`both_ends` writes the elements at both ends of each dimension, a row on a line; `tf.print` and `string_format` use it:

    [[1 2 3]
     [4 5 6]]
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...graph.shapes.dtypes import of_numpy
from ...graph.shapes.literal import Array

_DIGITS = {"float64": (15, 17)}
_DIGITS_OF_OTHERS = (6, 9)
"""Digits of a float: the first number if it is the value again when read, else the second."""


def first_elements(array: Array, limit: int) -> str:
    """The first `limit` elements, all if it is negative, with "..." where elements are left out."""
    flat = array.reshape(-1)
    if limit < 0 or limit > flat.size:
        limit = flat.size
    text = _element_writer(array, quoted=False)
    if array.ndim == 0:
        return text(flat[0]) if limit else "..."
    left = [limit]
    body = _rows(array, iter(flat[:limit].tolist()), left, text, 0)
    if array.dtype.kind == "b" and not limit:
        return body
    return body + ("..." if flat.size > limit else "")


def _rows(array: Array, elements: Any, left: list[int], text: Callable[[Any], str], axis: int) -> str:
    """What is printed of one row of dimension `axis`; `left` holds how many elements are still to be printed."""
    if left[0] <= 0:
        return ""
    size = array.shape[axis]
    if axis == array.ndim - 1:
        count = min(size, left[0])
        left[0] -= count
        row = " ".join(text(next(elements)) for _ in range(count))
        return row + ("..." if count < size and axis else "")
    parts = []
    for _ in range(size):
        if left[0] <= 0:
            break
        parts.append(f"[{_rows(array, elements, left, text, axis + 1)}]")
    return "".join(parts)


def both_ends(array: Array, edge: int) -> str:
    """The first and last `edge` elements of each dimension, all if it is negative."""
    text = _element_writer(array, quoted=True)
    return _with_ends(array, array.size if edge < 0 else edge, text, 0)


def _with_ends(array: Array, edge: int, text: Callable[[Any], str], axis: int) -> str:
    if array.ndim == 0:
        return text(array.item())
    size = len(array)
    left_out = size > 2 * edge
    shown = [*range(edge), *range(size - edge, size)] if left_out else range(size)
    rows = [_with_ends(array[i], edge, text, axis + 1) if array.ndim > 1 else text(_plain(array[i])) for i in shown]
    if left_out:
        rows.insert(edge, "...")
    lines = array.ndim - 1
    return "[" + ("\n" * lines + " " * (axis + 1) if lines else " ").join(rows) + "]"


def _plain(element: Any) -> Any:
    return element.item() if isinstance(element, np.generic) else element


def _element_writer(array: Array, quoted: bool) -> Callable[[Any], str]:
    """The function that writes one element, a Python value."""
    kind = array.dtype.kind
    if kind == "O":
        return _quoted if quoted else escaped
    if kind == "b":
        return lambda value: "1" if value else "0"
    dtype = of_numpy(array.dtype)
    if dtype.is_complex:
        part = _float_writer("float64" if dtype.name == "complex128" else "float32")
        return lambda value: f"({part(value.real)},{part(value.imag)})"
    return _float_writer(dtype.name) if dtype.is_floating else str


def _float_writer(name: str) -> Callable[[Any], str]:
    few, many = _DIGITS.get(name, _DIGITS_OF_OTHERS)
    narrow: Callable[[float], Any] = float if name == "float64" else np.float32

    def write(value: Any) -> str:
        number = float(value)
        if not math.isfinite(number):
            return "nan" if number != number else "inf" if number > 0 else "-inf"
        short = f"{number:.{few}g}"
        return short if narrow(float(short)) == narrow(number) else f"{number:.{many}g}"

    return write


_ESCAPES = {ord(c): e for c, e in {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "'": "\\'", "\\": "\\\\"}.items()}
_ESCAPES |= {code: f"\\{code:03o}" for code in (*range(32), 127) if code not in _ESCAPES}


def escaped(value: bytes) -> str:
    """A string with C's escapes for quotes, backslashes and control characters."""
    return value.decode("utf-8", "backslashreplace").translate(_ESCAPES)


def _quoted(value: bytes) -> str:
    return f'"{escaped(value)}"'
