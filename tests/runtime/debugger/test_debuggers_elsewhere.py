"""Debuggers beside other runs, with other configurations, and of values on a device."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.backends import register_backend

from ...helpers import exit_code_of_child, needs_fork, own_backends
from ...standin import StandIn


@pytest.fixture
def standin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in of a GPU, known by its name for one test."""
    own_backends(monkeypatch)
    register_backend(StandIn())


def _walked(dbg: Any, back: int = 3) -> dict[int, Any]:
    """The values of `h` by time, on the way to the end with steps back; going back gives the same ones."""
    seen: dict[int, Any] = {}
    while not dbg.has_ended:
        dbg.step(5)
        for _ in range(back):
            found = dbg.value("h").tolist() if "h:0" in dbg.computed else None
            assert seen.setdefault(dbg.time, found) == found
            dbg.back()
        dbg.goto(dbg.latest)
    return seen


@pytest.mark.usefixtures("standin")
@pytest.mark.parametrize("fused", [False, True])
def test_values_on_a_device_go_back_and_are_set(fused: bool) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        with tf.device("standin"):
            h = tf.square(tf.add(x, 1.0, name="more"), name="h")
            y = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * 2.0 + h), [0, h], name="steps")[1]
    with tf.Session(graph=graph) as session:
        fetches = [y, h]
        wanted = session.run(fetches, {x: [0.0, 1.0, 2.0]})
        dbg = session.debug(fetches, {x: [0.0, 1.0, 2.0]}, fused=fused, every=2, memory=200)
        _walked(dbg)
        assert dbg.held_bytes <= 200
        np.testing.assert_array_equal(dbg.value(y), wanted[0])
        dbg.goto(0)
        dbg.set("x", [1.0, 1.0, 1.0])
        np.testing.assert_array_equal(dbg.finish()[0], session.run(y, {x: [1.0, 1.0, 1.0]}))
        dbg = session.debug(fetches, {x: [0.0, 1.0, 2.0]})
        dbg.until("steps")
        dbg.set("h", [5.0, 5.0, 5.0])
        np.testing.assert_array_equal(dbg.finish()[0], session.run(y, {x: [0.0, 1.0, 2.0], h: [5.0, 5.0, 5.0]}))


def _graph() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(5)
        x = tf.placeholder(tf.float32, ["n"], name="x")
        v = tf.Variable(1.0, name="v")
        h = tf.add(x, tf.random_uniform([2]), name="h")
        s = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, tf.tanh(s * 2.0 + h)), [0, h], name="steps")[1]
        with tf.control_dependencies([v.assign_add(1.0, name="update")]):
            tf.identity(tf.reduce_sum(s) * v.value(), name="y")
    return graph


@pytest.mark.parametrize(
    "config",
    [
        tf.SessionConfig(watch=True), tf.SessionConfig(check=True), tf.SessionConfig(threads=1),
        tf.SessionConfig(passes=(), arena=False), tf.SessionConfig(timeout_in_ms=60_000),
        tf.SessionConfig(progress=lambda *told: None), tf.SessionConfig(verify=True),
    ],
    ids=["watch", "check", "threads", "no passes", "timeout", "progress", "verify"],
)  # fmt: skip
@pytest.mark.parametrize("fused", [False, True])
def test_every_configuration_has_debuggers(config: tf.SessionConfig, fused: bool) -> None:
    graph = _graph()
    with tf.Session(graph=graph, config=config) as session, tf.Session(graph=graph) as other:
        for each in (session, other):
            each.run("v/Assign")
        dbg = session.debug(["y:0", "update"], {"x:0": [1.0, 2.0]}, fused=fused)
        _walked(dbg)
        assert dbg.finish()[0] == other.run(["y:0", "update"], {"x:0": [1.0, 2.0]})[0]
        assert session.run("v:0") == other.run("v:0") == 2.0


def test_two_threads_have_a_debugger_each() -> None:
    graph = _graph()
    with tf.Session(graph=graph) as session:
        session.run("v/Assign")
        wanted = session.debug("y:0", {"x:0": [1.0, 2.0]})
        while not wanted.has_ended:
            wanted.step()
        found: list[Any] = []

        def work() -> None:
            dbg = session.debug("y:0", {"x:0": [1.0, 2.0]}, every=3)
            _walked(dbg)
            found.append(dbg.value("y:0"))

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [wanted.value("y:0")] * 3
        assert session.run("v:0") == 1.0


@needs_fork
def test_a_forked_child_goes_on_with_its_own_debugger() -> None:
    calls: list[int] = []

    def large(i: Any) -> Any:
        calls.append(int(i))
        return np.full(100, i, np.float64)

    with tf.Graph().as_default() as graph:
        y = tf.add_n([tf.reduce_sum(tf.py_func(large, [i], tf.float64, name=f"made{i}")) for i in range(8)])
    with tf.Session(graph=graph) as session:
        dbg = session.debug(y, memory=0)  # so that recorded results go to a file
        dbg.until("made4")

        def finish() -> int:
            _walked(dbg)
            return 0 if dbg.finish() == 2800 and calls == list(range(8)) else 1

        assert exit_code_of_child(finish) == 0
        assert finish() == 0


def test_a_debugger_of_a_closed_session_ends_with_an_error_and_keeps_its_values() -> None:
    graph = _graph()
    session = tf.Session(graph=graph)
    session.run("v/Assign")
    dbg = session.debug(["y:0", "update"], {"x:0": [1.0, 2.0]})
    dbg.step(3)
    session.close()
    dbg.back()
    dbg.until("y")
    with pytest.raises(RuntimeError):
        dbg.finish()
    assert dbg.value("h").shape == (2,)


def test_a_variable_without_a_value_gets_one_in_a_branch() -> None:
    with tf.Graph().as_default() as graph:
        p = tf.placeholder(tf.bool, [], name="p")
        v = tf.Variable([1.0, 2.0], name="v")
        y = tf.cond(p, lambda: tf.identity(v.assign([5.0, 6.0])), lambda: tf.constant([0.0, 0.0]), name="pick")
    for fused in (False, True):
        for given in (False, True):
            with tf.Session(graph=graph) as session, tf.Session(graph=graph) as other:
                dbg = session.debug(y, {p: given}, fused=fused, every=1)
                dbg.step(3)
                dbg.back(2)
                np.testing.assert_array_equal(dbg.finish(), other.run(y, {p: given}))
                if given:
                    np.testing.assert_array_equal(session.run("v:0"), [5.0, 6.0])
                else:
                    with pytest.raises(tf.errors.FailedPreconditionError):
                        session.run("v:0")
