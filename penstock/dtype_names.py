"""`tf.dtypes`: the dtypes, and what changes them."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .graph.shapes.dtypes import DType as DType
from .graph.shapes.dtypes import as_dtype as as_dtype
from .graph.shapes.dtypes import bfloat16 as bfloat16
from .graph.shapes.dtypes import bool_ as bool
from .graph.shapes.dtypes import complex64 as complex64
from .graph.shapes.dtypes import complex128 as complex128
from .graph.shapes.dtypes import float16 as float16
from .graph.shapes.dtypes import float16 as half
from .graph.shapes.dtypes import float32 as float32
from .graph.shapes.dtypes import float64 as double
from .graph.shapes.dtypes import float64 as float64
from .graph.shapes.dtypes import int8 as int8
from .graph.shapes.dtypes import int16 as int16
from .graph.shapes.dtypes import int32 as int32
from .graph.shapes.dtypes import int64 as int64
from .graph.shapes.dtypes import string as string
from .graph.shapes.dtypes import uint8 as uint8
from .graph.shapes.dtypes import uint16 as uint16
from .graph.shapes.dtypes import uint32 as uint32
from .graph.shapes.dtypes import uint64 as uint64
from .graph.shapes.dtypes import variant as variant
from .ops.elementwise.casting import cast as cast
from .ops.elementwise.complex_parts import complex as complex
from .ops.elementwise.conversions import saturate_cast as saturate_cast
from .ops.text.as_string import as_string as as_string

__all__ = [
    "DType", "as_dtype", "as_string", "bfloat16", "bool", "cast", "complex", "complex128", "complex64", "double",
    "float16", "float32", "float64", "half", "int16", "int32", "int64", "int8", "saturate_cast", "string", "uint16",
    "uint32", "uint64", "uint8", "variant",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
