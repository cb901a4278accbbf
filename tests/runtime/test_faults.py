"""A run that fails leaves nothing behind.

A kernel that raises at any step, an interrupt at any line, an allocation that fails: the error comes out in its
class, the session's next run gives the right values, the pool holds nothing that nobody holds, no thread goes on
working and NumPy's error state is what it was. Memory is back as soon as the error is dropped, without the garbage
collector.
"""

from __future__ import annotations

import gc
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.runtime.base import thread_pool
from penstock.runtime.base.fp_context import collector_paused
from penstock.runtime.memory import buffer_pool
from penstock.runtime.memory.buffer_pool import POOL
from penstock.runtime.numpy import interpreter, writers
from penstock.runtime.numpy.writers import Writer
from penstock.runtime.planning import memory_plan

from ..helpers import nightly, op_of
from ..interrupts import interrupted_at, lines_of
from ..op_samples import same
from ..random_graphs import Program, indexing_program

pytestmark = pytest.mark.usefixtures("older_objects_are_not_walked", "no_collector_callbacks")
CONFIGS = {
    "all passes": tf.SessionConfig(threads=1),
    "threads": tf.SessionConfig(threads=3),
    "no passes": tf.SessionConfig(passes=(), threads=1),
    "no arena": tf.SessionConfig(arena=False, threads=1),
}


class Broken(Exception):
    """What no kernel raises on its own."""


# ---- what must be as it was -----------------------------------------------------------------------


def alive() -> set[threading.Thread]:
    """The threads that are not the idle helpers, which stay for the next run."""
    return {t for t in threading.enumerate() if not t.name.startswith("penstock")}


@pytest.fixture(autouse=True)
def nothing_is_left(interpreted: None) -> Iterator[None]:
    """Whatever a test does: errstate, threads and the pool are afterwards what they were before."""
    gc.collect()
    state, running, used = np.geterr(), alive(), POOL.stats().in_use
    yield
    assert np.geterr() == state
    assert alive() == running
    gc.collect()
    assert POOL.stats().in_use <= used  # less, where pytest has dropped an error of an earlier test


@pytest.fixture
def low_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small arrays run in tiles, in an arena, on several threads where these are allowed."""
    monkeypatch.setattr(interpreter, "TILE", 1 << 10)
    monkeypatch.setattr(interpreter, "SMALL", 64)
    monkeypatch.setattr(memory_plan, "SMALLEST", 1)
    monkeypatch.setattr(writers, "POOLED", 1)
    monkeypatch.setattr(thread_pool, "WORTH", 1e-12)


def run_failing(session: tf.Session, fetches: Any, feeds: dict[Tensor, Any]) -> type[BaseException] | None:
    """The class of what a run raises; None if it does not. The error is dropped: its memory must be back at once."""
    state, used = np.geterr(), POOL.stats().in_use
    gc.disable()
    try:
        session.run(fetches, feeds)
        kind = None
    except BaseException as error:
        kind = type(error)
    try:
        assert POOL.stats().in_use == used, "memory that only the garbage collector can free"
        assert np.geterr() == state
    finally:
        gc.enable()
    return kind


def wrong(session: tf.Session, fetches: list[Tensor], feeds: dict[Tensor, Any], want: list[Any]) -> list[str]:
    """The names of the fetches that a run gives other values for."""
    got = session.run(fetches, feeds)
    return [t.name for t, a, b in zip(fetches, got, want, strict=True) if not same(a, b)]


# ---- a kernel that raises ---------------------------------------------------------------------------


def raising(make: Callable[[], BaseException]) -> Callable[..., Any]:
    def kernel(*args: Any) -> Any:
        raise make()

    return kernel


ERRORS: list[tuple[Callable[[], BaseException], type[BaseException]]] = [
    (lambda: Broken("broken"), tf.errors.InternalError),
    (lambda: tf.errors.OutOfRangeError(message="the end"), tf.errors.OutOfRangeError),
    (lambda: tf.errors.InternalError(message="on purpose"), tf.errors.InternalError),
    (lambda: MemoryError("no memory"), tf.errors.ResourceExhaustedError),
    (KeyboardInterrupt, KeyboardInterrupt),
    (SystemExit, SystemExit),
]
"""What a kernel raises, and the class in which it comes out."""


@pytest.mark.share(2)
@pytest.mark.parametrize("config", ["all passes", "no passes", *nightly(["threads", "no arena"])])
@pytest.mark.parametrize("trace", [False, True], ids=["plain", "recorded"])
def test_a_kernel_that_raises_at_any_step_leaves_the_session_usable(config: str, trace: bool) -> None:
    program = indexing_program(11, length=8)
    graph, fetches, feeds = program.build()
    with tf.Session(graph=graph, config=CONFIGS[config]) as session:
        want = session.run(fetches, feeds)
        plan = session.plan(fetches, list(feeds))
        for i, step in enumerate(plan.steps):
            make, kind = ERRORS[i % len(ERRORS)]
            steps = (*plan.steps[:i], replace(step, kernel=raising(make)), *plan.steps[i + 1 :])
            session.replace_plan(fetches, list(feeds), replace(plan, steps=steps))
            try:
                session.run(fetches, feeds, run_metadata=tf.RunMetadata() if trace else None)
                raise AssertionError(f"step {i} did not raise:\n{program}")
            except kind as found:
                assert type(found) is kind
            session.replace_plan(fetches, list(feeds), plan)
            assert not wrong(session, fetches, feeds, want), f"after step {i}:\n{program}"


@pytest.mark.parametrize("make, kind", ERRORS)
@pytest.mark.parametrize("passes", [None, ()], ids=["all passes", "no passes"])
def test_the_memory_of_a_failed_run_is_back_when_its_error_is_dropped(
    make: Callable[[], BaseException], kind: type[BaseException], passes: tuple[str, ...] | None
) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None])
        y = tf.reverse(tf.exp(x) + 1.0, [True])
        z = tf.gather(tf.reverse(y, [True]) * y, [0, 1], name="last")
    feeds = {x: np.ones(100_000, np.float32)}
    with tf.Session(graph=graph, config=tf.SessionConfig(passes=passes)) as session:
        plan = session.plan(z, [x])
        steps = tuple(replace(s, kernel=raising(make)) if s.node == "last" else s for s in plan.steps)
        session.replace_plan(z, [x], replace(plan, steps=steps))
        assert run_failing(session, z, feeds) is kind


# ---- a fault inside a fused group -------------------------------------------------------------------


TRANSLATED: dict[type[BaseException], type[BaseException]] = {
    Broken: tf.errors.InternalError,
    MemoryError: tf.errors.ResourceExhaustedError,
}


class Fuse:
    """Counts the instructions of fused groups, and raises at one of them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.at = 0
        self.kind: type[BaseException] = Broken
        plain = writers.plain_writer
        patch.setattr(writers, "_made", {})  # writers that are kept were made without being watched
        patch.setattr(writers, "plain_writer", lambda *args: self.watched(plain(*args)))

    def watched(self, call: Writer) -> Writer:
        def watching(result: Any, *operands: Any) -> None:
            self.count += 1
            if self.count == self.at:
                raise self.kind("now")
            call(result, *operands)

        return watching

    def arm(self, at: int, kind: type[BaseException] = Broken) -> None:
        self.count, self.at, self.kind = 0, at, kind


@pytest.fixture
def fuse(monkeypatch: pytest.MonkeyPatch) -> Fuse:
    return Fuse(monkeypatch)


def group(length: int = 6, reduces: bool = False) -> tuple[tf.Graph, Tensor, list[Tensor]]:
    """A graph whose fused group has a chain and two results, one of them a reduction where it `reduces`."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4])
        y = x
        for i in range(length):
            y = tf.exp(y * 0.1) - tf.cast(float(i), tf.float32) * x
        return graph, x, [y, tf.reduce_sum(y * y, 1) if reduces else y * y]


@pytest.mark.parametrize("kind", [Broken, MemoryError, KeyboardInterrupt])
@pytest.mark.parametrize(
    "rows, reduces, least", [(3, True, 10), (600, False, 100), (5_000, False, 1_000), (30_000, True, 60)]
)
@pytest.mark.parametrize("limit", [1, 3])
@pytest.mark.parametrize("places", [10, pytest.param(25, marks=pytest.mark.slow)])
def test_a_fault_at_any_instruction_of_a_group_leaves_the_session_usable(
    kind: type[BaseException],
    rows: int,
    reduces: bool,
    least: int,
    limit: int,
    places: int,
    fuse: Fuse,
    low_thresholds: None,
) -> None:
    graph, x, fetches = group(6, reduces)
    feeds: dict[Tensor, Any] = {x: np.random.default_rng(0).random((rows, 4), np.float32)}
    expected = TRANSLATED.get(kind, kind)
    with tf.Session(graph=graph, config=tf.SessionConfig(threads=limit)) as session:
        want = session.run(fetches, feeds)
        fuse.arm(0)
        session.run(fetches, feeds)
        count = fuse.count
        assert count >= least
        for at in range(1, count + 1, max(1, count // places)):
            fuse.arm(at, kind)
            assert run_failing(session, fetches, feeds) is expected, f"at instruction {at} of {count}"
            fuse.arm(0)
            assert not wrong(session, fetches, feeds, want), f"after instruction {at} of {count}"


def test_a_fault_in_a_tile_stops_the_other_threads(fuse: Fuse, low_thresholds: None) -> None:
    graph, x, fetches = group()
    feeds: dict[Tensor, Any] = {x: np.ones((20_000, 4), np.float32)}
    with tf.Session(graph=graph, config=tf.SessionConfig(threads=3)) as session:
        session.run(fetches, feeds)
        fuse.arm(5)
        assert run_failing(session, fetches, feeds) is tf.errors.InternalError
        done = fuse.count
        meeting = threading.Barrier(3, timeout=60)
        with thread_pool.thread_limit(3):
            thread_pool.parallel_for(3, lambda i: meeting.wait())  # so no helper is at anything else
        assert fuse.count == done  # a helper that went on would write into memory that others use by now


# ---- interrupts ----------------------------------------------------------------------------------------

at_places = pytest.mark.parametrize("most", [20, pytest.param(200, marks=pytest.mark.nightly)])
"""So many lines at which a run is interrupted, evenly spread."""


@pytest.mark.share(2)
@pytest.mark.parametrize("limit", [1, 3])
@pytest.mark.parametrize("passes", [None, ()], ids=["fused", "step by step"])
@at_places
def test_an_interrupt_at_any_line_leaves_the_session_usable(
    limit: int, passes: tuple[str, ...] | None, most: int
) -> None:
    graph, x, fetches = group(20)
    feeds: dict[Tensor, Any] = {x: np.random.default_rng(0).random((50_000, 4), np.float32)}
    with tf.Session(graph=graph, config=tf.SessionConfig(passes=passes, threads=limit)) as session:
        want = session.run(fetches, feeds)
        count = lines_of(lambda: session.run(fetches, feeds))
        places = range(1, count + 1, max(1, count // most))
        strikes, state = 0, np.geterr()
        for line in places:
            strikes += interrupted_at(line, lambda: session.run(fetches, feeds))
            assert np.geterr() == state
            assert not wrong(session, fetches, feeds, want), f"after an interrupt at line {line} of {count}"
        # Where threads share the work, how many lines are left for this one differs from run to run.
        assert strikes > (len(places) // 2 if limit == 1 else 0)


@at_places
def test_an_interrupt_at_any_line_while_a_plan_is_made_leaves_the_session_usable(most: int) -> None:
    graph, x, fetches = group(10)
    feeds: dict[Tensor, Any] = {x: np.ones((3, 4), np.float32)}
    with tf.Session(graph=graph) as session:
        want = session.run(fetches, feeds)
    for _ in range(2):  # the first time finds out what the graph remembers afterwards
        with tf.Session(graph=graph) as session:
            count = lines_of(lambda: session.run(fetches, feeds))
    for line in range(1, count + 1, max(1, count // most)):
        with tf.Session(graph=graph) as session:
            assert interrupted_at(line, lambda: session.run(fetches, feeds))  # runs at once
            assert gc.isenabled()
            assert not wrong(session, fetches, feeds, want), f"after an interrupt at line {line} of {count}"


@pytest.mark.parametrize("was_on", [True, False])
def test_an_interrupt_at_any_line_of_a_pause_leaves_the_collector_as_it_was(was_on: bool) -> None:
    def pause() -> None:
        with collector_paused():
            assert not gc.isenabled()

    line = 0
    try:
        struck = True
        while struck:
            line += 1
            if not was_on:
                gc.disable()
            struck = interrupted_at(line, pause)
            assert gc.isenabled() is was_on, f"after an interrupt at line {line}"
        assert line >= 4
    finally:
        gc.enable()


def test_an_interrupt_sent_from_a_thread_ends_a_run() -> None:
    begun, never = threading.Event(), threading.Event()

    def kernel(x: Any) -> Any:
        if not done:
            begun.set()
            never.wait(60)  # what the interrupt ends
        return x + 1.0

    def send() -> None:
        begun.wait(60)
        time.sleep(0.05)  # a signal just before the wait begins does not end it
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # wakes it whatever it waits for

    done: list[bool] = []
    with tf.Graph().as_default() as graph, op_of(kernel) as plus:
        x = tf.placeholder(tf.float32, [None])
        y = tf.exp(plus(x * 1.0))
        sender = threading.Thread(target=send)
        sender.start()
        with tf.Session(graph=graph) as session:
            with pytest.raises(KeyboardInterrupt):
                session.run(y, {x: np.zeros(3, np.float32)})
            sender.join()
            done.append(True)
            assert np.allclose(session.run(y, {x: np.zeros(3, np.float32)}), np.exp(1.0))


# ---- allocations that fail -----------------------------------------------------------------------------


class Shortage:
    """Makes the n-th allocation fail, alone or with all that follow; `count` says how many there were."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.first = self.last = 0
        self._lock = threading.Lock()
        self._others = set(threading.enumerate()) - {threading.current_thread()}
        for owner, name in ((np, "empty"), (buffer_pool, "_empty"), (buffer_pool, "_new_memory")):
            patch.setattr(owner, name, self.watched(getattr(owner, name)))

    def watched(self, allocate: Callable[..., Any]) -> Callable[..., Any]:
        def watching(*args: Any, **kwargs: Any) -> Any:
            if threading.current_thread() in self._others:  # such as that of a cluster which another file began
                return allocate(*args, **kwargs)
            with self._lock:
                self.count += 1
                fails = self.first <= self.count < self.last
            if fails:
                raise MemoryError("a shortage")
            return allocate(*args, **kwargs)

        return watching

    def begin(self, first: int = 0, last: int = 0) -> None:
        POOL.trim()  # what is idle would be taken without asking for memory
        self.count, self.first, self.last = 0, first, last

    def end(self) -> None:
        self.first = self.last = 0


@pytest.fixture
def shortage(monkeypatch: pytest.MonkeyPatch) -> Shortage:
    return Shortage(monkeypatch)


def check_shortages(program: Program, config: tf.SessionConfig, shortage: Shortage, most: int = 30) -> None:
    graph, fetches, feeds = program.build()
    config = replace(config, specialise_after=0)  # the plan of later runs would need less memory than that counted here
    with tf.Session(graph=graph, config=config) as session:
        session.run(fetches, feeds)
        want = session.run(fetches, feeds)  # in which small groups make the frames that later runs have
        shortage.begin()
        session.run(fetches, feeds)
        count = shortage.count
        for first in range(1, count + 1, max(1, count // most)):
            for last in (first + 1, 1 << 60):
                shortage.begin(first, last)
                kind = run_failing(session, fetches, feeds)
                shortage.end()
                # One that fails alone may be made up for by dropping idle memory; a lasting shortage may not.
                assert kind in (tf.errors.ResourceExhaustedError, None), f"{kind}:\n{program}"
                # How many threads take part, and so how many allocations there are, differs from run to run.
                spared = last == first + 1 or config.threads != 1
                assert kind is not None or spared, f"allocation {first} of {count}:\n{program}"
                differ = wrong(session, fetches, feeds, want)
                assert not differ, f"after allocation {first} of {count}: {', '.join(differ)}:\n{program}"


@pytest.mark.share(2)
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("seed", [0, 1, *[pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3)]])
def test_each_allocation_in_turn_may_fail(seed: int, config: str, shortage: Shortage) -> None:
    check_shortages(indexing_program(seed, length=10), CONFIGS[config], shortage)


@pytest.mark.parametrize("limit", [1, 3])
def test_each_allocation_of_a_tiled_group_may_fail(limit: int, shortage: Shortage, low_thresholds: None) -> None:
    graph, x, fetches = group()
    feeds: dict[Tensor, Any] = {x: np.random.default_rng(0).random((5_000, 4), np.float32)}
    with tf.Session(graph=graph, config=tf.SessionConfig(threads=limit)) as session:
        want = session.run(fetches, feeds)
        shortage.begin()
        session.run(fetches, feeds)
        count = shortage.count
        assert count >= 2
        for first in range(1, count + 1):
            shortage.begin(first, 1 << 60)
            kind = run_failing(session, fetches, feeds)
            # How many threads take part, and so how many allocations there are, differs from run to run.
            was_reached = limit == 1 or shortage.count >= first
            assert kind is (tf.errors.ResourceExhaustedError if was_reached else None), f"{first} of {count}"
            shortage.end()
            assert not wrong(session, fetches, feeds, want)


def test_a_run_whose_arena_cannot_be_had_goes_on_without(monkeypatch: pytest.MonkeyPatch) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"])
        y = tf.reverse(tf.exp(x), [True]) * x
    feeds: dict[Tensor, Any] = {x: np.random.default_rng(0).random(100_000, np.float32)}
    with tf.Session(graph=graph, config=tf.SessionConfig(passes=())) as session:
        want = session.run([y], feeds)
        total = session.memory([y], feeds).arena.total
        assert total
        made = buffer_pool.Pool.empty

        def short(pool: buffer_pool.Pool, shape: Any, dtype: Any) -> Any:
            if shape == (total,) and dtype is np.uint8:
                raise MemoryError("a shortage")
            return made(pool, shape, dtype)

        monkeypatch.setattr(buffer_pool.Pool, "empty", short)
        assert not wrong(session, [y], feeds, want)


def test_a_feed_that_is_too_large_for_memory_is_told_and_forgotten() -> None:
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int64, [])
        y = tf.exp(tf.zeros(tf.stack([n, n]), tf.float64))
    with tf.Session(graph=graph) as session:
        with pytest.raises(tf.errors.ResourceExhaustedError, match="out of memory"):
            session.run(y, {n: 1 << 29})
        assert session.run(y, {n: 2}).tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(6))
def test_a_long_campaign_of_shortages(batch: int, shortage: Shortage) -> None:
    for seed in range(1000 + batch * 20, 1000 + batch * 20 + 20):
        print("seed", seed)
        check_shortages(indexing_program(seed), list(CONFIGS.values())[seed % len(CONFIGS)], shortage, most=100)


# ---- memory that is missing outside of a step --------------------------------------------------------


class Unconvertible:
    """Converting this to an array takes more memory than there is."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise MemoryError("a shortage")


def no_memory(*args: Any) -> Any:
    raise MemoryError("a shortage")


def test_memory_that_is_missing_for_a_feed_is_told_with_the_tensor() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
    with tf.Session(graph=graph) as session:
        words = "Cannot feed a Unconvertible for Tensor x:0: there is no memory to convert it to float32"
        with pytest.raises(tf.errors.ResourceExhaustedError, match=words):
            session.run(x, {x: Unconvertible()})
        assert session.run(x, {x: [1.0]}).tolist() == [1.0]


def test_memory_that_is_missing_for_a_result_is_told_with_its_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [200, 300], name="x")
        y = tf.transpose(x)
    feeds: dict[Tensor, Any] = {x: np.ones((200, 300), np.float32)}
    with tf.Session(graph=graph) as session:
        for fetches in (y, [y]):
            with monkeypatch.context() as patch:
                patch.setattr("penstock.runtime.session.planned_call.row_major_copies", no_memory)
                with pytest.raises(tf.errors.ResourceExhaustedError, match=r"\(float32 \[300, 200\]\).* 240000 bytes"):
                    session.run(fetches, feeds)
        assert session.run(y, feeds).shape == (300, 200)


def test_memory_that_is_missing_for_planning_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with tf.Graph().as_default() as graph:
        y = tf.constant(1.0) + 1.0
    with tf.Session(graph=graph) as session:
        with monkeypatch.context() as patch:
            patch.setattr("penstock.runtime.session.plan_cache.make_plan", no_memory)
            with pytest.raises(tf.errors.ResourceExhaustedError, match="no memory to plan a graph of 3 nodes"):
                session.run(y)
        assert session.run(y) == 2.0
