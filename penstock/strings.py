"""`tf.strings`: the functions of strings under TensorFlow's names of 1.x."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.sparse.table_ops import string_to_hash_bucket_fast as to_hash_bucket_fast
from .ops.text.as_string import as_string
from .ops.text.segment_join import unsorted_segment_join
from .ops.text.string_functions import (
    string_length as length, string_lower as lower, string_strip as strip, string_upper as upper,
)
from .ops.text.string_parts import reduce_join, regex_full_match, regex_replace, substr
from .ops.text.string_split_join import string_join as join
from .ops.text.string_to_number import string_to_number as to_number

__all__ = [
    "as_string", "join", "length", "lower", "reduce_join", "regex_full_match", "regex_replace", "strip", "substr",
    "to_hash_bucket_fast", "to_number", "unsorted_segment_join", "upper",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
