"""Runs of a compiled loop: the frame, the two buffers of each variable, stacks that grow, and chunks of iterations.

A call of the code runs some iterations, `CHUNK` seconds of them, and returns; Python then answers an interrupt.
"""

from __future__ import annotations

import ctypes
from time import perf_counter
from typing import Any, Final

import numpy as np

from ...errors import OpError
from ...ops.loop_run import LoopRun
from ..base.stop_signal import stop_check
from ..llvm.toolchain import Library
from .loop_form import BORDER, ENDED, FIRST, FUEL, ITERATION, LAST, RAN, ROWS, SCRATCH, STARVED, LoopForm, LoopMemory

CHUNK: Final = 0.02
"""Seconds between two returns to Python."""
FIRST_FUEL: Final = 1 << 10
ENDLESS: Final = 1 << 62


class NativeLoop:
    """The code of a loop."""

    def __init__(self, library: Library, form: LoopForm, layout: LoopMemory) -> None:
        self.library = library
        self.form = form
        self.layout = layout
        self._function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(library["run"])
        self._seconds = 0.0  # of an iteration, as measured last

    def advance(self, run: LoopRun) -> None:
        """Continue a run until the loop ends, or until an iteration needs the plain path.

        After an interrupt the run stands at the border of an iteration.
        """
        frame, check = _Frame(self, run), stop_check()
        words = frame.words
        try:
            while True:
                fuel = max(FIRST_FUEL, int(CHUNK / self._seconds)) if self._seconds else FIRST_FUEL
                before = int(words[ITERATION])
                words[FUEL] = fuel
                words[BORDER] = min(before + min(frame.room(), fuel), int(words[LAST]))
                start = perf_counter()
                status = self._function(frame.address)
                ran = max(fuel - int(words[FUEL]), int(words[ITERATION]) - before)
                if ran:
                    self._seconds = max((perf_counter() - start) / ran, 1e-10)
                if status == STARVED and (int(words[ITERATION]) > before or fuel == FIRST_FUEL):
                    continue  # with the fuel that the time of an iteration allows
                if check is not None:
                    check()
                if status != RAN:
                    run.has_ended = status == ENDED
                    return
        except OpError as error:
            error.iteration = int(words[ITERATION]), frame.values()
            raise
        finally:
            run.values, run.done = frame.values(), int(words[ITERATION])


class _Frame:
    """The memory of one run: the words that the code reads, and the arrays that they point to."""

    def __init__(self, loop: NativeLoop, run: LoopRun) -> None:
        layout, count = loop.layout, loop.form.variables
        self._run = run
        self._layout = layout
        self.words = words = np.zeros(layout.words, np.int64)
        self.address = words.ctypes.data
        rest = [np.require(x, None, ["C", "A"]) for x in (*run.given, *run.captures)]
        self._first = [np.array(x, order="C") for x in run.values]
        self._second = [np.empty_like(x) for x in self._first]
        scratch = np.empty(layout.scratch + 64, np.uint8)
        self._kept = rest, scratch
        words[ITERATION] = run.done
        words[LAST] = ENDLESS if run.most is None else run.most
        words[ROWS] = run.most or 0
        words[SCRATCH] = (scratch.ctypes.data + 63) // 64 * 64
        addresses = [x.ctypes.data for x in (*self._first, *rest, *self._second)]
        words[FIRST : FIRST + len(addresses)] = addresses
        for k, x in enumerate(layout.tables):
            words[layout.first_table + k] = x.ctypes.data
        if layout.stacks and run.stacks is None:
            run.stacks = run.new_stacks(len(layout.stacks))
        assert layout.operands == count + len(rest)  # the form was made of these operands

    def room(self) -> int:
        """The iterations for which the stacks have room; they grow if there is none."""
        words, done = self.words, int(self.words[ITERATION])
        forms = self._layout.stacks
        least = ENDLESS - done
        for k, (stack, (dtype, shape)) in enumerate(zip(self._run.stacks or (), forms, strict=True)):
            array, room = stack.reserve(done, dtype.np, shape)
            words[self._layout.first_stack + k] = array.ctypes.data
            least = max(min(least, room), 1)
        return least

    def values(self) -> list[Any]:
        """The loop variables."""
        pairs = zip(self._first, self._second, strict=True)
        return [a if self.words[FIRST + k] == a.ctypes.data else b for k, (a, b) in enumerate(pairs)]
