"""Random programs over large vocabularies give what TensorFlow gives: recorded ones, and more beside it.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow. `docs/verified.md` has the last large run.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1

from ..control_flow import test_beside_tensorflow as beside
from ..golden_extra.record_partitioned import PROGRAMS
from ..helpers import some_nightly
from .embedding_programs import Results, results
from .ways import Way

COUNT = int(os.environ.get("PENSTOCK_TF_EMBEDDINGS", "40"))
with np.load(Path(__file__).parents[1] / "golden_extra" / "embeddings.npz") as _file:
    RECORDED = dict(_file)


def of_penstock(seed: int) -> Results:
    with tf.Graph().as_default():
        return results(v1, seed)


def differences(ours: Results, theirs: Results) -> list[str]:
    return [key for key in theirs if not is_near(ours[key], theirs[key])]


def is_near(one: Any, other: Any) -> bool:
    """Equal; floats near, as sums may be in another order."""
    one = np.asarray(one)
    if one.dtype.kind != "f" or one.shape != other.shape:
        return bool(np.array_equal(one, other))
    return one.dtype == other.dtype and np.allclose(one, other, 2e-4, 5e-5, equal_nan=True)


@pytest.mark.parametrize("seed", some_nightly(range(PROGRAMS), range(0, PROGRAMS, 8)))
def test_a_program_gives_what_tensorflow_gave(seed: int) -> None:
    theirs = {key: value for key, value in RECORDED.items() if key.startswith(f"{seed}/")}
    ours = of_penstock(seed)
    assert ours.keys() == theirs.keys()
    assert differences(ours, theirs) == []


@pytest.mark.parametrize("seed", some_nightly(range(0, PROGRAMS, 5), range(0, PROGRAMS, 10)))
def test_samplers_with_compiled_words_give_what_tensorflow_gave(seed: int) -> None:
    with Way("now", tf.SessionConfig(), "now").settings():
        ours = of_penstock(seed)
    assert differences(ours, {key: value for key, value in RECORDED.items() if key.startswith(f"{seed}/")}) == []


def test_sampled_classes_and_kinds_of_gradients_are_compared_exactly() -> None:
    assert not is_near(np.array([1, 2]), np.array([1, 3]))
    assert not is_near(np.array([True]), np.array([False]))
    assert sum("kinds" in key for key in RECORDED) > PROGRAMS // 2


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_more_programs_give_what_tensorflow_gives(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [beside.PYTHON, "-m", "tests.fuzz.embedding_programs", str(PROGRAMS), str(COUNT), str(path)]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    with np.load(path) as found:
        theirs = dict(found)
    ours: Results = {}
    for seed in range(PROGRAMS, PROGRAMS + COUNT):
        ours |= of_penstock(seed)
    assert ours.keys() == theirs.keys()
    assert differences(ours, theirs) == []
