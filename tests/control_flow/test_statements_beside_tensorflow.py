"""Random statements on variables, in branches and loops too, give what TensorFlow gives, over several runs.

It runs in an interpreter of its own: PENSTOCK_TF_PYTHON names one that has it. `docs/verified.md` records the last run.
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

from ..fuzz.ways import Way, ways_for
from ..helpers import nightly
from .statement_programs import RUNS, build

PYTHON = os.environ.get("PENSTOCK_TF_PYTHON", "")
ROOT = Path(__file__).parents[2]


def results(seed: int, way: Way) -> list[Any]:
    """The last tensor and the variables after each run."""
    found = []
    with way.settings(), tf.Graph().as_default(), tf.Session(config=way.config) as session:
        program = build(v1, seed)
        session.run(program.start)
        for _ in range(RUNS):
            last = session.run(program.last)
            found.append(np.stack([last, *session.run(program.variables)]))
    return found


@pytest.mark.parametrize("seed", [*range(8), *nightly(range(8, 20))])
def test_statements_give_the_same_in_every_way_to_run_them(seed: int) -> None:
    plain, *others = [results(seed, way) for way in ways_for(seed)]
    assert all(np.array_equal(plain, other) for other in others)


def compare(first: int, count: int, folder: Path) -> None:
    """Compare the programs of some seeds with TensorFlow's."""
    out = folder / f"{first}.npz"
    command = [PYTHON, "-m", "tests.control_flow.statements_tensorflow_side", str(first), str(count), str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
    with np.load(out) as theirs:
        for seed in range(first, first + count):
            for run, got in enumerate(results(seed, ways_for(seed)[-1])):
                want = theirs[f"{seed}/{run}"]
                assert np.array_equal(got, want), f"seed {seed}, run {run}\n{got}\n{want}"


@pytest.mark.skipif(not PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_statements_give_what_tensorflow_gives(tmp_path: Path) -> None:
    compare(0, 60, tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_many_statements_give_what_tensorflow_gives(tmp_path: Path) -> None:
    for first in range(1000, 3000, 250):
        compare(first, 250, tmp_path)
