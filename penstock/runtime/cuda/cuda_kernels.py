"""The GPU kernels that ops call by name (`ops.native.on_device`)."""

from __future__ import annotations

from .cuda_source import contiguous
from .join_kernels import concat, multiplex, stack
from .partition_kernel import partition
from .row_kernels import ADDED_AS, add_rows, can_index, put_rows, stitch, take_rows
from .strided_moves import pad, reverse, reverse_sequence, tile
from .transpose_kernel import transpose

__all__ = [
    "ADDED_AS", "add_rows", "can_index", "concat", "contiguous", "multiplex", "pad", "partition",
    "put_rows", "reverse", "reverse_sequence", "stack", "stitch", "take_rows", "tile", "transpose",
]  # fmt: skip
