"""Keys of loops, and checks of arrays before a loop gets their addresses."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from ....graph.shapes.dtypes import bfloat16

LONGEST_ROW: Final = 256
"""Bytes of a row that moves through registers; a loop for longer rows is told their size."""
BLOCK: Final = 1 << 13
"""Bytes of a stitched result that are filled at a time, at least: with what is read they stay in the first cache."""
LARGE_BLOCK: Final = 1 << 18
"""And at most: they stay in a second cache of 1 MiB."""
ROWS_OF_LIST: Final = 64
"""Rows of a block from each list, in between."""
MANY_LISTS: Final = 200
"""Lists from which less is fetched ahead in each of them."""
MOST_DEEP: Final = 4
"""Entries of an index vector for which there are loops."""
IN_REGISTER: Final = (1, 2, 4, 8, 16)
"""Bytes of what moves as one element."""
IN_WINDOWS: Final = (2, 4, 8)
"""Bytes of an element of which 32, a window that two lists are merged by, are whole lines of the cache."""

_INDEX_KINDS: Final = ("i2", "u2", "i4", "i8")


def is_plain(array: Any) -> bool:
    """True if the array is row-major and holds no Python objects, so that its bytes can be moved."""
    return bool(array.flags.c_contiguous) and array.dtype.kind != "O"


def row_key(row_bytes: int) -> int:
    """The row size in the key of a loop: a number of bytes, or 0 for any number."""
    return row_bytes if row_bytes <= LONGEST_ROW else 0


@lru_cache(256)
def index_kind(dtype: Any) -> str | None:
    """The name of an index dtype in loop keys; None for a dtype that loops do not read."""
    name = f"{dtype.kind}{dtype.itemsize}"
    return name if name in _INDEX_KINDS and dtype.isnative else None


@lru_cache(256)
def number_kind(dtype: Any) -> str | None:
    """The name of a dtype in loop keys; None for strings and foreign byte order."""
    if dtype == bfloat16.np:
        return "bf"
    return str(dtype.str[1:]) if dtype.kind in "biufc" and dtype.isnative else None


@lru_cache(1024)
def sizes_of(*sizes: int) -> Any:
    """The sizes as an array that a loop reads; nothing writes into it."""
    return np.array(sizes, np.int64)
