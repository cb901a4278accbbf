"""Programs that move elements around groups give the bits of operation by operation; the fuzz finds planted faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from penstock.runtime.execution.joined import joint_calls, joint_pieces

from .move_programs import BINARY, MOVES, UNARY, MoveNode, MoveProgram, MoveRun, random_program
from .of_moves import REFERENCE, WAYS, complaint, results, shrunk, ways_of
from .seeds import in_three_shares

JOIN = MoveProgram(
    0, "float32", (3, 65), 2, False,
    (MoveNode("neg", (0,), 1), MoveNode("square", (1,), 2), MoveNode("concat", (2, 3), 4), MoveNode("add", (4, -1), 5)),
    (MoveRun((5,), (), 3, 0),),
)  # fmt: skip
"""A program whose steps are one call."""

@in_three_shares(2, 30, 1500)
def test_programs_have_the_bits_of_operation_by_operation(seeds: Sequence[int]) -> None:
    found = [(seed, way.name, what) for seed in seeds for way in ways_of(seed)
             if (what := complaint(random_program(seed), way)) is not None]  # fmt: skip
    assert found == []


@pytest.mark.nightly
def test_a_part_at_a_wrong_place_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert complaint(JOIN, WAYS[0]) is None
    monkeypatch.setattr(joint_pieces.PieceSearch, "_operand", _first_input)
    assert str(complaint(JOIN, WAYS[0])).startswith("run 0, value")
    assert complaint(shrunk(JOIN, WAYS[0]), WAYS[0]) is not None


def _first_input(search: Any, slot: Any, index: Any = ()) -> Any:
    return search._constants.get(slot, (0, index))


@pytest.mark.nightly
def test_the_programs_have_what_they_are_for(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [node for seed in range(1000) for node in random_program(seed).nodes]
    assert {node.what for node in nodes} >= {*UNARY, *BINARY, *MOVES}
    calls: Counter[tuple[str, ...]] = Counter()
    made = joint_calls.joint_step

    def counted(plan: Any, bound: Any, start: int, stop: int) -> Any:
        found = made(plan, bound, start, stop)
        calls[tuple([step.op for step in plan.steps[start:stop]])] += found is not None
        return found

    monkeypatch.setattr(joint_calls, "joint_step", counted)

    def has_all() -> bool:
        moves = {op for ops in calls for op in ops}
        ends = any(ops[-1] == "Pack" for ops in calls) and any(ops[0] == "Pad" for ops in calls)
        long = any(ops[0] != ops[-2] and ops[-1] == "Fused" for ops in calls if len(ops) > 2)
        return moves >= {"Concat", "Pack", "Stack", "Pad", "Tile", "Gather"} and ends and long

    seeds = iter(range(100, 180))
    while not has_all():
        results(random_program(next(seeds)), WAYS[0])


@pytest.mark.nightly
def test_most_programs_run_to_their_end() -> None:
    found = [results(random_program(seed), REFERENCE) for seed in range(40)]
    assert len([each for each in found if not any(isinstance(run, str) for run in each)]) > 30
