"""Random calls of ops give TensorFlow's arrays, or both refuse them.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow, PENSTOCK_TF_CALLS the number of calls of each op.
`docs/verified.md` has the last large run. `single_calls.json` holds what TensorFlow 2.21 gave for some of them:

    python -m tests.fuzz.single_calls 0 20 tests/fuzz/single_calls.json
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
from .single_calls import CALLS, answer, same

RECORDED: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("single_calls.json").read_text())
COUNT = int(os.environ.get("PENSTOCK_TF_CALLS", "100"))
FIRST = int(os.environ.get("PENSTOCK_TF_FIRST", "0"))


def differences(name: str, theirs: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    ours = {seed: json.loads(json.dumps(answer(v1, name, int(seed)))) for seed in theirs}
    return [(seed, ours[seed], theirs[seed]) for seed in theirs if not same(ours[seed], theirs[seed])]


def test_every_call_is_recorded() -> None:
    assert sorted(RECORDED) == sorted(CALLS)


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
    command = [beside.PYTHON, "-m", "tests.fuzz.single_calls", str(FIRST), str(COUNT), str(path), name]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    assert differences(name, json.loads(path.read_text())[name]) == []
