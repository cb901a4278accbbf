"""Random programs of the fuzz travel: the folder computes the same bits, or fails in the same way and becomes small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.repro import load_repro
from penstock.repro.criteria import SameFailure, same_value
from penstock.repro.minified_run import program_text
from penstock.repro.minify import minified
from penstock.repro.run_parts import size_of_run
from penstock.repro.values_as_code import array_text

from ..fuzz.extension import extension_ops
from ..fuzz.programs import fuzz_program
from ..helpers import nightly

FAIL = (16, 20)
"""Seeds of programs that fail."""


@pytest.mark.parametrize("seed", [*range(6), *nightly(range(6, 12)), 44, *FAIL])
@pytest.mark.filterwarnings("ignore")
def test_a_random_program_travels(seed: int, tmp_path: Path) -> None:
    with extension_ops() as ops:
        built = fuzz_program(seed, ops).made(ops)
        asked: list[Any] = [*built.fetches, *built.targets]
        with tf.Session(graph=built.graph) as session:
            try:
                expected = session.run(asked, built.feeds)
            except tf.errors.OpError:
                saved = load_repro(session.repro(tmp_path / "failed")).saved
                assert saved.expected is not None
                small = minified(saved, SameFailure(saved.expected), 60.0)
                assert size_of_run(small.saved)[0] <= 4
                return
            saved = load_repro(session.repro(tmp_path / "run", asked, built.feeds)).saved
        found = saved.run(saved.session())
        assert all(same_value(a, b) for a, b in zip(found, expected, strict=True))
        program = program_text(saved)
        if program is not None:
            made: dict[str, Any] = {}
            exec(program.replace("    print(", "    found = ("), made)
            values = made["found"] if len(saved.fetches) > 1 else [made["found"]]
            assert all(same_value(a, b) for a, b in zip(values, expected, strict=True))


@pytest.mark.parametrize("value", [
    np.zeros((0, 3), np.float16), np.array([np.nan, -np.inf, -0.0, 1e30], np.float32),
    np.array([complex(-0.0, np.inf), complex(np.nan, -0.0)], np.complex128), np.array(2**63 + 1, np.uint64),
    np.empty((2, 0), object), np.array([b"a'\n", b"\xff"], object), np.array([True, False]),
])  # fmt: skip
def test_arrays_as_code_are_what_they_were(value: Any) -> None:
    made = np.asarray(eval(array_text(value), {"np": np, "tf": tf}), object if value.dtype.kind == "O" else None)
    assert made.shape == value.shape and same_value(made, value)
    if value.dtype.kind in "fc":
        assert made[~np.isnan(made)].tobytes() == value[~np.isnan(value)].tobytes()
