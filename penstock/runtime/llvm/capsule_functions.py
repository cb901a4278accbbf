"""Functions of Python over machine code that finds what it works on in a capsule: what both drivers are made of.

A driver gets a *program*, two words and rows behind them, and goes through the rows:

    bytes of the rows | whether to let go of the GIL | row | row ...
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final, TypeVar

from .toolchain import Library

_D = TypeVar("_D")

NO_ARGUMENTS: Final = 4  # METH_NOARGS
SEVERAL_ARGUMENTS: Final = 0x80  # METH_FASTCALL

DECLARATIONS: Final = """
declare ptr @PyCapsule_GetPointer(ptr, ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @Py_IncRef(ptr)
"""
_NAMES: Final = ("PyCapsule_GetPointer", "PyEval_SaveThread", "PyEval_RestoreThread", "Py_IncRef")


def imports() -> dict[str, int]:
    """The addresses of what `DECLARATIONS` declares."""
    return {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0 for name in _NAMES}


def function_of_rows(name: str, loop: str, result: str) -> str:
    """The function that goes through the rows of a program.

    Args:
        name: its name.
        loop: blocks from `loop:` on, which come from %start, go from %first to %end, and then to `stop`.
        result: the global whose address it returns: an object of Python.
    """
    return f"""
define ptr @{name}(ptr %self, ptr %unused) {{
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
  %kept = phi ptr [null, %entry], [%state, %let.go]
  br label %loop
{loop.strip()}
stop:
  br i1 %holds, label %out, label %take.back
take.back:
  call void @PyEval_RestoreThread(ptr %kept)
  br label %out
out:
  call void @Py_IncRef(ptr @{result})
  ret ptr @{result}
}}
"""


class _MethodDef(ctypes.Structure):
    """PyMethodDef, as `methodobject.h` gives it."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class CapsuleFunctions:
    """Makes functions of Python of one function of a library, each for an address of its own."""

    def __init__(self, library: Library, name: str, flags: int = NO_ARGUMENTS) -> None:
        """flags: how it takes arguments."""
        self._definition = _MethodDef(name.encode(), library[name], flags, None)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._definition))  # functions that point to it may live longer
        # Own prototypes: other code may change the argument types of the functions in `ctypes.pythonapi`.
        pointer, anything = ctypes.c_void_p, ctypes.py_object
        self._capsule = ctypes.PYFUNCTYPE(anything, *[pointer] * 3)(("PyCapsule_New", ctypes.pythonapi))
        new_function = ctypes.PYFUNCTYPE(anything, pointer, anything, pointer, pointer)
        self._function = new_function(("PyCMethod_New", ctypes.pythonapi))

    def __call__(self, address: int) -> Any:
        """The function for what lies at the address, which the caller keeps."""
        capsule = self._capsule(address, None, None)
        return self._function(ctypes.addressof(self._definition), capsule, None, None)


def checked(new: Callable[[Library], _D], works: Callable[[_D], bool]) -> Callable[[Library], _D]:
    """How to make a driver that passes its self-check; otherwise it raises RuntimeError."""

    def checked_driver(library: Library) -> _D:
        driver = new(library)
        if not works(driver):
            raise RuntimeError(f"the self-check of {new.__name__} failed")
        return driver

    return checked_driver
