"""Random recurrent networks give TensorFlow's outputs, states, gradients and names of variables.

`tensorflow.npz` has what TensorFlow 2.21 with tf-keras gives for the first programs. PENSTOCK_TF_PYTHON names an
interpreter with both, which is asked for more; `docs/verified.md` has the last large run.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1

from ..control_flow import test_beside_tensorflow as beside
from ..fuzz.recurrent_programs import Results, results
from ..fuzz.ways import Way
from ..helpers import some_nightly

COUNT = int(os.environ.get("PENSTOCK_TF_RECURRENT", "60"))
FIRST = int(os.environ.get("PENSTOCK_TF_FIRST", "0"))
with np.load(Path(__file__).with_name("tensorflow.npz")) as recorded:
    RECORDED = dict(recorded)
SEEDS = sorted({int(key.split("/")[0]) for key in RECORDED})


def of_penstock(seed: int, mode: Literal["off", "now"]) -> Results:
    with tf.Graph().as_default(), Way(mode, tf.SessionConfig(), mode).settings():
        return results(v1, seed)


def differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """The keys of values that differ by more than rounding, or that only one side has."""
    shared = ours.keys() & theirs.keys()
    return sorted(ours.keys() ^ theirs.keys()) + [key for key in sorted(shared) if not _is_near(ours[key], theirs[key])]


def _is_near(one: Any, other: Any) -> bool:
    if one.dtype.kind != "f" or one.shape != other.shape:
        return bool(np.array_equal(one, other))
    return np.allclose(one, other, 2e-4, 1e-5)


@pytest.mark.share(4)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_network_gives_the_recorded_values(seed: int) -> None:
    theirs = {key: value for key, value in RECORDED.items() if key.startswith(f"{seed}/")}
    assert differences(of_penstock(seed, "off"), theirs) == []


@pytest.mark.parametrize("seed", some_nightly(SEEDS[:8], SEEDS[1:2]))
def test_compiled_networks_have_the_bits_of_interpreted_ones(seed: int) -> None:
    compiled, interpreted = of_penstock(seed, "now"), of_penstock(seed, "off")
    assert compiled.keys() == interpreted.keys()
    assert [key for key in compiled if not np.array_equal(compiled[key], interpreted[key])] == []


def test_a_difference_is_seen() -> None:
    theirs = {"1/a": np.array([1.0]), "1/b": np.array([2.0])}
    assert differences({"1/a": np.array([1.001]), "1/c": np.array([2.0])}, theirs) == ["1/b", "1/c", "1/a"]


@pytest.mark.skipif(not beside.PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_more_networks_give_the_values_of_tensorflow(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    environment = os.environ | {
        "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3", "TF_USE_LEGACY_KERAS": "1",
        "PYTHONPATH": os.environ.get("PENSTOCK_TF_KERAS", ""),
    }  # fmt: skip
    command = [beside.PYTHON, "-m", "tests.fuzz.recurrent_programs", str(FIRST), str(COUNT), str(path)]
    subprocess.run(command, cwd=beside.ROOT, env=environment, check=True, capture_output=True)
    with np.load(path) as found:
        theirs = dict(found)
    ours: Results = {}
    for seed in range(FIRST, FIRST + COUNT):
        ours |= of_penstock(seed, "now" if seed % 2 else "off")
    assert differences(ours, theirs) == []
