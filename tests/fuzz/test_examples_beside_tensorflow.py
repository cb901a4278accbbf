"""Random examples with random features give what TensorFlow gives, and both refuse the same ones.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow, PENSTOCK_TF_EXAMPLES how many programs (100).
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
from ..ops.records.compiled_scan import WAYS, read_by
from .example_programs import Results, results

CUT_BETWEEN_FEATURES = {"122", "499"}
"""Programs with an example that ends too early, but between two features: TensorFlow reads those before. Protobuf
refuses it, as Penstock does."""
COUNT = int(os.environ.get("PENSTOCK_TF_EXAMPLES", "100"))
FIRST = int(os.environ.get("PENSTOCK_TF_FIRST", "0"))


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_examples_give_what_tensorflow_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.npz"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [beside.PYTHON, "-m", "tests.fuzz.example_programs", str(FIRST), str(COUNT), str(path)]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    with np.load(path) as found:
        theirs = dict(found)
    for way in WAYS:
        read_by(way, monkeypatch)
        ours: Results = {}
        for seed in range(FIRST, FIRST + COUNT):
            with tf.Graph().as_default():
                ours |= results(v1, seed)
        differ = {key for key in ours.keys() ^ theirs.keys() if key.split("/")[0] not in CUT_BETWEEN_FEATURES}
        assert sorted(differ) == []
        assert [key for key in ours if key in theirs and not _same(ours[key], theirs[key])] == []


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    is_text = one.dtype.kind == other.dtype.kind == "U"
    return (is_text or one.dtype == other.dtype) and one.shape == other.shape and np.array_equal(one, other)
