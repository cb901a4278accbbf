"""Programs of TensorArrays in loops have the bits of the interpreter; the fuzz that says so finds planted faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from penstock.runtime.passes import arrays_as_rows, iteration_counts

from ..control_flow.array_checks import complaint
from ..control_flow.array_programs import ArrayProgram
from .seeds import in_three_shares
from .ways import ways_for

FAULTS: dict[int, Any] = {
    21: (iteration_counts, "_is_number", lambda tensor, number: True),  # a counter may start anywhere
    93: (arrays_as_rows, "is_one_size", lambda a, b: True),  # any size is the same
    135: (arrays_as_rows._ArrayLoop, "_is_bounded", lambda loop, rows: True),  # each iteration has a row
}  # fmt: skip
"""Wrong functions by the first seed whose program shows them."""


@in_three_shares(1, 40, 1200, FAULTS)
def test_programs_have_the_bits_of_the_interpreter(seeds: Sequence[int]) -> None:
    found = [(seed, what) for seed in seeds if (what := complaint(ArrayProgram(seed), ways_for(seed))) is not None]
    assert found == []


@pytest.mark.nightly
@pytest.mark.parametrize("seed", FAULTS)
def test_planted_faults_are_found(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*FAULTS[seed])

    def differs(seed: int) -> bool:
        try:
            return complaint(ArrayProgram(seed), ways_for(seed)[:1]) is not None
        except Exception:  # a plan that makes no sense is a difference, too
            return True

    assert any(differs(each) for each in (seed, *range(300)))
