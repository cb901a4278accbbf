"""Random programs of sparse tensors, with derivatives, give what TensorFlow gives, and both refuse the same indices.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow. `docs/verified.md` has the last large run.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1

from ..control_flow import test_beside_tensorflow as beside
from .sparse_programs import Results, results

COUNT = int(os.environ.get("PENSTOCK_TF_SPARSE", "100"))
FIRST = int(os.environ.get("PENSTOCK_TF_FIRST", "0"))
WRONG_INPUTS = {"99", "148", "362", "397", "455"}
"""Programs whose inputs are out of order, repeated or out of range, and which TensorFlow neither refuses nor puts in
order: what it gives then depends on how it sorts and merges."""


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_sparse_programs_give_what_tensorflow_gives(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [beside.PYTHON, "-m", "tests.fuzz.sparse_programs", str(FIRST), str(COUNT), str(path)]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    with np.load(path) as found:
        theirs = dict(found)
    ours: Results = {}
    for seed in range(FIRST, FIRST + COUNT):
        with tf.Graph().as_default():
            ours |= results(v1, seed)
    ours, theirs = ({k: v for k, v in each.items() if k.split("/")[0] not in WRONG_INPUTS} for each in (ours, theirs))
    assert sorted(ours.keys() ^ theirs.keys()) == []
    assert [key for key in ours if not _is_near(ours[key], theirs[key])] == []


def _is_near(one: np.ndarray, other: np.ndarray) -> bool:
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind != "f":
        return bool(np.array_equal(one, other))
    return np.allclose(one, other, 1e-9, 1e-11, equal_nan=True)
