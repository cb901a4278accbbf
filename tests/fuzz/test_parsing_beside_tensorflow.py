"""Random pipelines that parse give TensorFlow's batches and errors, whole batches at once or element by element.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow, PENSTOCK_TF_PIPELINES the number of programs.
`docs/verified.md` has the last large run. `parsing.json` holds what TensorFlow 2.21 gave for some of them:

    python -m tests.fuzz.parsing_programs 0 80 tests/fuzz/parsing.json
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from penstock.compat import v1
from penstock.data import whole_batches

from ..control_flow import test_beside_tensorflow as beside
from ..helpers import every_case, some_nightly
from .parsing_programs import Report, report_of

RECORDED: dict[str, Report] = json.loads(Path(__file__).with_name("parsing.json").read_text())
COUNT = int(os.environ.get("PENSTOCK_TF_PIPELINES", "100"))
FIRST = int(os.environ.get("PENSTOCK_TF_FIRST", "0"))


def ours(seed: int) -> Any:
    return json.loads(json.dumps(report_of(v1, seed)))


@every_case("seed", RECORDED, parts=6, by_day=1)
def test_a_pipeline_gives_what_tensorflow_gave(seed: str) -> None:
    assert ours(int(seed)) == RECORDED[seed]


@pytest.mark.parametrize("seed", some_nightly(RECORDED, list(RECORDED)[::8]))
def test_element_by_element_it_gives_the_same(seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any) -> Any:
        raise whole_batches.NotBatched

    monkeypatch.setattr(whole_batches, "_whole_batches", refuse)
    assert ours(int(seed)) == RECORDED[seed]


@pytest.mark.nightly
def test_many_programs_take_whole_batches_and_some_end_in_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    function = whole_batches.batched_function

    def counted(*args: Any) -> Any:
        made.append(function(*args))
        return made[-1]

    monkeypatch.setattr(whole_batches, "batched_function", counted)
    tried = list(RECORDED)[::8]
    for seed in tried:
        ours(int(seed))
    assert len(made) > len(tried) // 3
    assert any("InvalidArgumentError" in report for report in RECORDED.values())


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_random_pipelines_beside_tensorflow(tmp_path: Path) -> None:
    path = tmp_path / "reports.json"
    command = [beside.PYTHON, "-m", "tests.fuzz.parsing_programs", str(FIRST), str(COUNT), str(path)]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr[-2000:]
    theirs = json.loads(path.read_text())
    assert [seed for seed in theirs if ours(int(seed)) != theirs[seed]] == []
