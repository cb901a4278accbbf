"""Products of matrices by NumPy's BLAS, with the bits that it gives with one thread: all products of a run.

A large product is cut into blocks of rows, or of columns if there are more of these, one for each thread, and each
block is a call of BLAS with one thread. An element of the result is the sum of a row times a column in the order that
BLAS's kernels have, which may depend on the element's place: the kernel for AVX2 sums up even and odd terms apart in
some rows and columns of float32. So before a product of some sizes is cut for the first time, one of random numbers is
computed both ways, and where the bits differ the other side is cut, or none. So bits depend neither on the number of
threads nor on what else the machine does. Batches are cut between their matrices.

A large result lies in memory of the pool, which has been touched before; malloc keeps smaller ones too, and is faster.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from ...base.blas_threads import with_one_thread
from ...base.thread_pool import allowed_threads, parallel_for
from ...memory.buffer_pool import POOL

Array = Any

_THREADED: Final = 1 << 18
"""Multiplications up to which OpenBLAS uses one thread anyway."""
ALONE: Final = 1 << 12
"""The same for a matrix times a vector, a matrix times itself, transposed, and complex numbers."""
SHARED: Final = 1 << 25
"""Multiplications from which several threads compute a product: for fewer, waking a helper takes too long."""
_PART: Final = SHARED >> 1
"""The fewest multiplications in a block. BLAS packs its operands again for each."""
_OF_VECTOR: Final = 16
"""What a multiplication with a vector costs, which is as fast as memory, in those of matrices."""
UNIT: Final = 48
"""Cuts are at multiples of it: BLAS computes so many rows or columns at once, or a divisor of it. Kernels for AVX2 have
groups of 12 rows, in which the order of a sum depends on the row."""
_LONGEST: Final = 1 << 10
_LONG: Final = 1 << 32
"""Multiplications of a product from which sums of twice `_LONGEST` and more are shorter in a trial, which would take
100 ms and more. Which kernel serves a row does not depend on it."""
_LARGE: Final = 1 << 25
"""Bytes from which malloc gives memory back to the system, so that the next result begins with page faults."""
_MOST_KINDS: Final = 1 << 10

_may_cut: dict[tuple[Any, ...], bool] = {}
"""Kinds of products: whether one that is cut has the bits of a whole one."""


def blas_product(left: Array, right: Array) -> Array:
    """left @ right, of NumPy arrays of one dtype, as `np.matmul` computes it with one thread."""
    if left.ndim != 2 or right.ndim != 2:
        return _product_of_batches(left, right)
    rows, inner = left.shape
    columns = right.shape[1]
    work = rows * inner * columns
    if work < ALONE:
        return np.matmul(left, right)
    is_vector = rows == 1 or columns == 1
    is_square = is_own_transpose(left, right)
    if work < _THREADED and not is_vector and not is_square and left.dtype.kind == "f":
        return np.matmul(left, right)
    out = POOL.empty((rows, columns), left.dtype) if rows * columns * left.itemsize >= _LARGE else None
    parts = parts_of_product(work * _OF_VECTOR if is_vector else work)
    if parts > 1 and not is_square and inner == right.shape[0] and left.dtype.kind in "fc":
        for by_rows in (rows >= columns, rows < columns):
            cuts = cuts_of(rows if by_rows else columns, parts)
            if len(cuts) > 2 and _has_bits_of_whole(left, right, by_rows, cuts):
                out = np.empty((rows, columns), left.dtype) if out is None else out
                return _in_blocks(left, right, out, by_rows, cuts)
    return with_one_thread(np.matmul, left, right, out)


def is_own_transpose(left: Array, right: Array) -> bool:
    """Whether both are one matrix, of whose product with its own transpose BLAS computes half, in another order."""
    return _owner(left) is _owner(right) and bool(left.ctypes.data == right.ctypes.data)


def cuts_of(size: int, parts: int) -> list[int]:
    """Where a side is cut into up to so many blocks: 0, ..., its size."""
    parts = max(1, min(parts, size // UNIT))
    return [*[UNIT * round(size * i / parts / UNIT) for i in range(parts)], size]


def parts_of_product(work: int) -> int:
    return min(allowed_threads(), work // _PART) if work >= SHARED else 1


def _owner(array: Array) -> Any:
    return array if array.base is None else array.base


def _in_blocks(left: Array, right: Array, out: Array, by_rows: bool, cuts: list[int]) -> Array:
    parallel_for(len(cuts) - 1, partial(_block, left, right, out, by_rows, cuts))
    return out


def _block(left: Array, right: Array, out: Array, by_rows: bool, cuts: list[int], i: int) -> None:
    some = slice(cuts[i], cuts[i + 1])
    if by_rows:
        with_one_thread(np.matmul, left[some], right, out[some])
    else:
        with_one_thread(np.matmul, left, right[:, some], out[:, some])


def _has_bits_of_whole(left: Array, right: Array, by_rows: bool, cuts: list[int]) -> bool:
    """Whether products of this kind may be cut there, which one of random numbers tells."""
    (rows, inner), columns = left.shape, right.shape[1]
    order = left.flags.c_contiguous, right.flags.c_contiguous
    key = left.dtype.char, *order, rows, inner, columns, by_rows, len(cuts)
    may_cut = _may_cut.get(key)
    if may_cut is None:
        if rows * inner * columns >= _LONG and inner >= 2 * _LONGEST:
            inner = _LONGEST + inner % _LONGEST
        a, b = (_random(shape, left.dtype, is_c)
                for shape, is_c in zip(((rows, inner), (inner, columns)), order, strict=True))  # fmt: skip
        whole = with_one_thread(np.matmul, a, b)
        may_cut = _in_blocks(a, b, np.empty_like(whole), by_rows, cuts).tobytes() == whole.tobytes()
        if len(_may_cut) >= _MOST_KINDS:
            _may_cut.clear()
        _may_cut[key] = may_cut
    return may_cut


def _random(shape: tuple[int, int], dtype: Any, is_c: bool) -> Array:
    """Numbers of which a few products vanish: the sign of a zero is a bit, too, and takes processors long."""
    part = np.float32 if dtype.char in "fF" else np.float64
    numbers = np.random.default_rng(1).random(shape if is_c else shape[::-1], part).astype(dtype) - part(0.5)
    if dtype.kind == "c":
        numbers.imag = numbers.real[::-1]
    if len(numbers) > 8:  # else nothing might be left that rounds
        numbers[:2] *= np.finfo(dtype).tiny
    return numbers if is_c else numbers.T


def _product_of_batches(left: Array, right: Array) -> Array:
    rows, inner, columns = left.shape[-2], left.shape[-1], right.shape[-1]
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    one = rows * inner * columns
    if one < ALONE:
        return np.matmul(left, right)
    longest = max(range(len(batch)), key=batch.__getitem__)
    count = batch[longest]
    parts = min(parts_of_product(one * int(np.prod(batch))), count)
    if parts <= 1 or inner != right.shape[-2] or left.dtype.kind not in "fc":
        return with_one_thread(np.matmul, left, right)
    out = np.empty((*batch, rows, columns), left.dtype)
    left, right = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (left, right))
    before = (slice(None),) * longest

    def work(i: int) -> None:
        some = (*before, slice(i * count // parts, (i + 1) * count // parts))
        with_one_thread(np.matmul, left[some], right[some], out[some])

    parallel_for(parts, work)
    return out
