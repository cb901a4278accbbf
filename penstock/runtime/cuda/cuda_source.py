"""CUDA sources and their launch.

A `CudaSource` is a text with the names of its kernels. Sizes that stay the same in several runs become `#define`s in
front of it, so that divisions by them cost a multiplication. `launch` compiles a source through its array module (CuPy
keeps the result on disk) and launches a kernel with enough threads for a number of work pieces.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from math import gcd
from typing import Any, Final

import numpy as np

from ...errors import CannotCompile
from ..base.launch_count import LAUNCHES
from .cuda_prelude import PRELUDE

Shape = tuple[int, ...]

OPTIONS: Final = ("--std=c++14", "-fmad=false")
"""Multiplications and additions are not fused, so that results are those of the CPU; division and sqrt are IEEE's."""
THREADS: Final = 256
WAVES: Final = 16
"""Most blocks of a grid-stride launch for each multiprocessor: two waves, whose threads then loop."""

UNITS: Final = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "uint4"}
"""The C types as which elements are moved, by one instruction, by bytes."""


@dataclass(frozen=True, slots=True)
class CudaSource:
    """A source. text: all of it, prelude included. kernels: the names of its kernels."""

    text: str
    kernels: tuple[str, ...]


def source(defines: dict[str, Any], text: str, *kernels: str, parameters: str = "") -> CudaSource:
    """A source with the macros `defines`; `parameters` replace @PARAMETERS@ in the text."""
    text = re.sub(r"\n\s*\n", "\n", text.replace("@PARAMETERS@", parameters))
    head = "".join(f"#define {name} {value}\n" for name, value in defines.items())
    return CudaSource(f"{PRELUDE}{head}{text}", kernels)


HOT: Final = 2
"""Uses with the same sizes after which these become constants of a source. Before, and where sizes vary, one kernel
serves all of them: compiling takes as long as some thousand launches, and dividing by a variable three times as long as
by a constant."""
_uses: dict[Any, int] = {}
_written: set[Any] = set()


class _Mode(threading.local):
    compiled_only = False


_MODE = _Mode()


@contextmanager
def as_compiled() -> Iterator[None]:
    """Within the block no source is compiled anew: CUDA cannot capture the loading of a kernel."""
    _MODE.compiled_only = True
    try:
        yield
    finally:
        _MODE.compiled_only = False


def sized(
    defines: dict[str, Any], sizes: dict[str, int], text: str, kernel: str, parameters: str = ""
) -> tuple[CudaSource, tuple[Any, ...]]:
    """A source and the last arguments of its kernel, which replace @SIZES@ in the text: the `sizes`, or none."""
    key = text, kernel, parameters, tuple(defines.items()), tuple(sizes.items())
    uses = _uses[key] = _uses.pop(key, 0) + 1
    with suppress(RuntimeError, StopIteration):  # another thread has removed it
        while len(_uses) > 1024:
            _uses.pop(next(iter(_uses)), None)
    if key in _written or (uses > HOT and not _MODE.compiled_only):
        _written.add(key)
        return _fixed(*key), ()
    return _open(*key[:-1], tuple(sizes)), tuple(map(np.int64, sizes.values()))


@cache
def _fixed(text: str, kernel: str, parameters: str, defines: Any, sizes: Any) -> CudaSource:
    constants = {name: f"{value}LL" for name, value in sizes}
    return source(constants | dict(defines), text.replace("@SIZES@", ""), kernel, parameters=parameters)


@cache
def _open(text: str, kernel: str, parameters: str, defines: Any, names: tuple[str, ...]) -> CudaSource:
    more = "".join(f", i64 {name}" for name in names)
    return source(dict(defines), text.replace("@SIZES@", more), kernel, parameters=parameters)


@cache
def compiled_functions(xp: Any, source: CudaSource) -> dict[str, Any]:
    """The kernels of a source by name, compiled once in a process."""
    try:
        module = xp.RawModule(code=source.text, options=OPTIONS)
        return {name: module.get_function(name) for name in source.kernels}
    except MemoryError:
        raise
    except Exception as error:  # CuPy has several classes for errors of NVRTC and the driver
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise CannotCompile(f"the kernel {source.kernels[0]!r} cannot be compiled for this GPU: {first}") from error


def launch(xp: Any, source: CudaSource, kernel: str, pieces: int, *args: Any, blocks: int | None = None) -> None:
    """Launch `kernel` with a thread for each of `pieces` (at most `WAVES` blocks a multiprocessor), or `blocks` blocks.

    args: arrays of the device (their memory) and NumPy scalars of the exact types of the parameters.
    """
    if blocks is None:
        blocks = blocks_for(xp, pieces)
    if blocks > 0:
        LAUNCHES.count += 1
        compiled_functions(xp, source)[kernel]((blocks,), (THREADS,), args)


def blocks_for(xp: Any, pieces: int) -> int:
    """Blocks for a number of pieces of work; threads loop over the pieces beyond the largest grid."""
    return min(-(-pieces // THREADS), WAVES * _multiprocessors(xp))


@cache
def _multiprocessors(xp: Any) -> int:
    """Multiprocessors of the GPU; all GPUs of a machine are assumed to have as many."""
    try:
        return int(xp.cuda.Device().attributes["MultiProcessorCount"])
    except (AttributeError, KeyError):  # an array module of the tests
        return 132


def unit_of(row_bytes: int, *arrays: Any) -> int:
    """The widest unit, in bytes, in which rows of `row_bytes` bytes of these arrays can be moved."""
    size = gcd(row_bytes, 16)
    for array in arrays:
        size = gcd(size, array.data.ptr)
    return size


ITEMS: Final = 4
"""Pieces of work that a thread takes at a time from `MANY` pieces on: loads of 4 bytes use the memory's bandwidth only
if several are in flight."""
MANY: Final = 1 << 18


def loop_sizes(pieces: int) -> tuple[int, str]:
    """(`ITEMS`, `N`) for a number of pieces: 64-bit divisions take four times as long as those of 32 bits."""
    return (ITEMS if pieces >= MANY else 1), ("u32" if pieces < 1 << 31 else "u64")


def contiguous(xp: Any, array: Any) -> Any:
    """The array, or a row-major copy (`ascontiguousarray` would make a vector of a scalar)."""
    return array if array.flags.c_contiguous else array.copy(order="C")


def i64(value: int) -> Any:
    """An int as the argument of a kernel."""
    return np.int64(value)


def numbered(letter: str, values: Sequence[int]) -> dict[str, int]:
    """Sizes of a source by name: X0, X1 ..."""
    return {f"{letter}{i}": value for i, value in enumerate(values)}
