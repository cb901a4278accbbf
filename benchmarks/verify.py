"""Verification of results against NumPy; only verified cases are timed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .engine import Array

TOLERANCE = {"float16": 2e-2, "bfloat16": 8e-2, "float32": 2e-5, "float64": 1e-10}


def difference(got: Sequence[Array], wanted: Sequence[Array], tolerance: float | None) -> str | None:
    """What is wrong, in words; None if nothing is. Integers must be equal; floats close, relative to the largest."""
    if len(got) != len(wanted):
        return f"{len(got)} results, not {len(wanted)}"
    for i, (one, other) in enumerate(zip(got, wanted, strict=True)):
        found = _difference(one, other, tolerance)
        if found:
            return f"result {i}: {found}"
    return None


def _difference(got: Array, wanted: Array, tolerance: float | None) -> str | None:
    if got.shape != wanted.shape:
        return f"shape {got.shape}, not {wanted.shape}"
    if got.dtype != wanted.dtype:
        return f"dtype {got.dtype}, not {wanted.dtype}"
    if wanted.dtype.name not in TOLERANCE:
        return None if np.array_equal(got, wanted) else "other values"
    if not wanted.size:
        return None
    wide: type[Any] = np.float64 if wanted.dtype == np.float64 else np.float32
    a, b = got.astype(wide, copy=False), wanted.astype(wide, copy=False)
    worst = float(np.max(np.abs(a - b)))
    scale = max(float(np.max(np.abs(b))), 1e-30)
    allowed = TOLERANCE[wanted.dtype.name] if tolerance is None else tolerance
    return None if worst <= allowed * scale else f"off by {worst:.3g} where the largest value is {scale:.3g}"
