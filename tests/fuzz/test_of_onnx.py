"""Random programs, written as ONNX models, compute the same when they are read back; the fuzz finds planted faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from penstock.interchange.onnx import backend
from penstock.interchange.onnx.writing import write_table

from .of_onnx import complaint
from .seeds import in_three_shares

FAULTS = {"Sum": "ReduceMean", "Mul": "Add", "Tanh": "Sin"}


def read_back(content: bytes, feeds: dict[str, Any]) -> tuple[str, list[Any]]:
    """The values that this package computes for a model."""
    return "penstock", list(backend.prepare(content).run(feeds))


@in_three_shares(3, 36, 1500)
def test_programs_are_read_back_with_equal_values(seeds: Sequence[int]) -> None:
    ran = Counter[str]()
    assert [(seed, what) for seed in seeds if (what := complaint(seed, ran, read_back))] == []
    assert ran["networks: penstock"] and ran["flow: penstock"] and ran["steps: penstock"]


@pytest.mark.nightly
@pytest.mark.parametrize("type", FAULTS)
def test_a_planted_fault_is_found(type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(w: Any, op: Any) -> str:
        return str(w.node(FAULTS[type], [w.ref(t) for t in op.inputs]))

    monkeypatch.setitem(write_table.write_rules(), type, wrong)

    def finds(seed: int) -> bool:
        try:
            return bool(complaint(seed, Counter(), read_back))
        except ValueError:  # the model of a wrong rule cannot be read
            return True

    assert any(finds(seed) for seed in range(30))
