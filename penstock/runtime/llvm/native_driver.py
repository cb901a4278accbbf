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

import ctypes
from array import array
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from . import tier
from .promotion import Meter, Promotion
from .toolchain import Library
from .ufunc_loops import Loop, numpy_loop

_IR: Final = """
@none = external global i8
declare ptr @PyCapsule_GetPointer(ptr, ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @Py_IncRef(ptr)

; program: i64 bytes of rows, i64 whether to let go of the GIL, then the rows
define ptr @penstock_drive(ptr %self, ptr %unused) {
entry:
  %program = call ptr @PyCapsule_GetPointer(ptr %self, ptr null)
  %length = load i64, ptr %program
  %release.at = getelementptr i64, ptr %program, i64 1
  %release = load i64, ptr %release.at
  %first = getelementptr i64, ptr %program, i64 2
  %end = getelementptr i8, ptr %first, i64 %length
  %holds = icmp eq i64 %release, 0
  br i1 %holds, label %start, label %let.go
let.go:
  %state = call ptr @PyEval_SaveThread()
  br label %start
start:
  %kept = phi ptr [ null, %entry ], [ %state, %let.go ]
  br label %loop
loop:
  %row = phi ptr [ %first, %start ], [ %next, %step ]
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
stop:
  br i1 %holds, label %out, label %take.back
take.back:
  call void @PyEval_RestoreThread(ptr %kept)
  br label %out
out:
  call void @Py_IncRef(ptr @none)
  ret ptr @none
}
"""
_NAME: Final = "penstock_drive"
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


class MethodDef(ctypes.Structure):
    """PyMethodDef, as `methodobject.h` gives it."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


NO_ARGUMENTS: Final = 4  # METH_NOARGS


class Driver:
    """Makes functions that run loop calls."""

    def __init__(self, library: Library) -> None:
        self._definition = MethodDef(_NAME.encode(), library[_NAME], NO_ARGUMENTS, None)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._definition))  # functions that point to it may live longer
        # Own prototypes: other code may change the argument types of the functions in `ctypes.pythonapi`.
        pointer, anything = ctypes.c_void_p, ctypes.py_object
        self._capsule = ctypes.PYFUNCTYPE(anything, *[pointer] * 3)(("PyCapsule_New", ctypes.pythonapi))
        new_function = ctypes.PYFUNCTYPE(anything, pointer, anything, pointer, pointer)
        self._function = new_function(("PyCMethod_New", ctypes.pythonapi))

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
        capsule = self._capsule(rows.buffer_info()[0], None, None)
        call = self._function(ctypes.addressof(self._definition), capsule, None, None)
        return BoundCalls(call, (kinds, rows))


def source() -> tier.ModuleSource:
    """The source of the driver."""
    names = ("PyCapsule_GetPointer", "PyEval_SaveThread", "PyEval_RestoreThread", "Py_IncRef")
    imports = {n: ctypes.cast(getattr(ctypes.pythonapi, n), ctypes.c_void_p).value or 0 for n in names}
    return tier.ModuleSource(_IR, (_NAME,), imports | {"none": id(None)})


_meter: Final = Meter(0)
"""The cost of interpreting tiny calls, over all plans."""


def driver(spent: float = 0.0) -> Driver | None:
    """The driver; None if it is not compiled or the tier is off. spent: seconds just spent on calls it could make."""
    if not tier.on():
        return None
    if PROMOTION.code is None:
        _meter.seconds += spent
        return PROMOTION.code_for(0.0)
    return PROMOTION.code


def _made(library: Library) -> Driver:
    made = Driver(library)
    if not _works(made):
        raise RuntimeError("the native driver's self-check failed")
    return made


def _works(made: Driver) -> bool:
    """True if the driver adds 8 elements correctly."""
    loop = numpy_loop("add", "ff->f")
    if loop is None:
        return False
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    run = made.bind([LoopCall(loop, (x.ctypes.data, x.ctypes.data, y.ctypes.data), 8, (4, 4, 4))])
    run.call()
    return bool((y == x + x).all())


PROMOTION: Final = Promotion(_meter, source, _made)
"""The promotion of the driver, one per process."""
