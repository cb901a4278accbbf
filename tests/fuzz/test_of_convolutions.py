"""Compiled convolutions give what the plain kernels give; the fuzz that says so finds planted faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from penstock.runtime.kernels.convolution import fast_convolution

from ..runtime.kernels.fences import needs_the_tier
from .of_convolutions import Case, complaint
from .seeds import in_three_shares

pytestmark = needs_the_tier

@in_three_shares(3, 60, 1000)
def test_loops_compute_what_numpy_computes(seeds: Sequence[int]) -> None:
    complaints = [(str(case), complaint(case)) for case in map(Case, seeds)]
    assert [each for each in complaints if each[1] is not None] == []


@pytest.mark.nightly
def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    windows_of = fast_convolution.windows_of

    def with_one_padding(g: Any) -> Any:
        down, across = windows_of(g)
        return across if down.places == across.places else down, across

    monkeypatch.setattr(fast_convolution, "windows_of", with_one_padding)
    cases = [case for case in map(Case, range(150)) if case.kind == "Conv2D"]
    assert any(complaint(case) is not None for case in cases)
