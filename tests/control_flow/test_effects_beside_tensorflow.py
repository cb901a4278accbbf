"""In random branches and loops, writes, assertions and failing operations run as often as in TensorFlow.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow. `docs/verified.md` has the last large run.

What a derivative alone needs of the forward pass is a matter of how it is computed, and TensorFlow's two control flows
differ there. So a run of it without the value that is differentiated may do less than TensorFlow: no write happens more
often than in both, and the run does not fail where neither does. A second derivative that TensorFlow lacks and that is
zeros here is fetched here alone: such runs are left out.
"""

from __future__ import annotations

import json
import os
import subprocess
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.graph.model.identity_comparison import MistakeWarning

from ..fuzz.ways import ways_for
from ..helpers import nightly, slow
from .effect_programs import EffectProgram, results
from .random_checks import complaint_of_effects

PYTHON = os.environ.get("PENSTOCK_TF_PYTHON", "")
ROOT = Path(__file__).resolve().parents[2]
COUNT = int(os.environ.get("PENSTOCK_TF_COUNT", "60"))
FIRST = int(os.environ.get("PENSTOCK_TF_FIRST", "0"))


def of_penstock(program: EffectProgram) -> Any:
    """What Penstock does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MistakeWarning)
        return results(tf, program, lambda graph: tf.Session(graph=graph, config=tf.SessionConfig(verify=True)))


def differences(program: EffectProgram, theirs: list[Any], ours: list[Any]) -> list[str]:
    """Where Penstock's runs are like none of TensorFlow's."""
    ways = [way for way in theirs if not isinstance(way, str)]
    found = []
    for number, got in enumerate(ours):
        wants = [way[number] for way in ways]
        fetched = program.sets[number]
        needs_less = any(isinstance(name, str) for name in fetched) and not {*program.of} <= {*fetched}
        if any(_is_like(got, want) for want in wants) or (needs_less and _does_no_more(got, wants)):
            continue
        if _fetches_zeros_alone(fetched, got, wants):
            continue
        found.append(f"run {number} {program.sets[number]} gives {got}; TensorFlow {wants}")
    return found


def _fetches_zeros_alone(fetched: Sequence[int | str], got: Any, wants: list[Any]) -> bool:
    """Whether TensorFlow has no second derivative to fetch, and Penstock's, if the run gives it, is zero."""
    if "h" not in fetched or not all(want is not None and "h" not in want[0] for want in wants):
        return False
    if got is None:  # a run that computes it may fail where one that has nothing to compute does not
        return True
    values = dict(got[0])
    return values.pop("h", 0.0) == 0.0 and any(_same_values(values, want[0]) for want in wants)


def _is_like(got: Any, want: Any) -> bool:
    if got is None or want is None:
        return got is want
    return _same_values(got[0], want[0]) and got[1] == want[1]


def _does_no_more(got: Any, wants: list[Any]) -> bool:
    """Whether a run has the values of TensorFlow's two ways, and happens to need less than one of them."""
    runs = [want for want in wants if want is not None]
    if got is None or not runs:
        return len(runs) < len(wants)
    if not all(_same_values(got[0], want[0]) for want in runs):
        return False
    return len(runs) < len(wants) or all(have <= max(want[1][i] for want in runs) for i, have in enumerate(got[1]))


def _same_values(got: dict[str, float], want: dict[str, float]) -> bool:
    """Equal but for rounding; a gradient that is zero may be none at all."""
    names = got.keys() | want.keys()
    return all(np.isclose(got.get(name, 0.0), want.get(name, 0.0), rtol=1e-6, atol=1e-9, equal_nan=True)
               for name in names)  # fmt: skip


@pytest.mark.skipif(not PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_effects_happen_as_often_as_in_tensorflow(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [PYTHON, "-m", "tests.control_flow.effects_tensorflow_side", str(FIRST), str(COUNT), str(path)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    check(json.loads(path.read_text()))


def check(theirs: dict[str, list[Any]]) -> None:
    """Compare the programs that TensorFlow has run."""
    failing, refused = [], 0
    for seed, ways in theirs.items():
        if all(isinstance(way, str) for way in ways):
            refused += 1
            continue
        program = EffectProgram(int(seed))
        found = differences(program, ways, of_penstock(program))
        if found:
            failing.append("\n".join([*found[:3], str(program)]))
    print(f"{len(theirs)} programs, {refused} refused by TensorFlow, {len(failing)} differ")
    assert not failing, f"{len(failing)} differ\n" + "\n\n".join(failing[:5])
    assert refused < len(theirs) / 4


@pytest.mark.parametrize("first", [0, *nightly(range(2, 16, 2)), *slow(range(16, 160, 2))])
def test_they_happen_as_often_in_every_configuration(first: int) -> None:
    for seed in range(first, first + 2):
        program = EffectProgram(seed)
        found = complaint_of_effects(program, ways_for(seed)[: 1 + seed % 3])
        assert found is None, f"{found}\n{program}"
