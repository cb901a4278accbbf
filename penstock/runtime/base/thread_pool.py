"""How is work shared between the cores?

`parallel_for(count, work)` calls `work(0) ... work(count - 1)`, each once, from this thread and from helpers. Calls are
claimed in order from one counter, and the caller claims too: if no helper is free it does everything itself, and it
waits only for helpers that have begun. So calls may nest, and nothing can wait in a circle.

Helpers are daemon threads that wait at one SimpleQueue. It takes no lock of Python's: a signal handler may share work
while its own thread is about to, which the locks of an executor would not survive. A forked child has no helpers and
makes its own. Each helper works in a copy of the caller's context, with its `np.errstate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from itertools import count
from queue import SimpleQueue
from threading import Thread

from ...graph.locks import in_child
from .cores import cores

WORTH = 80e-6
"""Seconds of predicted work below which a helper costs more than it brings: waking one takes about 20 us."""

LIMIT: ContextVar[int | None] = ContextVar("penstock_threads", default=None)
"""How many threads a run may use; None: as many as there are cores. Helpers see what their caller sees."""


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
    """The threads of this process that help, and the queue they wait at."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Have none: so it begins, and so a forked child finds it, for the threads stayed in the parent."""
        self._begun = 0
        self._calls: SimpleQueue[tuple[Context, Callable[[], None]]] = SimpleQueue()

    def begin(self, wanted: int, run: Callable[[], None]) -> None:
        """Have `run` called up to `wanted` times, each in a copy of this context; fewer if no thread is to be had."""
        while self._begun < wanted:
            self._begun += 1  # before the start: a signal handler may come here meanwhile
            try:
                Thread(target=_help, args=(self._calls,), name=f"penstock_{self._begun}", daemon=True).start()
            except RuntimeError:  # there are too many, or the interpreter is ending
                self._begun -= 1
                break
        for _ in range(min(wanted, self._begun)):
            self._calls.put((copy_context(), run))


def _help(calls: SimpleQueue[tuple[Context, Callable[[], None]]]) -> None:
    """A helper's life."""
    while True:
        context, run = calls.get()
        context.run(run)
        del context, run  # they hold what was worked on


_HELPERS = _Helpers()
in_child(_HELPERS.forget)


class _Job:
    """One `parallel_for`: the counter, and what went wrong."""

    def __init__(self, count_: int, work: Callable[[int], object]) -> None:
        self._count = count_
        self._work = work
        self._next = count()
        self._stopped = False
        self._helping: list[None] = []  # one entry for each helper that is at it
        self._ended: SimpleQueue[None] = SimpleQueue()  # one entry whenever a helper has ended
        self.errors: list[tuple[int, BaseException]] = []

    def help(self) -> None:
        """`run`, by a helper: `finish` waits for it."""
        self._helping.append(None)
        try:
            self.run()
        finally:
            self._helping.pop()
            self._ended.put(None)

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

    def finish(self) -> None:
        """Let nobody claim another call, and wait for the helpers that are at one: they write into memory that the
        caller will use for something else.

        An interrupt meanwhile is raised afterwards; that is soon, since a helper ends with the call it is at.
        """
        self._stopped = True
        interrupt: BaseException | None = None
        while self._helping:  # who is not among them yet will find that nothing is left to do
            try:
                self._ended.get()
            except BaseException as error:
                interrupt = error
        self._work = _nothing  # what was called off may lie in the queue for long, and must not hold arrays
        if interrupt is not None:
            try:
                raise interrupt
            finally:
                del interrupt  # it holds this frame


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
    try:
        _HELPERS.begin(wanted - 1, job.help)
        job.run()
    finally:
        job.finish()
    if job.errors:
        raise job.first_error()


def _nothing(i: int) -> None:
    """The work of a job that is over."""
