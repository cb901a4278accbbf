"""What ops on strings share: the annotations of their parameters, and arrays of strings made of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import DTypeError
from ...graph.declare.signature import STRING, Attr, Operand, TensorLike
from ...graph.shapes.literal import Array


def as_bytes(value: Any) -> bytes:
    """A Python string as bytes, of a str those of UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return value
    raise DTypeError(f"must be a Python string, not a {type(value).__name__}")


Strings: TypeAlias = Annotated[TensorLike, Operand(None, STRING)]
Text: TypeAlias = Annotated[str | bytes, Attr(as_bytes)]


def array_of(strings: Sequence[bytes], shape: tuple[int, ...]) -> Array:
    """An array of strings."""
    array = np.empty(len(strings), object)
    array[:] = strings
    return array.reshape(shape) if len(shape) != 1 else array  # a view would be copied for the caller
