"""How is a view made a row-major array of its own?

What a caller fetches is row-major. A transposed view is not, and copying it in its result's order jumps through the
source: a line of the cache is fetched for each element, and where the strides are powers of two the lines even push
each other out. So it is copied in blocks that are as long as a page walk allows along the one side, and short enough
along the other for the lines to be still there when their next element is asked for. Where there is a compiled loop for
the view, that does it better: see `exchange`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ..kernels.raw_rows import copy_into
from ..kernels.transposed_copies import copied_by_loop, cut_by_loop
from ..memory.buffer_pool import POOL, SMALL, Array

# (4000, 2500) from its transpose, 1e7 float32: 10.8 ms against 11.7 whole; 32 images 64x64 of 64 channels, channels
# first: 8.1 against 10.4. Blocks of 16 or 32 rows are slower than the whole (12-25 ms).
_ROWS: Final = 64
_BLOCK: Final = 1 << 15  # elements
_COLUMN: Final = 1 << 13  # rows
_SINGLE: Final = 8  # single columns from which blocks pay: (1e6, 4) float32 takes 1.0 ms whole, 1.5 in blocks
_SHORT: Final = 128  # bytes; longer ones NumPy copies well


def row_major_copy(array: Array) -> Array:
    """A row-major, writable copy of `array` that shares memory with nothing; large ones come from the pool.

    >>> import numpy as np
    >>> x = np.arange(6).reshape(2, 3).T
    >>> y = row_major_copy(x)
    >>> y.flags.c_contiguous, y.flags.writeable, np.shares_memory(x, y), y.tolist() == x.tolist()
    (True, True, False, True)
    """
    if array.nbytes < SMALL or array.dtype.kind == "O":
        return np.array(array, order="C", copy=True, subok=False)
    result = POOL.empty(array.shape, array.dtype)
    source, target = _merged(array, result)
    if copied_by_loop(target, source):
        return result
    nearest = min(range(source.ndim), key=lambda d: abs(source.strides[d]), default=0)
    if nearest < source.ndim - 1:
        _blocked(np.moveaxis(target, nearest, -2), np.moveaxis(source, nearest, -2))
    else:
        copy_into(target, source)
    return result


def row_major_copies(arrays: Sequence[Array]) -> list[Array]:
    """`row_major_copy` of each; columns of one table are copied together, block by block.

    They share lines of the cache: (1e6, 16) float32 split into 4 takes 16 ms so, 25 one after the other as raw bytes,
    45 as they are; 12 by a compiled loop. (1e6, 2) into single columns: 0.16 ms by the loop, 0.53 each for itself.
    """
    if len(arrays) > 1 and all(_are_columns(arrays[0], array) for array in arrays):
        results = [POOL.empty(array.shape, array.dtype) for array in arrays]
        if cut_by_loop(results, arrays):
            return results
        width = arrays[0].shape[1]
        opaque = arrays[0].dtype if width == 1 else f"V{width * arrays[0].itemsize}"
        pairs = [(result.view(opaque), array.view(opaque)) for result, array in zip(results, arrays, strict=True)]
        rows = _COLUMN if width > 1 or len(arrays) >= _SINGLE else len(arrays[0])
        for start in range(0, len(arrays[0]), rows):
            for target, source in pairs:
                np.copyto(target[start : start + rows], source[start : start + rows])
        return results
    return [row_major_copy(array) for array in arrays]


def _are_columns(first: Array, other: Array) -> bool:
    """Whether both are short, contiguous pieces of all rows of one table."""
    return (
        first.ndim == 2
        and first.dtype.kind != "O"
        and first.nbytes >= SMALL
        and first.base is not None
        and first.strides[1] == first.itemsize
        and 0 < first.shape[1] <= first.strides[0] // first.itemsize
        and first.shape[1] * first.itemsize <= _SHORT
        and other.base is first.base
        and (other.shape, other.strides, other.dtype) == (first.shape, first.strides, first.dtype)
    )


def _merged(source: Array, target: Array) -> tuple[Array, Array]:
    """The same two with dimensions made one that lie one behind the other in the source, as they do in the target."""
    dims: list[int] = []
    strides: list[int] = []
    for size, stride in zip(source.shape, source.strides, strict=True):
        if size == 1:
            continue
        if dims and strides[-1] == size * stride:
            dims[-1], strides[-1] = dims[-1] * size, stride
        else:
            dims.append(size)
            strides.append(stride)
    merged = np.lib.stride_tricks.as_strided(source, dims, strides, writeable=False)
    return merged, target.reshape(dims)


def _blocked(target: Array, source: Array) -> None:
    """Copy the last two dimensions block by block, the ones before one after the other.

    The source's nearest elements are neighbours along the last dimension but one, the target's along the last.
    """
    rows, columns = source.shape[-2:]
    if rows * columns < _BLOCK // 8 or columns < _ROWS:
        np.copyto(target, source)
        return
    if source.ndim > 2:
        for part, values in zip(target, source, strict=True):
            _blocked(part, values)
        return
    height = min(rows, max(_ROWS, _BLOCK // columns))
    width = _BLOCK // height
    for i in range(0, rows, height):
        for j in range(0, columns, width):
            np.copyto(target[i : i + height, j : j + width], source[i : i + height, j : j + width])
