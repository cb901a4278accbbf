"""`tf.bitwise`: the functions of bits."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.elementwise.logical import bitwise_and, bitwise_or, bitwise_xor, invert
from .ops.elementwise.truncated_division import left_shift, right_shift

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
