"""What is switched off for a while: NumPy's warnings in a run, the garbage collector in planning.

Values of inf and nan are ordinary results here. `with np.errstate(...)` costs 0.9 us a run; NumPy keeps the setting
in a context
variable, so the run enters a context in which it is set already: 0.2 us. A context can be entered by one run at a
time, so
there is a list of idle ones.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context
from typing import Any, Protocol, TypeVar

import numpy as np

from ..graph.forks import in_child

R = TypeVar("R")


class Within(Protocol):
    """Calls a function with arguments, in some context."""

    def __call__(self, function: Callable[..., R], *args: Any) -> R:
        """What the function returns."""

_idle: deque[Context] = deque(maxlen=64)


def quietly(function: Callable[..., R], *args: Any) -> R:
    """`function(*args)` with all of NumPy's floating-point warnings off."""
    idle = _idle  # where it came from: `prepare` begins anew
    try:
        context = idle.pop()
    except IndexError:
        context = Context()
        context.run(np.seterr, all="ignore")
        for each in _prepared:
            context.run(each)
    try:
        return context.run(function, *args)
    finally:
        idle.append(context)


_prepared: list[Callable[[], object]] = []


def prepare(function: Callable[[], object]) -> None:
    """Call `function` in every context that is made from now on; those there are, are given up."""
    global _idle
    _prepared.append(function)
    _idle = deque(maxlen=64)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Planning makes many objects and no garbage: looking for it took a third of the time on 100,000 nodes."""
    was_on = gc.isenabled()
    try:
        if was_on:  # who finds it off leaves it alone: another thread may be about to switch it on again
            _pauses.append(None)
            gc.disable()
        yield
    finally:
        if was_on:
            gc.enable()
            del _pauses[-1:]


_pauses: list[None] = []


def _end_pauses() -> None:
    """In a forked child: the thread that was planning, and would switch the collector on again, is not there."""
    if _pauses:
        _pauses.clear()
        gc.enable()


in_child(_end_pauses)
