"""Temporary settings: NumPy's floating-point warnings are off in a run, the garbage collector in planning.

Infinities and NaN are ordinary results. `with np.errstate(...)` costs 0.9 us a run. NumPy keeps the setting in a
context variable, so the run enters a context in which it is already set: 0.2 us. Only one run at a time can enter a
context, so there is a list of idle ones. A context whose variables were changed, as by a signal handler, is dropped.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Any, Protocol, TypeVar
from weakref import ref

import numpy as np

from ...graph.common.locks import in_child

R = TypeVar("R")


class ContextRunner(Protocol):
    """Calls a function in some context."""

    def __call__(self, function: Callable[..., R], *args: Any) -> R:
        """What the function returns."""


_idle: deque[tuple[Context, Context]] = deque(maxlen=64)
"""Idle contexts, each with a copy of its prepared state."""


def in_quiet_context(function: Callable[..., R], *args: Any) -> R:
    """`function(*args)` with all of NumPy's floating-point warnings off."""
    try:
        pair = _idle.pop()
    except IndexError:
        pair = _new_pair()
    context, prepared = pair
    try:
        return context.run(function, *args)
    finally:
        if context == prepared:  # 40 ns: the two share their content until a variable is set
            _idle.append(pair)


def _new_pair() -> tuple[Context, Context]:
    context = Context()
    context.run(np.seterr, all="ignore")
    return context, context.copy()


class collector_paused:
    """A `with` block without garbage collection: planning makes many objects and no garbage, and the collector took a
    third of the time on 100,000 nodes.

    The finalizer of an object switches the collector on again, so an interrupt at any line cannot leave it off.
    """

    __slots__ = ("_pause",)

    def __init__(self) -> None:
        self._pause: _Pause | None = None

    def __enter__(self) -> None:
        if gc.isenabled():  # if it is off already, another thread may be about to switch it on
            pause = self._pause = _Pause()
            for key in [key for key, found in _pauses.copy().items() if found() is None]:
                _pauses.pop(key, None)
            _pauses[id(pause)] = ref(pause)
            gc.disable()

    def __exit__(self, *error: object) -> None:
        self._pause = None


class _Pause:
    """Switches the collector on when it is freed, by a C function that no interrupt can stop half-way."""

    __slots__ = ("__weakref__",)
    __del__ = staticmethod(gc.enable)


_pauses: dict[int, ref[_Pause]] = {}


def _end_pauses() -> None:
    """Switch the collector on in a forked child, where the thread that was planning does not exist."""
    if any(found() is not None for found in _pauses.copy().values()):
        gc.enable()


in_child(_end_pauses)
