"""What is a CUDA source, and how is it started?

A `Source` is text with the names of its kernels; sizes that stay the same for many runs are `#define`s in front of it,
so that divisions by them cost a multiplication. `launch` compiles it through the array module it is given (CuPy keeps
what it compiled on disk) and starts a kernel with enough threads for a count of pieces of work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import gcd
from typing import Any, Final

import numpy as np

from ...errors import CannotCompile
from .prelude import PRELUDE

OPTIONS: Final = ("--std=c++14", "-fmad=false")
"""Multiplications and additions stay apart, so that results are those of the CPU; division and sqrt are IEEE's."""
THREADS: Final = 256
BLOCKS: Final = 132 * 16
"""Blocks of a grid-stride launch at most: a few waves on the largest cards, whose threads then loop."""

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


class Launches:
    """How many kernels were started, for tests and run records."""

    def __init__(self) -> None:
        self.count = 0


LAUNCHES: Final = Launches()


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
    """Start `kernel` with a thread for each of `pieces` (at most `BLOCKS` blocks), or with `blocks` blocks.

    args: arrays of the device (their memory) and NumPy scalars of the very types the kernel takes.
    """
    if blocks is None:
        blocks = min(-(-pieces // THREADS), BLOCKS)
    if blocks > 0:
        LAUNCHES.count += 1
        _functions(xp, made)[kernel]((blocks,), (THREADS,), args)


def unit_of(row_bytes: int, *arrays: Any) -> int:
    """The widest unit, in bytes, that rows of so many bytes in these arrays can be moved in."""
    size = gcd(row_bytes, 16)
    for array in arrays:
        size = gcd(size, array.data.ptr)
    return size


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
