"""Groups of rows have the bits of the ops' own kernels; the fuzz that says so finds a planted fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from penstock.runtime.llvm import tier
from penstock.runtime.nest import short_rows

from .nest_programs import NestProgram
from .of_nests import complaint, ways_of
from .seeds import in_three_shares


@in_three_shares(5, 60, 2000)
def test_groups_of_rows_have_the_bits_of_their_operations(seeds: Sequence[int]) -> None:
    groups = Counter[str]()
    found = [(seed, what) for seed in seeds if (what := complaint(NestProgram(seed), ways_of(seed), groups))]
    assert found == []
    if tier.on():
        assert groups["compiled"] > len(seeds) // 4, groups
        assert not any("LLVM" in state for state in groups), groups


@pytest.mark.nightly
@pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")
def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_rows, "PAIRWISE", 4)  # rows are added in other lanes
    assert any(complaint(NestProgram(seed), ways_of(seed)[:1]) for seed in range(400))
