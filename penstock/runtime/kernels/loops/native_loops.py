"""Asking for compiled loops: `find` gives the loop of a template, `shares` and `in_shares` divide the work.

A fast kernel names a template and a key (sizes and dtypes that the loop is made for) and gets a function, or None:

    loop = find("take", row_bytes, "i4", 1, work=len(index))
    if loop is not None:
        done = loop(out, rows, index, np.array([len(rows)]), len(index), row_bytes)

The function takes arrays (their memory) and ints, in the order of the template, and returns an int that the template
defines. It checks nothing: the caller is responsible for dtypes, native byte order and contiguity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count, pairwise
from typing import Any, Final, TypeAlias, TypeVar

from ....graph.common.lazy_import import load
from ...base.thread_pool import parallel_for, threads_for
from ...llvm.native_calls import NativeCall

Loop: TypeAlias = Callable[..., int]
Share: TypeAlias = tuple[int, int]
T = TypeVar("T")

FEWEST: Final = 1 << 14
"""Elements below which NumPy's idioms are left alone: preparing a call takes 10-25 us, a loop saves 1-5 ns an element.

NumPy's time divided by the loop's, for 4,096, 16,384 and 65,536 float32 (in rows of 16): gather 0.8, 1.3, 1.8 (1.0, 7,
2.2); update 1.4, 1.8, 6 (1.9, 5.5, 2.8); sum of updates 1.4, 1.8, 2.1; partition into 2 1.1, 2.0, 8 (0.8, 0.9, 2.5),
into 16 2.2, 6.5, 3.5 (2.1, 1.4, 2.6); mask 0.5, 0.9, 1.5; stitch 1.0, 1.0, 1.7 (1.5, 5, 2). A template may ask more.
"""


CALL: Final = 3000
"""The elements in whose time NumPy's idioms for few rows begin: 8 us, to check an index and spread it to elements."""


def is_large(elements: int) -> bool:
    """True if there are enough elements for a loop to pay."""
    return elements >= FEWEST


finders: list[Callable[..., Loop | None]] = []


def find(name: str, *key: Any, work: int) -> Loop | None:
    """The loop of the template `name` for `key`, or None if NumPy is to do these `work` elements."""
    if work < FEWEST:
        return None
    return (finders[0] if finders else _load())(name, *key, work=work)


def find_for_few(name: str, *key: Any, work: int) -> Loop | None:
    """The same for a loop that pays for few elements too, if it is called often: it is asked for from the 64th call on.
    """
    if not finders and work < FEWEST and next(_calls) < 64:
        return None
    return (finders[0] if finders else _load())(name, *key, work=work)


_calls = count()


def find_after(name: str, *key: Any, spent: float) -> Loop | None:
    """The loop of a template, after so many seconds that it would have saved."""
    load("penstock.runtime.kernels.loops.loop_cache")
    from .loop_cache import find_after as found

    return found(name, *key, spent=spent)


def is_on() -> bool:
    """Whether code may be compiled."""
    load("penstock.runtime.kernels.loops.loop_cache")
    from .loop_cache import is_on as found

    return found()


def find_at_once(name: str, *key: Any) -> Loop | None:
    """The loop of a template, compiled now if it is not there: for work whose bits NumPy would not give."""
    if not finders_at_once:
        load("penstock.runtime.kernels.loops.loop_cache")
        from .loop_cache import find_at_once as found

        finders_at_once[:] = [found]
    return finders_at_once[0](name, *key)


finders_at_once: list[Callable[..., Loop | None]] = []


def _load() -> Callable[..., Loop | None]:
    load("penstock.runtime.kernels.loops.loop_cache")
    from .loop_cache import find as found  # 4 ms, spent by the first large call

    finders[:] = [found]
    return found


def prepared(loop: Loop, *args: Any) -> Callable[[], int]:
    """A call of a loop with these arguments that no Python code is part of; the caller keeps the arrays."""
    if not _prepares:
        load("penstock.runtime.kernels.loops.loop_cache")
        from .loop_cache import prepared as made  # it was loaded with the first loop

        _prepares[:] = [made]
    return _prepares[0](loop, *args)


_prepares: list[Callable[..., Callable[[], int]]] = []


def pays(seconds: float) -> bool:
    """True if several threads should share work that takes one thread about `seconds`."""
    return threads_for(seconds) > 1


def native_call(loop: Loop, *args: Any) -> NativeCall:
    """The same for the block driver: see `llvm.native_calls`."""
    load("penstock.runtime.kernels.loops.loop_cache")
    from .loop_cache import native_call as made  # it was loaded with the first loop

    return made(loop, *args)


def shares(rows: int, seconds: float, step: int = 1) -> list[Share]:
    """(start, stop) for each thread that should work on `rows` elements; each begins at a multiple of `step`.

    No share has fewer than `step` elements, unless there are fewer in all.
    seconds: how long one thread would take, about.
    """
    number = min(threads_for(seconds), rows // step)
    if number <= 1:
        return [(0, rows)]
    bounds = [rows * k // (number * step) * step for k in range(number)]
    return list(pairwise([*bounds, rows]))


def rows_in_shares(loop: Loop, arrays: Sequence[Any], rows: int, *more: int, seconds: float, step: int = 1) -> int:
    """The sum of the results of loop(*arrays, rows, *more), for each share of contiguous arrays of so many rows."""
    divided = shares(rows, seconds, step)
    if len(divided) == 1:
        return loop(*arrays, rows, *more)
    tables = [array.reshape((rows, -1)) for array in arrays]
    return sum(in_shares(divided, lambda _, a, b: loop(*[table[a:b] for table in tables], b - a, *more)))


def in_shares(divided: list[Share], work: Callable[[int, int, int], T]) -> list[T]:
    """The results of work(number, start, stop) for each share; several shares run on several threads."""
    if len(divided) == 1:
        return [work(0, *divided[0])]
    results: dict[int, T] = {}

    def one(i: int) -> None:
        results[i] = work(i, *divided[i])

    parallel_for(len(divided), one)
    return [results[i] for i in range(len(divided))]
