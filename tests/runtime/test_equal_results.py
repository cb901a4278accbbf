"""All ways to run a graph give the same bits.

Graphs made at random are run by `tests.reference`, node by node and each result copied. Every set of passes, every
number of threads, memory with and without an arena, the first run and later ones, `run`, `make_callable` and a recorded
run must give the same dtype, shape and bits (all NaNs are one value). A failure prints the graph as code.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.runtime.base import thread_pool
from penstock.runtime.memory import buffer_pool, pooled_numpy
from penstock.runtime.memory.buffer_pool import POOL
from penstock.runtime.numpy import interpreter, writers
from penstock.runtime.passes.pipeline import ALL_PASSES
from penstock.runtime.planning import memory_plan

from ..helpers import nightly, slow
from ..op_samples import same
from ..random_graphs import ROWS, Program, indexing_program, random_program, resizable_program, view_program
from ..reference import expected

# Random graphs broadcast rows against columns on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:.*every entry meets every other one")

WAYS = {
    "no passes": tf.SessionConfig(passes=()),
    **{f"only {name}": tf.SessionConfig(passes=(name,)) for name in ALL_PASSES},
    "all passes": tf.SessionConfig(),
    "one thread": tf.SessionConfig(threads=1),
    "four threads": tf.SessionConfig(threads=4),
    "no arena": tf.SessionConfig(arena=False),
    "no passes, no arena": tf.SessionConfig(passes=(), arena=False, threads=4),
}
ALONE = [name for name in WAYS if name.startswith("only ")]
Outcome = list[Any] | str
"""The values, or what a run that fails raises."""


def outcome(run: Callable[..., list[Any]], *args: Any, **kwargs: Any) -> Outcome:
    """What a run gives, an error as text."""
    try:
        return run(*args, **kwargs)
    except tf.errors.OpError as error:
        return f"{type(error).__name__}: {error.message.splitlines()[0]}"


def runs(session: tf.Session, fetches: list[Tensor], feeds: Mapping[Tensor, Any]) -> Iterator[tuple[str, Outcome]]:
    """What each way to ask for the same values gives."""
    yield "first run", outcome(session.run, fetches, dict(feeds))
    yield "second run", outcome(session.run, fetches, dict(feeds))
    call = session.make_callable(fetches, list(feeds))
    yield "make_callable", outcome(call, *feeds.values())
    record = tf.RunMetadata()
    yield "recorded run", outcome(session.run, fetches, dict(feeds), run_metadata=record)
    yield "fifth run", outcome(session.run, fetches, dict(feeds))


def differing(fetches: Sequence[Tensor], got: Outcome, want: list[Any]) -> list[str]:
    """The names of the fetches whose values differ; all of them differ from an error."""
    if isinstance(got, str):
        return [f"all fetches: {got}"]
    return [t.name for t, a, b in zip(fetches, got, want, strict=True) if not same(a, b)]


def complaint(program: Program, seed: int) -> str | None:
    """None if every way gives the same bits, else what differs and the program that shows it.

    Of the ways with one pass each seed takes a third: programs of three seeds take all.
    """
    graph, fetches, feeds = program.build()
    want = expected(fetches, feeds)
    left_out = {name for number, name in enumerate(ALONE) if number % 3 != seed % 3}
    for name, config in WAYS.items():
        if name in left_out:
            continue
        with tf.Session(graph=graph, config=config) as session:
            for which, got in runs(session, fetches, feeds):
                unlike = differing(fetches, got, want)
                if unlike:
                    return f"{name}, {which}: other values of {', '.join(unlike)}:\n{program}"
    return None


def check(programs: Callable[[int], Program], seeds: Sequence[int]) -> None:
    for seed in seeds:
        print("seed", seed)
        told = complaint(programs(seed), seed)
        assert told is None, told


@pytest.fixture
def low_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small arrays run in tiles, on several threads, in an arena, in the pool's memory."""
    monkeypatch.setattr(interpreter, "TILE", 64)
    monkeypatch.setattr(interpreter, "SMALL", 4)
    monkeypatch.setattr(memory_plan, "SMALLEST", 1)
    monkeypatch.setattr(writers, "POOLED", 1)
    monkeypatch.setattr(buffer_pool, "SMALL", 32)
    monkeypatch.setattr(pooled_numpy, "FEW", 8)
    monkeypatch.setattr(thread_pool, "WORTH", 1e-12)


def small(seed: int) -> Program:
    return indexing_program(seed, length=24, shapes=())


# ---- random graphs --------------------------------------------------------------------------------

BATCHES = [0, *nightly(range(1, 8)), *slow(range(8, 16))]


@pytest.mark.parametrize("batch", BATCHES)
def test_small_graphs_give_the_same_bits(batch: int) -> None:
    check(small, range(batch * 5, batch * 5 + 5))


@pytest.mark.parametrize("batch", BATCHES)
def test_small_graphs_give_the_same_bits_in_tiles_on_threads_and_in_an_arena(batch: int, low_thresholds: None) -> None:
    check(small, range(1000 + batch * 5, 1000 + batch * 5 + 5))


@pytest.mark.parametrize("batch", BATCHES)
def test_views_give_the_same_bits_in_an_arena(batch: int, low_thresholds: None) -> None:
    check(lambda seed: view_program(seed, length=24), range(2000 + batch * 3, 2003 + batch * 3))


@pytest.mark.parametrize("batch", BATCHES)
def test_arrays_at_the_borders_of_tiles_give_the_same_bits(batch: int) -> None:
    check(indexing_program, range(3000 + batch * 2, 3000 + batch * 2 + 2))


@pytest.mark.parametrize("batch", BATCHES[:2])
def test_large_arrays_give_the_same_bits(batch: int) -> None:
    check(lambda seed: random_program(seed, length=16, large=True), range(4000 + batch * 4, 4004 + batch * 4))


SIZES = (0, 1, 2, ROWS, 300, 32_767, 32_768, 32_769, 65_537, 300, 1)


@pytest.mark.parametrize("seed", [5000, *nightly(range(5001, 5008))])
def test_one_session_gives_the_same_bits_for_feeds_of_every_size(seed: int) -> None:
    program = resizable_program(seed)
    graph, fetches, feeds = program.build()
    sized = [dict(zip(feeds, program.resized(rows), strict=True)) for rows in SIZES]
    wants = [expected(fetches, fed) for fed in sized]
    for name in ("no passes", "all passes", "one thread", "four threads", "no arena"):
        with tf.Session(graph=graph, config=WAYS[name]) as session:
            for rows, fed, want in zip(SIZES, sized, wants, strict=True):
                unlike = differing(fetches, outcome(session.run, fetches, fed), want)
                assert not unlike, f"{name}, {rows} rows: other values of {', '.join(unlike)}:\n{program}"


# ---- do the graphs try what they claim to try? ---------------------------------------------------


def test_the_random_graphs_take_part_in_arena_tiles_threads_and_pool(
    monkeypatch: pytest.MonkeyPatch, interpreted: None
) -> None:
    """A comparison of two runs that do the same thing would prove nothing."""
    met = dict.fromkeys(("arena", "in place", "tiles", "threads"), 0)
    run_tiles = interpreter.Interpreter._run_tiles
    shared = thread_pool.parallel_for

    def in_tiles(self: Any, values: list[Any], tiling: Any) -> None:
        met["tiles"] += 1
        run_tiles(self, values, tiling)

    def on_threads(count: int, work: Callable[[int], object], wanted: int | None = None) -> None:
        met["threads"] += min(count, wanted or 1) > 1 and thread_pool.allowed_threads() > 1
        shared(count, work, wanted)

    monkeypatch.setattr(interpreter.Interpreter, "_run_tiles", in_tiles)
    monkeypatch.setattr(thread_pool, "parallel_for", on_threads)
    hits = POOL.stats().hits
    for seed, passes in itertools.product(range(3000, 3008), (None, ())):
        graph, fetches, feeds = indexing_program(seed).build()
        with tf.Session(graph=graph, config=tf.SessionConfig(passes=passes, threads=4)) as session:
            arena = session.memory(fetches, feeds).arena
            met["arena"] += bool(arena.offsets)
            met["in place"] += bool(arena.in_place)
            for _ in range(2):
                session.run(fetches, feeds)
    assert all(met.values()), met
    assert POOL.stats().hits > hits


def test_a_session_without_an_arena_plans_none() -> None:
    graph, fetches, feeds = random_program(4000, length=16, large=True).build()
    with tf.Session(graph=graph, config=tf.SessionConfig(arena=False, passes=())) as session:
        assert session.memory(fetches, feeds).arena.offsets == {}


@pytest.mark.parametrize("limit", [1, 3])
def test_the_limit_of_a_session_is_what_its_kernels_see(
    limit: int, monkeypatch: pytest.MonkeyPatch, interpreted: None
) -> None:
    seen: set[int] = set()
    threads_for = thread_pool.threads_for

    def asked(seconds: float) -> int:
        seen.add(thread_pool.allowed_threads())
        return threads_for(seconds)

    monkeypatch.setattr(interpreter, "threads_for", asked)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None])
        y = tf.exp(x) * 2.0 + 1.0
    with tf.Session(graph=graph, config=tf.SessionConfig(threads=limit)) as session:
        session.run(y, {x: np.ones(600_000, np.float32)})
    assert seen == {limit}


# ---- a longer search ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(20))
def test_a_long_campaign_of_small_graphs(batch: int, low_thresholds: None) -> None:
    check(small, range(100_000 + batch * 150, 100_000 + batch * 150 + 100))
    check(view_program, range(100_000 + batch * 150 + 100, 100_000 + batch * 150 + 150))


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(10))
def test_a_long_campaign_of_large_graphs(batch: int) -> None:
    check(indexing_program, range(200_000 + batch * 40, 200_000 + batch * 40 + 30))
    check(lambda seed: random_program(seed, large=True), range(200_000 + batch * 40 + 30, 200_000 + batch * 40 + 40))
