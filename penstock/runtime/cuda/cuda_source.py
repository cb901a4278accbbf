"""What is a CUDA source, and how is it started?

A `Source` is text with the names of its kernels; sizes that stay the same for many runs are `#define`s in front of it,
so that divisions by them cost a multiplication. `launch` compiles it through the array module it is given (CuPy keeps
what it compiled on disk) and starts a kernel with enough threads for a count of pieces of work.
"""

from __future__ import annotations

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
"""Multiplications and additions stay apart, so that results are those of the CPU; division and sqrt are IEEE's."""
THREADS: Final = 256
WAVES: Final = 16
"""Blocks of a grid-stride launch for each multiprocessor at most: two waves, whose threads then loop."""

UNITS: Final = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "uint4"}
"""What elements are moved as, by bytes."""


@dataclass(frozen=True, slots=True)
class Source:
    """text: the whole source, prelude included. kernels: what may be started."""

    text: str
    kernels: tuple[str, ...]


def source(defines: dict[str, Any], text: str, *kernels: str, parameters: str = "") -> Source:
    """A source whose macros are `defines`; `parameters` stand where the text says @PARAMETERS@."""
    text = text.replace("@PARAMETERS@", parameters)
    head = "".join(f"#define {name} {value}\n" for name, value in defines.items())
    return Source(f"{PRELUDE}{head}{text}", kernels)


HOT: Final = 2
"""Uses with the same sizes after which these are written into a source. Before, and where they vary, one kernel serves
all sizes: compiling takes as long as some thousand launches, dividing by what is not known three times as long."""
_uses: dict[Any, int] = {}
_written: set[Any] = set()


class _Mode(threading.local):
    compiled_only = False


_MODE = _Mode()


@contextmanager
def as_compiled() -> Iterator[None]:
    """Nothing new is compiled meanwhile: loading a kernel is no part of what CUDA captures."""
    _MODE.compiled_only = True
    try:
        yield
    finally:
        _MODE.compiled_only = False


def sized(
    defines: dict[str, Any], sizes: dict[str, int], text: str, kernel: str, parameters: str = ""
) -> tuple[Source, tuple[Any, ...]]:
    """A source and the arguments that its kernel takes last, which the text calls @SIZES@: the `sizes`, or none."""
    key = text, kernel, parameters, tuple(defines.items()), tuple(sizes.items())
    uses = _uses[key] = _uses.pop(key, 0) + 1
    with suppress(RuntimeError, StopIteration):  # another thread has just done it
        while len(_uses) > 1024:
            _uses.pop(next(iter(_uses)), None)
    if key in _written or (uses > HOT and not _MODE.compiled_only):
        _written.add(key)
        return _fixed(*key), ()
    return _open(*key[:-1], tuple(sizes)), tuple(map(np.int64, sizes.values()))


@cache
def _fixed(text: str, kernel: str, parameters: str, defines: Any, sizes: Any) -> Source:
    constants = {name: f"{value}LL" for name, value in sizes}
    return source(constants | dict(defines), text.replace("@SIZES@", ""), kernel, parameters=parameters)


@cache
def _open(text: str, kernel: str, parameters: str, defines: Any, names: tuple[str, ...]) -> Source:
    more = "".join(f", i64 {name}" for name in names)
    return source(dict(defines), text.replace("@SIZES@", more), kernel, parameters=parameters)


@cache
def _functions(xp: Any, made: Source) -> dict[str, Any]:
    try:
        module = xp.RawModule(code=made.text, options=OPTIONS)
        return {name: module.get_function(name) for name in made.kernels}
    except MemoryError:
        raise
    except Exception as error:  # CuPy has several classes for what NVRTC and the driver refuse
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise CannotCompile(f"the kernel {made.kernels[0]!r} cannot be compiled for this GPU: {first}") from error


def launch(xp: Any, made: Source, kernel: str, pieces: int, *args: Any, blocks: int | None = None) -> None:
    """Start `kernel` with a thread for each of `pieces` (at most `WAVES` blocks a multiprocessor), or `blocks` blocks.

    args: arrays of the device (their memory) and NumPy scalars of the very types the kernel takes.
    """
    if blocks is None:
        blocks = blocks_for(xp, pieces)
    if blocks > 0:
        LAUNCHES.count += 1
        _functions(xp, made)[kernel]((blocks,), (THREADS,), args)


def blocks_for(xp: Any, pieces: int) -> int:
    """Blocks for so many pieces of work, one thread each, that threads loop over if there are more."""
    return min(-(-pieces // THREADS), WAVES * _multiprocessors(xp))


@cache
def _multiprocessors(xp: Any) -> int:
    """Those of the GPU, taken for all GPUs of a machine."""
    try:
        return int(xp.cuda.Device().attributes["MultiProcessorCount"])
    except (AttributeError, KeyError):  # a played GPU
        return 132


def unit_of(row_bytes: int, *arrays: Any) -> int:
    """The widest unit, in bytes, that rows of so many bytes in these arrays can be moved in."""
    size = gcd(row_bytes, 16)
    for array in arrays:
        size = gcd(size, array.data.ptr)
    return size


ITEMS: Final = 4
"""Pieces of work a thread takes at a time where there are `MANY`: loads of 4 bytes keep memory busy only several at
once."""
MANY: Final = 1 << 18


def loop_of(kernel: str, parameters: str, count: str, load: str, store: str, more: str = "", unit: str = "U") -> str:
    """A kernel whose threads take `ITEMS` pieces at a time, a block apart: all are loaded before any is stored.

    parameters, count: C; the number of pieces is an `N`. load: what sets value[j] of the piece t, and what else is kept
    in arrays declared by `more`. store: what is done with it then. unit: the type of value[j]; `none` is a zero of it.
    """
    return f"""
PS_KERNEL void __launch_bounds__({THREADS}) {kernel}({parameters}) {{
  const N total = {count}, step = (N)gridDim.x * ({THREADS} * ITEMS);
  const {unit} none = {{0}};
  for (N first = (N)blockIdx.x * ({THREADS} * ITEMS) + threadIdx.x; first < total; first += step) {{
    {unit} value[ITEMS];
    {more}
    #pragma unroll
    for (int j = 0; j < ITEMS; j++) {{
      const N t = first + j * {THREADS};
      if (t < total) {{ {load} }}
    }}
    #pragma unroll
    for (int j = 0; j < ITEMS; j++) {{
      const N t = first + j * {THREADS};
      if (t < total) {{ {store} }}
    }}
  }}
}}
"""


def loop_sizes(pieces: int) -> tuple[int, str]:
    """(`ITEMS`, `N`) for so many pieces: 64-bit divisions take four times as long as those of 32 bits."""
    return (ITEMS if pieces >= MANY else 1), ("u32" if pieces < 1 << 31 else "u64")


def contiguous(xp: Any, array: Any) -> Any:
    """The array, or a row-major copy; array modules' own functions make a vector of a scalar."""
    return array if array.flags.c_contiguous else array.copy(order="C")


def i64(value: int) -> Any:
    """An int as a kernel takes it."""
    return np.int64(value)


def letters(count: int, pattern: str) -> str:
    """`pattern` for each number below `count`, joined by commas."""
    return ", ".join(pattern.format(i) for i in range(count))


def ints(values: Sequence[int]) -> str:
    """Numbers as the inside of a C initialiser."""
    return ", ".join(f"{v}LL" for v in values)


def numbered(letter: str, values: Sequence[int]) -> dict[str, int]:
    """Sizes of a source by name: X0, X1 ..."""
    return {f"{letter}{i}": value for i, value in enumerate(values)}
