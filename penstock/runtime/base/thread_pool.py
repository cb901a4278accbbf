"""The thread pool: `parallel_for` divides work among the cores.

`parallel_for(count, work)` calls `work(0) ... work(count - 1)`, each once, from this thread and from helpers. Calls are
claimed in order from one counter, and the caller claims too. So the caller does everything itself if no helper is free,
and it waits only for helpers that have begun. Calls may nest without deadlock.

Helpers are daemon threads that wait at one SimpleQueue, which takes no Python lock. A signal handler may therefore call
`parallel_for` while its own thread is inside it, which would deadlock with the locks of an executor. A forked child
starts helpers of its own. Each helper works in a copy of the caller's context, with its `np.errstate`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextvars import Context, ContextVar, copy_context
from functools import partial
from itertools import chain
from itertools import count as counter
from operator import methodcaller
from queue import SimpleQueue
from threading import Thread

from ...graph.common.locks import in_child
from .cores import cores
from .stop_signal import RunInterrupted, StopSignal, current_signal, working_for

WORTH = 80e-6
"""The least predicted seconds of work for which a helper pays: waking one takes about 20 us."""

SHARES = 4
"""Pieces of work per thread, so that the slowest thread is at most one piece behind."""

LIMIT: ContextVar[int | None] = ContextVar("penstock_threads", default=None)
"""The most threads of a run; None: one per core. Helpers have the value of their caller."""


def allowed_threads() -> int:
    """The number of threads that may work for the caller, itself included."""
    limit = LIMIT.get()
    return cores() if limit is None else limit


class thread_limit:
    """A `with` block in which at most `threads` threads are used; None: one per core.

    It is no generator: one that an interrupt leaves open ends later in another context, where it fails.
    """

    __slots__ = ("_threads", "_token")

    def __init__(self, threads: int | None) -> None:
        self._threads = threads

    def __enter__(self) -> None:
        self._token = LIMIT.set(self._threads)

    def __exit__(self, *error: object) -> None:
        LIMIT.reset(self._token)


def threads_for(seconds: float) -> int:
    """The number of threads that pay for work that takes one thread `seconds`."""
    threads = int(seconds / WORTH)
    return 1 if threads <= 1 else min(threads, allowed_threads())


class _Helpers:
    """The helper threads of this process, and their queue."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start without helpers, also in a forked child, because threads stay in the parent."""
        self._begun = 0
        self._calls: SimpleQueue[tuple[Context, Callable[[], None]]] = SimpleQueue()

    def begin(self, wanted: int, run: Callable[[], None]) -> int:
        """Have up to `wanted` helpers call `run`, each in a copy of this context; fewer if no thread can be started.

        Returns how many will call it.
        """
        self.has(wanted)
        count = min(wanted, self._begun)
        for request in self.requests(count, run):
            request()
        return count

    def has(self, wanted: int) -> bool:
        """Whether there are so many helpers; starts those that are missing."""
        while self._begun < wanted:
            self._begun += 1  # before the start: a signal handler may call this meanwhile
            try:
                Thread(target=_help, args=(self._calls,), name=f"penstock_{self._begun}", daemon=True).start()
            except RuntimeError:  # there are too many threads, or the interpreter is ending
                self._begun -= 1
                return False
        return True

    def requests(self, count: int, run: Callable[[], None]) -> list[Callable[[], None]]:
        """So many calls, each of which has one helper call `run` in a copy of this context."""
        return [partial(self._calls.put, (copy_context(), run)) for _ in range(count)]


def _help(calls: SimpleQueue[tuple[Context, Callable[[], None]]]) -> None:
    """The loop of a helper thread."""
    while True:
        context, run = calls.get()
        context.run(run)
        del context, run  # they hold the arrays of the work


HELPERS = _Helpers()
in_child(HELPERS.forget)


class _Job:
    """The state of one `parallel_for`: the counter, and the errors."""

    def __init__(self, count_: int, work: Callable[[int], object]) -> None:
        self._count = count_
        self._work = work
        self._next = counter()
        self._stopped = False
        self._helping: list[None] = []  # one entry for each helper that is working
        self._ended: SimpleQueue[None] = SimpleQueue()  # one entry whenever a helper has ended
        self._signal = StopSignal(current_signal())
        self.errors: list[tuple[int, BaseException]] = []

    def help(self) -> None:
        """`run` in a helper; `finish` waits for it."""
        self._helping.append(None)
        try:
            with working_for(self._signal):
                self.run()
        finally:
            self._helping.pop()
            self._ended.put(None)

    def run(self) -> None:
        """Claim and make calls until none is left or one has failed."""
        while not self._stopped and (i := next(self._next)) < self._count:
            try:
                self._work(i)
            except BaseException as error:
                self.errors.append((i, error))
                self._stopped = True
                if not isinstance(error, Exception):
                    self._signal.interrupted = True  # a helper may be in a loop that does not end

    def first_error(self) -> BaseException:
        """The error of the smallest i. The references are dropped, since an error holds the frames of this job."""
        error = min(self.errors, key=lambda each: (isinstance(each[1], RunInterrupted), each[0]))[1]
        self.errors.clear()
        return error

    def finish(self) -> None:
        """Stop further claims and wait for the helpers, which write into memory that the caller will reuse.

        An interrupt meanwhile is raised afterwards; helpers end after their current call, so that is soon.
        """
        self._stopped = True
        interrupt: BaseException | None = None
        while self._helping:  # a helper that has not begun yet will find nothing to claim
            try:
                self._ended.get()
            except BaseException as error:
                interrupt = error
                self._signal.interrupted = True
        self._work = _nothing  # a stale entry may stay in the queue for long, and must not hold arrays
        if interrupt is not None:
            try:
                raise interrupt
            finally:
                del interrupt  # it holds this frame


def parallel_for(count: int, work: Callable[[int], object], threads: int | None = None) -> None:
    """Call `work(i)` for each i below `count`, in any order, on at most `threads` threads (None: all that are allowed).

    If calls raise, calls that have begun are finished and no new one begins. The error of the smallest i is raised, as
    in a loop.
    """
    wanted = min(allowed_threads() if threads is None else min(threads, allowed_threads()), count)
    if wanted <= 1:
        for i in range(count):
            work(i)
        return
    job = _Job(count, work)
    try:
        HELPERS.begin(wanted - 1, job.help)
        job.run()
    finally:
        job.finish()
    if job.errors:
        raise job.first_error()


def parallel_ranges(count: int, work: Callable[[int, int], object], threads: int) -> None:
    """Call `work(first, last)` for all of `count` pieces at once, or on several threads for some of them at a time."""
    if threads <= 1 or count <= 1:
        work(0, count)
        return
    shares = min(count, threads * SHARES)
    parallel_for(shares, lambda k: work(count * k // shares, count * (k + 1) // shares), threads)


def parallel_to_the_end(calls: Sequence[Callable[[], object]], threads: int) -> bool:
    """Make all calls, or none, on several threads; False, and none is made, if there are none.

    Each call is one of a function written in C. Calls that overwrite their operands cannot be made again, so an
    interrupt must not leave some of them out. Python interrupts the main thread only, and between its instructions: so
    the caller begins helpers and makes its share of the calls in one. What interrupts it then is raised afterwards.
    """
    helpers = min(threads, len(calls)) - 1
    if helpers < 1 or not HELPERS.has(helpers):
        return False
    left, working, ended = iter(calls), list[None](), SimpleQueue[None]()
    errors: list[BaseException] = []

    def help_() -> None:
        working.append(None)  # before it claims a call: one that is not in the list yet has nothing to do
        try:
            deque(map(_call, left), 0)
        except BaseException as error:
            errors.append(error)
        finally:
            working.pop()
            ended.put(None)

    begun: list[None] = []
    begin = [*HELPERS.requests(helpers, help_), partial(begun.append, None)]
    while True:
        try:
            if not begun:
                deque(map(_call, chain(begin, left)), 0)
            while working:
                ended.get()
            break
        except BaseException as error:
            if not begun:
                raise
            errors.append(error)
    if errors:
        try:
            raise errors[0]
        finally:
            errors.clear()  # an error holds this frame
    return True


_call = methodcaller("__call__")


def _nothing(i: int) -> None:
    """The work of a finished job."""
