"""Runs of several threads on the same variables are whole, and many runs take no more memory than a few."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import penstock as tf

from ..helpers import thread_switches

LARGE = 20_000


@pytest.fixture
def frequent_switches() -> Iterator[None]:
    """Let the interpreter change threads every few microseconds."""
    with thread_switches(5e-6):
        yield


def together(works: list[Callable[[], None]]) -> None:
    """Call all in threads; the first error is raised here."""
    errors: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("passes", [None, ()], ids=["all passes", "no passes"])
def test_no_thread_sees_a_torn_value_or_half_of_a_run(frequent_switches: None, passes: tuple[str, ...] | None) -> None:
    graph = tf.Graph()
    with graph.as_default():
        a = tf.Variable(np.zeros(LARGE), name="a")
        b = tf.Variable(np.zeros(LARGE), name="b")
        step = tf.group(a.assign_add(np.ones(LARGE)), b.assign_add(np.ones(LARGE)))
        other = tf.group(a.assign_sub(np.full(LARGE, 2.0)), b.assign_sub(np.full(LARGE, 2.0)))
        initializer = tf.global_variables_initializer()
        both, total = [a.value(), b.value()], a.value() - b.value()
    with tf.Session(graph=graph, config=tf.SessionConfig(passes=passes)) as session:
        session.run(initializer)

        def write(operation: tf.Operation) -> Callable[[], None]:
            def repeat() -> None:
                for _ in range(60):
                    session.run(operation)

            return repeat

        def read() -> None:
            for _ in range(60):
                left, right = session.run(both)
                assert left.min() == left.max() == right.min() == right.max()
                assert not session.run(total).any()

        together([write(step), write(other), write(step), write(other), read, read, read, read])
        left, right = session.run(both)
        assert left[0] == right[0] == left[-1] == 2 * 60 * (1 - 2)


def test_every_addition_of_eight_threads_counts(frequent_switches: None) -> None:
    graph = tf.Graph()
    with graph.as_default():
        counter = tf.Variable(0, name="counter")
        more = counter.assign_add(1)
    with tf.Session(graph=graph) as session:
        session.run(counter.initializer)
        seen: list[list[int]] = [[] for _ in range(8)]

        def count(mine: list[int]) -> Callable[[], None]:
            return lambda: mine.extend(int(session.run(more)) for _ in range(200))

        together([count(mine) for mine in seen])
        assert session.run(counter) == 1600
        assert sorted(number for mine in seen for number in mine) == list(range(1, 1601))
        assert all(mine == sorted(mine) for mine in seen)


def test_a_fetched_value_never_changes_later() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.zeros(LARGE))
        more = v.assign_add(np.ones(LARGE))
        session.run(v.initializer)
        held = []
        for i in range(5):
            held += [(i, session.run(v)), (i + 1, session.run(more)), (i + 1, session.run(v.value()))]
        for number, value in held:
            assert (value == number).all()
            assert not any(np.shares_memory(value, other) for _, other in held if other is not value)


def resident() -> int:
    """Bytes of memory of this process that lie in RAM."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="only Linux tells how much memory is resident")
@pytest.mark.parametrize("mode", ["off", "now"])
def test_thousands_of_steps_do_not_grow_the_memory(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tf.config.jit, "mode", mode)  # else the compiler comes into memory on the way
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [4, 3])
        w = tf.Variable(np.ones((3, 1), "f4"))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w.value())))
        (gradient,) = tf.gradients(loss, [w.value()])
        step = w.assign_sub(gradient * 0.01)
        session.run(w.initializer)
        data = np.ones((4, 3), "f4")
        for _ in range(1000):
            session.run([loss, step.op], {x: data})
        grown = []
        for _ in range(3):  # what leaks does so every time, unlike a page of 2 MiB that the system gives once
            before = resident()
            for _ in range(2_000):
                session.run([loss, step.op], {x: data})
            grown.append(resident() - before)
            if grown[-1] < 400_000:
                break
        assert min(grown) < 400_000  # 200 bytes a step would show
