"""`tf.dtypes`: the dtypes, and what changes them."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .graph.shapes.dtypes import (
    DType, as_dtype, bfloat16, bool_ as bool, complex64, complex128, float16, float16 as half, float32, float64 as
    double, float64, int8, int16, int32, int64, string, uint8, uint16, uint32, uint64, variant,
)
from .ops.elementwise.casting import cast
from .ops.elementwise.complex_parts import complex
from .ops.elementwise.conversions import saturate_cast
from .ops.text.as_string import as_string

__all__ = [
    "DType", "as_dtype", "as_string", "bfloat16", "bool", "cast", "complex", "complex128", "complex64", "double",
    "float16", "float32", "float64", "half", "int16", "int32", "int64", "int8", "saturate_cast", "string", "uint16",
    "uint32", "uint64", "uint8", "variant",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
