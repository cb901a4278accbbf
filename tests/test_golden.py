"""Every op does what TensorFlow and Paddle were recorded doing.

Values, dtypes, errors (build or run, class, a fragment of the message) and static shapes; `golden/README.md` says what
was recorded, `golden_exceptions` where we differ on purpose. One test per file; a failure lists its cases.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from .golden_cases import (
    EXTRA,
    GOLDEN,
    Array,
    Case,
    Complaint,
    Json,
    cases,
    complaints,
    decode,
    files,
    graph_complaints,
    unlike,
)
from .golden_exceptions import BY_CASE, EXCEPTIONS
from .golden_kinds import cases_at_night, cases_by_day
from .helpers import every_case, nightly


def unexpected(found: Sequence[Case]) -> list[str]:
    """What differs and is no exception, and exceptions that do not differ as they say."""
    lines: list[str] = []
    for case in found:
        different = complaints(case)
        exempt = BY_CASE.get(case.id)
        if exempt is None:
            lines += map(str, different)
        elif {c.aspect for c in different} != set(exempt.aspects):
            lines.append(f"{case.id} may differ in {exempt.aspects}, but differs in {list(map(str, different))}")
    return lines


@pytest.mark.parametrize("cases_of", [cases_by_day, *nightly([cases_at_night])])
@every_case("name", files(GOLDEN), parts=2)
def test_an_op_does_what_was_recorded(name: str, cases_of: Callable[[Path, str], list[Case]]) -> None:
    lines = unexpected(cases_of(GOLDEN, name))
    assert not lines, "\n".join([f"{len(lines)} differences", *lines])


@every_case("case", cases(GOLDEN, "graphs"))
def test_a_graph_of_several_nodes_does_what_was_recorded(case: Case) -> None:
    assert list(map(str, graph_complaints(case))) == []


def test_every_exception_belongs_to_a_recorded_case_and_appears_once() -> None:
    recorded = {case.id for folder in (GOLDEN, EXTRA) for name in files(folder) for case in cases(folder, name)}
    listed = [case for exempt in EXCEPTIONS for case in exempt.cases]
    assert sorted(set(listed) - recorded) == []
    assert len(listed) == len(set(listed))


# ---- the reader itself --------------------------------------------------------------------------


def recorded(folder: Path, name: str, id: str) -> Case:
    return next(case for case in cases(folder, name) if case.id == id)


def changed(case: Case, **expect: object) -> Case:
    """The case with another expectation."""
    return Case(case.id, case.op, case.data | {"expect": case.data["expect"] | expect})


def aspects(found: Sequence[Complaint]) -> list[str]:
    return [complaint.aspect for complaint in found]


def first_with(status: str) -> Case:
    return next(case for case in cases(GOLDEN, "gather") if case.expect["status"] == status)


def test_the_replay_sees_a_wrong_value_dtype_and_shape() -> None:
    case = first_with("ok")
    output = case.expect["outputs"][0]
    value = output["value"]
    other = {"dtype": value["dtype"], "shape": [7], "values": [0] * 7}
    assert aspects(complaints(changed(case, outputs=[output | {"value": other}]))) == ["value"]
    assert aspects(complaints(changed(case, outputs=[output | {"dtype": "string"}]))) == ["static"]
    assert aspects(complaints(changed(case, outputs=[output | {"static_shape": [7]}]))) == ["static"]
    assert aspects(complaints(changed(case, returns="list"))) == ["value"]


@pytest.mark.parametrize("status", ["build_error", "run_error"])
def test_the_replay_sees_a_wrong_kind_class_and_fragment_of_an_error(status: str) -> None:
    case = first_with(status)
    assert complaints(case) == []
    assert aspects(complaints(changed(case, **{"class": "KeyError"}))) == ["class"]
    assert aspects(complaints(changed(case, fragment="no such words"))) == ["fragment"]
    assert aspects(complaints(changed(case, status="ok", returns="tensor", outputs=[]))) == ["kind"]


@pytest.mark.parametrize(
    ("got", "want", "same"),
    [
        (np.float32(0.1), {"dtype": "float32", "shape": [], "values": [0.1]}, True),
        (np.float64(0.1), {"dtype": "float32", "shape": [], "values": [0.1]}, False),
        (np.array([np.nan], "f4"), {"dtype": "float32", "shape": [1], "values": ["nan"]}, True),
        (np.array([np.nan], "f4"), {"dtype": "float32", "shape": [1], "values": ["inf"]}, False),
        (np.array([1 + 2j]), {"dtype": "complex128", "shape": [1], "values": [[1, 2]]}, True),
        (np.array([1 + 2j]), {"dtype": "complex128", "shape": [1], "values": [[1, 3]]}, False),
        (b"a", {"dtype": "string", "shape": [], "values": ["a"]}, True),
        (np.array(["a"], object), {"dtype": "string", "shape": [1], "values": ["a"]}, False),
        (np.array([[1]]), {"dtype": "int64", "shape": [1], "values": [1]}, False),
    ],
)
def test_results_are_compared_to_the_last_bit(got: Array, want: Json, same: bool) -> None:
    assert (unlike(got, want) is None) is same


def test_a_near_value_passes_only_where_the_case_is_approximate() -> None:
    near = np.nextafter(np.float32(1), np.float32(2))
    want = {"dtype": "float32", "shape": [], "values": [1]}
    assert unlike(near, want) is not None
    assert unlike(near, want, ulps=4) is None
    assert unlike(np.float32(1.00001), want, ulps=4) is not None


def test_strings_and_special_numbers_are_read_back() -> None:
    assert decode({"dtype": "string", "shape": [2], "values": ["é", {"b64": "/w=="}]}).tolist() == [
        "é".encode(),
        b"\xff",
    ]
    assert str(decode({"dtype": "float16", "shape": [3], "values": ["nan", "-inf", 0.5]})) == "[ nan -inf  0.5]"
