"""Queues that runners fill, variables that grow and tables that change, beside ordinary ops, give TensorFlow's values.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow, PENSTOCK_TF_MIXED the number of programs. `docs/verified.md`
has the last large run. `fed_by_queues.json` holds what TensorFlow 2.21 gave for some of them:

    python -m tests.fuzz.fed_by_queues 0 50 tests/fuzz/fed_by_queues.json
"""

from __future__ import annotations

import json
import os
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest

from penstock.compat import v1

from ..control_flow import test_beside_tensorflow as beside
from ..helpers import every_case
from .fed_by_queues import Report, report_of

RECORDED: dict[str, Report] = json.loads(Path(__file__).with_name("fed_by_queues.json").read_text())
COUNT = int(os.environ.get("PENSTOCK_TF_MIXED", "50"))
FIRST = int(os.environ.get("PENSTOCK_TF_FIRST", "0"))


def ours(seed: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # branches that look at batches which are taken before
        return json.loads(json.dumps(report_of(v1, seed)))


def decided(report: Report) -> Report:
    """What TensorFlow has no choice about: a run that fails at the end of one queue may have emptied another or not."""
    errors = [i for i, run in enumerate(report["runs"]) if isinstance(run, str) and run.endswith("Error")]
    return {"runs": report["runs"][: errors[0] + 1], "rows": []} if errors else report


def difference(ours: Any, theirs: Any, at: str = "") -> str:
    """Where two reports differ first; numbers may differ in their last digits."""
    if isinstance(theirs, (int, float)) and isinstance(ours, (int, float)):
        is_near = abs(ours - theirs) <= 1e-4 * max(1.0, abs(theirs)) or (ours != ours and theirs != theirs)
        return "" if is_near else f"{at}: {ours}, not {theirs}"
    if isinstance(theirs, dict) and isinstance(ours, dict) and ours.keys() == theirs.keys():
        return next((found for key in theirs if (found := difference(ours[key], theirs[key], f"{at} {key}"))), "")
    if isinstance(theirs, list) and isinstance(ours, list) and len(ours) == len(theirs):
        return next((found for i, (a, b) in enumerate(zip(ours, theirs, strict=True))
                     if (found := difference(a, b, f"{at} {i}"))), "")  # fmt: skip
    return "" if ours == theirs else f"{at}: {ours}, not {theirs}"


@every_case("seed", RECORDED, parts=4, by_day=1)
def test_a_program_gives_what_tensorflow_gave(seed: str) -> None:
    assert difference(decided(ours(int(seed))), decided(RECORDED[seed])) == ""


def test_the_programs_are_of_many_kinds() -> None:
    runs = [run for report in RECORDED.values() for run in report["runs"]]
    assert {"updated", "OutOfRangeError"} <= {run for run in runs if isinstance(run, str)}
    assert any(report["rows"] for report in RECORDED.values())
    values = [value for run in runs if isinstance(run, list) for value in run if isinstance(value, list)]
    assert len({tuple(value[1]) for value in values if value and isinstance(value[0], str)}) > 10


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_random_programs_beside_tensorflow(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [beside.PYTHON, "-m", "tests.fuzz.fed_by_queues", str(FIRST), str(COUNT), str(path)]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    theirs: dict[str, Report] = json.loads(path.read_text())
    different = {seed: difference(decided(ours(int(seed))), decided(report))
                 for seed, report in theirs.items() if "error" not in report}  # fmt: skip
    assert {seed: what for seed, what in different.items() if what} == {}
