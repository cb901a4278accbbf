"""Loops that move rows give NumPy's bits at sizes beyond the caches; the fuzz that says so finds planted faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from penstock.runtime.kernels import fast_partition

from ..runtime.kernels.fences import needs_the_tier
from .of_rows import Case, complaint, disturbed
from .seeds import in_three_shares

pytestmark = needs_the_tier


@in_three_shares(12, 60, 1000)
def test_loops_give_the_bits_of_numpy(seeds: Sequence[int]) -> None:
    found = []
    for seed in seeds:
        case = Case(seed)
        what = complaint(case)
        if what is not None:
            found.append(f"{case}: {what}")
        disturbed(case)
    assert found == []


def _without_sort_check(xp: Any, lists: list[Any], sources: list[Any], count: int, work: int) -> Any:
    """As `_merged`, for lists that are sorted first, which loses the order of equal places."""
    orders = [i.argsort()[::-1].argsort() for i in lists]
    return _merged(xp, lists, [s[o] for s, o in zip(sources, orders, strict=True)], count, work)


_merged = fast_partition._merged


@pytest.mark.nightly
def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_partition, "_merged", _without_sort_check)
    stitches = [case for case in map(Case, range(200)) if case.kind == "stitch"]
    assert any(complaint(case) is not None for case in stitches)
