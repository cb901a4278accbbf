"""Namespaces for programs of other versions, `import penstock.compat.v1 as tf`, and the functions of `tf.compat`."""

from . import v1 as v1
from .text_conversions import (
    as_bytes, as_str, as_str_any, as_text, bytes_or_text_types, complex_types, integral_types, path_to_str,
    real_types,
)

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
