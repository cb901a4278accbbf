"""Runs of a compiled loop: the frame, the two buffers of each variable, stacks that grow, and chunks of iterations.

A call of the code runs some iterations, `CHUNK` seconds of them, and returns; Python then answers an interrupt.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final

import numpy as np

from ..llvm.toolchain import Library
from .loop_module import (
    BAILED,
    ENDED,
    FIRST,
    FUEL,
    ITERATION,
    LAST,
    ROWS,
    SCRATCH,
    STATUS,
    FrameLayout,
    LoopForm,
)

CHUNK: Final = 0.02
"""Seconds between two returns to Python."""
FIRST_FUEL: Final = 1 << 12
ENDLESS: Final = 1 << 62


class NativeLoop:
    """The code of a loop."""

    def __init__(self, library: Library, form: LoopForm, layout: FrameLayout) -> None:
        self.library = library
        self.form = form
        self.layout = layout
        self._function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(library["run"])
        self._seconds = 0.0  # of an iteration, as measured last

    def run(
        self,
        operands: Sequence[Any],
        stacks: Sequence[GrowingStack],
        iteration: int,
        last: int | None,
        rows: int,
        check: Callable[[], None],
    ) -> tuple[list[Any], int, bool]:
        """Run from an iteration until the loop ends or an iteration needs the plain path.

        Args:
            operands: current values of the variables, rows (all of them), captures.
            stacks: what was stacked so far.
            iteration: the number of the next iteration.
            last: the most iterations there may be, None for any number.
            rows: the number of rows of a reversed loop, or of one with rows.
            check: called between chunks; may raise.

        Returns:
            The variables, the number of the next iteration, and whether the loop has ended.
        """
        layout, form = self.layout, self.form
        words = np.zeros(layout.words, np.int64)
        count = form.variables
        given = [np.require(x, None, "CA") for x in operands]
        first = [np.array(x, order="C") for x in given[:count]]
        second = [np.empty_like(x) for x in first]
        scratch = np.empty(layout.scratch + 64, np.uint8)
        words[ITERATION] = iteration
        words[LAST] = ENDLESS if last is None else last
        words[ROWS] = rows
        words[SCRATCH] = (scratch.ctypes.data + 63) // 64 * 64
        for k, x in enumerate([*first, *given[count:]]):
            words[FIRST + k] = x.ctypes.data
        for k, x in enumerate(second):
            words[layout.second + k] = x.ctypes.data
        for k, x in enumerate(layout.tables):
            words[layout.first_table + k] = x.ctypes.data
        address = words.ctypes.data
        try:
            while True:
                fuel = FIRST_FUEL if not self._seconds else max(1, int(CHUNK / self._seconds))
                for k, stack in enumerate(stacks):
                    fuel = min(fuel, stack.room(int(words[ITERATION])))
                    words[layout.first_stack + k] = stack.array.ctypes.data
                words[FUEL] = fuel
                start = perf_counter()
                self._function(address)
                ran = fuel - int(words[FUEL])
                if ran:
                    self._seconds = max((perf_counter() - start) / ran, 1e-10)
                status = int(words[STATUS])
                if status in (ENDED, BAILED):
                    break
                check()
        finally:
            current = [a if int(words[FIRST + k]) == a.ctypes.data else b
                       for k, (a, b) in enumerate(zip(first, second, strict=True))]  # fmt: skip
        return current, int(words[ITERATION]), status == ENDED


class GrowingStack:
    """The rows that the iterations of a loop stack up: one array, of the final size if that is known."""

    def __init__(self, count: int | None) -> None:
        """count: the number of rows, if it is known."""
        self._count = count
        self.array: Any = None

    def prepare(self, dtype: Any, shape: tuple[int, ...], least: int = 16) -> None:
        """Allocate memory when dtype and shape of a row are known."""
        if self.array is None:
            self.array = np.empty((least if self._count is None else self._count, *shape), dtype)

    def room(self, filled: int) -> int:
        """The number of rows that fit without growing; grows if there is none."""
        if filled == len(self.array) and self._count is None:
            grown = np.empty((max(2 * filled, 16), *self.array.shape[1:]), self.array.dtype)
            grown[:filled] = self.array
            self.array = grown
        return len(self.array) - filled

    def put(self, place: int, value: Any) -> None:
        """Store a row."""
        self.prepare(value.dtype, value.shape)
        self.room(place)
        self.array[place] = value
