"""Random calls of what no other fuzz reaches give TensorFlow's arrays.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow, PENSTOCK_TF_CALLS the number of calls of each kind.
`docs/verified.md` has the last large run. `random_calls.json` holds what TensorFlow 2.21 gave for some of them:

    python -m tests.fuzz.random_calls 0 10 tests/fuzz/random_calls.json
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from penstock.compat import v1

from ..control_flow import test_beside_tensorflow as beside
from .random_calls import CALLS, answer, complaint

RECORDED: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("random_calls.json").read_text())
COUNT = int(os.environ.get("PENSTOCK_TF_CALLS", "60"))
FIRST = int(os.environ.get("PENSTOCK_TF_FIRST", "0"))


def differences(name: str, theirs: dict[str, Any]) -> list[tuple[str, str, Any, Any]]:
    ours = {seed: json.loads(json.dumps(answer(v1, name, int(seed)))) for seed in theirs}
    complaints = {seed: complaint(ours[seed], theirs[seed]) for seed in theirs}
    return [(seed, told, ours[seed], theirs[seed]) for seed, told in complaints.items() if told is not None]


def test_every_kind_of_call_is_recorded() -> None:
    assert sorted(RECORDED) == sorted(CALLS)
    assert all(sum(isinstance(each, list) for each in calls.values()) >= 5 for calls in RECORDED.values())


def test_a_difference_is_told() -> None:
    answers = [["float32", [None], [2], [1.0, 2.0]]]
    assert complaint(answers, answers) is None
    for other in ([["float32", [3], [2], [1.0, 2.0]]], [["float32", [None], [2], [1.0, 2.1]]], [], "refused: no"):
        assert complaint(other, answers) is not None


@pytest.mark.share(2)
@pytest.mark.parametrize("name", RECORDED)
def test_calls_give_what_tensorflow_gave(name: str) -> None:
    assert differences(name, RECORDED[name]) == []


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
@pytest.mark.parametrize("name", CALLS)
def test_random_calls_beside_tensorflow(tmp_path: Path, name: str) -> None:
    path = tmp_path / "answers.json"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [beside.PYTHON, "-m", "tests.fuzz.random_calls", str(FIRST), str(COUNT), str(path), name]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    assert differences(name, json.loads(path.read_text())[name]) == []
