"""NumPy's inner loops: calling them from compiled code, and ufuncs of compiled loops.

Both go through the public head of a ufunc object and NumPy's C API table. `new_ufunc` makes a real ufunc of a compiled
inner loop `void (char **args, intp *dims, intp *steps, void *data)`; NumPy then does broadcasting, strides, overlap,
byte order, alignment and read-only checks, and releases the GIL. `numpy_loop` gives the address of the loop that NumPy
chose for a function on this processor, to be called from generated code or the native driver.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np


class _Head(ctypes.Structure):
    """PyUFuncObject of `ufuncobject.h`, up to the owner's field; the same in NumPy 2.0 to 2.5."""

    _fields_ = (
        ("object", ctypes.c_char * object.__basicsize__),
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_void_p),
        ("types", ctypes.POINTER(ctypes.c_ubyte)),
        ("doc", ctypes.c_void_p),
        ("ptr", ctypes.c_void_p),
        ("owner", ctypes.c_void_p),
    )


class Loop(NamedTuple):
    """An inner loop: its address, and the `data` argument it needs."""

    address: int
    data: int


@cache
def numpy_loop(name: str, dtypes: str) -> Loop | None:
    """NumPy's loop of the function `name` for dtypes such as "ff->f"; None if it has none or the layout is unknown.

    The loop checks nothing. Its operands must be aligned and in native byte order.
    """
    function = getattr(np, name, None)
    if not isinstance(function, np.ufunc) or dtypes not in function.types:
        return None
    head = _Head.from_address(id(function))
    if (head.nin, head.nout, head.nargs, head.ntypes) != (function.nin, function.nout, function.nargs, function.ntypes):
        return None
    place = function.types.index(dtypes)
    numbers = [head.types[place * head.nargs + i] for i in range(head.nargs)]
    if numbers != [np.dtype(c).num for c in dtypes.replace("->", "")]:
        return None
    address = head.functions[place]
    return Loop(address, head.data[place] or 0) if address else None


@cache
def _maker() -> Any:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(_umath()._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    words = (*[ctypes.c_void_p] * 3, *[ctypes.c_int] * 4, *[ctypes.c_void_p] * 2, ctypes.c_int)
    # PyUFunc_FromFuncAndData(functions, data, types, ntypes, nin, nout, identity, name, doc, unused): slot 1 since 1.0
    return ctypes.PYFUNCTYPE(ctypes.py_object, *words)(table[1])


def _umath() -> Any:
    return import_module("numpy._core._multiarray_umath")  # where NumPy keeps its C API tables since 2.0


MOST_OPERANDS = 64
"""The most operands of a ufunc, inputs and outputs together."""


def new_ufunc(address: int, dtypes: Sequence[Any], inputs: int, name: str, owner: object = None) -> Any:
    """A ufunc with one loop, at `address`, for the given dtypes (inputs first, then outputs).

    Args:
        address: the address of the loop.
        dtypes: dtypes with a type number of NumPy; others, such as bfloat16, are passed as unsigned ints of their size.
        inputs: the number of inputs.
        name: the name of the ufunc.
        owner: an object that the ufunc keeps alive.

    Raises:
        RuntimeError: the layout of this NumPy's ufunc objects is not known.
    """
    count = len(dtypes)
    functions, data = (ctypes.c_void_p * 1)(address), (ctypes.c_void_p * 1)(None)
    types = (ctypes.c_ubyte * count)(*[np.dtype(d).num for d in dtypes])
    title = ctypes.create_string_buffer(name.encode())
    parts = [ctypes.addressof(x) for x in (functions, data, types, title)]
    made = _maker()(*parts[:3], 1, inputs, count - inputs, -1, parts[3], 0, 0)
    head = _Head.from_address(id(made))
    found = (head.nin, head.nout, head.ntypes, ctypes.addressof(head.types.contents), head.owner)
    if found != (inputs, count - inputs, 1, parts[2], None):
        raise RuntimeError(f"ufuncs of NumPy {np.__version__} have a layout that is not known")
    # NumPy keeps pointers into these, and drops its reference to the owner when the ufunc dies.
    keep = (functions, data, types, title, owner)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(keep))
    head.owner = id(keep)
    return made
