"""Groups of rows have the bits of the ops' own kernels; the fuzz that says so finds a planted fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pytest

from penstock.runtime.llvm import tier
from penstock.runtime.nest import short_rows
from penstock.runtime.passes.rules.arithmetic_identities import SumOfFew
from penstock.runtime.passes.rules.movement import KeptAxes
from penstock.runtime.passes.rules.rule import Rule

from ..runtime.passes.stages import plan_of_run
from .nest_programs import Form, NestProgram
from .of_nests import complaint, ways_of
from .seeds import in_three_shares

FORMS: Final[tuple[Form, ...]] = ("sizes", "nothing")


@in_three_shares(2, 60, 2000, [3, 5, 8, 11])
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


@in_three_shares(20, 600, 2000)
def test_the_shapes_of_a_run_are_as_good_as_those_that_the_graph_knows(seeds: Sequence[int]) -> None:
    """Else something that only the run decides has split a group: a sum and a reshape, a broadcast, an `add_n`."""
    more: list[tuple[int, Form, int, int]] = []
    for seed in seeds:
        if not NestProgram.has_gradients(seed):
            continue
        known = _passes_over_memory(seed, "known")
        for form in FORMS:
            count = _passes_over_memory(seed, form)
            if known is not None and count is not None and count > known + 1:
                more.append((seed, form, count, known))
    assert more == []


def _passes_over_memory(seed: int, form: Form) -> int | None:
    """The steps of the plan for the shapes of the feeds, without views.

    None if there are transposes, of gradients of products whose axes the graph does not know, or sums of many parts.
    """
    program = NestProgram(seed, form)
    ops = [step.op for step in plan_of_run(program.fetches, program.feeds).steps]
    if "Transpose" in ops or "AddN" in ops:
        return None
    return len([op for op in ops if op not in ("Reshape", "ExpandDims")])


@pytest.mark.nightly
@pytest.mark.parametrize("rule", [SumOfFew, KeptAxes])
def test_a_split_is_seen(rule: type[Rule], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule, "check", lambda *args, **bound: "")
    assert any(_more_steps(seed) > 3 for seed in range(60) if NestProgram.has_gradients(seed))


def _more_steps(seed: int) -> int:
    """How many more steps there are where the graph knows no sizes."""
    program = NestProgram(seed, "nothing")
    return len(plan_of_run(program.fetches, program.feeds).steps) - (_passes_over_memory(seed, "known") or 0)
