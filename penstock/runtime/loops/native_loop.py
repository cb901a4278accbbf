"""Runs of a compiled loop: the frame, the two buffers of each variable, stacks that grow, and chunks of iterations.

A call of the code runs iterations for `CHUNK` seconds and returns; Python then answers an interrupt. An iteration that
has not ended after `LONGEST` seconds is given up: the plain path runs it, and can be stopped after each of its steps.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from ...errors import OpError
from ...ops.control.loop_run import LoopRun
from ..base.blas_threads import with_one_thread
from ..base.stop_signal import stop_check
from ..kernels.products.small_products import transposed
from ..llvm.array_head import data_address, require_known_data_address
from ..llvm.block_driver import DENSE
from ..llvm.toolchain import Library
from ..memory.buffer_pool import POOL, SMALL
from .chunk_clock import CHUNK, LONGEST, native_clock
from .loop_form import (
    BORDER,
    ENDED,
    FIRST,
    HARD,
    ITERATION,
    LAST,
    RAN,
    ROWS,
    SCRATCH,
    SOFT,
    STARVED,
    LoopMemory,
    ShapedLoop,
)

ENDLESS: Final = 1 << 62
MOST_STARVED: Final = 4
"""Iterations given up one after the other, after which the code is not used any more."""


class NativeLoop:
    """The code of a loop."""

    def __init__(self, library: Library, form: ShapedLoop, layout: LoopMemory, calls_blas: bool) -> None:
        require_known_data_address()
        self.library = library
        self.form = form
        self.layout = layout
        run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(library["run"])
        self._function: Callable[[int], int] = partial(with_one_thread, run) if calls_blas else run
        ticks = native_clock().ticks
        self._soft, self._hard = int(CHUNK * ticks), int(LONGEST * ticks)
        self._starved = 0

    @property
    def is_too_slow(self) -> bool:
        """Whether the last iterations were all given up because each takes long; the plain path is no slower then."""
        return self._starved >= MOST_STARVED

    def advance(self, run: LoopRun) -> None:
        """Continue a run until the loop ends, or until an iteration needs the plain path.

        After an interrupt the run stands at the border of an iteration.
        """
        frame, check = NativeLoopFrame(self, run), stop_check()
        words = frame.words
        try:
            while True:
                before = int(words[ITERATION])
                words[BORDER] = min(before + frame.room(), int(words[LAST]))
                words[SOFT], words[HARD] = self._soft, self._hard
                status = self._function(frame.address)
                if check is not None:
                    check()
                has_advanced = int(words[ITERATION]) > before
                if has_advanced:
                    self._starved = 0
                if status == RAN or (status == STARVED and has_advanced):
                    continue
                self._starved += status == STARVED
                run.has_ended = status == ENDED
                return
        except OpError as error:
            error.iteration = int(words[ITERATION]), frame.values()
            raise
        finally:
            run.values, run.done = frame.values(), int(words[ITERATION])
            if not run.done:
                run.stacks = None  # what they would have held says the body, as on the plain path


class NativeLoopFrame:
    """The memory of one run: the words that the code reads, and the arrays that they point to."""

    def __init__(self, loop: NativeLoop, run: LoopRun) -> None:
        layout, count = loop.layout, loop.form.variables
        self._run = run
        self._layout = layout
        self.words = words = np.zeros(layout.words, np.int64)
        self.address = data_address(words)
        operands = (*run.given, *run.captures)
        rest = [x if x.flags.num & DENSE == DENSE else np.require(x, None, ["C", "A"]) for x in operands]
        self._first = [_copied(x) for x in run.values]
        self._second = [_room_like(x) for x in self._first]
        scratch = (np.empty if layout.scratch < SMALL else POOL.empty)((layout.scratch + 64,), np.uint8)
        turned = [transposed(rest[k - count]) for k in layout.turned]
        self._kept = rest, scratch, turned
        words[ITERATION] = run.done
        words[LAST] = ENDLESS if run.most is None else run.most
        words[ROWS] = run.most or 0
        words[SCRATCH] = (data_address(scratch) + 63) // 64 * 64
        stacked = len(layout.stacks)
        addresses = [data_address(x) for x in (*self._first, *rest, *self._second)]
        words[FIRST : FIRST + len(addresses)] = addresses
        if layout.tables or turned:
            words[layout.first_table :] = [data_address(x) for x in (*layout.tables, *turned)]
        if stacked and run.stacks is None:
            run.stacks = run.new_stacks(stacked)
        assert layout.operands == count + len(rest)  # the form was made of these operands

    def room(self) -> int:
        """The iterations for which the stacks have room; they grow if there is none."""
        least = ENDLESS - (done := int(self.words[ITERATION]))
        if not self._layout.stacks:
            return least
        addresses = []
        for stack, (dtype, shape) in zip(self._run.stacks or (), self._layout.stacks, strict=True):
            array, room = stack.reserve(done, dtype.np, shape)
            addresses.append(data_address(array))
            least = max(min(least, room), 1)
        self.words[self._layout.first_stack : self._layout.first_table] = addresses
        return least

    def values(self) -> list[Any]:
        """The loop variables."""
        now = self.words[FIRST : FIRST + len(self._first)].tolist()
        return [
            a if address == data_address(a) else b
            for a, b, address in zip(self._first, self._second, now, strict=True)
        ]


def _room_like(array: Any) -> Any:
    """Memory for another value of a variable. Small arrays are not the pool's, which would only hand them on."""
    return np.empty_like(array) if array.nbytes < SMALL else POOL.empty(array.shape, array.dtype)


def _copied(array: Any) -> Any:
    """A row-major copy. Both buffers of a variable may become results, which the pool knows by their owners."""
    if array.nbytes < SMALL:
        return array.copy()
    copy = POOL.empty(array.shape, array.dtype)
    np.copyto(copy, array)
    return copy
