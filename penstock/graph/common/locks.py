"""Locks that forks respect: every lock of the package is made here.

A child process has one thread, the one that forked. A lock that another thread held at that moment would stay closed in
the child for ever, and what it guards would stay half done. So a fork waits for every lock of the package, in one
order, and releases them in the parent and in the child. All are reentrant: a signal handler may run anywhere in the
main thread, also while that thread holds one.

    GRAPH      one for each graph, held while a node is added to it
    COMPILER   around llvmlite
    IMPORTS    around imports at first use (graph.lazy_import)
    QUEUE      around the list of background work
    RANDOM     one for each session, around the counters of its random ops
    STATE      around the table of a session's variables
    OBJECTS    one for each queue or iterator of a session
    BLAS       around the number of threads of the BLAS library

A thread that holds a lock may take one of a later kind, never of an earlier one. `in_child` registers functions that a
child has to call, `around_fork` a pause before a fork takes the locks: what other threads have begun may end there.

There are no other locks: plan caches, the memory pool and helper threads use single operations of dict, deque and
SimpleQueue instead, which are atomic by themselves.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from enum import IntEnum
from itertools import count
from threading import get_ident
from time import monotonic
from typing import TYPE_CHECKING, Final
from weakref import ref

if TYPE_CHECKING:
    from _thread import RLock

PATIENCE: Final = 5.0
"""Seconds that a fork waits for graphs and for pauses. Rules of ops run under a graph's lock, and such a rule may wait
for the thread that forks; then the child gets a new lock."""


class LockKind(IntEnum):
    """What a lock is for; locks are taken in this order."""

    GRAPH = 0
    COMPILER = 1
    IMPORTS = 2
    QUEUE = 3
    RANDOM = 4
    STATE = 5
    OBJECTS = 6
    BLAS = 7


_number = count()
_locks: dict[ref[RLock], tuple[LockKind, int]] = {}
_children: list[Callable[[], object]] = []
_pauses: list[tuple[Callable[[float], object], Callable[[], object]]] = []
_held: dict[int, list[list[RLock]]] = {}
"""By thread: what its forks that are under way have taken, the innermost last."""


def new_lock(kind: LockKind) -> RLock:
    """A reentrant lock that a fork waits for and a child finds open."""
    lock = threading.RLock()
    # The callback is a function in C, and removes its own reference: Python would deliver Ctrl-C at the begin of one of
    # ours, where it is reported as "Exception ignored" and lost.
    _locks[ref(lock, _locks.pop)] = kind, next(_number)
    return lock


def in_child(function: Callable[[], object]) -> None:
    """Call `function` in every forked child, before the locks are opened there."""
    _children.append(function)


def around_fork(before: Callable[[float], object], after: Callable[[], object]) -> None:
    """Call `before(when to give up)` before each fork, without any lock, and `after` in the parent and in the child."""
    _pauses.append((before, after))


def locks() -> dict[LockKind, int]:
    """How many locks of each kind there are."""
    kinds = [kind for kind, _ in _locks.copy().values()]
    return {kind: kinds.count(kind) for kind in LockKind}


def _before() -> None:
    until = monotonic() + PATIENCE
    for before, _ in _pauses:
        before(until)
    taken: list[RLock] = []
    _held.setdefault(get_ident(), []).append(taken)
    for found, key in sorted(_locks.copy().items(), key=lambda item: item[1]):
        lock = found()
        if lock is None:
            continue
        if lock.acquire(timeout=max(0.0, until - monotonic()) if key[0] is LockKind.GRAPH else -1):
            taken.append(lock)


def _in_parent() -> None:
    for lock in reversed(_taken()):
        lock.release()
    for _, after in _pauses:
        after()


def _in_child() -> None:
    taken = _taken()
    own = _held.get(get_ident(), [])
    _held.clear()  # forks that other threads were about to make
    if own:
        _held[get_ident()] = own
    try:
        for function in _children:
            function()
    finally:
        ours = {id(lock) for lock in taken}
        for found in _locks.copy():
            lock = found()
            if lock is not None and id(lock) not in ours:
                lock._at_fork_reinit()  # type: ignore[attr-defined]  # as Python does with its own locks
        for lock in reversed(taken):
            lock.release()
        for _, after in _pauses:
            after()


def _taken() -> list[RLock]:
    """What the innermost fork of this thread has taken."""
    stack = _held.get(get_ident(), [[]])
    taken = stack.pop()
    if not stack:
        _held.pop(get_ident(), None)
    return taken


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)


# ---- the garbage collector ----------------------------------------------------------------------


class collector_paused:
    """A `with` block without garbage collection, where many objects are made and no garbage: in planning, and while
    modules are imported. On 100,000 nodes the collector took a third of the time of planning; of importing what a
    session needs it took a sixth.

    The finalizer of an object switches the collector on again, so an interrupt at any line cannot leave it off.
    """

    __slots__ = ("_pause",)

    def __init__(self) -> None:
        self._pause: _Pause | None = None

    def __enter__(self) -> None:
        if gc.isenabled():  # if it is off already, another thread may be about to switch it on
            pause = self._pause = _Pause()
            for key in [key for key, found in _paused.copy().items() if found() is None]:
                _paused.pop(key, None)
            _paused[id(pause)] = ref(pause)
            gc.disable()

    def __exit__(self, *error: object) -> None:
        self._pause = None


class _Pause:
    """Switches the collector on when it is freed, by a C function that no interrupt can stop half-way."""

    __slots__ = ("__weakref__",)
    __del__ = staticmethod(gc.enable)


_paused: dict[int, ref[_Pause]] = {}


def _end_paused() -> None:
    """Switch the collector on in a forked child, where the thread that was planning does not exist."""
    if any(found() is not None for found in _paused.copy().values()):
        gc.enable()


in_child(_end_paused)
