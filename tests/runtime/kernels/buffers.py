"""Memory in which reading and writing beside an array is noticed, and counting of the loops that ran."""

import ctypes
import sys
from functools import cache
from mmap import PAGESIZE as PAGE
from mmap import mmap
from typing import Any

import numpy as np

from penstock.runtime.kernels.loops.loop_cache import uses

CANARY = 0xA5
LONG = 1 << 16
"""Bytes of an array from which on to copy it takes longer than to compare it."""

def times(template: str) -> int:
    """How often a loop of the template was handed out in this process."""
    return sum(use.times for use in uses() if use.template == template)


class Guarded:
    """An array between pages that may not be touched, and canaries where it does not reach them.

    off: 0 puts its end at the end of a page, 1 its start at the start of one; other numbers move it by so many bytes.
    """

    def __init__(self, shape: Any, dtype: Any, off: int = 0) -> None:
        dtype = np.dtype(dtype)
        size = int(np.prod(shape)) * dtype.itemsize
        inside = -(-(size + 16) // PAGE) * PAGE
        whole = np.frombuffer(mmap(-1, inside + 2 * PAGE), np.uint8)
        for page in (0, inside + PAGE):
            _forbid(whole.ctypes.data + page)
        self.memory = whole[PAGE:-PAGE]
        self.memory[...] = CANARY
        self.start = 0 if off == 1 else inside - size if off == 0 else off
        self.end = self.start + size
        self.array: Any = self.memory[self.start : self.end].view(dtype).reshape(shape)

    def check(self) -> None:
        """Nothing was written beside the array."""
        assert (self.memory[: self.start] == CANARY).all(), "written before the array"
        assert (self.memory[self.end :] == CANARY).all(), "written behind the array"


@cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _forbid(page: int) -> None:
    """Who touches it dies. On Windows the canaries must do."""
    if sys.platform != "win32":
        assert _libc().mprotect(ctypes.c_void_p(page), ctypes.c_size_t(PAGE), 0) == 0, ctypes.get_errno()


def guarded(array: Any, off: int = 0) -> Any:
    """A copy of an array in guarded memory."""
    made = Guarded(array.shape, array.dtype, off)
    made.array[...] = array
    return made.array


def random_bits(rng: np.random.Generator, shape: Any, dtype: Any) -> Any:
    """Any bits: NaNs with payloads, both zeros, infinities."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    return rng.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype).reshape(shape)


def same_bits(one: Any, other: Any) -> bool:
    """Whether two arrays are equal in shape, dtype and bits; long ones are compared where they lie, not copied."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.nbytes < LONG or one.dtype.hasobject:
        return bool(one.tobytes() == other.tobytes())
    word = np.uint64 if one.nbytes % 8 == 0 else np.uint8
    one, other = (np.ascontiguousarray(array).reshape(-1).view(np.uint8).view(word) for array in (one, other))
    return bool((one == other).all())
