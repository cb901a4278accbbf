"""Values as text: a line with type and range, then the elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.shapes.dtypes import of_numpy
from ...runtime.observe.value_summary import summary_of

_MOST_ELEMENTS = 400


def type_of(value: Any) -> str:
    """The dtype and the shape of a value: `float32 (2, 3)`."""
    dtype = getattr(value, "dtype", None)
    return f"{'string' if dtype is None else of_numpy(dtype).name} {getattr(value, 'shape', ())}"


def value_lines(name: str, value: Any, width: int) -> str:
    """A value with its name, as text: one line if that is enough.

    >>> print(value_lines("h:0", np.array([1.0, float("nan")]), 80))
    h:0  float64 (2,)  1 NaN
    [ 1. nan]
    >>> print(value_lines("n:0", np.int32(3), 80))
    n:0  int32 ()  3
    """
    array = np.asarray(value)
    head = f"{name}  {type_of(value)}"
    if not array.ndim:
        return f"{head}  {_scalar(value)}"
    found = summary_of(array)
    told = found.bad if found.brief else str(found) if array.dtype.kind in "biufcV" else ""
    elements = np.array2string(array, threshold=_MOST_ELEMENTS, max_line_width=width)
    return f"{head}  {told}\n{elements}" if told else f"{head}\n{elements}"


def value_in_a_line(value: Any, width: int) -> str:
    """A value in one line: its elements if they are few, else their range."""
    array = np.asarray(value)
    found = summary_of(array)
    text = _scalar(value) if not array.ndim else found.brief or str(found)
    return text if len(text) <= width else text[: max(width - 3, 0)] + "..."


def _scalar(value: Any) -> str:
    return repr(value) if isinstance(value, bytes) else str(value)
