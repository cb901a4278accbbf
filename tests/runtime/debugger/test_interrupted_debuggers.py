"""Ctrl-C at every line of a debugger's moves: it stands at a step before or after, and the session is untouched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.debugger.debugger import Debugger

from ...helpers import frames_of
from ...interrupts import interrupted_at, lines_of

pytestmark = pytest.mark.usefixtures("no_collector_callbacks")


def _session() -> tf.Session:
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(3)
        x = tf.placeholder(tf.float32, [2], name="x")
        v = tf.Variable(1.0, name="v")

        def body(i: Any, s: Any) -> Any:
            return i + 1, tf.add(s * 2.0, tf.random_uniform([2]), name="h")

        s = tf.while_loop(lambda i, s: i < 3, body, [0, x], name="steps")[1]
        update = v.assign_add(tf.reduce_sum(s), name="update")
        tf.identity(update + tf.random_normal([]), name="last")
    session = tf.Session(graph=graph)
    session.run(v.initializer)
    return session


FEEDS = {"x:0": [1.0, 2.0]}


def _values(dbg: Debugger) -> dict[Any, Any]:
    """The values at this time by place, and where the random numbers are."""
    found: dict[Any, Any] = {
        (frame.path, frame.position, int(slot)): np.asarray(value).tobytes()
        for frame in frames_of(dbg)
        for slot, value in frame.slots.items()
    }
    return found | {"drawn": _drawn(dbg._random.state())}


def _drawn(state: Any) -> dict[str, int]:
    """How much was drawn from each stream."""
    return {name: each.drawn for name, each in state.items() if each.drawn}


def _some_lines(work: Callable[[], object], most: int) -> list[int]:
    """Lines at which work is interrupted: about `most` of them."""
    count = lines_of(work)
    return list(range(1, count + 1, max(1, count // most)))


MOST = [25, pytest.param(400, marks=pytest.mark.slow)]


MOVES: dict[str, tuple[Callable[[Debugger], object], Callable[[Debugger], object]]] = {
    "step": (lambda dbg: dbg.until("*h"), lambda dbg: dbg.step()),
    "out": (lambda dbg: dbg.until("*h"), lambda dbg: dbg.out()),
    "back": (lambda dbg: dbg.step(12), lambda dbg: dbg.back(3)),
    "back_to": (lambda dbg: dbg.step(16), lambda dbg: dbg.back_to("*h")),
    "value": (lambda dbg: dbg.step(24), lambda dbg: dbg.value("x")),
    "set": (lambda dbg: dbg.step(14), lambda dbg: dbg.set("x", [3.0, 4.0])),
}


@pytest.mark.parametrize("most", MOST)
@pytest.mark.parametrize("name", MOVES)
def test_an_interrupted_move_leaves_a_state_of_the_run(name: str, most: int) -> None:
    before, move = MOVES[name]
    session = _session()
    dbg = session.debug("last:0", FEEDS, every=4)
    seen: dict[Any, Any] = {}
    while True:
        seen[tuple((f.path, f.position) for f in frames_of(dbg))] = _values(dbg)
        if dbg.has_ended:
            break
        dbg.step()
    state = session.random_state()

    def fresh() -> Debugger:
        made = session.debug("last:0", FEEDS, every=4)
        before(made)
        return made

    other = fresh()
    for line in _some_lines(lambda: move(other), most):
        dbg = fresh()
        interrupted_at(line, lambda dbg=dbg: move(dbg))  # type: ignore[misc]  # it is bound here
        if name != "set":
            assert _values(dbg) == seen[tuple((f.path, f.position) for f in frames_of(dbg))]
        dbg.goto(min(dbg.latest, 3))
        is_set = name == "set" and bool(dbg.changed)
        if not is_set:
            assert _values(dbg) == seen[tuple((f.path, f.position) for f in frames_of(dbg))]
        assert session.random_state() == state
    assert session.run("v:0") == 1.0


@pytest.mark.parametrize("most", MOST)
def test_an_interrupted_set_has_set_or_not(most: int) -> None:
    wanted = {}
    for given in ([1.0, 2.0], [3.0, 4.0]):
        session = _session()
        wanted[given[0]] = session.run("steps:1", {"x:0": given}).tobytes()
    session = _session()
    other = session.debug("last:0", FEEDS)
    other.step(14)
    for line in _some_lines(lambda: other.set("x", [3.0, 4.0]), most):
        dbg = session.debug("last:0", FEEDS)
        dbg.step(14)
        interrupted_at(line, lambda dbg=dbg: dbg.set("x", [3.0, 4.0]))  # type: ignore[misc]  # it is bound here
        x = dbg.value("x")
        while not dbg.has_ended:
            dbg.next()
        assert dbg.value("steps:1").tobytes() == wanted[float(x[0])]


@pytest.mark.parametrize("most", MOST)
def test_an_interrupted_finish_can_be_repeated_and_writes_once(most: int) -> None:
    session = _session()
    wanted = session.run("last:0", FEEDS)
    after, state = session.run("v:0"), session.random_state()
    other = _session().debug("last:0", FEEDS)
    for line in _some_lines(other.finish, most):
        session = _session()
        dbg = session.debug("last:0", FEEDS)
        interrupted_at(line, dbg.finish)
        try:
            assert dbg.finish() == wanted
        except tf.errors.UseError as error:
            assert "has been finished" in str(error)
        assert session.run("v:0") == after
        assert _drawn(session.random_state()) == _drawn(state)
