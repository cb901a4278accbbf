"""Fast kernel of range: computed block by block, so that intermediate values stay in the cache.

1e7 float32 take 6 ms instead of 26, int32 by a step of 3 4 instead of 16.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...graph.shapes.dtypes import DType
from ...ops.create.range_linspace import counted
from .loops.native_loops import is_large

_BLOCK: Final = 1 << 15


def range(xp: Any, start: Any, limit: Any, delta: Any, dtype: DType) -> Any:
    """start, start + delta, start + 2 * delta ..."""
    first, step, length = counted(start, limit, delta, dtype)
    if not is_large(length):
        return None
    out = xp.empty(length, dtype.np)
    wide = np.dtype(dtype.np if dtype.is_integer else np.float64)
    numbers, block = np.arange(_BLOCK, dtype=wide), np.empty(_BLOCK, wide)
    at = 0
    while at < length:
        part = block[: length - at]
        np.add(numbers[: len(part)], wide.type(at), out=part)  # exact: whole numbers below 2**53
        if step != 1:
            np.multiply(part, step, out=part)
        if first != 0 or not dtype.is_integer:
            np.add(part, first, out=part)
        np.copyto(out[at : at + len(part)], part, casting="unsafe")
        at += _BLOCK
    return out
