"""Which kernels do the ops that move elements find on a GPU? These, by name, through `ops.native.on_device`."""

from __future__ import annotations

from .boxes import concat, multiplex, pad, reverse, reverse_sequence, stack, tile, transpose
from .partition import partition
from .rows import ADDED_AS, add_rows, can_index, put_rows, stitch, take_rows
from .source import contiguous

__all__ = [
    "ADDED_AS", "add_rows", "can_index", "concat", "contiguous", "multiplex", "pad", "partition",
    "put_rows", "reverse", "reverse_sequence", "stack", "stitch", "take_rows", "tile", "transpose",
]  # fmt: skip
