"""The cases of `golden_extra/optimizers.json`."""

from typing import Any

import numpy as np

import penstock.compat.v1 as tf

from ..golden_cases import EXTRA, Array, Json, read

CASES: list[Json] = read(EXTRA / "optimizers.json")["cases"]
TOLERANCE = {"float32": 1e-5, "float64": 1e-10, "float16": 1e-2}
"""Of the largest magnitude of an array."""


def cases_of(table: str) -> list[Any]:
    """The cases of one table as arguments of a test: place, dtype, what was recorded."""
    return [(case["place"], case["dtype"], case["expect"]) for case in CASES if case["of"] == table]


def session_of(graph: tf.Graph) -> tf.Session:
    return tf.Session(graph=graph)


def distance(got: Array, recorded: list[Any]) -> float:
    """The largest difference, as a part of the largest magnitude."""
    flat = np.asarray(got).reshape(-1).astype(np.float64)
    want = np.array(recorded, np.float64)
    assert flat.shape == want.shape
    if not flat.size or not np.abs(flat - want).max():
        return 0.0
    return float(np.abs(flat - want).max() / max(np.abs(want).max(), 1e-30))
