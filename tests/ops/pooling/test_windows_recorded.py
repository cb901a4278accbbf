"""Pools, patches, blocks, resizes and tf.image do what TensorFlow was recorded doing."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

from ...golden_cases import EXTRA, Json, decode, read
from ...golden_extra.nn_cases import Case, evaluate
from ...golden_extra.window_cases import cases
from ...helpers import every_case, one_of_each

TOLERANCE = {"float16": 1e-2, "float32": 2e-5, "float64": 1e-12}
RECORDED = {(case["name"], case["dtype"]): case["expect"] for case in read(EXTRA / "windows.json")["cases"]}


def parameters() -> Iterator[Any]:
    for case in cases():
        for dtype in case.dtypes:
            yield case, dtype


BY_DAY, AT_NIGHT = one_of_each(parameters())


@every_case("case, dtype", BY_DAY, parts=2)
def test_a_function_of_windows_does_what_was_recorded(case: Case, dtype: str) -> None:
    compare_windows(case, dtype)


@pytest.mark.nightly
@every_case("case, dtype", AT_NIGHT, parts=2)
def test_it_does_it_in_the_other_dtypes(case: Case, dtype: str) -> None:
    compare_windows(case, dtype)


def compare_windows(case: Case, dtype: str) -> None:
    want: Json = RECORDED[case.name, dtype]
    got = evaluate(tf, case, dtype, lambda graph: tf.Session(graph=graph))
    assert got.get("error") == want.get("error")
    for part in ("values", "gradients", "second"):
        if part in want:
            assert len(got[part]) == len(want[part])
            for ours, recorded in zip(got[part], want[part], strict=True):
                compare(ours, recorded, "resize" in case.name)
    for known, recorded in zip(got.get("static", []), want.get("static", []), strict=True):
        # More may be known than TensorFlow knows.
        assert tf.TensorShape(known).is_compatible_with(recorded)
        assert known is not None or recorded is None


def compare(ours: Any, recorded: Json | None, in_float32: bool) -> None:
    if recorded is None or ours is None:
        # A gradient that is 0 everywhere may be none at all.
        assert not np.any(0 if ours is None and recorded is None else decode(recorded) if recorded else ours)
        return
    want = decode(recorded)
    assert ours.dtype == want.dtype and ours.shape == want.shape
    near = TOLERANCE.get("float32" if in_float32 else want.dtype.name, 0)
    finite = np.abs(want[np.isfinite(want)]) if want.dtype.kind == "f" else np.zeros(0)
    size = max(1.0, min(float(finite.max()), 1e6)) if finite.size else 1.0
    assert np.allclose(ours, want, rtol=near, atol=near * size, equal_nan=True)


def test_most_cases_record_values_and_gradients() -> None:
    parts = [set(expect) for expect in RECORDED.values()]
    assert sum("values" in each for each in parts) >= 130
    assert sum("gradients" in each for each in parts) >= 100
    assert sum("second" in each for each in parts) >= 40
