"""BLAS has one thread in our calls, and the user's number of threads before and after them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.base import blas_threads
from penstock.runtime.base.blas_threads import with_one_thread

from ...interrupts import AtLine, interrupted_at, lines_of

LIBRARY = blas_threads._library()
pytestmark = pytest.mark.skipif(LIBRARY is None, reason="NumPy has a BLAS without threads, or an unknown one")


@pytest.fixture(autouse=True)
def three_threads() -> Iterator[None]:
    assert LIBRARY is not None
    before = LIBRARY.get()
    LIBRARY.set(3)
    yield
    LIBRARY.set(before)


def threads() -> int:
    assert LIBRARY is not None
    return LIBRARY.get()


def fails() -> int:
    assert threads() == 1
    raise ValueError("of the call")


def test_a_call_has_one_thread_and_the_number_comes_back() -> None:
    assert with_one_thread(threads) == 1 and threads() == 3
    assert with_one_thread(with_one_thread, threads) == 1 and threads() == 3
    with pytest.raises(ValueError, match="of the call"):
        with_one_thread(fails)
    assert threads() == 3


def test_a_number_that_the_user_sets_between_calls_is_kept() -> None:
    assert LIBRARY is not None
    with_one_thread(threads)
    LIBRARY.set(2)
    assert with_one_thread(threads) == 1 and threads() == 2


def test_calls_of_many_threads_all_have_one() -> None:
    found: list[int] = []

    def work() -> None:
        found.extend(with_one_thread(threads) for _ in range(2000))

    workers = [threading.Thread(target=work) for _ in range(6)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert set(found) == {1} and len(found) == 12_000 and threads() == 3


def test_an_interrupt_at_any_line_leaves_no_more_than_the_next_call_puts_right() -> None:
    count = lines_of(lambda: with_one_thread(threads))
    assert count > 10
    for line in range(1, count + 1):
        assert interrupted_at(line, lambda: with_one_thread(threads))
        with suppress(RuntimeError):  # the trace strikes on the way out of a `with`, too, where no signal does
            blas_threads._lock.release()
        assert with_one_thread(threads) == 1 and threads() == 3, line


def test_a_handler_at_any_line_may_call_it() -> None:
    found: list[int] = []
    for line in range(1, lines_of(lambda: with_one_thread(threads)) + 1):
        strike = AtLine(line, lambda: found.append(with_one_thread(threads)))
        assert strike.run(lambda: with_one_thread(threads)) == 1 and threads() == 3, line
        assert strike.struck
    assert set(found) == {1}


def test_a_child_forked_during_a_call_has_the_users_number() -> None:
    def fork() -> int:
        child = os.fork()
        if not child:
            os._exit(threads())
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert with_one_thread(fork) == 3 and threads() == 3


def test_without_a_known_library_calls_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas_threads, "_library", lambda: None)
    assert with_one_thread(threads) == 3


def test_code_of_the_user_in_a_run_has_the_users_number() -> None:
    a = tf.constant(np.ones((300, 300), "f4"))

    def seen(x: object) -> np.int32:
        return np.int32(threads())

    found = tf.py_func(seen, [tf.matmul(a, a)], tf.int32)
    with tf.Session() as session:
        assert session.run(found) == 3 and threads() == 3
