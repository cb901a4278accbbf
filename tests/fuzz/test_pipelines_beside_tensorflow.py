"""Random pipelines of `tf.data` give TensorFlow's elements, in its order, and end as they do there.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow, PENSTOCK_TF_PIPELINES the number of programs.
`docs/verified.md` has the last large run. `pipelines.json` holds what TensorFlow 2.21 gave for some of them:

    python -m tests.fuzz.pipeline_programs 0 60 tests/fuzz/pipelines.json
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from penstock.compat import v1
from penstock.ops.datasets import prefetching

from ..control_flow import test_beside_tensorflow as beside
from ..helpers import every_case
from .pipeline_programs import Report, report_of

RECORDED: dict[str, Report] = json.loads(Path(__file__).with_name("pipelines.json").read_text())
COUNT = int(os.environ.get("PENSTOCK_TF_PIPELINES", "100"))
FIRST = int(os.environ.get("PENSTOCK_TF_FIRST", "0"))


def ours(seed: int) -> Any:
    return json.loads(json.dumps(report_of(v1, seed)))


def is_fault_of_tensorflow(report: Report) -> bool:
    """Whether TensorFlow refuses what it has made itself: a choice among datasets inside another one, fused."""
    return report.get("end") == "InvalidArgumentError" or "MakeIterator" in report.get("error", "")


@pytest.fixture(autouse=True, params=[0, prefetching.SLOW], ids=["threads at once", "threads when slow"])
def _when_threads_start(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetching, "SLOW", request.param)


@every_case("seed", RECORDED, parts=4, by_day=1)
def test_a_pipeline_gives_what_tensorflow_gave(seed: str) -> None:
    assert ours(int(seed)) == RECORDED[seed]


def test_the_programs_are_of_many_kinds() -> None:
    reports = [report for report in RECORDED.values() if report["elements"]]
    assert len(reports) > len(RECORDED) // 2
    assert {report["end"] for report in RECORDED.values()} >= {"more", "OutOfRangeError"}


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_random_pipelines_beside_tensorflow(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [beside.PYTHON, "-m", "tests.fuzz.pipeline_programs", str(FIRST), str(COUNT), str(path)]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    theirs: dict[str, Report] = json.loads(path.read_text())
    different = [seed for seed, report in theirs.items()
                 if not is_fault_of_tensorflow(report) and report != ours(int(seed))]  # fmt: skip
    assert different == []
