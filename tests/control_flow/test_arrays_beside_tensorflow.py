"""Random programs of TensorArrays in loops, with gradients, give what TensorFlow gives.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow. `docs/verified.md` has the last large run.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ..fuzz.ways import Way
from . import test_beside_tensorflow as beside
from .array_checks import results
from .array_programs import ArrayProgram
from .random_checks import PLAIN

pytestmark = pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
DEFAULT = Way("default", PLAIN.config.__class__(), "off")


def of_tensorflow(path: Path) -> dict[str, Any]:
    """The arrays of TensorFlow's side."""
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [beside.PYTHON, "-m", "tests.control_flow.array_tensorflow_side", str(beside.FIRST), str(beside.COUNT),
               str(path)]  # fmt: skip
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    with np.load(path) as found:
        return dict(found)


def differences(seed: int, theirs: dict[str, Any]) -> list[str]:
    """Where Penstock gives something else than TensorFlow's arrays."""
    program = ArrayProgram(seed, hands_on=False)
    found = results(program, DEFAULT)
    refused = f"{seed}" in theirs
    if refused and "Second-order gradient for while loops not supported" in str(theirs[f"{seed}"]):
        return []
    if refused or len(found) == 1:
        said = theirs.get(f"{seed}", "builds")
        return [] if refused is (len(found) == 1) else [f"TensorFlow: {said}; here: {found!r:.150}"]
    wrong = []
    for run, values in enumerate(found):
        error = theirs.get(f"{seed}/{run}")
        if not program.steps[run] and "UnimplementedError" in str(error) and "_grad/" in str(error):
            continue  # the gradient of an array of no elements is an error there, and empty or zeros here
        if isinstance(values, str) or error is not None:
            if not isinstance(values, str) or error is None:
                wrong.append(f"run {run}: {values!r:.200}; TensorFlow: {error}")
            continue
        wrong += [f"run {run}, {name}: {value!r:.150}; TensorFlow has {theirs.get(f'{seed}/{run}/{name}')!r:.150}"
                  for name, value in values.items() if not beside._is_near(value, theirs.get(f"{seed}/{run}/{name}"))]
    return wrong


def test_programs_of_arrays_give_what_tensorflow_gives(tmp_path: Path) -> None:
    theirs = of_tensorflow(tmp_path / "out.npz")
    failing = {seed: found for seed in range(beside.FIRST, beside.FIRST + beside.COUNT)
               if (found := differences(seed, theirs))}  # fmt: skip
    assert not failing, f"{len(failing)} differ\n" + "\n".join(f"{s}: {f[0]}" for s, f in list(failing.items())[:20])
