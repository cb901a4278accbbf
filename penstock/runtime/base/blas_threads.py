"""BLAS has one thread while it works for us; before and after it has as many as the user's own NumPy code wants.

The threads of OpenBLAS wait in loops for each other. Where other work takes their cores, a product that takes 1 ms
alone then takes 20 ms. And it cuts sums at places that depend on the number of its threads, so that bits would depend
on the machine. So each call of it here has one thread, and large products are cut into calls (`kernels.blas_products`)
that the helpers of `thread_pool` share: they sleep while they have nothing to do.

threadpoolctl finds the library that NumPy has loaded. The number of threads of OpenBLAS belongs to the process, so the
calls that are under way are noted: the first one sets it to one, the last one sets it back. Setting it there and back
takes 0.4 us. threadpoolctl's own way of setting it serves one thread of a program only.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeVar
from weakref import ref

import numpy as np

from ...graph.common.lazy_import import load
from ...graph.common.locks import LockKind, in_child, new_lock

R = TypeVar("R")


class _Library(NamedTuple):
    """How a BLAS library is asked for the number of its threads, and told."""

    get: Callable[[], int]
    set: Callable[[int], object]


class _Call:
    """A call of BLAS."""

    __slots__ = ("__weakref__",)


_lock = new_lock(LockKind.BLAS)
_calls: dict[ref[_Call], None] = {}
"""The calls of BLAS that are under way."""
_before: list[int] = []
"""The number of threads that BLAS had before the first of them; [] if it has it still."""


def with_one_thread(function: Callable[..., R], *args: Any) -> R:
    """`function(*args)`, in which BLAS uses only the thread that calls it."""
    library = _library()
    if library is None:
        return function(*args)
    call = _Call()
    try:
        _locked(_limit, library, call)
        return function(*args)
    finally:
        del call  # and gone from the table
        _locked(_restore, library)


def _locked(change: Callable[..., None], *args: Any) -> None:
    """`change(*args)` with the lock; in one line, since an interrupt before the end of a `with` would leave it held."""
    with _lock: change(*args)  # noqa: E701


# A signal handler may call both between any two lines of either: what they have done is done once more, or not at all.


def _limit(library: _Library, call: _Call) -> None:
    _calls[ref(call, _calls.pop)] = None  # so one whose end an interrupt cuts off is forgotten with its frame
    number = library.get()
    if number != 1:
        _before[:] = [number]
        library.set(1)


def _restore(library: _Library) -> None:
    if _calls:
        return
    for number in _before.copy():
        library.set(number)
    _before.clear()


@cache
def _library() -> _Library | None:
    """The library that NumPy calls; None if it has no threads, or is not known."""
    load("threadpoolctl")
    import threadpoolctl

    found = threadpoolctl.ThreadpoolController().select(user_api="blas").lib_controllers
    folder = os.path.dirname(os.path.dirname(os.path.abspath(np.__file__)))
    own = [each for each in found if os.path.abspath(each.filepath).startswith(os.path.join(folder, "numpy"))]
    for each in own or found:  # another package may have brought a library of its own
        if each.internal_api == "openblas":
            return _openblas(each.filepath)
        if each.internal_api == "mkl":
            return _Library(each.get_num_threads, each.set_num_threads)
    return None


def _openblas(path: str) -> _Library | None:
    """Its functions, whose names begin and end in other ways in the packages of it."""
    library = ctypes.PyDLL(path)  # keeps the interpreter lock: a call takes 10 ns
    for prefix in ("", "scipy_"):
        for suffix in ("", "64_", "_64"):
            get = getattr(library, f"{prefix}openblas_get_num_threads{suffix}", None)
            set_ = getattr(library, f"{prefix}openblas_set_num_threads{suffix}", None)
            if get is not None and set_ is not None:
                get.argtypes, get.restype = [], ctypes.c_int
                set_.argtypes, set_.restype = [ctypes.c_int], None
                return _Library(get, set_)
    return None


def _forget() -> None:
    """A forked child has none of the threads whose calls were under way."""
    _calls.clear()
    library = _library() if _before else None
    if library is not None:
        _restore(library)


in_child(_forget)
