"""Training in native blocks has the bits of its steps; the fuzz that says so finds a planted fault."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from penstock.runtime.execution import block_program, native_blocks
from penstock.runtime.llvm import tier

from .of_blocks import WAYS, complaint

pytestmark = pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")
MORE = pytest.param((*range(1, 24), 2705), marks=pytest.mark.nightly)
MANY = pytest.param(range(24, 1000), marks=pytest.mark.slow)
COLUMN_MAJOR = (1081,)


@pytest.mark.parametrize(
    "seeds", [range(1), MORE, MANY, COLUMN_MAJOR], ids=["some", "more", "many", "column-major feeds"]
)
def test_blocks_have_the_bits_of_their_steps(seeds: Any) -> None:
    counts = Counter[str]()
    assert [(seed, what) for seed in seeds if (what := complaint(seed, counts=counts))] == []
    assert counts["runs of blocks"] > 10 * len(seeds)


@pytest.mark.nightly
def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    place = block_program.BlockWriter._place

    def other(writer: Any, address: int) -> Any:  # scratch memory that two values share
        found = place(writer, address)
        return (found[0], 0) if found is not None and found[0] == writer._arena else found

    monkeypatch.setattr(block_program.BlockWriter, "_place", other)
    monkeypatch.setattr(block_program, "is_same", lambda one, other: True)
    assert any(complaint(seed, WAYS[:1]) for seed in range(40))


@pytest.mark.nightly
def test_labels_that_nobody_checks_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_blocks.NativeBlock, "_test", lambda block, inputs: None)
    assert any(complaint(seed, WAYS[:1]) for seed in range(40))
