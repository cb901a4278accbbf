"""Groups that overwrite variables give the bits of interpreted ones, and the fuzz that says so finds planted faults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from penstock.runtime.llvm import tier
from penstock.runtime.planning.aliasing import Aliases

from .group_programs import OPTIMIZERS, WRITES, GroupProgram, Node, ops_of, random_program
from .of_groups import WAYS, complaint, results, shrunk, ways_of
from .seeds import in_three_shares

HAZARD = GroupProgram(
    0, "float32", (513,), 1,
    (Node("start", variable=0), Node("const", seed=5), Node("write", "assign_sub", 0, (1,)),
     Node("op", "Exp", inputs=(0,), seed=1), Node("op", "Mul", inputs=(2, 3), seed=1),
     Node("op", "Sinh", inputs=(1,), seed=1)),
    ((5,), (4, 5), (4,)),
)  # fmt: skip
"""A program that reads a variable after it is overwritten, where the analysis of passes is wrong."""


@pytest.fixture(autouse=True)
def compiled() -> Iterator[None]:
    if not tier.on():
        pytest.skip(f"nothing is compiled here: {tier.why_off()}")
    yield



@in_three_shares(1, 20, 1200)
def test_compiled_programs_have_the_bits_of_interpreted_ones(seeds: Sequence[int]) -> None:
    found = [(seed, way.name, what) for seed in seeds for way in ways_of(seed)
             if (what := complaint(random_program(seed), way)) is not None]  # fmt: skip
    assert found == []


@pytest.mark.nightly
def test_a_result_that_does_not_wait_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert complaint(HAZARD, WAYS[0]) is None
    monkeypatch.setattr(Aliases, "must_wait", lambda *_: False)
    assert str(complaint(HAZARD, WAYS[0])).startswith("run 1, value")
    small = shrunk(HAZARD, WAYS[0])
    assert len(small.runs) == 2 and small.runs[-1] == (4,) and complaint(small, WAYS[0]) is not None


@pytest.mark.nightly
def test_the_programs_have_what_they_are_for() -> None:
    nodes = [node for seed in range(3000) for node in random_program(seed).nodes]
    used = {node.what for node in nodes}
    assert used >= {*WRITES, *OPTIMIZERS}
    assert used >= {name for dtype in ("float32", "int32", "complex64") for name, _ in ops_of(dtype)}
    assert any(node.kind == "read" and node.controls for node in nodes)


@pytest.mark.nightly
def test_most_programs_run_to_their_end() -> None:
    found = [results(random_program(seed), WAYS[-1]) for seed in range(20)]
    assert len([each for each in found if not any(isinstance(run, str) for run in each)]) > 15
