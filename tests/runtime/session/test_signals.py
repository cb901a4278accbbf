"""A signal handler may do anything with the session, graph and package that it interrupts, wherever that is."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np
import pytest

import penstock as tf

from ...helpers import nightly, plans_of
from ...interrupts import AtLine, lines_of
from ...warm_python import run_fresh

pytestmark = pytest.mark.usefixtures("no_collector_callbacks")

SEEN: ContextVar[str] = ContextVar("seen", default="nothing")
at_lines = pytest.mark.parametrize("most", [24, *nightly([100])])
"""So many lines at which a run is interrupted, evenly spread; all of them where there are fewer."""


def pipeline() -> tuple[tf.Graph, tf.Tensor, list[tf.Tensor]]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
        labels = tf.cast(x > 0.5, tf.int32)
        parts = tf.dynamic_partition(tf.exp(x) * 2.0, labels, 2)
        places = tf.dynamic_partition(tf.range(tf.shape(x)[0]), labels, 2)
        y = tf.dynamic_stitch(places, [parts[0] + 1.0, parts[1] * 3.0])
        return graph, x, [y, tf.reduce_sum(tf.tanh(x) * y)]


def spread(count: int, most: int) -> range:
    return range(1, count + 1, max(1, count // most))


FEEDS = {"small": 5, "large": 60_000}


@pytest.mark.share(2)
@pytest.mark.parametrize("size", FEEDS.values(), ids=FEEDS)
@pytest.mark.parametrize("first", [True, False], ids=["while it is planned", "while it runs"])
@at_lines
def test_a_handler_may_run_the_session_that_it_interrupts(first: bool, size: int, most: int) -> None:
    graph, x, fetches = pipeline()
    feed = {x: np.random.default_rng(0).random(size, np.float32)}
    other = {x: np.random.default_rng(1).random(size + 1, np.float32)}

    def session() -> tf.Session:
        made = tf.Session(graph=graph, config=tf.SessionConfig(threads=3))
        if not first:
            made.run(fetches, feed)
        return made

    with session() as alone:
        wants = [alone.run(fetches, fed) for fed in (feed, other)]
    with session() as counted:
        count = lines_of(lambda: counted.run(fetches, feed))
    for line in spread(count, most):
        with session() as ours:
            inside: list[Any] = []
            strike = AtLine(line, lambda: inside.append(ours.run(fetches, other)))  # noqa: B023  # runs at once
            got = strike.run(lambda: ours.run(fetches, feed))
            assert inside or not strike.struck
            for found, want in ((got, wants[0]), *((each, wants[1]) for each in inside)):
                assert all(map(np.array_equal, found, want)), f"line {line} of {count}"
            assert all(map(np.array_equal, ours.run(fetches, feed), wants[0]))
            assert len(plans_of(ours)) == 1


@pytest.mark.parametrize("what", ["closes", "plans", "explains", "traces", "makes a session"])
@at_lines
def test_a_handler_may_use_the_session_in_any_way(what: str, most: int) -> None:
    graph, x, fetches = pipeline()
    feed = {x: np.array([0.1, 0.9, 0.6], np.float32)}
    with tf.Session(graph=graph) as alone:
        want = alone.run(fetches, feed)
        count = lines_of(lambda: alone.run(fetches, feed))
    for line in spread(count, most):
        session = tf.Session(graph=graph)
        session.run(fetches, feed)
        actions: dict[str, Callable[[], object]] = {
            "closes": session.close,
            "plans": lambda: session.plan(fetches[0], [x]),  # noqa: B023
            "explains": lambda: session.explain(fetches, feed),  # noqa: B023
            "traces": lambda: session.trace(fetches, feed),  # noqa: B023
            "makes a session": lambda: tf.Session(graph=graph).run(fetches, feed),
        }
        strike = AtLine(line, actions[what])
        try:
            assert all(map(np.array_equal, strike.run(lambda: session.run(fetches, feed)), want))  # noqa: B023
        except RuntimeError as error:
            assert what == "closes" and "closed Session" in str(error)
        if what == "closes" and strike.struck:  # once code is compiled there are fewer lines
            assert not plans_of(session) and not plans_of(session).calls.requests


@at_lines
def test_a_handler_may_build_in_the_graph_whose_building_it_interrupts(most: int) -> None:
    def build() -> None:
        with graph.as_default(), tf.name_scope("part"):
            tf.reduce_sum(tf.constant([[1.0, 2.0]]) * 3.0 + x, 1, name="sum")

    def graph_of_one() -> tuple[tf.Graph, tf.Tensor]:
        with tf.Graph().as_default() as made:
            return made, tf.placeholder(tf.float32, [None, 2], name="x")

    graph, x = graph_of_one()
    count = lines_of(build)
    for line in spread(count, most):
        graph, x = graph_of_one()
        strike = AtLine(line, build)
        strike.run(build)
        operations = graph.get_operations()
        assert [op.index for op in operations] == list(range(len(operations)))
        assert len({op.name for op in operations}) == len(operations), f"line {line} of {count}"
        sums = [op.outputs[0] for op in operations if op.type == "Sum"]
        assert len(sums) == 1 + strike.struck  # a later build may have fewer lines than the one that was counted
        assert [v.tolist() for v in tf.Session(graph=graph).run(sums, {x: [[1.0, 1.0]]})] == [[11.0]] * len(sums)


@at_lines
def test_what_a_handler_sets_in_the_middle_of_a_run_does_not_reach_later_runs(most: int) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        y = 1.0 / x
    state = np.geterr()
    with tf.Session(graph=graph) as session, np.errstate(), warnings.catch_warnings():
        warnings.simplefilter("error")
        session.run(y, {x: [1.0, 2.0]})
        count = lines_of(lambda: session.run(y, {x: [1.0, 2.0]}))
        for line in spread(count, most):
            strike = AtLine(line, lambda: (np.seterr(all="raise"), SEEN.set("by a handler")))
            assert strike.run(lambda: session.run(y, {x: [1.0, 2.0]})).tolist() == [1.0, 0.5]
            assert session.run(y, {x: [0.0, 2.0]}).tolist() == [np.inf, 0.5], f"after line {line} of {count}"
    assert np.geterr() == state


STORM = """
import signal, sys, warnings
import numpy as np
import penstock as tf

tf.config.jit.mode = {jit!r}

{pipeline}

warnings.simplefilter("ignore")
graph, x, fetches = pipeline()
session = tf.Session(graph=graph, config=tf.SessionConfig(plan_cache_size=2, threads=3))
feeds = [{{x: np.random.default_rng(n).random(n, np.float32)}} for n in (3, 40_000, 200_000)]
results, depth, handled = [], [0], [0]

def once(i):
    chosen = [fetches, fetches[0], fetches[1]][i // 3 % 3]
    results.append((i % 9, session.run(chosen, feeds[i % 3])))
    with graph.as_default():
        assert session.run(tf.identity(x) * 2.0 + 1.0, {{x: [1.0]}})[0] == 3.0

def handler(number, frame):
    handled[0] += 1
    if depth[0] < 2:
        depth[0] += 1
        once(handled[0])
        depth[0] -= 1
    signal.setitimer(signal.ITIMER_REAL, 1e-3)  # the next, however slow this machine is

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 1e-3)
i = 0
while handled[0] < {signals}:
    once(i)
    i += 1
signal.signal(signal.SIGALRM, signal.SIG_IGN)
wants = {{}}
with tf.Session(graph=graph, config=tf.SessionConfig(threads=1)) as plain:
    for i in range(9):
        wants[i] = plain.run([fetches, fetches[0], fetches[1]][i // 3 % 3], feeds[i % 3])
for i, got in results:
    for a, b in zip(*([got], [wants[i]]) if not isinstance(got, list) else (got, wants[i])):
        assert np.array_equal(a, b)
names = [op.name for op in graph.get_operations()]
assert len(set(names)) == len(names)
print("done")
"""


@pytest.mark.parametrize("jit", ["on", *nightly(["now", "off"])])
def test_a_storm_of_signals_from_the_first_run_on_is_weathered(jit: str) -> None:
    done = run_fresh(STORM.format(jit=jit, signals=20, pipeline=inspect.getsource(pipeline)))
    assert done.stdout == "done\n", done.stderr
