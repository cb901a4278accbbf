"""Arrays of narrow types as NumPy has them, by ml_dtypes."""

from __future__ import annotations

from typing import Any

from ...graph.shapes.dtypes import narrow_numpy_dtype
from ...graph.shapes.literal import Array
from .wire.onnx_types import NarrowType


def narrow_array(codes: Array, type: NarrowType) -> Array:
    """Codes as an array of the ml_dtypes type; 4-bit and 2-bit ints have their sign in the upper bits of their byte."""
    found: Any = codes
    if type.is_int and type.signed:
        half = 1 << type.bits - 1
        found = ((codes.astype("int16") ^ half) - half).astype("int8").view("uint8")
    made: Array = found.view(narrow_numpy_dtype(type.name))
    return made
