"""The fuzz finds planted faults, counts what it tries, and continues where it ended."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.runtime.passes.pipeline import ALL_PASSES

from ..feed_ways import WAYS as FEED_WAYS
from ..helpers import nightly, slow
from . import campaign
from .__main__ import main
from .campaign import Batch, State, run_batch
from .check import complaint, prepare
from .extension import Extension, extension_ops
from .programs import FuzzProgram, fuzz_program
from .ways import PLAIN, Way, feed_way_for, ways_for

DEFAULT = Way("default", tf.SessionConfig())


@pytest.fixture
def extension() -> Iterator[Extension]:
    with extension_ops() as ops:
        yield ops


def changed_runs(monkeypatch: pytest.MonkeyPatch, change: Callable[[list[Any]], list[Any]]) -> None:
    """Let sessions give `change(results)`."""
    run = tf.Session.run
    monkeypatch.setattr(tf.Session, "run", lambda *args, **kwargs: change(run(*args, **kwargs)))


def program_of(*lines: str, arrays: dict[str, Any] | None = None, fetched: list[str]) -> FuzzProgram:
    return FuzzProgram(0, list(lines), arrays or {}, fetched=fetched)


# ---- programs ------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_a_seed_always_makes_the_same_program(extension: Extension) -> None:
    first = [str(fuzz_program(seed, extension)) for seed in range(6)]
    assert [str(fuzz_program(seed, extension)) for seed in range(6)] == first
    assert len(set(first)) == 6


@pytest.mark.nightly
def test_the_programs_have_what_they_are_for(extension: Extension) -> None:
    programs = [fuzz_program(seed, extension) for seed in range(150)]
    met = set().union(*(p.features for p in programs))
    assert met >= {
        "partition_work_stitch", "parts_and_update", "update_from_itself", "update_of_a_view", "views_of_views",
        "sharing", "effect", "control edges", "failing lines", "checked", "converted", "beside_a_scan", "strings",
        "fed in the middle", "empty arrays", "large arrays", "several fetches", "a tensor fetched twice", "derivative",
        "control", "sampled",
    }  # fmt: skip
    assert any(p.resizable for p in programs) and any(p.targets for p in programs)
    derived = [p for p in programs if p.features["derivative"]]
    assert any(p.resizable for p in derived) and any(p.features["derivative"] > 1 for p in derived)


def test_every_configuration_gets_its_turn() -> None:
    ways = [way for seed in range(96) for way in ways_for(seed)]
    assert {way.name for way in ways} == {*PLAIN, "compiled", "compiled, small"}
    assert {feed_way_for(seed) for seed in range(48)} == set(range(len(FEED_WAYS)))
    some = {way.config.passes for way in ways if way.name.startswith("some passes")}
    assert len(some) > 5 and {name for passes in some for name in passes or ()} == set(ALL_PASSES)


def test_the_ops_of_the_extension_are_taken_back() -> None:
    before = set(OPS)
    with extension_ops() as ops:
        assert set(OPS) - before == set(ops.types)
    assert set(OPS) == before


# ---- what is found -------------------------------------------------------------------------------


def test_other_values_are_found(extension: Extension, monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of("t1 = tf.constant([1.0]) + 1.0", fetched=["t1"])
    prepared = prepare(program, 0, extension)
    assert complaint(prepared, DEFAULT, extension) is None
    changed_runs(monkeypatch, lambda results: [r + 1 for r in results])
    assert "other values of add:0" in str(complaint(prepared, DEFAULT, extension))


def test_results_that_are_not_the_callers_own_are_found(extension: Extension, monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(
        "x1 = tf.placeholder('float32', [2])", "t2 = tf.exp(x1)", "t3 = t2 + 0.0",
        arrays={"x1": np.ones(2, "f4")}, fetched=["t2", "t3"],
    )  # fmt: skip
    changed_runs(monkeypatch, lambda results: [results[0], results[0]])
    found = str(complaint(prepare(program, 0, extension), DEFAULT, extension))
    assert "shares memory with" in found


def test_a_run_without_the_error_of_the_reference_is_found(extension: Extension) -> None:
    program = program_of("t1 = ops.small(tf.constant([1.0]), 2) + 0.0", fetched=["t1"])
    prepared = prepare(program, 0, extension)
    failing = program_of("t1 = ops.small(tf.constant([3.0]), 2) + 0.0", fetched=["t1"])
    wanted = prepare(failing, 0, extension)
    assert complaint(wanted, DEFAULT, extension) is None
    for want, other in zip(prepared.runs, wanted.runs, strict=False):
        want.run.failures[:] = other.run.failures
    assert "no error" in str(complaint(prepared, DEFAULT, extension))
    for want in wanted.runs:
        want.run.failures.clear()
    assert "nothing fails" in str(complaint(wanted, DEFAULT, extension))


def test_effects_in_another_order_are_found(extension: Extension) -> None:
    program = program_of("t1 = ops.seen(1.0, 1)", "t2 = ops.seen(2.0, 2)", fetched=["t2", "t1"])
    prepared = prepare(program, 0, extension)
    assert [tag for tag, *_ in prepared.runs[0].log] == [1, 2]
    assert complaint(prepared, DEFAULT, extension) is None
    for want in {id(run): run for run in prepared.runs}.values():
        want.log.reverse()
    assert "effects" in str(complaint(prepared, DEFAULT, extension))


def test_a_run_that_does_not_end_is_found(extension: Extension, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> Any:
        while True:
            pass

    prepared = prepare(program_of("t1 = tf.constant([1.0]) + 1.0", fetched=["t1"]), 0, extension)
    monkeypatch.setattr(tf.Session, "run", endless)
    assert "did not end" in str(complaint(prepared, DEFAULT, extension, limit=0.05))


@pytest.mark.nightly
def test_a_failing_program_is_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    changed_runs(monkeypatch, lambda results: [r * 0 if getattr(r, "ndim", 0) else r for r in results])
    batch = run_batch(range(3))
    assert batch.seeds == 3 and batch.found
    for found in batch.found:
        lines = [line for line in found.program.splitlines() if re.match(r"[xct]\d+ = |with ", line)]
        assert len(lines) <= 12, found.program


# ---- the campaign --------------------------------------------------------------------------------


def quiet(seeds: range) -> Batch:
    """A batch that tries nothing, and dies at seed 5."""
    if 5 in seeds:
        os._exit(1)
    batch = Batch(len(seeds))
    batch.ways.update({"default": len(seeds)})
    return batch


@pytest.mark.nightly
def test_a_campaign_goes_on_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "fuzz.json"
    [*_, first] = campaign.campaign(path, 4, start=60)
    [*_, second] = campaign.campaign(path, 10)
    assert (first.done, second.done, second.next_seed) == (4, 10, 70)
    assert State.load(path, 0) == second
    whole = run_batch(range(60, 70))
    assert (second.features, second.ways) == (whole.features, whole.ways)
    assert list(campaign.campaign(path, 10)) == []


@pytest.mark.nightly
def test_a_process_that_dies_is_a_failure_of_its_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "run_batch", quiet)
    monkeypatch.setattr(campaign, "BATCH", 2)
    [*_, state] = campaign.campaign(tmp_path / "fuzz.json", 10, jobs=2)
    assert state.done == state.next_seed == 10
    assert [(f["signature"], f["seeds"]) for f in state.failures] == [("the process died", [5])]
    assert state.ways["default"] == 9


def test_the_command_prints_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--seed", "61"])
    assert "# seed 61" in capsys.readouterr().out


# ---- the fuzz itself -----------------------------------------------------------------------------


@pytest.mark.parametrize("seeds", [range(4), *nightly([range(4, 100)]), *slow([range(100, 200)])])
def test_a_quick_share_of_the_fuzz(seeds: range) -> None:
    found = run_batch(seeds).found
    assert not found, f"{found[0].way}: {found[0].what}\n{found[0].program}"


@pytest.mark.slow
def test_ten_minutes_of_the_fuzz(tmp_path: Path) -> None:
    [*_, state] = campaign.campaign(tmp_path / "fuzz.json", 10**9, start=10**6, seconds=600.0)
    assert not state.failures, "\n".join(f["way"] + ": " + f["what"] + "\n" + f["program"] for f in state.failures[:3])
