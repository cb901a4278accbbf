"""Namespaces for programs of other versions, `import penstock.compat.v1 as tf`, and the functions of `tf.compat`."""

from . import v1 as v1
from .text_conversions import as_bytes as as_bytes
from .text_conversions import as_str as as_str
from .text_conversions import as_str_any as as_str_any
from .text_conversions import as_text as as_text
from .text_conversions import bytes_or_text_types as bytes_or_text_types
from .text_conversions import complex_types as complex_types
from .text_conversions import integral_types as integral_types
from .text_conversions import path_to_str as path_to_str
from .text_conversions import real_types as real_types

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "bytes_or_text_types",
    "complex_types",
    "integral_types",
    "path_to_str",
    "real_types",
    "v1",
]
