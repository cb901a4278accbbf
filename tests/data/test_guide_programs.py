"""Programs of TensorFlow's guides give what TensorFlow 2.21's compat.v1 gave when they were recorded."""

from __future__ import annotations

import json
import os
import re
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from penstock.compat import v1

from ..control_flow import test_beside_tensorflow as beside
from .guide_programs import PROGRAMS, results

NUMBER = re.compile(r"-?[0-9]+\.[0-9]+")
RECORDED = json.loads(Path(__file__).with_name("guide_programs.json").read_text())


def test_every_program_is_recorded_and_none_failed() -> None:
    assert RECORDED.keys() == PROGRAMS.keys()
    assert not [name for name, result in RECORDED.items() if isinstance(result, str) and "Error:" in result]


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_gives_what_tensorflow_gives(name: str) -> None:
    found = json.loads(json.dumps(results(v1, [name])))[name]
    assert is_printed_alike(found, RECORDED[name]), (found, RECORDED[name])


def is_printed_alike(found: Any, recorded: Any) -> bool:
    """Whether they are equal, but for a unit of the last digit of printed numbers, which depends on the processor."""
    if isinstance(found, list) and isinstance(recorded, list):
        return len(found) == len(recorded) and all(map(is_printed_alike, found, recorded))
    if isinstance(found, str) and isinstance(recorded, str) and NUMBER.fullmatch(found) and NUMBER.fullmatch(recorded):
        digits = max(len(each.partition(".")[2]) for each in (found, recorded))
        return abs(Decimal(found) - Decimal(recorded)) <= Decimal(1).scaleb(-digits)
    return bool(found == recorded)


def test_a_unit_of_the_last_digit_may_differ() -> None:
    assert is_printed_alike(["0.035", "1.5", "a"], ["0.0351", "1.5", "a"])
    assert not is_printed_alike(["0.0353"], ["0.0351"])
    assert not is_printed_alike(["3"], ["4"])
    assert not is_printed_alike(["0.1", "0.2"], ["0.1"])


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_the_record_is_what_tensorflow_gives(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [beside.PYTHON, "-m", "tests.data.guide_programs", str(path)]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    assert json.loads(path.read_text()) == RECORDED
