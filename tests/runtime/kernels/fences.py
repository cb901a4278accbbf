"""What the tests of compiled loops share: loops without thresholds, and buffers between fences."""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any

import numpy as np
import pytest

from penstock.graph.declare.op_declaration import OpDef
from penstock.runtime.kernels.kernel_choice import kernel_of
from penstock.runtime.kernels.loops import loop_cache, native_loops
from penstock.runtime.llvm.tier import why_off

Array = np.ndarray[Any, np.dtype[Any]]
FENCE = 256  # bytes on each side: no single move is wider
FILL = 0xA5

needs_the_tier = pytest.mark.skipif(bool(why_off()), reason=why_off() or "the compiled tier is on")


@cache
def loop(name: str, *key: Any) -> Callable[..., int]:
    """The loop of a template, made at once."""
    found = loop_cache.find(name, *key, work=1 << 40)
    assert found is not None, loop_cache.failures()
    return found


def key_of(row_bytes: int) -> int:
    """What keys say about rows of so many bytes."""
    return row_bytes if row_bytes <= 256 else 0


@dataclass
class Fenced:
    """An array with a fence on each side, `shift` bytes off alignment."""

    array: Array
    memory: Array

    def assert_whole(self) -> None:
        start = self.array.ctypes.data - self.memory.ctypes.data if self.array.size else FENCE
        end = start + self.array.nbytes
        assert (self.memory[:start] == FILL).all(), "written before the buffer"
        assert (self.memory[end:] == FILL).all(), "written behind the buffer"


def fenced(values: Any, shift: int = 0) -> Fenced:
    """A contiguous copy of an array between fences."""
    values = np.asarray(values)
    memory = np.full(2 * FENCE + 64 + values.nbytes, FILL, np.uint8)
    start = FENCE - memory.ctypes.data % 64 + shift  # aligned to 64 bytes, plus the shift
    start += 64 if start < FENCE // 2 else 0
    array = memory[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    array[...] = values
    return Fenced(array, memory)


def empty(shape: int | Sequence[int], dtype: Any, shift: int = 0) -> Fenced:
    """Memory between fences that holds no result yet."""
    size = prod(shape) if isinstance(shape, Sequence) else shape
    return fenced(np.full(size * np.dtype(dtype).itemsize, 0x5A, np.uint8).view(dtype).reshape(shape), shift)


def addresses(arrays: Sequence[Array]) -> Array:
    """Where the arrays are."""
    return np.array([a.ctypes.data for a in arrays], np.int64)


@dataclass
class Handed:
    """Which loops ops were given, in order."""

    names: list[str] = field(default_factory=list)


@contextmanager
def loops_at_once(on: bool = True) -> Iterator[Handed]:
    """Inside, fast kernels get every loop that they ask for; if not `on`, none. What they got is written down."""
    handed = Handed()

    def find(name: str, *key: Any, work: int) -> Callable[..., int] | None:
        if not on:
            return None
        handed.names.append(name)
        return loop(name, *key)

    before = list(native_loops.finders), list(native_loops.finders_at_once)
    native_loops.finders[:] = [find]
    native_loops.finders_at_once[:] = [lambda name, *key: find(name, *key, work=0)]
    try:
        yield handed
    finally:
        native_loops.finders[:], native_loops.finders_at_once[:] = before


def run(op: OpDef[Any, Any], *args: Any) -> Any:
    """What a step of the op computes on NumPy."""
    return kernel_of(op, "numpy")(np, *args)


assert ctypes.sizeof(ctypes.c_void_p) == np.dtype(np.int64).itemsize, "addresses are kept in int64 arrays"
