"""What ONNX's own test suite gives: 95 of 100 pass, and every other test has a reason."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from penstock.interchange.onnx.rules.onnx_table import KINDS, rows
from tests.interchange.onnx.node_suite import REASONS, RECORD, reason_of, run_suite


def test_of_each_kind_enough_pass_and_each_other_one_has_a_reason() -> None:
    recorded = json.loads(RECORD.read_text("utf-8"))
    passed = recorded["passed"]
    assert passed["NodeModel"][1] == 1884
    assert passed["NodeModel"][0] >= 0.95 * 1884
    assert passed["PyTorchConvertedModel"] == [82, 82]
    assert passed["PyTorchOperatorModel"] == [35, 35]
    assert sum(total - good for good, total in passed.values()) == len(recorded["failing"])
    for name, reason in recorded["failing"].items():
        assert reason and reason == reason_of(name)
    assert all(any(part in name for name in recorded["failing"]) for part in REASONS)


def test_the_table_has_each_operator_once() -> None:
    listed = [(row.domain, row.name) for kind in KINDS.values() for row in kind]
    assert len(listed) == len(set(listed)) == len(rows())


def test_operators_that_are_not_read_have_no_rule() -> None:
    assert ("", "ImageDecoder") not in rows()


@pytest.mark.slow
def test_the_suite_gives_what_is_recorded() -> None:
    pytest.importorskip("onnx")
    counts, failing = run_suite()
    recorded = json.loads(RECORD.read_text("utf-8"))
    assert (counts, failing.keys()) == (recorded["passed"], recorded["failing"].keys())


def test_the_page_of_operators_is_what_its_script_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Path(__file__).parents[3] / "docs" / "make_onnx_table.py"
    monkeypatch.setattr(sys, "argv", [str(script)])
    assert runpy.run_path(str(script))["main"]() == 0
