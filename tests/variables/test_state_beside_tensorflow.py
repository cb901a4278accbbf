"""Random programs of variables whose uses are all ordered give what TensorFlow gives, over several runs.

It runs in an interpreter of its own: PENSTOCK_TF_PYTHON names one that has it. `docs/verified.md` records the last run.
The same programs are compared with the sequential model in every run of the tests.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

from ..fuzz.ways import Way, ways_for
from ..helpers import nightly
from .ordered_programs import OrderedProgram
from .sequential_graph import Built
from .sequential_programs import Array
from .tensorflow_side import NODES, ROUNDS, RUNS
from .test_sequential_model import same, text_of

PYTHON = os.environ.get("PENSTOCK_TF_PYTHON", "")
ROOT = Path(__file__).parents[2]


def results(seed: int, way: Way) -> Iterator[tuple[str, list[Any], list[Array], str]]:
    """What the runs of the program of a seed give here, and what the model says, by the names of TensorFlow's side."""
    ordered = OrderedProgram(seed)
    built = Built(ordered.program)
    with np.errstate(all="ignore"), way.settings(), tf.Session(graph=built.graph, config=way.config) as session:
        session.run(built.initializer)
        for number in range(ROUNDS):
            ordered.grow(NODES)
            built.add()
            built.initialize(session)
            for k in range(RUNS):
                run = ordered.run()
                got = built.run(session, run, way.call)
                yield f"{seed}/{number}/{k}/fetch", got, ordered.program.run(run)[0], text_of(ordered.program, [run])
            yield f"{seed}/{number}/values/variable", built.values(session), ordered.program.values, ""


@pytest.mark.parametrize("seed", [*range(5), *nightly(range(5, 40))])
def test_ordered_programs_do_what_the_model_says(seed: int) -> None:
    for way in ways_for(seed):
        for _, got, want, text in results(seed, way):
            same(got, want, lambda text=text: text)


def compare(first: int, count: int, folder: Path) -> int:
    """Compare the programs of some seeds with TensorFlow's; how many arrays were compared."""
    out = folder / f"{first}.npz"
    command = [PYTHON, "-m", "tests.variables.tensorflow_side", str(first), str(count), str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
    compared = 0
    with np.load(out) as theirs:
        for seed in range(first, first + count):
            for name, got, _, text in results(seed, ways_for(seed)[-1]):
                for i, value in enumerate(got):
                    want = theirs[f"{name} {i}"]
                    assert value.dtype == want.dtype and value.shape == want.shape, name
                    is_equal = np.array_equal(value, want, equal_nan=value.dtype.kind == "f")
                    assert is_equal, f"{name} {i}\n{text}\n{value}\n{want}"
                    compared += 1
    return compared


@pytest.mark.skipif(not PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_ordered_programs_give_what_tensorflow_gives(tmp_path: Path) -> None:
    assert compare(0, 100, tmp_path) > 1000


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_many_ordered_programs_give_what_tensorflow_gives(tmp_path: Path) -> None:
    assert sum(compare(first, 250, tmp_path) for first in range(1000, 4000, 250)) > 30_000
