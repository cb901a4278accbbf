"""Convolutions do what TensorFlow was recorded doing: values, static shapes, first and second gradients, errors."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

from ...golden_cases import EXTRA, Json, decode, read
from ...golden_extra.convolution_cases import cases
from ...golden_extra.nn_cases import Case, evaluate
from ...helpers import every_case, one_of_each

TOLERANCE = {"float16": 1e-2, "float32": 2e-5, "float64": 1e-12}
RECORDED = {(case["name"], case["dtype"]): case["expect"] for case in read(EXTRA / "convolutions.json")["cases"]}


def parameters() -> Iterator[Any]:
    for case in cases():
        for dtype in case.dtypes:
            yield case, dtype


BY_DAY, AT_NIGHT = one_of_each(parameters())


@every_case("case, dtype", BY_DAY, parts=2)
def test_a_convolution_does_what_was_recorded(case: Case, dtype: str) -> None:
    compare_convolution(case, dtype)


@pytest.mark.nightly
@every_case("case, dtype", AT_NIGHT, parts=2)
def test_it_does_it_in_the_other_dtypes(case: Case, dtype: str) -> None:
    compare_convolution(case, dtype)


def compare_convolution(case: Case, dtype: str) -> None:
    want: Json = RECORDED[case.name, dtype]
    got = evaluate(tf, case, dtype, lambda graph: tf.Session(graph=graph))
    assert got.get("error") == want.get("error")
    for part in ("values", "gradients", "second"):
        if part in want:
            assert len(got[part]) == len(want[part])
            for found, recorded in zip(got[part], want[part], strict=True):
                compare(found, recorded)
    for known, recorded in zip(got.get("static", []), want.get("static", []), strict=True):
        # More may be known than TensorFlow knows.
        assert tf.TensorShape(known).is_compatible_with(recorded)
        assert known is not None or recorded is None


def compare(found: Any, recorded: Json | None) -> None:
    if recorded is None or found is None:
        # A gradient that is 0 everywhere may be none at all.
        assert not np.any(0 if found is None and recorded is None else decode(recorded) if recorded else found)
        return
    want = decode(recorded)
    assert found.dtype == want.dtype and found.shape == want.shape
    near = TOLERANCE.get(want.dtype.name, 0)
    finite = np.abs(want[np.isfinite(want)])
    size = max(1.0, float(finite.max())) if finite.size else 1.0
    assert np.allclose(found, want, rtol=near, atol=near * size, equal_nan=True)


def test_most_cases_record_values_and_both_gradients() -> None:
    parts = [set(expect) for expect in RECORDED.values()]
    assert sum("values" in each for each in parts) >= 190
    assert sum("gradients" in each for each in parts) >= 170
    assert sum("second" in each for each in parts) >= 150
