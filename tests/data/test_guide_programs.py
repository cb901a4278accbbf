"""Programs of TensorFlow's guides give what TensorFlow 2.21's compat.v1 gave when they were recorded."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from penstock.compat import v1

from ..control_flow import test_beside_tensorflow as beside
from .guide_programs import PROGRAMS, results

RECORDED = json.loads(Path(__file__).with_name("guide_programs.json").read_text())


def test_every_program_is_recorded_and_none_failed() -> None:
    assert RECORDED.keys() == PROGRAMS.keys()
    assert not [name for name, result in RECORDED.items() if isinstance(result, str) and "Error:" in result]


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_gives_what_tensorflow_gives(name: str) -> None:
    assert json.loads(json.dumps(results(v1, [name])))[name] == RECORDED[name]


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_the_record_is_what_tensorflow_gives(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [beside.PYTHON, "-m", "tests.data.guide_programs", str(path)]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    assert json.loads(path.read_text()) == RECORDED
