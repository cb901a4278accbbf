"""The native driver: runs thousands of tiny NumPy loops in one call, without Python between them.

A step is a row of words: its kind, the addresses of its operands and of its result. Many steps share a kind:

    row   kind | a | b | result                 kind   loop | data | bytes of a row | elements | strides ...

One function, compiled once for all plans, calls the loop of each row. It is a C function object and called like any
other. 1000 additions of 8 floats take 6.4 ns each, from a Python list 250. Nothing is compiled per plan.

The driver checks nothing. The code that binds steps proves what NumPy would check: the loop is for these dtypes in
native byte order, addresses are aligned, the memory exists and is large enough, and a result lies exactly on an operand
or apart from it. Loops that can raise must not be bound, because the driver cannot report an error.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from . import tier
from .capsule_functions import DECLARATIONS, CapsuleFunctions, checked, function_of_rows, imports
from .promotion import Meter, Promotion
from .toolchain import AS_IS, Library
from .ufunc_loops import Loop, numpy_loop

_NAME: Final = "penstock_drive"
_LOOP: Final = """
loop:
  %row = phi ptr [%first, %start], [%next, %step]
  %done = icmp eq ptr %row, %end
  br i1 %done, label %stop, label %step
step:
  %kind = load ptr, ptr %row
  %args = getelementptr ptr, ptr %row, i64 1
  %f = load ptr, ptr %kind
  %data.at = getelementptr ptr, ptr %kind, i64 1
  %data = load ptr, ptr %data.at
  %size.at = getelementptr i64, ptr %kind, i64 2
  %size = load i64, ptr %size.at
  %dims = getelementptr i64, ptr %kind, i64 3
  %strides = getelementptr i64, ptr %kind, i64 4
  %next = getelementptr i8, ptr %row, i64 %size
  call void %f(ptr %args, ptr %dims, ptr %strides, ptr %data)
  br label %loop
"""
_LETS_GO: Final = 5_000
"""The fewest steps for which the driver releases the GIL: some 30 us."""


class LoopCall(NamedTuple):
    """A call of a loop: addresses of the operands and the result, the number of elements, the strides."""

    loop: Loop
    addresses: tuple[int, ...]
    elements: int
    strides: tuple[int, ...]


class BoundCalls:
    """Loop calls bound to their memory. `call()` runs them; the caller keeps the operands' memory alive."""

    __slots__ = ("_kept", "call")

    def __init__(self, call: Callable[[], None], kept: tuple[Any, ...]) -> None:
        self.call = call
        self._kept = kept


class Driver:
    """Makes functions that run loop calls."""

    def __init__(self, library: Library) -> None:
        self._calls = CapsuleFunctions(library, _NAME)

    def bind(self, steps: Sequence[LoopCall]) -> BoundCalls:
        """One function that runs all the steps, in order."""
        # All steps of a plan share few kinds, which stay in the first cache.
        places: dict[tuple[Loop, int, tuple[int, ...]], int] = {}
        words: list[int] = []
        place_of: list[int] = []
        for loop, addresses, elements, strides in steps:
            kind = (loop, elements, strides)
            place = places.get(kind)
            if place is None:
                place = places[kind] = len(words) * 8
                words += (loop.address, loop.data, 8 + 8 * len(addresses), elements, *strides)
            place_of.append(place)
        kinds = array("q", words)
        base = kinds.buffer_info()[0]
        program = [0, len(steps) >= _LETS_GO]
        for place, step in zip(place_of, steps, strict=True):
            program.append(base + place)
            program += step.addresses
        program[0] = (len(program) - 2) * 8
        rows = array("q", program)
        return BoundCalls(self._calls(rows.buffer_info()[0]), (kinds, rows))


def source() -> tier.ModuleSource:
    """The source of the driver."""
    text = f"{AS_IS}@none = external global i8\n{DECLARATIONS}{function_of_rows(_NAME, _LOOP, 'none')}"
    return tier.ModuleSource(text, (_NAME,), imports() | {"none": id(None)})


_meter: Final = Meter(0)
"""The cost of interpreting tiny calls, over all plans."""


def driver(spent: float = 0.0) -> Driver | None:
    """The driver; None if it is not compiled or the tier is off. spent: seconds just spent on calls it could make."""
    return PROMOTION.code_after(spent)


def _works(driver: Driver) -> bool:
    """True if the driver adds 8 elements correctly."""
    loop = numpy_loop("add", "ff->f")
    if loop is None:
        return False
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    run = driver.bind([LoopCall(loop, (x.ctypes.data, x.ctypes.data, y.ctypes.data), 8, (4, 4, 4))])
    run.call()
    return bool((y == x + x).all())


PROMOTION: Final = Promotion(_meter, source, checked(Driver, _works), is_urgent=True)
"""The promotion of the driver, one per process."""
