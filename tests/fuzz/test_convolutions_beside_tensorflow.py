"""Random convolutions have TensorFlow's values and derivatives of first and second order.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow, PENSTOCK_TF_CONVOLUTIONS the number of programs.
`docs/verified.md` has the last large run.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1

from ..control_flow import test_beside_tensorflow as beside
from ..helpers import some_nightly
from .convolution_programs import KINDS, Results, output_sizes, program_of, results
from .ways import Way

COUNT = int(os.environ.get("PENSTOCK_TF_CONVOLUTIONS", "150"))
FIRST = int(os.environ.get("PENSTOCK_TF_FIRST", "0"))
TOLERANCE = {"float64": 1e-11, "float32": 3e-5, "float16": 2e-2, "bfloat16": 1e-1}


def of_penstock(seed: int, mode: Literal["off", "now"]) -> Results:
    with tf.Graph().as_default(), Way(mode, tf.SessionConfig(), mode).settings():
        return results(v1, seed, is_theirs=False)


@pytest.mark.parametrize("seed", some_nightly(range(40), range(0, 40, 6)))
def test_compiled_plans_compute_what_the_interpreter_does(seed: int) -> None:
    compiled, interpreted = of_penstock(seed, "now"), of_penstock(seed, "off")
    assert compiled.keys() == interpreted.keys()
    assert [key for key in compiled if not is_near(compiled[key], interpreted[key], program_of(seed).dtype)] == []


@pytest.mark.nightly
def test_the_programs_are_of_all_kinds_and_most_have_results() -> None:
    programs = [program_of(seed) for seed in range(300)]
    assert {p.kind for p in programs} == set(KINDS)
    assert sum(output_sizes(p) is not None for p in programs) > 180
    assert Counter(p.is_first for p in programs)[True] > 50


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_convolutions_have_the_values_and_derivatives_of_tensorflow(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    environment.pop("PYTHONPATH", None)
    command = [beside.PYTHON, "-m", "tests.fuzz.convolution_programs", str(FIRST), str(COUNT), str(path)]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    with np.load(path) as found:
        theirs = dict(found)
    ours: Results = {}
    for seed in range(FIRST, FIRST + COUNT):
        ours |= of_penstock(seed, "now" if seed % 2 else "off")
    differences = [key for key in theirs.keys() | ours.keys() if not is_same(key, ours, theirs)]
    assert differences == [], [(key, program_of(int(key.split("/")[0]))) for key in differences[:5]]


def is_same(key: str, ours: Results, theirs: Results) -> bool:
    if key not in ours or key not in theirs:
        there = ours.get(key, theirs.get(key))
        return "second" in key and there is not None and not np.any(there)  # zeros, or no path
    return is_near(ours[key], theirs[key], program_of(int(key.split("/")[0])).dtype)


def is_near(one: np.ndarray, other: np.ndarray, dtype: str) -> bool:
    if one.dtype.kind != "f" or one.shape != other.shape:
        return bool(np.array_equal(one, other))
    near = TOLERANCE[dtype]
    return np.allclose(one, other, near, near * max(1.0, float(np.abs(other).max(initial=0))))
