"""The wider namespace of TensorFlow 1.x does what TensorFlow was recorded doing: values, shapes, gradients, errors."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

import penstock.compat.v1 as tf

from ..golden_cases import EXTRA, Json, read
from ..golden_extra import later_name_cases, name_cases
from ..golden_extra.nn_cases import Case, evaluate
from ..helpers import every_case, of_new_kinds, one_of_each
from .test_nn_recorded import compare

RECORDED = {
    (case["name"], case["dtype"]): case["expect"]
    for file in ("names.json", "later_names.json")
    for case in read(EXTRA / file)["cases"]
}
PARAMETERS: list[Any] = [
    (case, dtype) for module in (name_cases, later_name_cases) for case in module.cases() for dtype in case.dtypes
]
ONE_DTYPE_EACH, OTHER_DTYPES = one_of_each(PARAMETERS)


def kinds(call: tuple[Case, str]) -> Iterator[tuple[str, str]]:
    """What is called in which dtype, and each thing that is said of its operands: "resize_image_with_pad, tall"."""
    name, *particulars = re.split(", | of |-(?=[a-z])", call[0].name)
    yield from [("function", name), ("dtype", call[1])]
    yield from [("particular", each) for each in particulars]


BY_DAY, OTHERS = of_new_kinds(ONE_DTYPE_EACH, kinds)
AT_NIGHT = [*OTHERS, *OTHER_DTYPES]


@every_case("case, dtype", BY_DAY, parts=2)
def test_a_call_does_what_was_recorded(case: Case, dtype: str) -> None:
    compare_call(case, dtype)


@pytest.mark.nightly
@every_case("case, dtype", AT_NIGHT, parts=2)
def test_the_other_calls_do_it_and_those_in_the_other_dtypes(case: Case, dtype: str) -> None:
    compare_call(case, dtype)


def compare_call(case: Case, dtype: str) -> None:
    want: Json = RECORDED[case.name, dtype]
    got = evaluate(tf, case, dtype, lambda graph: tf.Session(graph=graph))
    assert got.get("error") == want.get("error")
    for part in ("values", "gradients", "second"):
        if part in want:
            assert len(got[part]) == len(want[part])
            for found, recorded in zip(got[part], want[part], strict=True):
                compare(found, recorded, case.in_float32)
    for known, recorded in zip(got.get("static", []), want.get("static", []), strict=True):
        assert tf.TensorShape(known).is_compatible_with(recorded)
        assert known is not None or recorded is None
