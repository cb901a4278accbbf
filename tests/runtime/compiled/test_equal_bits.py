"""Random graphs give the same bits interpreted, compiled, and switched over between two runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.base import thread_pool
from penstock.runtime.compiled import shaped_group
from penstock.runtime.compiled.flat_launch import FlatLaunch
from penstock.runtime.compiled.shaped_group import ShapedGroup
from penstock.runtime.llvm import promotion, tier
from penstock.runtime.memory import buffer_pool
from penstock.runtime.planning import memory_plan

from ...helpers import nightly
from ...random_graphs import Program, elementwise_program, indexing_program, random_program, resizable_program
from ...reference import expected
from ..test_equal_results import SIZES, WAYS, differing, outcome, runs

CHOSEN = ("no passes", "all passes", "four threads", "no arena")


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    if not tier.on():
        pytest.skip(f"nothing is compiled here: {tier.why_off()}")
    before = jit.mode
    yield
    jit.mode = before


@pytest.fixture
def compiled_runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one for each run of compiled code."""
    met: list[int] = []
    run = FlatLaunch.run

    def counted(self: FlatLaunch, *args: Any) -> Any:
        met.append(len(self.common.scalar.steps))
        return run(self, *args)

    direct = FlatLaunch.direct

    def counted_direct(self: FlatLaunch, *args: Any) -> Any:
        made = direct(self, *args)
        if made is not None:
            met.append(1)
        return made

    monkeypatch.setattr(FlatLaunch, "run", counted)
    monkeypatch.setattr(FlatLaunch, "direct", counted_direct)
    return met


@pytest.fixture
def runs_with_code(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one for each time that a group gets machine code, for a run or for a block of steps."""
    met: list[int] = []
    code_of = ShapedGroup._code

    def counted(self: ShapedGroup[Any], *args: Any) -> Any:
        code = code_of(self, *args)
        if code is not None:
            met.append(1)
        return code

    monkeypatch.setattr(ShapedGroup, "_code", counted)
    return met


@pytest.fixture
def low_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small arrays run on several threads, in an arena, in the pool's memory."""
    monkeypatch.setattr(memory_plan, "SMALLEST", 1)
    monkeypatch.setattr(buffer_pool, "SMALL", 32)
    monkeypatch.setattr(thread_pool, "WORTH", 1e-12)


def compiled_complaint(program: Program) -> str | None:
    """None if compiled code gives what the reference gives."""
    graph, fetches, feeds = program.build()
    want = expected(fetches, feeds)
    jit.mode = "now"
    for name in CHOSEN:
        with tf.Session(graph=graph, config=WAYS[name]) as session:
            for which, got in runs(session, fetches, feeds):
                unlike = differing(fetches, got, want)
                if unlike:
                    return f"{name}, {which}: other values of {', '.join(unlike)}:\n{program}"
    return None


def check(programs: Callable[[int], Program], seeds: Sequence[int]) -> None:
    for seed in seeds:
        told = compiled_complaint(programs(seed))
        assert told is None, told


@pytest.mark.parametrize("batch", [0, *nightly(range(1, 4))])
def test_elementwise_graphs_give_the_same_bits(batch: int, compiled_runs: list[int], low_thresholds: None) -> None:
    check(elementwise_program, range(9000 + batch * 3, 9003 + batch * 3))
    assert len(compiled_runs) > 50
    assert max(compiled_runs) > 10


@pytest.mark.parametrize("batch", [0, *nightly([1])])
def test_graphs_of_everything_give_the_same_bits(batch: int, compiled_runs: list[int], low_thresholds: None) -> None:
    check(lambda seed: indexing_program(seed, length=24, shapes=()), range(9100 + batch * 3, 9103 + batch * 3))
    assert len(compiled_runs) > 20


@pytest.mark.parametrize("count", [2, *nightly([4])])
def test_large_arrays_give_the_same_bits(count: int, compiled_runs: list[int]) -> None:
    check(lambda seed: random_program(seed, length=16, large=True), range(9200, 9200 + count))
    assert len(compiled_runs) >= 10


MOST_TURNS = 100
"""More turns than any machine takes until code is asked for and has come."""


@pytest.mark.share(2)
@pytest.mark.parametrize("seed", range(9300, 9304))
def test_a_session_is_switched_over_for_feeds_of_every_size(
    seed: int, runs_with_code: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """When that happens depends on the clock, so there are as many turns as it takes."""
    monkeypatch.setattr(promotion, "BEHIND", 1e-9)
    monkeypatch.setattr(promotion, "LOOK", 1e9)
    monkeypatch.setattr(shaped_group, "SHORT", 0.0)
    program = resizable_program(seed)
    graph, fetches, feeds = program.build()
    sized = [dict(zip(feeds, program.resized(rows), strict=True)) for rows in SIZES]
    wants = [expected(fetches, fed) for fed in sized]
    jit.mode = "on"
    with tf.Session(graph=graph) as session:
        for turn in range(MOST_TURNS):
            for rows, fed, want in zip(SIZES, sized, wants, strict=True):
                unlike = differing(fetches, outcome(session.run, fetches, fed), want)
                assert not unlike, f"turn {turn}, {rows} rows: other values of {', '.join(unlike)}:\n{program}"
            assert tier.wait(120)
            if turn > 1 and runs_with_code:
                break
    assert runs_with_code, tier.stats()


def test_a_recorded_run_names_the_tier() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.add(x * x, x, name="y")
        z = tf.sigmoid(tf.reverse(y, [True]), name="z")
    array = np.linspace(0, 1, 1000, dtype=np.float32)
    found = []
    for mode in ("off", "now"):
        jit.mode = mode
        with tf.Session(graph=graph) as session:
            record = tf.RunMetadata()
            session.run(z, {x: array}, run_metadata=record)
            found.append({step.op: step.kernel for step in record.steps})
    assert found[0]["Fused"] == "interpreted"
    assert found[0]["Sigmoid"] == ""
    assert found[1]["Fused"] == "compiled"
    assert found[1]["Sigmoid"] == "compiled"
