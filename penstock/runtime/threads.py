"""How is work shared between the cores?

`parallel_for(count, work)` calls `work(0) ... work(count - 1)`, each once, from this thread and from helpers. Calls are
claimed in order from one counter, and the caller claims too: if no helper is free it does everything itself, and it
waits only for helpers that have begun. So calls may nest, and nothing can wait in a circle.

Helpers are the threads of one `ThreadPoolExecutor`: made when first needed, ended by the interpreter at exit. A forked
child has none of them and makes its own. Each helper works in a copy of the caller's context, with its `np.errstate`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from itertools import count
from time import sleep
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

WORTH = 80e-6
"""Seconds of predicted work below which a helper costs more than it brings: waking one takes about 20 us."""

LIMIT: ContextVar[int | None] = ContextVar("penstock_threads", default=None)
"""How many threads a run may use; None: as many as there are cores. Helpers see what their caller sees."""


@cache
def cores() -> int:
    """How many cores this process may use."""
    asked = getattr(os, "process_cpu_count", None)  # Python 3.13; it knows about affinity too
    if asked is not None:
        return asked() or 1
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # no such question on this system
        return os.cpu_count() or 1


def allowed() -> int:
    """How many threads may work for the caller, itself included."""
    limit = LIMIT.get()
    return cores() if limit is None else limit


@contextmanager
def limited(threads: int | None) -> Iterator[None]:
    """Let what runs inside use at most `threads` threads; None: as many as there are cores."""
    token = LIMIT.set(threads)
    try:
        yield
    finally:
        LIMIT.reset(token)


def worth(seconds: float) -> int:
    """How many threads to give to work that takes one thread about so long."""
    return max(1, min(int(seconds / WORTH), allowed()))


class _Helpers:
    """The pool of this process, made anew when more threads are wanted than it has."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._size = 0

    def begin(self, wanted: int, run: Callable[[], None]) -> list[Future[None]]:
        """Start `run` up to `wanted` times, each in a copy of this context; fewer if the interpreter is ending."""
        pool = self._pool
        if pool is None or self._size < wanted:
            try:  # here, since it loads `logging`, which few programs need
                from concurrent.futures import ThreadPoolExecutor
            except RuntimeError:  # the interpreter is ending
                return []
            # Two threads may come here at once: then the smaller or older pool ends by itself once it is idle.
            pool = ThreadPoolExecutor(max(wanted, cores() - 1, 1), thread_name_prefix="penstock")
            old, self._pool, self._size = self._pool, pool, max(wanted, cores() - 1, 1)
            if old is not None:
                old.shutdown(wait=False)
        begun: list[Future[None]] = []
        try:
            for _ in range(wanted):
                begun.append(pool.submit(copy_context().run, run))
        except RuntimeError:  # no thread can be started, or another thread has just replaced the pool
            pass
        return begun

    def forget(self) -> None:
        """In a forked child: the threads stayed in the parent."""
        self._pool = None


_HELPERS = _Helpers()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_HELPERS.forget)


class _Job:
    """One `parallel_for`: the counter, and what went wrong."""

    def __init__(self, count_: int, work: Callable[[int], object]) -> None:
        self._count = count_
        self._work = work
        self._next = count()
        self._stopped = False
        self._helping: list[None] = []  # one entry for each helper that is at it
        self.errors: list[tuple[int, BaseException]] = []

    def help(self) -> None:
        """`run`, by a helper: `finish` waits for it."""
        self._helping.append(None)
        try:
            self.run()
        finally:
            self._helping.pop()

    def run(self) -> None:
        """Claim and do calls until none is left or one has failed."""
        while not self._stopped and (i := next(self._next)) < self._count:
            try:
                self._work(i)
            except BaseException as error:
                self.errors.append((i, error))
                self._stopped = True

    def first_error(self) -> BaseException:
        """The error of the smallest i, no longer held here: it holds the frames that hold this job, arrays and all."""
        error = min(self.errors, key=lambda each: each[0])[1]
        self.errors.clear()
        return error

    def finish(self, begun: list[Future[None]]) -> None:
        """Let nobody claim another call, and wait for those that are at one."""
        self._stopped = True
        try:
            _settle(begun)
        finally:
            while self._helping:  # an interrupt in the middle of their start lost sight of some
                sleep(WORTH)
            self._work = _nothing  # what was called off may lie in a queue for long, and must not hold arrays


def parallel_for(count: int, work: Callable[[int], object], threads: int | None = None) -> None:
    """Call `work(i)` for each i below `count`, in any order, on at most `threads` threads (None: all that are allowed).

    If calls raise, the others that have begun are finished, no new one is begun, and the error of the smallest i is
    raised: the one that a loop would have met.
    """
    wanted = min(allowed() if threads is None else min(threads, allowed()), count)
    if wanted <= 1:
        for i in range(count):
            work(i)
        return
    job = _Job(count, work)
    begun: list[Future[None]] = []
    try:
        begun = _HELPERS.begin(wanted - 1, job.help)
        job.run()
    finally:
        job.finish(begun)
    if job.errors:
        raise job.first_error()


def _settle(begun: list[Future[None]]) -> None:
    """Wait for the helpers that have begun: they write into memory that the caller will use for something else.

    An interrupt meanwhile is raised afterwards; that is soon, since a helper ends with the call it is at.
    """
    interrupt: BaseException | None = None
    for future in begun:
        while not (future.cancel() or future.done()):
            try:
                future.exception()
            except BaseException as error:
                interrupt = error
    if interrupt is not None:
        try:
            raise interrupt
        finally:
            del interrupt  # it holds this frame


def _nothing(i: int) -> None:
    """The work of a job that is over."""
