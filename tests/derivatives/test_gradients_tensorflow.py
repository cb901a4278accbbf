"""The real TensorFlow finds the same gradients of random programs.

It runs in an interpreter of its own: PENSTOCK_TF_PYTHON names one that has it.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError
from penstock.graph.model.identity_comparison import MistakeWarning
from penstock.interchange.tensorflow import write_graphdef

from ..fuzz.extension import extension_ops
from .tame_programs import TameProgram, tame_program

PYTHON = os.environ.get("PENSTOCK_TF_PYTHON", "")
pytestmark = pytest.mark.skipif(not PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")

PROGRAMS = 300


def gradients_of(program: TameProgram) -> tuple[list[Any], list[Any]]:
    """The values of ys, and the gradients, None among them."""
    with program.graph.as_default():
        weights = [tf.ones_like(y) for y in program.ys]
        found = tf.gradients(program.ys, program.xs, weights, stop_gradients=program.stops)
        dense = [tf.convert_to_tensor(g) for g in found if g is not None]
    with tf.Session(graph=program.graph) as session:
        values, numbers = session.run([program.ys, dense], program.feeds)
    waiting = iter(numbers)
    return values, [None if g is None else next(waiting) for g in found]


def write(folder: Path, seed: int, program: TameProgram) -> bool:
    """Write a program for TensorFlow; False if it has no GraphDef."""
    try:
        content = write_graphdef(program.graph)
    except GraphFormatError:
        return False
    base = folder / f"{seed}.pb"
    base.write_bytes(content)
    names = {part: [t.name for t in getattr(program, part)] for part in ("ys", "xs", "stops")}
    base.with_suffix(".json").write_text(json.dumps(names))
    base.with_suffix(".feeds").write_bytes(pickle.dumps({t.name: np.array(a) for t, a in program.feeds.items()}))
    return True


def is_near(got: Any, want: Any, digits: float) -> bool:
    """Whether two arrays are equal but for the order of sums; TensorFlow's 0 times infinity is 0."""
    a, b = np.asarray(got), np.asarray(want)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    scale = np.max(np.abs(np.where(np.isfinite(b), b, 0)), initial=1)
    return bool((np.isclose(a, b, rtol=digits, atol=digits * scale, equal_nan=True) | (np.isnan(a) & (b == 0))).all())


def difference(mine: tuple[list[Any], list[Any]], theirs: tuple[list[Any], list[Any]], digits: float) -> str | None:
    """In what the gradients differ."""
    for place, (got, want) in enumerate(zip(mine[1], theirs[1], strict=True)):
        if got is None or want is None:
            # of an output whose siblings alone are used, TensorFlow gives zeros
            if got is not want and (got is not None or np.any(want)):
                return f"xs[{place}]: {got} instead of {want}"
        elif not is_near(got, want, digits):
            return f"xs[{place}]: {got} instead of {want}"
    return None


def test_gradients_of_random_programs_are_those_of_tensorflow(tmp_path: Path) -> None:
    programs: dict[int, TameProgram] = {}
    mine: dict[int, tuple[list[Any], list[Any]]] = {}
    with extension_ops() as extension, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", MistakeWarning)
        for seed in range(PROGRAMS):
            program = tame_program(seed, extension)
            if program is not None and write(tmp_path, seed, program):
                programs[seed], mine[seed] = program, gradients_of(program)
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    script = Path(__file__).with_name("tensorflow_gradients.py")
    subprocess.run([PYTHON, str(script), str(tmp_path)], env=environment, check=True, capture_output=True, timeout=600)
    lines, compared = [], 0
    for seed, program in programs.items():
        theirs = pickle.loads((tmp_path / f"{seed}.out.pickle").read_bytes())
        if isinstance(theirs, str):  # TensorFlow has no kernel for an operand without rows, or so
            continue
        compared += 1
        single = any(t.dtype is tf.float32 for op in program.graph.get_operations() for t in op.outputs)
        found = difference(mine[seed], theirs, 2e-3 if single else 1e-7)
        if found is not None:
            lines.append(f"seed {seed}: {found}\n{program.lines}")
    assert not lines, f"{len(lines)} programs\n{lines[0]}"
    assert compared > PROGRAMS * 0.9
