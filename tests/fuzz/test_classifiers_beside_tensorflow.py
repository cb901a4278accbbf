"""Random classifiers train in native blocks as in TensorFlow, and both refuse the same labels.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow. `docs/verified.md` has the last large run.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1

from ..control_flow import test_beside_tensorflow as beside
from ..helpers import nightly
from .classifier_programs import Results, results
from .ways import Way

COUNT = int(os.environ.get("PENSTOCK_TF_CLASSIFIERS", "60"))


def of_penstock(seed: int, mode: Literal["off", "now"]) -> Results:
    with tf.Graph().as_default(), Way(mode, tf.SessionConfig(), mode).settings():
        return results(v1, tf.errors.InvalidArgumentError, seed)


@pytest.mark.parametrize("seed", [0, *nightly(range(1, 8))])
def test_the_programs_refuse_wrong_labels_and_have_the_bits_of_the_interpreter(seed: int) -> None:
    compiled, interpreted = of_penstock(seed, "now"), of_penstock(seed, "off")
    assert compiled.keys() == interpreted.keys()
    assert [key for key in compiled if not np.array_equal(compiled[key], interpreted[key], equal_nan=False)] == []
    assert [key for key in compiled if key.count("/") == 1 and "variable" not in key] == [f"{seed}/5", f"{seed}/8"]


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_classifiers_train_as_in_tensorflow(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [beside.PYTHON, "-m", "tests.fuzz.classifier_programs", "0", str(COUNT), str(path)]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    with np.load(path) as found:
        theirs = dict(found)
    ours: Results = {}
    for seed in range(COUNT):
        ours |= of_penstock(seed, "now")
    assert ours.keys() == theirs.keys()
    assert [key for key in ours if not _is_near(ours[key], theirs[key])] == []


def _is_near(one: np.ndarray, other: np.ndarray) -> bool:
    """Equal, or near for the largest number of the array: training that diverges magnifies what rounding leaves."""
    if one.dtype.kind != "f" or one.shape != other.shape:
        return bool(np.array_equal(one, other))
    return np.allclose(one, other, 2e-3, 5e-4 * max(1.0, float(np.abs(other).max())))
