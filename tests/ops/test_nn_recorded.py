"""`tf.nn` and `tf.losses` do what TensorFlow was recorded doing: values, static shapes, gradients, errors."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

from ..golden_cases import EXTRA, Json, decode, read
from ..golden_extra.nn_cases import Case, cases, evaluate
from ..helpers import every_case, of_new_kinds

TOLERANCE = {"float16": 5e-3, "float32": 2e-5, "float64": 1e-11}
RECORDED = {(case["name"], case["dtype"]): case["expect"] for case in read(EXTRA / "nn.json")["cases"]}


NUMBERED = list(enumerate(cases()))
ONE_DTYPE_EACH = [(case, case.dtypes[number % len(case.dtypes)]) for number, case in NUMBERED]
"""The next case has another one."""
OTHER_DTYPES = [(case, dtype) for number, case in NUMBERED for place, dtype in enumerate(case.dtypes)
                if place != number % len(case.dtypes)]  # fmt: skip


def kinds(call: tuple[Case, str]) -> Iterator[tuple[str, str]]:
    """What is called, and each thing that is said of its operands: "softmax, labels that do not sum to 1"."""
    name, *particulars = re.split(", | of ", call[0].name)
    yield "function", name
    yield from [("particular", each) for each in particulars]


BY_DAY, AT_NIGHT = of_new_kinds(ONE_DTYPE_EACH, kinds)


@every_case("case, dtype", BY_DAY, parts=2)
def test_a_call_does_what_was_recorded(case: Case, dtype: str) -> None:
    assert_as_recorded(case, dtype)


@pytest.mark.nightly
@every_case("case, dtype", AT_NIGHT, parts=2)
def test_the_other_calls_do_what_was_recorded(case: Case, dtype: str) -> None:
    assert_as_recorded(case, dtype)


@pytest.mark.slow
@every_case("case, dtype", OTHER_DTYPES, parts=3)
def test_a_call_does_in_every_dtype_what_was_recorded(case: Case, dtype: str) -> None:
    assert_as_recorded(case, dtype)


def assert_as_recorded(case: Case, dtype: str) -> None:
    want: Json = RECORDED[case.name, dtype]
    got = evaluate(tf, case, dtype, lambda graph: tf.Session(graph=graph))
    assert got.get("error") == want.get("error")
    for part in ("values", "gradients", "second"):
        if part in want:
            assert len(got[part]) == len(want[part])
            for found, recorded in zip(got[part], want[part], strict=True):
                compare(found, recorded, case.in_float32)
    for known, recorded in zip(got.get("static", []), want.get("static", []), strict=True):
        # More may be known than TensorFlow knows.
        assert tf.TensorShape(known).is_compatible_with(recorded)
        assert known is not None or recorded is None


def compare(found: Any, recorded: Json | None, in_float32: bool) -> None:
    if recorded is None or found is None:
        # A gradient that is 0 everywhere may be none at all.
        assert not np.any(0 if found is None and recorded is None else decode(recorded) if recorded else found)
        return
    want = decode(recorded)
    assert found.dtype == want.dtype and found.shape == want.shape
    with np.errstate(all="ignore"):
        near = max(TOLERANCE.get(want.dtype.name, 0), TOLERANCE["float32"] if in_float32 else 0)
        finite = np.abs(want[np.isfinite(want)]) if want.dtype.kind == "f" else np.zeros(0)
        size = max(1.0, float(finite.max())) if finite.size else 1.0
        assert np.allclose(found, want, rtol=near, atol=near * min(size, 1e3), equal_nan=True)
