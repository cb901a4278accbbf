"""Random programs of branches and loops, with first and second derivatives, give what TensorFlow gives.

PENSTOCK_TF_PYTHON names an interpreter with tensorflow. `docs/verified.md` has the last large run.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

from .random_control import ControlProgram, control_program

PYTHON = os.environ.get("PENSTOCK_TF_PYTHON", "")
pytestmark = pytest.mark.skipif(not PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
ROOT = Path(__file__).resolve().parents[2]
NEAR = {"float32": 2e-3, "float64": 1e-8}
"""Of the largest number of an array: derivatives of many iterations magnify what rounding leaves."""
COUNT = int(os.environ.get("PENSTOCK_TF_COUNT", "150"))
FIRST = int(os.environ.get("PENSTOCK_TF_FIRST", "0"))


def of_tensorflow(path: Path) -> dict[str, Any]:
    """The arrays of TensorFlow's side."""
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [PYTHON, "-m", "tests.control_flow.tensorflow_side", str(FIRST), str(COUNT), str(path)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    with np.load(path) as found:
        return dict(found)


def walked(session: tf.Session, fetches: Any, feeds: Any, seed: int) -> Any:
    """The results of a run by a debugger, which has gone forwards and backwards before it came to the end."""
    rng = Random(seed)
    every, memory = rng.choice((1, 7, 64)), rng.choice((0, 1 << 20))
    dbg = session.debug(fetches, feeds, fused=seed % 3 == 0, every=every, memory=memory)
    for _ in range(6):
        dbg.step(rng.randrange(1, 30))
        dbg.next()
        dbg.goto(rng.randrange(dbg.latest + 1))
    return dbg.finish()


def differences(program: ControlProgram, theirs: dict[str, Any], by_debugger: bool) -> list[str]:
    """Where Penstock gives something else than TensorFlow's arrays."""
    with tf.Graph().as_default() as graph:
        made = program.build(tf)
        fetches = {name: made[name] for name in program.fetched}
        slopes = {name: eval(name, made) for name in program.slopes}
        fetches |= {name: tf.convert_to_tensor(slope) for name, slope in slopes.items() if slope is not None}
        found = []
        with tf.Session(graph=graph) as session:
            for run in range(program.runs):
                feeds = {made[name]: array for name, array in program.feeds(run).items()}
                got = walked(session, fetches, feeds, program.seed) if by_debugger else session.run(fetches, feeds)
                for name in (*program.fetched, *program.slopes):
                    want, value = theirs.get(f"{program.seed}/{run}/{name}"), got.get(name)
                    if not _is_near(value, want):
                        found.append(f"run {run}, {name}: {value!r}; TensorFlow has {want!r}")
    return found


def _is_near(value: Any, want: Any) -> bool:
    if value is None or want is None:  # a gradient that is zero everywhere may be none at all
        return not np.any(value if want is None else want)
    value = np.asarray(value)
    if value.shape != want.shape or value.dtype != want.dtype:
        return False
    near = NEAR.get(want.dtype.name, 0.0)
    finite = np.abs(want[np.isfinite(want)]) if want.dtype.kind == "f" else np.zeros(0)
    return bool(np.allclose(value, want, rtol=near, atol=near * max(1.0, finite.max(initial=0)), equal_nan=True))


@pytest.mark.parametrize("by_debugger", [False, True], ids=["run", "debugger"])
def test_random_programs_give_what_tensorflow_gives(by_debugger: bool, tmp_path: Path) -> None:
    theirs = of_tensorflow(tmp_path / "out.npz")
    refused, failing = [], []
    for seed in range(FIRST, FIRST + COUNT):
        if f"{seed}/error" in theirs:
            refused.append(f"{seed}: {theirs[f'{seed}/error']}")
            continue
        program = control_program(seed)
        found = differences(program, theirs, by_debugger)
        if found:
            failing.append("\n".join([*found[:3], str(program)]))
    print(f"{COUNT} programs, {len(refused)} refused by TensorFlow, {len(failing)} differ")
    print("\n".join(refused))
    assert not failing, f"{len(failing)} differ; {len(refused)} refused by TensorFlow\n" + "\n\n".join(failing[:5])
    assert len(refused) < COUNT / 4
