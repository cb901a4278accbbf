"""Loops that never end: a timeout ends them wherever they are, and Ctrl-C does; the session can be used afterwards."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.base import stop_signal
from penstock.runtime.loops import native_loop

DEADLINE = tf.errors.DeadlineExceededError


class Ticks:
    """A clock on which each look takes a millisecond, so that a run ends after so many checks.

    Compiled loops look at it after chunks of a millisecond.
    """

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return self.looks / 1000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    made = Ticks()
    monkeypatch.setattr(stop_signal, "clock", made)
    monkeypatch.setattr(native_loop, "CHUNK", 1e-3)
    return made


@pytest.fixture(autouse=True, params=["now", "off"])
def graph(request: pytest.FixtureRequest) -> Iterator[None]:
    """An empty graph; loops are machine code from their first iteration on, or never."""
    jit.mode = request.param
    with tf.Graph().as_default():
        yield
    jit.mode = None
    assert not stop_signal.SIGNALS


def goes_on(*variables: Any) -> tf.Tensor:
    """A condition that always holds, which no pass can tell."""
    return tf.reduce_all(tf.equal(variables[0], variables[0]))


def plain(x: tf.Tensor) -> Any:
    return tf.while_loop(goes_on, lambda v: tf.abs(v * 0.5 - 1.0), [x], name="endless")


def nested(x: tf.Tensor) -> Any:
    inner = lambda v: tf.while_loop(goes_on, lambda w: tf.abs(w * 0.5 - 1.0), [v], name="inner")  # noqa: E731
    return tf.while_loop(goes_on, inner, [x], name="outer")


def in_a_branch(x: tf.Tensor) -> Any:
    return tf.cond(x > 0.0, lambda: plain(x), lambda: x, name="branch")


def with_a_function(x: tf.Tensor) -> Any:
    def body(v: tf.Tensor) -> tf.Tensor:
        return tf.reshape(tf.py_func(lambda a: a, [v], tf.float32), [])

    return tf.while_loop(goes_on, body, [x], name="endless")


def of_a_map(x: tf.Tensor) -> Any:
    return tf.reduce_sum(tf.map_fn(plain, tf.stack([x, x])))


def heavy(x: tf.Tensor) -> Any:
    """Iterations of some milliseconds."""
    found = tf.while_loop(goes_on, lambda v: tf.matmul(v, v) * 0.01, [tf.eye(200) * x], name="endless")
    return found[0, 0]


def heavy_later(x: tf.Tensor) -> Any:
    """Light iterations, from which nobody can tell how long the later ones take."""

    def body(i: tf.Tensor, v: tf.Tensor) -> Any:
        return [i + 1, tf.cond(i < 2000, lambda: v, lambda: tf.matmul(v, v) * 0.01)]

    found = tf.while_loop(lambda i, v: goes_on(v), body, [tf.constant(0), tf.eye(200) * x], name="endless")[1]
    return found[0, 0]


LOOPS: dict[str, Callable[[tf.Tensor], Any]] = {
    "a loop": plain, "a loop in a loop": nested, "a loop in a branch": in_a_branch, "a loop of a map": of_a_map,
    "a loop that calls a function": with_a_function, "a heavy loop": heavy, "a loop that becomes heavy": heavy_later,
}  # fmt: skip


CONFIGS = {
    "all passes": tf.SessionConfig(), "no passes": tf.SessionConfig(passes=()), "1 thread": tf.SessionConfig(threads=1),
    "2 threads": tf.SessionConfig(threads=2), "no arena": tf.SessionConfig(arena=False),
    "check": tf.SessionConfig(check=True), "watch": tf.SessionConfig(watch=True),
}  # fmt: skip


def each_with_the_usual_one() -> list[Any]:
    """Every loop in the usual session, and one loop in all sessions; the rest is slow."""
    quick = {(kind, config) for kind in LOOPS for config in CONFIGS
             if config == "all passes" or kind == "a loop in a loop"}  # fmt: skip
    return [
        pytest.param(kind, config, marks=() if (kind, config) in quick else pytest.mark.slow)
        for kind in LOOPS
        for config in CONFIGS
    ]


@pytest.mark.share(2)
@pytest.mark.parametrize(("kind", "which"), each_with_the_usual_one())
def test_a_timeout_ends_it(kind: str, which: str, clock: Ticks) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    v = tf.Variable(1.0, name="v")
    endless, write = LOOPS[kind](x), tf.assign(v, LOOPS[kind](x + v))
    with tf.Session(config=CONFIGS[which]) as session:
        session.run(v.initializer)
        call = session.make_callable(endless, [x])
        for fetch in (endless, write):
            with pytest.raises(DEADLINE) as caught:
                session.run(fetch, {x: 1.0}, options=tf.RunOptions(timeout_in_ms=20))
            assert "(While)" in str(caught.value)
            assert " iteration " in str(caught.value)
        assert session.run(v) == 1.0
        assert session.run(v.assign_add(1.0)) == 2.0
        assert call is not None and session.run(x + 1.0, {x: 1.0}) == 2.0


def test_the_error_names_the_loop_and_the_iteration(clock: Ticks) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    with tf.Session(config=tf.SessionConfig(passes=())) as session, pytest.raises(DEADLINE) as caught:
        session.run(nested(x), {x: 1.0}, options=tf.RunOptions(timeout_in_ms=40))
    text = str(caught.value)
    assert text.startswith('Session.run of "outer:0" was stopped after 41 ms; RunOptions(timeout_in_ms=40)')
    assert 'in node "outer/body/inner" (While)' in text and 'inside iteration 0 of "outer" (While)' in text
    assert "\n  in iteration " in text


def test_a_loop_on_a_helper_thread_ends_when_the_caller_is_interrupted() -> None:
    from penstock.runtime.base.thread_pool import parallel_for, thread_limit

    loops = threading.Barrier(2)
    ended: list[str] = []

    def work(i: int) -> None:
        loops.wait(60)
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        check = stop_signal.stop_check()
        assert check is not None
        try:
            while True:
                check()
        except stop_signal.RunInterrupted:
            ended.append("helper")
            raise

    with thread_limit(2), pytest.raises(KeyboardInterrupt):
        parallel_for(2, work)
    assert ended == ["helper"]


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to a thread")
@pytest.mark.parametrize("kind", LOOPS)
def test_ctrl_c_ends_it(kind: str) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    begun = threading.Event()

    def begin(value: Any) -> Any:
        begun.set()
        return value

    start = tf.reshape(tf.py_func(begin, [x], tf.float32), [])
    endless = LOOPS[kind](start)

    def strike() -> None:
        begun.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    with tf.Session() as session:
        thread = threading.Thread(target=strike)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            session.run(endless, {x: 1.0})
        thread.join()
        assert session.run(x + 1.0, {x: 1.0}) == 2.0
        np.testing.assert_array_equal(session.run(tf.while_loop(lambda i: i < 5, lambda i: i + 1, [0])), 5)
