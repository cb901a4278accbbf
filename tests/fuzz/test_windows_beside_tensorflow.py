"""Random pools, patches, blocks, resizes and normalizations have TensorFlow's values and derivatives.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow, PENSTOCK_TF_WINDOWS the number of programs.
`docs/verified.md` has the last large run.
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
from ..helpers import some_nightly
from .ways import Way
from .window_programs import KINDS, Results, program_of, results

COUNT = int(os.environ.get("PENSTOCK_TF_WINDOWS", "150"))
FIRST = int(os.environ.get("PENSTOCK_TF_FIRST", "0"))
TOLERANCE = {"float64": 2e-6, "float32": 3e-5, "float16": 2e-2, "bfloat16": 1e-1}
"""Interpolation is in float32 whatever the images are."""


def of_penstock(seed: int, mode: Literal["off", "now"]) -> Results:
    with tf.Graph().as_default(), Way(mode, tf.SessionConfig(), mode).settings():
        return results(v1, seed)


@pytest.mark.parametrize("seed", some_nightly(range(60), range(0, 60, 10)))
def test_compiled_plans_compute_what_the_interpreter_does(seed: int) -> None:
    compiled, interpreted = of_penstock(seed, "now"), of_penstock(seed, "off")
    assert compiled.keys() == interpreted.keys()
    assert [key for key in compiled if not is_near(compiled[key], interpreted[key], program_of(seed).dtype)] == []


@pytest.mark.nightly
def test_the_programs_are_of_all_kinds_and_most_have_both_derivatives() -> None:
    assert {program_of(seed).kind for seed in range(300)} == {*KINDS, "explicit"}
    keys = [key for seed in range(100) for key in of_penstock(seed, "off")]
    assert sum(key.endswith("first") for key in keys) > 60
    assert sum(key.endswith("second") for key in keys) > 40


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_windows_have_the_values_and_derivatives_of_tensorflow(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    environment.pop("PYTHONPATH", None)
    command = [beside.PYTHON, "-m", "tests.fuzz.window_programs", str(FIRST), str(COUNT), str(path)]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    with np.load(path) as found:
        theirs = dict(found)
    ours: Results = {}
    for seed in range(FIRST, FIRST + COUNT):
        ours |= of_penstock(seed, "now" if seed % 2 else "off")
    lacking = [int(key.split("/")[0]) for key in ours if key.endswith("no gradient")]
    # A window larger than the array has no position in a run, and is an error of the build where sizes are known.
    assert [seed for seed in lacking if program_of(seed).kind != "lrn" and ours[f"{seed}/y"].size] == []
    differences = [key for key in theirs.keys() | ours.keys() if not is_same(key, ours, theirs)]
    assert differences == [], [(key, program_of(int(key.split("/")[0]))) for key in differences[:5]]


LACKING = ("argmax", "bicubic", "bilinear", "colors", "explicit", "lrn", "nearest", "resize_images")
"""What TensorFlow has no second derivative of, for some dtypes or at all, and of contrast none."""


def is_same(key: str, ours: Results, theirs: Results) -> bool:
    seed, part = key.split("/")
    p = program_of(int(seed))
    y = ours[f"{seed}/y"]
    is_empty = y.dtype.kind == "f" and (y.size == 0 or 0 in p.shape)
    if part == "y":
        if theirs[key].dtype.kind == "U" and is_empty:
            return True  # TensorFlow's kernels refuse some arrays without elements
        return is_near(y, theirs[key], p.dtype)
    if part != "y" and f"{seed}/no gradient" in theirs:
        return True  # there is none, or TensorFlow's does not fit the shapes; ours has one
    if y.size == 0:
        return key not in ours or not np.any(ours[key])  # TensorFlow's may be uninitialised memory
    if key in ours and key in theirs:
        return is_near(ours[key], theirs[key], p.dtype)
    if key not in ours:
        return part == "second" and not np.any(theirs[key])  # zeros, or no path
    return p.kind in LACKING or is_empty or (part == "second" and not np.any(ours[key]))


def is_near(one: np.ndarray, other: np.ndarray, dtype: str) -> bool:
    if one.dtype.kind != "f" or one.shape != other.shape:
        return bool(np.array_equal(one, other))
    near = TOLERANCE[dtype]
    if dtype == "bfloat16":  # without oneDNN TensorFlow begins with the smallest finite number
        other = np.where(other < -3e38, -np.inf, other)
    finite = np.abs(other[np.isfinite(other) & (np.abs(other) < 1e30)])
    return np.allclose(one, other, near, near * max(1.0, float(finite.max(initial=0))), equal_nan=True)
