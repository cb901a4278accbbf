"""What is switched off for a while: NumPy's warnings in a run, the garbage collector in planning.

Values of inf and nan are ordinary results here. `with np.errstate(...)` costs 0.9 us a run; NumPy keeps the setting
in a context variable, so the run enters a context in which it is set already: 0.2 us. A context can be entered by one
run at a time, so there is a list of idle ones. One in which something was set and left, as by a signal handler that ran
there, is not used again.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Any, Protocol, TypeVar
from weakref import ref

import numpy as np

from ...graph.locks import in_child

R = TypeVar("R")


class Within(Protocol):
    """Calls a function with arguments, in some context."""

    def __call__(self, function: Callable[..., R], *args: Any) -> R:
        """What the function returns."""


_idle: deque[tuple[Context, Context]] = deque(maxlen=64)
"""Contexts to be entered, each with a copy of it as it was prepared."""


def quietly(function: Callable[..., R], *args: Any) -> R:
    """`function(*args)` with all of NumPy's floating-point warnings off."""
    try:
        pair = _idle.pop()
    except IndexError:
        pair = _new_pair()
    context, prepared = pair
    try:
        return context.run(function, *args)
    finally:
        if context == prepared:  # 40 ns: they share what they hold as long as nothing is set
            _idle.append(pair)


def _new_pair() -> tuple[Context, Context]:
    context = Context()
    context.run(np.seterr, all="ignore")
    return context, context.copy()


class collector_paused:
    """A `with` block without garbage collection: planning makes many objects and no garbage, and looking for it took a
    third of the time on 100,000 nodes.

    The collector comes back on with the end of an object, so that an interrupt at any line of this, too, leaves it on.
    """

    __slots__ = ("_pause",)

    def __init__(self) -> None:
        self._pause: _Pause | None = None

    def __enter__(self) -> None:
        if gc.isenabled():  # who finds it off leaves it alone: another thread may be about to switch it on again
            pause = self._pause = _Pause()
            for key in [key for key, found in _pauses.copy().items() if found() is None]:
                _pauses.pop(key, None)
            _pauses[id(pause)] = ref(pause)
            gc.disable()

    def __exit__(self, *error: object) -> None:
        self._pause = None


class _Pause:
    """Switches the collector on when it dies: by a function in C, which no interrupt can stop half-way."""

    __slots__ = ("__weakref__",)
    __del__ = staticmethod(gc.enable)


_pauses: dict[int, ref[_Pause]] = {}


def _end_pauses() -> None:
    """In a forked child: the thread that was planning, and would switch the collector on again, is not there."""
    if any(found() is not None for found in _pauses.copy().values()):
        gc.enable()


in_child(_end_pauses)
