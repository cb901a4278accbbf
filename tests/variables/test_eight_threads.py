"""Eight threads on the sessions of one graph for minutes: reads, writes, failures, closed sessions, Ctrl-C.

    PENSTOCK_STRESS_SECONDS=600 python -m pytest -m slow tests/variables/test_eight_threads.py

Every write adds one to all elements of two variables, in one of several ways. So every reader must find the same whole
number everywhere, and at the end it is the number of writes. A run that is interrupted may have written one variable
and not the other: in sessions with Ctrl-C each variable must be whole by itself.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

import penstock as tf

from ..helpers import thread_switches

THREADS = 8
SIZE = 3000
SECONDS = float(os.environ.get("PENSTOCK_STRESS_SECONDS", "120"))


class Model:
    """The graph: ways to add one to both variables, ways to read them, and ways to fail."""

    def __init__(self) -> None:
        one = np.ones(SIZE, "f4")
        with tf.Graph().as_default() as graph:
            self.a = tf.Variable(np.zeros(SIZE, "f4"), name="a")
            self.b = tf.Variable(np.zeros(SIZE, "f4"), name="b")
            self.x = tf.placeholder(tf.float32, [], name="x")
            a, b = self.a, self.b
            rows = np.arange(SIZE)
            descent = tf.train.GradientDescentOptimizer(1.0)
            self.writes = [
                tf.group(a.assign_add(one), b.assign_add(one)),
                tf.group(tf.scatter_add(a, rows, one), tf.scatter_add(b, rows, one)),
                tf.group(a.assign(a + 1.0), b.assign(a + 1.0)),
                descent.apply_gradients([(-tf.ones_like(v), v) for v in (a, b)]),
                tf.group(a.assign_sub(tf.fill([SIZE], -self.x)), b.assign_sub(tf.fill([SIZE], -self.x))),
            ]
            self.reads = [[a.value(), b.value()], [tf.identity(b) * 1.0, a.read_value()], [a, b]]
            with tf.control_dependencies([self.writes[0]]):
                self.write_and_read = [a.read_value(), b.read_value()]
            broken = tf.check_numerics(tf.log(-self.x) * tf.ones([SIZE]), "broken")
            self.failing = [
                tf.group(a.assign_add(broken), b.assign_add(broken)),
                tf.group(*[v.assign(tf.py_func(self._raises, [v.value()], tf.float32)) for v in (a, b)]),
            ]
            self.start = tf.global_variables_initializer()
        self.graph = graph

    @staticmethod
    def _raises(x: Any) -> Any:
        raise ZeroDivisionError


class Stress:
    """One session after another, which threads use until it is closed."""

    def __init__(self, seed: int) -> None:
        self.model = Model()
        self.seed = seed
        self.counts: Counter[str] = Counter()
        self.errors: list[BaseException] = []
        self.until = time.monotonic() + SECONDS
        self.count_lock = threading.Lock()
        self.is_interrupted = False

    def rounds(self) -> None:
        """Sessions until the time is up; each is closed while threads use it, now and then."""
        number = 0
        while time.monotonic() < self.until and not self.errors:
            self.one_session(number)
            number += 1

    def one_session(self, number: int) -> None:
        choices = random.Random(self.seed + number)
        config = tf.SessionConfig(threads=choices.choice([None, 1, 4]), passes=choices.choice([None, None, ()]))
        session = tf.Session(graph=self.model.graph, config=config)
        session.run(self.model.start)
        end = threading.Event()
        done: Counter[str] = Counter()
        self.is_interrupted = number % 2 == 0
        threads = [
            threading.Thread(target=self._guarded, args=(lambda i=i: self.work(session, end, done, number * 100 + i),))
            for i in range(THREADS - 1)
        ]
        for each in threads:
            each.start()
        self._guarded(lambda: self.main_thread(session, done, choices, 2.0 + 3.0 * choices.random()))
        if choices.random() < 0.5:
            session.close()  # while the others run
        end.set()
        for each in threads:
            each.join()
        self.counts += done
        self.counts["sessions"] += 1
        if self.errors:
            return
        try:
            value = self.whole(session.run(self.model.reads[0]))
        except RuntimeError:  # it was closed
            return
        assert self.is_interrupted or value == done["writes"], (value, done)
        session.close()

    def work(self, session: tf.Session, end: threading.Event, done: Counter[str], seed: int) -> None:
        """What one thread does until the session is closed or the time is up."""
        rng = random.Random(seed)
        seen = 0.0
        while not end.is_set() and time.monotonic() < self.until + 5:
            try:
                seen = self.one_run(session, rng, done, seen)
            except RuntimeError as error:
                assert "closed" in str(error), error
                return

    def one_run(self, session: tf.Session, rng: random.Random, done: Counter[str], seen: float) -> float:
        """One run; the value that a reader finds never becomes smaller."""
        model, choice = self.model, rng.random()
        if choice < 0.4:
            value = self.whole(session.run(rng.choice(model.reads)))
            assert self.is_interrupted or value >= seen, (value, seen)
            self._count(done, "reads")
            return value
        if choice < 0.85:
            session.run(rng.choice(model.writes), {model.x: 1.0})
            self._count(done, "writes")
            return seen
        if choice < 0.93:
            value = self.whole(session.run(model.write_and_read))
            self._count(done, "writes")
            assert self.is_interrupted or value >= seen + 1, (value, seen)
            return value
        try:
            session.run(rng.choice(model.failing), {model.x: 1.0})
        except tf.errors.OpError:
            self._count(done, "failures")
        else:
            raise AssertionError("a run that fails did not")
        return seen

    def main_thread(self, session: tf.Session, done: Counter[str], rng: random.Random, seconds: float) -> None:
        """The main thread writes, in every second session with Ctrl-C at any moment."""
        until = min(self.until, time.monotonic() + seconds)
        armed = False

        def handler(number: int, frame: FrameType | None) -> None:
            if armed:
                raise KeyboardInterrupt

        former = signal.signal(signal.SIGALRM, handler)
        try:
            while time.monotonic() < until:
                try:
                    armed = self.is_interrupted
                    signal.setitimer(signal.ITIMER_REAL, rng.random() * 0.002 + 1e-5)
                    for _ in range(20):
                        session.run(self.model.writes[rng.randrange(5)], {self.model.x: 1.0})
                        armed = False  # from here on the write is counted
                        self._count(done, "writes")
                        armed = self.is_interrupted
                    armed = False
                except KeyboardInterrupt:
                    armed = False
                    self._count(done, "interrupted")
        finally:
            armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, former)

    def whole(self, values: list[Any]) -> float:
        """The number that all elements of both variables are."""
        a, b = values
        assert (a == a[0]).all() and (b == b[0]).all(), (a, b)
        assert self.is_interrupted or a[0] == b[0], (a, b)
        return float(a[0])

    def _count(self, done: Counter[str], what: str) -> None:
        with self.count_lock:
            done[what] += 1

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            self.errors.append(error)


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 900, method="thread")  # it has a use of its own for SIGALRM
def test_eight_threads_for_minutes() -> None:
    stress = Stress(int(os.environ.get("PENSTOCK_STRESS_SEED", "1")))
    with thread_switches(1e-4):
        stress.rounds()
    print(dict(stress.counts))
    if stress.errors:
        raise stress.errors[0]
    assert all(stress.counts[what] > 0 for what in ("sessions", "reads", "writes", "failures", "interrupted"))
