"""How does NumPy take the memory of large arrays from a pool by itself?

NumPy lets a context have an allocator of its own (NEP 49), as long as that is C functions: here they are compiled ones.
Every array of 128 KiB and more that is made inside a run, NumPy's hidden temporaries included, takes a block that was
used before, and gives it back when nobody holds the array any more. Such arrays own their data. Making and dropping one
takes 0.35 us; with an owner object behind each array (runtime.memory.buffer_pool, the way without llvmlite) 4.

    large block    | next idle | ... | class |  payload, aligned to 64 bytes
    small block                | size |  -1  |  payload, from malloc

Idle blocks lie in one list per class: eight sizes per power of two. A spin lock guards ten instructions at a time; with
a GIL nobody ever waits for it. Arrays outlive everything, so the code and what NumPy points to are never let go.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections import deque
from contextvars import Context, ContextVar
from importlib import import_module
from typing import Any, Final

import numpy as np

from ...graph.locks import in_child
from . import tier
from .numpy_allocator_ir import IS_ADVISED, SMALL, ir
from .toolchain import Library

NAME: Final = "penstock"
_FUNCTIONS: Final = ("penstock_malloc", "penstock_calloc", "penstock_realloc", "penstock_free")
_COUNTERS: Final = ("idle", "live", "beside", "peak", "cap", "hits", "misses")


class _Functions(ctypes.Structure):
    """PyDataMemAllocator, as `ndarraytypes.h` gives it."""

    _fields_ = (
        ("ctx", ctypes.c_void_p),
        ("malloc", ctypes.c_void_p),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


class _Handler(ctypes.Structure):
    """PyDataMem_Handler, version 1."""

    _fields_ = (("name", ctypes.c_char * 127), ("version", ctypes.c_uint8), ("functions", _Functions))


def _python(name: str, result: Any, *arguments: Any) -> Any:
    """A function of Python's C API, apart from what others say about it in `ctypes.pythonapi`."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_SET_HANDLER: Final = 304  # the place of PyDataMem_SetHandler in NumPy's table, since 1.22

_inside: Final[ContextVar[bool]] = ContextVar("penstock_allocator", default=False)


class Allocator:
    """The pool behind NumPy. One per process; it is never taken down.

    Raises:
        RuntimeError: NumPy does not take it.
    """

    def __init__(self, library: Library) -> None:
        numpy: Any = import_module("numpy._core._multiarray_umath")
        functions = _Functions(None, *[library[name] for name in _FUNCTIONS])
        handler = _Handler(NAME.encode(), 1, functions)
        name = ctypes.create_string_buffer(b"mem_handler")
        # The name by its address: what ctypes makes of bytes lives as long as the call.
        make = _python("PyCapsule_New", ctypes.py_object, *[ctypes.c_void_p] * 3)
        self._capsule = make(ctypes.addressof(handler), ctypes.addressof(name), None)
        read = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
        table = ctypes.cast(read(numpy._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
        self._set = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[_SET_HANDLER])
        self._trim = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(library["penstock_trim"])
        self._words = {word: ctypes.c_int64.from_address(library[word]) for word in _COUNTERS}
        self._name_of = import_module("numpy._core.multiarray").get_handler_name
        for each in (handler, name, self._capsule, library, library.kept, self._set):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))
        self._try()
        if not getattr(sys, "_is_gil_enabled", lambda: True)():
            in_child(ctypes.CFUNCTYPE(None)(library["penstock_forget"]))

    def enter(self) -> None:
        """Let NumPy take memory from here in the current context."""
        self._set(self._capsule)
        _inside.set(True)

    def is_entered(self) -> bool:
        """Whether NumPy takes memory from here now."""
        return _inside.get()

    def owns(self, array: Any) -> bool:
        """Whether the memory of `array` is a block of its own from here."""
        return bool(array.flags.owndata and self._name_of(array) == NAME)

    def trim(self, to: int = 0) -> int:
        """Give idle blocks back to the system until at most `to` bytes are idle; the bytes given back."""
        return int(self._trim(to))

    def __getitem__(self, counter: str) -> int:
        """A counter: idle and live bytes, their peak together with what lies `beside`, cap, hits, misses."""
        return int(self._words[counter].value)

    def __setitem__(self, counter: str, value: int) -> None:
        self._words[counter].value = value

    def _try(self) -> None:
        """One array of each kind, with what may happen to it."""
        Context().run(self._tried)

    def _tried(self) -> None:
        self.enter()
        zeros = np.zeros(2 * SMALL, np.uint8)
        few = np.empty(3)
        few[:] = (1.0, 2.0, 3.0)
        few.resize(SMALL, refcheck=False)
        sound = few[:3].tolist() == [1.0, 2.0, 3.0] and not few[3:].any() and not zeros.any()
        if not (sound and self.owns(zeros) and self.owns(few) and zeros.ctypes.data % 64 == 0):
            raise RuntimeError(f"NumPy {np.__version__} does not take memory from the pool")


_LIBC: Final = ("aligned_alloc", "malloc", "calloc", "realloc", "free")


def source() -> tier.Source | None:
    """What the allocator is compiled from; None where the C library lacks something."""
    library = ctypes.CDLL(None) if os.name == "posix" else None
    names = (*_LIBC, "madvise") if IS_ADVISED else _LIBC
    try:
        imports = {name: ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in names}
    except AttributeError:
        return None
    return tier.Source(ir(), (*_FUNCTIONS, "penstock_trim", "penstock_forget", *_COUNTERS), imports)


class _State:
    """The allocator, and whether it was asked for."""

    def __init__(self) -> None:
        self.made: Allocator | None = None
        self.asked = False
        self.turn = deque([True])  # whoever takes it asks: no lock that a forked child could find closed


_state: Final = _State()
_SOON: Final = 50
_LATER: Final = 5_000
"""Large arrays made without it after which it is built: if LLVM is loaded, and if it has to be loaded for it."""


def _soon() -> int:
    if tier.at_once():
        return 0
    return _SOON if tier.is_ready() else _LATER


def wanted(made: int) -> Allocator | None:
    """The allocator if it is there. made: how many large arrays were made without it: after some it is built."""
    if _state.made is None and not _state.asked and made >= _soon() and tier.on():
        _ask()
    return _state.made


def _ask() -> None:
    _state.asked = True
    try:
        _state.turn.pop()
    except IndexError:  # another thread was faster
        return
    wanted_source = source()
    if wanted_source is not None:
        tier.build_later(wanted_source, _deliver)


def _deliver(built: Library | Exception) -> None:
    if isinstance(built, Library):
        try:
            _state.made = Allocator(built)
        except RuntimeError:  # large arrays go on as without it
            return
