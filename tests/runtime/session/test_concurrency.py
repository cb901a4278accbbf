"""Several threads may run one session at once.

A plan holds nothing of a run, so they may: with other feeds and shapes, while plans are made and dropped, while other
threads add nodes to the graph. What each run gives is compared with what the same run gives alone.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.runtime.base import fp_context, thread_pool
from penstock.runtime.numpy import interpreter, writers
from penstock.runtime.planning import memory_plan
from penstock.runtime.session.graph_growth import GrowthGuard

from ...helpers import nightly, plans_of, thread_switches
from ...op_samples import same
from ...random_graphs import Program, resizable_program

THREADS = 8
SIZES = (0, 1, 7, 300, 5_000, 33_000, 70_000, 7)


@pytest.fixture(autouse=True)
def frequent_switches() -> Iterator[None]:
    """Let the interpreter change threads every few microseconds, so that more orders of events are met."""
    assert gc.isenabled()
    with thread_switches(5e-6):
        yield
    left = gc.isenabled()
    gc.enable()
    assert left, "planning switched the garbage collector off for good"


def together(works: Sequence[Callable[[], object]]) -> None:
    """Call every one of `works` in a thread of its own, all at once; the first error is raised here."""
    start = threading.Barrier(len(works))
    errors: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        start.wait()
        try:
            work()
        except BaseException as error:
            errors.append(error)

    begun = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in begun:
        thread.start()
    for thread in begun:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in begun), "a thread hangs"
    if errors:
        raise errors[0]


def alone(fetches: Any, fed: dict[Tensor, Any], graph: tf.Graph) -> Any:
    """What a run gives in a session of its own."""
    with tf.Session(graph=graph, config=tf.SessionConfig(threads=1)) as session:
        return session.run(fetches, fed)


def unlike(got: Sequence[Any], want: Sequence[Any]) -> bool:
    return not all(same(a, b) for a, b in zip(got, want, strict=True))


# ---- one session ----------------------------------------------------------------------------------


def check_sizes(program: Program, config: tf.SessionConfig, sizes: Sequence[int], rounds: int) -> None:
    """Each thread runs the program with every size, all in one session, each beginning with another one."""
    graph, fetches, feeds = program.build()
    sized = [dict(zip(feeds, program.resized(rows), strict=True)) for rows in sizes]
    wants = [alone(fetches, fed, graph) for fed in sized]
    with tf.Session(graph=graph, config=config) as session:

        def work(first: int) -> None:
            for i in range(rounds * len(sizes)):
                k = (first + i) % len(sizes)
                got = session.run(fetches, sized[k])
                assert not unlike(got, wants[k]), f"{config}, {sizes[k]} rows:\n{program}"

        together([partial(work, first) for first in range(THREADS)])


@pytest.mark.share(3)
@pytest.mark.parametrize("limit", [None, 1, 4])
@pytest.mark.parametrize("seed", [0, 1, *nightly(range(2, 6))])
def test_eight_threads_run_one_session_with_feeds_of_different_sizes(seed: int, limit: int | None) -> None:
    check_sizes(resizable_program(seed), tf.SessionConfig(threads=limit), SIZES, rounds=1)


@pytest.mark.parametrize("seed", [100, *nightly([101])])
@pytest.mark.parametrize("passes", [None, ()], ids=["all passes", "no passes"])
def test_eight_threads_share_small_groups_tiles_and_the_arena(
    passes: tuple[str, ...] | None, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Low thresholds: everything that small runs leave out takes part."""
    monkeypatch.setattr(interpreter, "TILE", 256)
    monkeypatch.setattr(interpreter, "SMALL", 64)
    monkeypatch.setattr(memory_plan, "SMALLEST", 1)
    monkeypatch.setattr(writers, "POOLED", 1)
    monkeypatch.setattr(thread_pool, "WORTH", 1e-12)
    config = tf.SessionConfig(passes=passes, threads=3)
    check_sizes(resizable_program(seed), config, (0, 1, 5, 60, 400, 1_500), rounds=1)


def test_one_callable_serves_eight_threads() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None])
        y = tf.reverse(tf.exp(x * 0.5) + 1.0, [True]) * x
    with tf.Session(graph=graph) as session:
        call = session.make_callable(y, [x])

        def work(number: int) -> None:
            array = np.full(20_000 + number, number / 8, np.float32)
            want = alone(y, {x: array}, graph)
            for _ in range(10):
                assert same(call(array), want)

        together([partial(work, number) for number in range(THREADS)])


# ---- plans come and go ----------------------------------------------------------------------------


def many_fetches() -> tuple[tf.Graph, Tensor, list[Tensor]]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4])
        fetches = [x + 1.0]
        for i in range(7):
            fetches.append(tf.exp(fetches[-1] * 0.1) - tf.reduce_sum(fetches[-1], 1, keep_dims=True) * float(i))
    return graph, x, fetches


@pytest.mark.parametrize("size", [0, 2, *nightly([1])])
def test_plans_may_be_dropped_while_others_run(size: int) -> None:
    graph, x, fetches = many_fetches()
    arrays = [np.random.default_rng(n).random((n, 4), np.float32) for n in (1, 50, 9_000)]
    wants = {(i, n): alone(f, {x: a}, graph) for i, f in enumerate(fetches) for n, a in enumerate(arrays)}
    with tf.Session(graph=graph, config=tf.SessionConfig(plan_cache_size=size)) as session:

        def work(first: int) -> None:
            for k in range(4):
                i, n = (first + k) % len(fetches), (first * 5 + k) % 3
                assert same(session.run(fetches[i], {x: arrays[n]}), wants[i, n])
                assert len(plans_of(session)) <= size + THREADS

        together([partial(work, first) for first in range(THREADS)])
        assert len(plans_of(session)) <= size


@pytest.mark.filterwarnings("ignore::penstock.runtime.session.graph_growth.GrowthWarning")
def test_nodes_may_be_added_while_others_run() -> None:
    graph, x, fetches = many_fetches()
    array = np.random.default_rng(0).random((500, 4), np.float32)
    wants = [alone(f, {x: array}, graph) for f in fetches]
    before = len(graph.get_operations())
    with tf.Session(graph=graph, config=tf.SessionConfig(plan_cache_size=2)) as session:

        def run(first: int) -> None:
            for k in range(10):
                i = (first + k) % len(fetches)
                assert same(session.run(fetches[i], {x: array}), wants[i])

        def grow(number: int) -> None:
            with graph.as_default():
                for k in range(16):
                    made = tf.identity(x * float(k)) + float(number)
                    if k % 8 == 0:
                        assert same(session.run(made, {x: array}), array * np.float32(k) + np.float32(number))

        together([*[partial(run, first) for first in range(5)], *[partial(grow, number) for number in range(3)]])
    operations = graph.get_operations()
    assert len(operations) >= before + 3 * 16 * 3
    assert len({op.name for op in operations}) == len(operations)
    assert [op.index for op in operations] == list(range(len(operations)))


def test_threads_that_look_at_a_grown_graph_at_once_count_its_nodes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = tf.Graph()
    guard = GrowthGuard(graph)
    with graph.as_default():
        tf.constant(1.0)
    since = graph.operations_since

    def meanwhile(version: int) -> list[tf.Operation]:
        monkeypatch.setattr(tf.Graph, "operations_since", lambda _, version: since(version))
        guard.check()  # what another thread would do at this very moment
        return since(version)

    monkeypatch.setattr(tf.Graph, "operations_since", lambda _, version: meanwhile(version))
    guard.check()
    assert guard.version == graph.version


def test_the_garbage_collector_is_on_after_two_plans_were_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    other = fp_context.collector_paused()
    other.__enter__()
    is_on = gc.isenabled

    def meanwhile() -> bool:
        found = is_on()
        other.__exit__(None, None, None)  # the other thread has made its plan at this very moment
        return found

    with monkeypatch.context() as patch:
        patch.setattr(gc, "isenabled", meanwhile)
        mine = fp_context.collector_paused()
        mine.__enter__()
    mine.__exit__(None, None, None)
    assert gc.isenabled()


# ---- several sessions, and an end ------------------------------------------------------------------


def test_sessions_of_one_graph_run_side_by_side() -> None:
    graph, x, fetches = many_fetches()
    array = np.random.default_rng(0).random((9_000, 4), np.float32)
    want = alone(fetches, {x: array}, graph)

    def work() -> None:
        with tf.Session(graph=graph) as session:
            for _ in range(2):
                assert not unlike(session.run(fetches, {x: array}), want)

    together([work] * THREADS)


def test_an_error_in_one_thread_is_that_threads_own() -> None:
    with tf.Graph().as_default() as graph:
        x, i = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int32, [None])
        y = tf.exp(tf.gather(x, i)) + 1.0
    array = np.arange(40_000, dtype=np.float32) / 40_000
    good, bad = np.arange(40_000, dtype=np.int32), np.array([50_000], np.int32)
    want = alone(y, {x: array, i: good}, graph)
    with tf.Session(graph=graph) as session:

        def right() -> None:
            for _ in range(10):
                assert same(session.run(y, {x: array, i: good}), want)

        def wrong() -> None:
            for _ in range(10):
                with pytest.raises(tf.errors.InvalidArgumentError, match="50000"):
                    session.run(y, {x: array, i: bad})

        together([right, wrong] * (THREADS // 2))


def test_a_session_that_is_closed_meanwhile_gives_results_or_says_so() -> None:
    graph, x, fetches = many_fetches()
    array = np.ones((300, 4), np.float32)
    want = alone(fetches, {x: array}, graph)
    session = tf.Session(graph=graph)
    running = threading.Semaphore(0)

    def work() -> None:
        with pytest.raises(RuntimeError, match="closed Session"):
            while True:
                assert not unlike(session.run(fetches, {x: array}), want)
                running.release()

    def close() -> None:
        for _ in range(5):
            running.acquire(timeout=60)
        session.close()

    together([*[work] * (THREADS - 1), close])
