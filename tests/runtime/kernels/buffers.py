"""Loops made at once, and memory in which writing beside an array is noticed."""

from typing import Any

import numpy as np
import pytest

from penstock.runtime.jit.tier import why_off
from penstock.runtime.kernels.table import find, uses

CANARY = 0xA5
MARGIN = 256

needs_llvm = pytest.mark.skipif(bool(why_off()), reason=f"nothing is compiled here: {why_off()}")


def loop(name: str, *key: Any) -> Any:
    """The loop of a template, compiled if it must be."""
    found = find(name, *key, work=1 << 40)
    assert found is not None, (name, key)
    return found


def times(template: str) -> int:
    """How often a loop of the template was handed out in this process."""
    return sum(use.times for use in uses() if use.template == template)


class Guarded:
    """An array with canaries before and behind it, at an address that is `off` bytes from an aligned one."""

    def __init__(self, shape: Any, dtype: Any, off: int = 0) -> None:
        dtype = np.dtype(dtype)
        size = int(np.prod(shape)) * dtype.itemsize
        self.memory = np.full(size + 2 * MARGIN + 64, CANARY, np.uint8)
        self.start = MARGIN + (-(self.memory.ctypes.data + MARGIN) % 64) + off
        self.end = self.start + size
        self.array: Any = self.memory[self.start : self.end].view(dtype).reshape(shape)

    def check(self) -> None:
        """Nothing was written beside the array."""
        assert (self.memory[: self.start] == CANARY).all(), "written before the array"
        assert (self.memory[self.end :] == CANARY).all(), "written behind the array"


def guarded(array: Any, off: int = 0) -> Any:
    """A copy of an array that begins `off` bytes from an aligned address."""
    made = Guarded(array.shape, array.dtype, off)
    made.array[...] = array
    return made.array


def random_bits(rng: np.random.Generator, shape: Any, dtype: Any) -> Any:
    """Any bits: NaNs with payloads, both zeros, infinities."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    return rng.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype).reshape(shape)


def same_bits(one: Any, other: Any) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes()
