"""Copies of views into row-major memory by compiled loops.

The method depends on which dimension of the view is contiguous, and whether it is the last one of the result:

    the same one       short rows that lie apart: the part of a split, a slice of columns      copy_rows
    it, in many parts  all parts of a split together                                       cut, unzip
    another one        two dimensions are exchanged: the view's nearest, and the result's      transpose
                       one of the two has a few elements: NHWC and NCHW                        zip, unzip

All other dimensions only say where the next such image begins. Threads divide the copy along one of them, or along
one of the two. Views without neighbours (every second column, or
backwards) are left to NumPy, and so are long rows.

The smallest copies that come here (32,768 float32) take 27 us when transposed and 43 with NumPy, short rows 25 and 49.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any, Final

import numpy as np

from ..memory.buffer_pool import POOL, Array
from .loops.native_loops import Loop, find, in_shares, shares
from .shared_copies import LINE, PER_BYTE, copy_in_shares

_IN_REGISTERS: Final = 256  # bytes of a row
_LONGEST_ROW: Final = 1 << 10  # bytes; longer ones NumPy copies as fast
_MOST_CUT: Final = 16  # parts: each has a pointer in a register
_MOST_WOVEN: Final = 7  # with 8 rows there is a block to transpose
_MOST_UNWOVEN: Final = 6  # seven columns take 0.7 to 0.9 times as long in blocks
_STRIP: Final = 512  # rows of the view: 3125x3200 float32 5.6 ms, 9.5 without strips; 4096x2048 5.7, 9.2
_BLOCK: Final = 16  # rows and columns of the largest block that is exchanged in registers
_FEWEST: Final = 1 << 12  # elements that one call of a loop must move: it costs 2 us


def copied_by_loop(target: Array, source: Array) -> bool:
    """np.copyto(target, source), if there is a loop for it; `target` is row-major, neither holds Python objects.

    No dimension has one element.
    """
    size = source.itemsize
    if source.ndim < 2 or size not in (1, 2, 4, 8, 16):
        return False
    if source.strides[-1] == size:
        return _copy_rows(target, source)
    nearest = [d for d, stride in enumerate(source.strides) if stride == size]
    return len(nearest) == 1 and _exchange(target, source, nearest[0])


def cut_by_loop(sources: Sequence[Array]) -> list[Array] | None:
    """Row-major copies of the parts of a split; None if they are no such parts or there is no loop for them.

    Copied one after the other, every part would read all lines of the whole.
    """
    first = sources[0]
    if first.ndim == 1:
        row_bytes, stride = first.itemsize, first.strides[0]
    elif first.ndim == 2 and first.strides[1] == first.itemsize:
        row_bytes, stride = first.shape[1] * first.itemsize, first.strides[0]
    else:
        return None
    begin = first.ctypes.data
    if not 2 <= len(sources) <= _MOST_CUT or row_bytes > _IN_REGISTERS or stride < len(sources) * row_bytes:
        return None
    for p, source in enumerate(sources):
        if (source.shape, source.dtype, source.strides) != (first.shape, first.dtype, first.strides):
            return None
        if source.ctypes.data != begin + p * row_bytes:
            return None
    work, parts = first.size * len(sources), len(sources)
    is_woven = row_bytes in (1, 2, 4, 8) and parts <= 8 and stride == parts * row_bytes
    loop = find("unzip", row_bytes, parts, work=work) if is_woven else find("cut", row_bytes, parts, work=work)
    if loop is None:
        return None
    targets = [POOL.empty(source.shape, source.dtype) for source in sources]
    addresses = np.array([target.ctypes.data for target in targets], np.int64)

    def cut(_: int, start: int, stop: int) -> int:
        places = addresses + start * row_bytes
        if is_woven:
            return loop(first[start:stop], places, _addresses(row_bytes, 0, parts), stop - start, 1, 0, 0)
        return loop(first[start:stop], places, stop - start, stride)

    in_shares(shares(len(first), sum([_seconds(target) for target in targets]), LINE), cut)
    return targets


def _copy_rows(target: Array, source: Array) -> bool:
    row_bytes = source.shape[-1] * source.itemsize
    if row_bytes > _LONGEST_ROW or not _worth(source.shape[:-3], source.size):
        return False
    loop = find("copy_rows", row_bytes if row_bytes <= _IN_REGISTERS else 0, work=source.size)
    if loop is None:
        return False

    def copy(target: Array, source: Array) -> None:
        count, stride = source.shape[-2], source.strides[-2]
        is_one = source.ndim > 2 and target.flags.c_contiguous  # else there are gaps between the images of the target
        images, x_image = (source.shape[-3], source.strides[-3]) if is_one else (1, 0)
        for at in np.ndindex(source.shape[: -3 if is_one else -2]):
            loop(target[at], source[at], count, stride, images, x_image, row_bytes)

    copy_in_shares(target, source, copy, _seconds(target), (*[1] * (target.ndim - 1), target.shape[-1]))
    return True


def _exchange(target: Array, source: Array, nearest: int) -> bool:
    """`nearest`: the dimension with neighbours in the source; the last one has them in the target."""
    size, last = source.itemsize, source.ndim - 1
    rows, columns = source.shape[last], source.shape[nearest]
    others = [d for d in range(last) if d != nearest]
    image = max(others, key=lambda d: source.shape[d], default=None)
    side = _side(size, min(rows, columns))
    grains = [1] * source.ndim
    kind, loop = "", None
    if not _worth(tuple([source.shape[d] for d in others if d != image]), source.size):
        return False
    if columns <= _MOST_UNWOVEN and source.strides[last] == columns * size and size < 16:
        kind, loop = "unzip", find("unzip", size, columns, work=source.size)
        grains[last], grains[nearest] = LINE, columns
    elif rows <= _MOST_WOVEN and target.strides[nearest] == rows * size and size < 16:
        kind, loop = "zip", find("zip", size, rows, work=source.size)
        grains[last], grains[nearest] = rows, LINE
    elif side:
        kind, loop = "transpose", find("transpose", size, side, work=source.size)
        grains[last] = grains[nearest] = _BLOCK
    if loop is None:
        return False
    copy_in_shares(target, source, partial(_exchanged, loop, kind, nearest, image), _seconds(target), grains)
    return True


def _exchanged(loop: Loop, kind: str, nearest: int, image: int | None, target: Array, source: Array) -> None:
    """Copy by a loop for one image: the dimensions `nearest`, `image` and the last one; the others are gone through."""
    size, last = source.itemsize, source.ndim - 1
    rows, columns = source.shape[last], source.shape[nearest]
    x_row, out_row = source.strides[last], target.strides[nearest]
    images, x_image, out_image = (1, 0, 0) if image is None else \
        (source.shape[image], source.strides[image], target.strides[image])  # fmt: skip
    for at in np.ndindex(tuple([1 if d in (nearest, last, image) else n for d, n in enumerate(source.shape)])):
        x = source.ctypes.data + sum([i * s for i, s in zip(at, source.strides, strict=True)])
        out = target.ctypes.data + sum([i * s for i, s in zip(at, target.strides, strict=True)])
        if kind == "transpose":
            loop(out, x, rows, columns, x_row, out_row, images, x_image, out_image, _STRIP)
        elif kind == "unzip":
            loop(x, _addresses(out, out_row, columns), _addresses(size, 0, columns), rows, images, out_image, x_image)
        else:
            loop(out, _addresses(x, x_row, rows), _addresses(size, 0, rows), columns, images, x_image, out_image)


def _seconds(target: Array) -> float:
    """What one thread takes for a copy, about."""
    return 2 * target.nbytes * PER_BYTE


def _worth(calls: tuple[int, ...], elements: int) -> bool:
    return elements >= _FEWEST * prod(calls)


def _side(size: int, fewest: int) -> int:
    """Rows and columns of a block that fits: 16, 8 or 4, but no more elements than 64 bytes hold."""
    most = min(16, 64 // size)
    return next((side for side in (16, 8, 4) if side <= most and side <= fewest), 0)


def _addresses(first: int, step: int, count: int) -> Any:
    return first + step * np.arange(count, dtype=np.int64)
