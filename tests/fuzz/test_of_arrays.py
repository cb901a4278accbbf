"""Programs of TensorArrays in loops have the bits of the interpreter; the fuzz that says so finds planted faults."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.runtime.passes import arrays_as_rows, iteration_counts

from ..control_flow.array_checks import complaint
from ..control_flow.array_programs import ArrayProgram
from .ways import ways_for

MANY = pytest.param(range(40, 1200), marks=pytest.mark.slow)


@pytest.mark.parametrize("seeds", [range(40), MANY], ids=["some", "many"])
def test_programs_have_the_bits_of_the_interpreter(seeds: range) -> None:
    found = [(seed, what) for seed in seeds if (what := complaint(ArrayProgram(seed), ways_for(seed))) is not None]
    assert found == []


FAULTS: list[Any] = [
    ("a counter may start anywhere", iteration_counts, "_is_number", lambda tensor, number: True),
    ("any size is the same", arrays_as_rows, "is_one_size", lambda a, b: True),
    ("any array is full", arrays_as_rows, "_written_rows",
     lambda array: array.op.inputs[1] if array.op.type == "TensorArrayScatter" else None),
]  # fmt: skip


@pytest.mark.parametrize(("module", "name", "wrong"), [each[1:] for each in FAULTS], ids=[each[0] for each in FAULTS])
def test_planted_faults_are_found(module: Any, name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, name, wrong)

    def differs(seed: int) -> bool:
        try:
            return complaint(ArrayProgram(seed), ways_for(seed)[:1]) is not None
        except Exception:  # a plan that makes no sense is a difference, too
            return True

    assert any(differs(seed) for seed in range(300))
