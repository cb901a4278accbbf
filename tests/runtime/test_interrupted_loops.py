"""Loops that are interrupted, or fail, in any iteration: session and variables stay usable, nothing grows."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit

from ..interrupts import interrupted_at, lines_of

pytestmark = pytest.mark.usefixtures("no_collector_callbacks")

ROWS = np.arange(12, dtype=np.float64).reshape(4, 3)


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def loop_with_variables(x: tf.Tensor) -> list[Any]:
    """A loop that reads one variable and writes two, and returns a stack."""
    total, last = tf.Variable(np.zeros(3), name="total"), tf.Variable(np.zeros(3), name="last")

    def body(i: tf.Tensor, v: tf.Tensor) -> list[tf.Tensor]:
        added = tf.assign_add(total, v)
        with tf.control_dependencies([tf.assign(last, v)]):
            return [i + 1, tf.identity(added * 0.5 + 1.0)]

    i, v = tf.while_loop(lambda i, v: i < 6, body, [tf.constant(0), x])
    return [i, v]


def loop_of_rows(x: tf.Tensor) -> list[Any]:
    rows = tf.map_fn(lambda row: tf.cumsum(row) * 2.0, tf.stack([x, x + 1.0, x * 2.0]))
    return [rows, tf.scan(lambda a, row: a * 0.5 + row, rows)]


def loop_in_a_branch(x: tf.Tensor) -> list[Any]:
    def deep(v: tf.Tensor) -> Any:
        return tf.while_loop(lambda j, w: j < 3, lambda j, w: [j + 1, tf.sin(w)], [tf.constant(0), v])[1]

    body = lambda i, v: [i + 1, tf.cond(tf.reduce_sum(v) > 3.0, lambda: deep(v), lambda: v + 1.0)]  # noqa: E731
    return list(tf.while_loop(lambda i, v: i < 4, body, [tf.constant(0), x]))


def gradient(x: tf.Tensor) -> list[Any]:
    y = tf.while_loop(lambda i, v: i < 5, lambda i, v: [i + 1, tf.tanh(v) * 0.9 + x], [tf.constant(0), x])[1]
    return list(tf.gradients(y, x))


LOOPS: dict[str, Callable[[tf.Tensor], list[Any]]] = {
    "variables": loop_with_variables, "rows": loop_of_rows, "a branch": loop_in_a_branch, "a gradient": gradient,
}  # fmt: skip
CONFIGS = {
    "all passes": tf.SessionConfig(), "no passes": tf.SessionConfig(passes=()), "1 thread": tf.SessionConfig(threads=1),
    "no arena": tf.SessionConfig(arena=False),
}  # fmt: skip


def feeds_of(x: tf.Tensor) -> dict[Any, Any]:
    return {x: np.array([0.5, -1.0, 2.0])}


@pytest.fixture(params=["now", "off"], autouse=True)
def mode(request: pytest.FixtureRequest) -> Iterator[None]:
    """Loops as machine code from their first iteration on, and never."""
    jit.mode = request.param
    yield
    jit.mode = None


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("kind", LOOPS)
def test_an_interrupt_at_any_line_leaves_session_and_variables_usable(kind: str, config: str) -> None:
    x = tf.placeholder(tf.float64, [3], name="x")
    fetches, feeds = LOOPS[kind](x), feeds_of(x)
    variables = tf.global_variables()
    begin = tf.global_variables_initializer()
    with tf.Session(config=CONFIGS[config]) as session:
        session.run(begin)

        def run() -> Any:
            return session.run(fetches, feeds)

        run()
        session.run(begin)
        want, after = run(), session.run(variables)
        lines = lines_of(run)
        strikes = 0
        for line in range(1, lines + 1, max(1, lines // 60)):
            session.run(begin)
            old = session.run(variables)
            strikes += interrupted_at(line, run)
            now = session.run(variables)
            assert any(all(map(np.array_equal, now, each)) for each in (old, after)), f"after line {line} of {lines}"
            session.run(begin)
            for got, wanted in zip(run(), want, strict=True):
                np.testing.assert_array_equal(got, wanted, f"after line {line} of {lines}")
        assert strikes > 20


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("at", range(6))
def test_a_fault_in_any_iteration_leaves_variables_old(at: int, config: str) -> None:
    total = tf.Variable(np.zeros(3), name="total")
    fails_at = tf.placeholder(tf.int32, [], name="fails_at")

    def body(i: tf.Tensor, v: tf.Tensor) -> list[tf.Tensor]:
        with tf.control_dependencies([tf.assert_none_equal(i, fails_at)]):
            added = tf.assign_add(total, v)
        return [i + 1, added]

    loop = tf.while_loop(lambda i, v: i < 6, body, [tf.constant(0), tf.ones([3], tf.float64)])
    with tf.Session(config=CONFIGS[config]) as session:
        session.run(total.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="x != y did not hold") as caught:
            session.run(loop, {fails_at: at})
        assert f'\n  inside iteration {at} of "while" (While)' in str(caught.value)
        np.testing.assert_array_equal(session.run(total), np.zeros(3))
        assert session.run(loop, {fails_at: -1})[0] == 6
        assert session.run(total)[0] > 0


@pytest.mark.parametrize("kind", LOOPS)
def test_threads_run_one_loop_side_by_side(kind: str) -> None:
    x = tf.placeholder(tf.float64, [3], name="x")
    fetches = LOOPS[kind](x)
    begin = tf.global_variables_initializer()
    with tf.Session() as session:
        alone = {}
        for k in range(4):
            session.run(begin)
            alone[k] = session.run(fetches, {x: np.full(3, 0.1 * k)})
        reads_none = not tf.global_variables()
        wrong: list[Any] = []

        def work(k: int) -> None:
            for _ in range(25):
                got = session.run(fetches, {x: np.full(3, 0.1 * k)})
                if reads_none and not all(np.array_equal(a, b) for a, b in zip(got, alone[k], strict=True)):
                    wrong.append((k, got))

        session.run(begin)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong
        if not reads_none:  # each of 100 runs has added six times, whole
            total = session.run(tf.global_variables()[0])
            assert np.isfinite(total).all() and (total != 0).all()


def test_threads_that_write_one_variable_in_loops_lose_no_update() -> None:
    count = tf.Variable(0, name="count")
    loop = tf.while_loop(lambda i: i < 10, lambda i: i + tf.sign(tf.assign_add(count, 1)), [tf.constant(0)])
    with tf.Session() as session:
        session.run(count.initializer)
        threads = [threading.Thread(target=lambda: [session.run(loop) for _ in range(20)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert session.run(count) == 4 * 20 * 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_runs_the_loops_of_its_parent() -> None:
    x = tf.placeholder(tf.float64, [3], name="x")
    fetches = loop_with_variables(x) + loop_in_a_branch(x)
    begin = tf.global_variables_initializer()
    with tf.Session() as session:
        session.run(begin)
        session.run(fetches, feeds_of(x))
        session.run(begin)
        want = session.run(fetches, feeds_of(x))
        session.run(begin)
        child = os.fork()
        if child == 0:
            try:
                got = session.run(fetches, feeds_of(x))
                is_same = all(np.array_equal(a, b) for a, b in zip(got, want, strict=True))
                os._exit(0 if is_same else 1)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        for got, wanted in zip(session.run(fetches, feeds_of(x)), want, strict=True):
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
@pytest.mark.parametrize("least", [10_000, pytest.param(10_000_000, marks=pytest.mark.slow)])
def test_many_iterations_take_no_more_memory_than_few(least: int) -> None:
    least = least if jit.enabled else min(least, 1_000_000)
    n = tf.placeholder(tf.int32, [], name="n")
    small = tf.while_loop(lambda i, v: i < n, lambda i, v: [i + 1, v * 0.5 + 1.0], [tf.constant(0), tf.zeros([256])])
    found = tf.while_loop(lambda i: i < n // 10, lambda i: i + tf.size(tf.unique([i, i])[0]), [tf.constant(0)])
    sizes = [small, found]
    with tf.Session() as session:
        session.run(sizes, {n: 5000})
        before = resident()
        session.run(sizes, {n: least})
        assert resident() - before < 4 << 20


def resident() -> int:
    """The memory of this process in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
