"""Work shared between threads: every call once, errors as a loop would meet them, nothing left hanging."""

from __future__ import annotations

import gc
import os
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest

from penstock.runtime.base import thread_pool
from penstock.runtime.base.cores import cores
from penstock.runtime.base.thread_pool import allowed_threads, parallel_for, parallel_ranges, thread_limit, threads_for

from ...warm_python import run_fresh


def test_every_call_is_made_once() -> None:
    for count in (0, 1, 2, 7, 100):
        done: list[int] = []
        with thread_limit(4):
            parallel_for(count, done.append)
        assert Counter(done) == Counter(range(count))


def test_one_thread_is_the_callers_own_and_keeps_the_order() -> None:
    done: list[tuple[int, int]] = []
    with thread_limit(1):
        parallel_for(5, lambda i: done.append((i, threading.get_ident())))
    assert done == [(i, threading.get_ident()) for i in range(5)]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_ranges_cover_all_pieces_once(threads: int) -> None:
    for count in (0, 1, 2, 7, 100):
        firsts, lasts = list[int](), list[int]()

        def work(first: int, last: int, firsts: list[int] = firsts, lasts: list[int] = lasts) -> None:
            lasts.append(last)
            firsts.append(first)

        with thread_limit(1):  # so that the lists have one order
            parallel_ranges(count, work, threads)
        ranges = [*zip(firsts, lasts, strict=True)]
        assert len(ranges) == (1 if threads == 1 or count < 2 else min(count, threads * thread_pool.SHARES))
        assert sorted([i for first, last in ranges for i in range(first, last)]) == list(range(count))


def test_helpers_take_part() -> None:
    meeting = threading.Barrier(3, timeout=60)  # passes only if three calls are under way at once
    with thread_limit(3):
        parallel_for(3, lambda i: meeting.wait())


def test_the_error_is_the_one_a_loop_would_have_met() -> None:
    class Odd(ValueError):
        pass

    def work(i: int) -> None:
        if i in (3, 5):
            raise Odd(str(i))

    for _ in range(50):
        with thread_limit(3), pytest.raises(Odd, match="3"):
            parallel_for(8, work)


def test_calls_may_nest() -> None:
    done: list[tuple[int, int]] = []

    def outer(i: int) -> None:
        parallel_for(6, lambda j: done.append((i, j)))

    with thread_limit(3):
        parallel_for(6, outer)
    assert Counter(done) == Counter((i, j) for i in range(6) for j in range(6))


def test_an_interrupt_reaches_the_caller_and_the_next_call_works() -> None:
    def work(i: int) -> None:
        if i == 1:
            raise KeyboardInterrupt

    with thread_limit(2):
        with pytest.raises(KeyboardInterrupt):
            parallel_for(4, work)
        done: list[int] = []
        parallel_for(4, done.append)
    assert sorted(done) == [0, 1, 2, 3]


def test_helpers_see_the_errstate_of_the_caller() -> None:
    meeting = threading.Barrier(2, timeout=60)
    seen: list[str] = []

    def work(i: int) -> None:
        meeting.wait()
        seen.append(np.geterr()["divide"])

    for state in ("ignore", "raise"):
        with thread_limit(2), np.errstate(divide=state):
            parallel_for(2, work)
    assert seen == ["ignore", "ignore", "raise", "raise"]


def test_the_limit_holds_inside_and_only_there() -> None:
    before = allowed_threads()
    assert before == cores() >= 1
    with thread_limit(1):
        assert allowed_threads() == 1 and threads_for(1.0) == 1
    with thread_limit(5):
        assert threads_for(1.0) == 5 and threads_for(1e-6) == 1
    assert allowed_threads() == before


def run_python(code: str) -> str:
    done = run_fresh(code, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


SUM = """
import os, sys, threading, warnings
warnings.simplefilter("ignore")  # Python 3.12 warns of forks beside threads; that is what is tried here
from penstock.runtime.base.thread_pool import parallel_for, thread_limit
def total():
    met, done = threading.Barrier(2, timeout=60), []
    with thread_limit(2):
        parallel_for(2, lambda i: (met.wait(), done.append(i)))
    return sum(done)
"""


def test_a_program_that_used_helpers_ends() -> None:
    assert run_python(SUM + "print(total())") == "1"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_makes_helpers_of_its_own() -> None:
    code = (
        SUM
        + """
assert total() == 1
child = os.fork()
if child == 0:
    os._exit(7 if total() == 1 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
print(total())
"""
    )
    assert run_python(code) == "1"


def test_work_at_exit_is_done() -> None:
    code = """
import atexit, sys
from penstock.runtime.base.thread_pool import parallel_for, thread_limit
def last():
    with thread_limit(3):
        parallel_for(3, lambda i: sys.stdout.write(f"{i}\\n"))  # a line at once: print writes its end apart
atexit.register(last)
"""
    assert sorted(run_python(code).split()) == ["0", "1", "2"]


def test_an_interrupt_while_helpers_are_started_still_waits_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A helper that is left behind would write into memory that the caller uses for something else."""
    begin = thread_pool.HELPERS.begin
    begun, done = threading.Event(), []

    def interrupted(wanted: int, run: Callable[[], None]) -> None:
        begin(wanted, run)
        assert begun.wait(60)
        raise KeyboardInterrupt

    def work(i: int) -> None:
        begun.set()
        time.sleep(0.05)
        done.append(i)

    monkeypatch.setattr(thread_pool.HELPERS, "begin", interrupted)
    with thread_limit(2), pytest.raises(KeyboardInterrupt):
        parallel_for(5, work)
    assert done == [0]


def test_work_that_failed_is_not_held_by_its_error_or_by_the_helpers() -> None:
    class Held:
        pass

    def fail() -> weakref.ref[Held]:
        held = Held()

        def work(i: int) -> None:
            raise ValueError(f"{i} {held}")

        with suppress(ValueError):
            parallel_for(4, work)
        return weakref.ref(held)

    gc.disable()
    try:
        with thread_limit(3):
            assert [fail()() for _ in range(20)] == [None] * 20
    finally:
        gc.enable()


def test_an_interrupt_while_the_caller_waits_is_raised_when_the_helpers_have_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The caller waits at a queue; an exception that a signal handler raises there must not cut the wait short."""
    begun, end = threading.Event(), threading.Event()
    done: list[int] = []
    caller = threading.get_ident()

    class Struck:
        """The queue at which the caller waits; the first wait is struck."""

        def __init__(self) -> None:
            self._tokens: Any = SimpleQueue()
            self._strikes = [KeyboardInterrupt]

        def put(self, token: None) -> None:
            self._tokens.put(token)

        def get(self) -> None:
            if self._strikes:
                end.set()
                raise self._strikes.pop()
            self._tokens.get()

    monkeypatch.setattr(thread_pool, "SimpleQueue", Struck)

    def work(i: int) -> None:
        if threading.get_ident() == caller:
            assert begun.wait(60)
        else:
            begun.set()
            assert end.wait(60)
        done.append(i)

    with thread_limit(2), pytest.raises(KeyboardInterrupt):
        parallel_for(2, work)
    assert sorted(done) == [0, 1]


def test_a_job_that_is_called_off_in_the_queue_holds_nothing() -> None:
    """Helpers that are busy elsewhere take it out of the queue late."""
    busy, end = threading.Barrier(2, timeout=60), threading.Event()

    class Held:
        pass

    def occupy() -> None:
        with thread_limit(2):
            parallel_for(2, lambda i: (busy.wait(), end.wait(60)))

    other = threading.Thread(target=occupy)
    other.start()
    try:
        with thread_limit(2):
            held = Held()
            kept = weakref.ref(held)
            parallel_for(2, lambda i, held=held: None)  # type: ignore[misc]  # a default, to hold it
            del held
        assert kept() is None
    finally:
        end.set()
        other.join()
