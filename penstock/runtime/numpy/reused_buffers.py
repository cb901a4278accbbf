"""Frames: memory and prepared calls with which a small group runs again and again without allocating.

A frame holds memory for all values, and calls whose arguments never change. A run copies its inputs in, makes the calls
and copies the results out. Calls that are plain inner loops of NumPy over rows or single numbers go to the native
driver, many in one call. Other calls (an op with a kernel of its own, a broadcast in two directions) are made from
Python in between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from math import prod
from time import perf_counter
from typing import Any, Final

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ..ir.tiling import Shape
from ..llvm.native_driver import Driver, LoopCall
from ..llvm.native_driver import driver as current_driver
from ..llvm.ufunc_loops import Loop, numpy_loop
from .writers import BoundInstruction, Writer, prepared_call, ufunc_of

Call = tuple[Callable[..., Any], tuple[Any, ...]]
FEWEST: Final = 2
"""The fewest consecutive calls for which the native driver pays."""
MAY_RAISE: Final = frozenset({"power"})
"""Functions whose integer loops may raise a Python exception."""


@dataclass(frozen=True, slots=True)
class FrameLayout:
    """The contents of a frame.

    Attributes:
        program: the instructions.
        dtypes: the dtype of every value, inputs first.
        shapes: the shape of every value.
        inputs: the number of inputs.
        outputs: the results.
        register: the register of each value that shares memory.
        registers: the bytes of each register.
    """

    program: Sequence[BoundInstruction]
    dtypes: Sequence[Any]
    shapes: Sequence[Shape]
    inputs: int
    outputs: Sequence[int]
    register: dict[int, int]
    registers: Sequence[int]


@dataclass(frozen=True, slots=True)
class Frame:
    """Memory and calls for one run at a time.

    Attributes:
        inputs: arrays for the inputs.
        calls: the calls with their arguments.
        results: arrays of the results.
        native: True if the native driver makes the calls it can make.
        steps: the number of those calls.
        kept: objects that must live as long as the frame.
        only_call: the driver's function, if it is the only call.
    """

    inputs: list[Any]
    calls: list[Call]
    results: list[Any]
    native: bool
    steps: int
    kept: Any
    only_call: Callable[[], Any] | None = None

    def run(self) -> None:
        """Compute the results from the inputs."""
        for call, arguments in self.calls:
            call(*arguments)

    def results_of_run(self, idle: deque[Frame], *places: Any) -> list[Any]:
        """Run, and keep the frame in `idle` unless the driver has come meanwhile: the next one is made with it.

        A frame whose run fails is not kept: what is left in it is not known.
        """
        if self.native:
            self.run()
        else:
            start = perf_counter()
            self.run()
            if current_driver(perf_counter() - start) is not None:
                return self.copied_results(*places)
        results = self.copied_results(*places)
        idle.append(self)
        return results

    def copied_results(self, *places: Any) -> list[Any]:
        """Copies of the results; a single result is copied to `places[0]`, flat memory of its size, if given."""
        if not places:
            return [r.copy() for r in self.results]
        (result,) = self.results
        place = places[0].reshape(result.shape)
        place[...] = result
        return [place]


def make_frame(layout: FrameLayout, driver: Driver | None) -> Frame:
    """A frame, with or without the native driver."""
    return _FrameBuilder(layout).frame(driver)


class _FrameBuilder:
    """A frame under construction: one block of memory, with an offset for every value and register."""

    def __init__(self, layout: FrameLayout) -> None:
        self._layout = layout
        counts: dict[Shape, int] = {}
        self._counts = [counts.get(s) or counts.setdefault(s, prod(s)) for s in layout.shapes]
        total = 0
        places: list[int] = []
        for size in layout.registers:
            places.append(total)
            total += _rounded(size)
        self._offsets: list[int] = []
        for i, dtype in enumerate(layout.dtypes):
            register = layout.register.get(i)
            if register is not None:
                self._offsets.append(places[register])
                continue
            self._offsets.append(total)
            total += _rounded(self._counts[i] * dtype.itemsize)
        memory = np.empty(total + _LINE, np.uint8)
        start = -memory.ctypes.data % _LINE
        self._memory = memory[start:]
        self._base = self._memory.ctypes.data
        self._views: dict[Any, Any] = {}
        self._view = _LazyItems(self._new_view)
        self._loops: dict[Writer, Loop | None] = {}
        self._bare: dict[Any, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {}

    def frame(self, driver: Driver | None) -> Frame:
        layout = self._layout
        calls: list[Call] = []
        kept: list[Any] = [self._memory]
        steps: list[tuple[LoopCall, BoundInstruction]] = []
        total = 0

        def finish() -> None:
            nonlocal total
            if driver is not None and len(steps) >= FEWEST:
                run = driver.bind([step for step, _ in steps])
                kept.append(run)
                calls.append((run.call, ()))
                total += len(steps)
            else:
                calls.extend([self._call(bound) for _, bound in steps])
            steps.clear()

        for bound in layout.program:
            step = None if driver is None else self._step(bound)
            if step is not None:
                steps.append((step, bound))
                continue
            finish()
            calls.append(self._call(bound))
        finish()
        view = self._view
        inputs = [view[i] for i in range(layout.inputs)]
        native = driver is not None
        only = calls[0][0] if native and len(calls) == 1 and not calls[0][1] else None
        return Frame(inputs, calls, [view[i] for i in layout.outputs], native, total, kept, only)

    def _new_view(self, i: int) -> Any:
        # One array object per piece of memory: overwriting an operand takes 210 ns if it is the same array, 380 if it
        # is
        # another view, whose overlap NumPy has to determine.
        offset, shape, dtype = self._offsets[i], self._layout.shapes[i], self._layout.dtypes[i]
        key = (offset, shape, id(dtype))  # a dtype's hash takes as long as the rest
        found = self._views.get(key)
        if found is None:
            flat = self._memory[offset : offset + self._counts[i] * dtype.itemsize]
            found = self._views[key] = flat.view(dtype).reshape(shape)
        return found

    def _call(self, bound: BoundInstruction) -> Call:
        view = self._view
        write, operands, value, _, _, _ = bound
        result = view[value]
        # Many calls share a writer and a register, so they share the prepared call: one each took twice as long.
        key = (write, id(result))
        made = self._bare.get(key)
        if made is None:
            made = self._bare[key] = prepared_call(write, result)
        call, first, last = made
        return call, (*first, *[view[i] for i in operands], *last)

    def _step(self, bound: BoundInstruction) -> LoopCall | None:
        """The instruction as one call of a NumPy inner loop, or None.

        The conditions that NumPy would check hold. Dtypes are those of the loop, in native order. Addresses are
        multiples of 16. A result shares memory only with an operand that it lies exactly on. Each operand is a row of
        the result's length or a single number. (Its shape broadcasts to the result's, so equal sizes mean equal order.)
        """
        dtypes, counts, offsets = self._layout.dtypes, self._counts, self._offsets
        call, operands, value, _, _, _ = bound
        loop = self._loops.get(call, _NOT_ASKED)
        if loop is _NOT_ASKED:  # writers are shared by op and dtypes
            loop = self._loops[call] = loop_of(call, tuple([dtypes[i] for i in operands]), dtypes[value])
        elements = counts[value]
        if loop is None or not elements:
            return None
        itemsize = dtypes[value].itemsize
        start = offsets[value]
        stop = start + elements * itemsize
        base = self._base
        addresses: list[int] = []
        strides: list[int] = []
        for i in operands:
            count, size, offset = counts[i], dtypes[i].itemsize, offsets[i]
            if count != elements and count != 1:
                return None
            apart = offset >= stop or offset + count * size <= start
            if not apart and (offset != start or count != elements or size != itemsize):
                return None
            addresses.append(base + offset)
            # With a stride of 0 for a single result NumPy's loops would compute a sum.
            strides.append(size if count == elements else 0)
        addresses.append(base + start)
        strides.append(itemsize)
        return LoopCall(loop, tuple(addresses), elements, tuple(strides))


class _LazyItems(dict[int, Any]):
    """Items made by `make` at first use: a later look-up takes 30 ns, a call 150."""

    def __init__(self, make: Callable[[int], Any]) -> None:
        self._make = make

    def __missing__(self, i: int) -> Any:
        made = self[i] = self._make(i)
        return made


_NOT_ASKED: Final = Loop(0, 0)
_LINE: Final = 64


def _rounded(size: int) -> int:
    """The size rounded up: single numbers are packed, rows begin at a cache line."""
    grain = 16 if size < _LINE else _LINE
    return -(-size // grain) * grain


def loop_of(call: Writer, dtypes: tuple[Any, ...], out: Any) -> Loop | None:
    """The inner loop that NumPy runs for `call` on operands of these dtypes; None if `call` is not a plain ufunc."""
    ufunc = ufunc_of(call)
    if not isinstance(ufunc, np.ufunc) or (ufunc.nin, ufunc.nout) != (len(dtypes), 1):
        return None
    known: object = getattr(np, ufunc.__name__, None)
    if known is not ufunc:  # another ufunc of that name
        return None
    every = (*dtypes, out)
    if any(d.kind not in "biufc" for d in every) or (out.kind in "iu" and ufunc.__name__ in MAY_RAISE):
        return None
    try:
        resolved = ufunc.resolve_dtypes((*dtypes, None))
    except TypeError:
        return None
    if resolved != every:
        return None
    return numpy_loop(ufunc.__name__, "".join([d.char for d in dtypes]) + "->" + out.char)
