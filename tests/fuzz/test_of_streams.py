"""Ops that go over rows, with groups in their nests, have the bits of their operations; a planted fault is found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from penstock.runtime.llvm import tier
from penstock.runtime.nest.fused.group_elements import GroupElements

from .of_streams import FUSED, REFERENCE, WAYS, complaint, fused_uses, results, ways_of
from .seeds import in_three_shares
from .stream_programs import StreamProgram


@in_three_shares(3, 60, 3000)
@pytest.mark.filterwarnings("ignore")
def test_programs_have_the_bits_of_operation_by_operation(seeds: Sequence[int]) -> None:
    found = [(seed, what) for seed in seeds if (what := complaint(StreamProgram(seed), ways_of(seed)))]
    assert found == []


@pytest.mark.nightly
@pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")
@pytest.mark.filterwarnings("ignore")
def test_every_nest_with_groups_is_reached() -> None:
    seeds = iter(range(100, 300))
    while any(not fused_uses()[name] for name in FUSED):
        results(StreamProgram(next(seeds)), WAYS[0])


@pytest.mark.nightly
@pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")
@pytest.mark.filterwarnings("ignore")
def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    placed = GroupElements.placed

    def shifted(self: GroupElements, cuts: Sequence[int], turned: int | None = None) -> Any:
        found = placed(self, cuts, turned)
        return found and (found[0], [[words[0], *[0] * (len(words) - 1)] for words in found[1]])  # the first row again

    monkeypatch.setattr(GroupElements, "placed", shifted)
    assert any(complaint(StreamProgram(seed), WAYS[:1]) for seed in range(60))


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_most_programs_run_to_their_end() -> None:
    found = [results(StreamProgram(seed), REFERENCE) for seed in range(40)]
    assert len([each for each in found if not any(isinstance(run, str) for run in each)]) > 30
