"""Compiled pooling gives the bits of the plain kernels; the fuzz that says so finds planted faults."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from penstock.runtime.kernels.convolution import pooling_loops

from ..runtime.kernels import fences
from ..runtime.kernels.fences import needs_the_tier
from .of_pooling import Case, complaint
from .seeds import in_three_shares

pytestmark = needs_the_tier

@in_three_shares(2, 30, 1000)
def test_loops_give_the_bits_of_numpy(seeds: Sequence[int]) -> None:
    complaints = [(str(case), complaint(case)) for case in map(Case, seeds)]
    assert [each for each in complaints if each[1] is not None] == []


@pytest.mark.nightly
def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooling_loops, "_LOWEST", {"f4": "0.0", "f8": "0.0"})  # what is negative never wins
    fences.loop.cache_clear()
    monkeypatch.setattr("penstock.runtime.kernels.loops.loop_cache._entries", {})
    try:
        with monkeypatch.context() as inner:
            inner.setattr("penstock.runtime.kernels.loops.loop_cache._source", _written)
            assert any(complaint(case) is not None for case in map(Case, range(12)))
    finally:
        fences.loop.cache_clear()


def _written(name: str, *key: object) -> object:
    """The source of a loop, which is not remembered."""
    from penstock.runtime.kernels.loops.loop_cache import TEMPLATES
    from penstock.runtime.llvm.tier import ModuleSource

    ir, function = TEMPLATES[name].code(*key)
    return ModuleSource(ir, (function,))
