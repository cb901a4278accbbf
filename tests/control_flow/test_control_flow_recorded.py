"""Branches, loops, maps and TensorArrays do what TensorFlow was recorded doing.

A program passes if it does what TensorFlow does in one of its two ways: with Switch and Merge, or with If and While.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

from ..golden_cases import EXTRA, Json, decode, read
from ..golden_extra.control_flow_programs import PROGRAMS, Program, evaluate
from ..helpers import every_case
from .recorded_exceptions import EXCEPTIONS

RECORDED: dict[str, Json] = read(EXTRA / "control_flow.json")["programs"]
pytestmark = pytest.mark.filterwarnings("ignore:.*does not run, because no result")
TOLERANCE = {"float16": 5e-3, "float32": 2e-5, "float64": 1e-11, "complex64": 2e-5}


def differences(program: Program) -> list[str]:
    """What Penstock does otherwise than TensorFlow in that one of its ways that is nearer."""
    recorded = RECORDED[program.name]
    got = evaluate(tf, program, lambda graph: tf.Session(graph=graph))
    ways = [recorded, recorded["v2"]] if "v2" in recorded else [recorded]
    return min((list(_differences(got, want)) for want in ways), key=len)


def _differences(got: Json, want: Json) -> Any:
    if "error" in got or "error" in want:
        refused = [run.get("error") for run in want.get("runs", [])]
        fits = got.get("error") == want["error"] if "error" in want else bool(refused) and all(refused)
        if not fits:  # to refuse while building what no run can do is as good
            yield f"gives {_told(got)}; recorded {_told(want)}"
        return
    if got["structure"] != want["structure"]:
        yield f"structure {got['structure']}; recorded {want['structure']}"
        return
    for number, (known, recorded) in enumerate(zip(got["static"], want["static"], strict=True)):
        if not _knows_as_much(known, recorded):
            yield f"static shape of {number}: {known}; recorded {recorded}"
    for number, (found, recorded) in enumerate(zip(got["runs"], want["runs"], strict=True)):
        if "error" in found or "error" in recorded:
            if found.get("error") != recorded.get("error"):
                yield f"run {number} gives {_told(found)}; recorded {_told(recorded)}"
            continue
        for place, (value, wanted) in enumerate(zip(found["values"], recorded["values"], strict=True)):
            if not _is_near(value, wanted):
                yield f"run {number}, result {place}: {value!r}; recorded {wanted and decode(wanted)!r}"


def _told(result: Json) -> str:
    if "error" in result:
        return str(result["error"])
    return f"results {result['structure']}, {[_told(r) for r in result['runs']]}" if "runs" in result else "results"


def _knows_as_much(known: Any, recorded: Any) -> bool:
    """Whether a static shape says all that TensorFlow's says; more may be known."""
    if recorded == "rank" or recorded is None:
        return True
    if known == "rank" or len(known) != len(recorded):
        return False
    return all(b is None or a == b for a, b in zip(known, recorded, strict=True))


def _is_near(value: Any, wanted: Json | None) -> bool:
    if value is None or wanted is None:
        return value is None and wanted is None
    want = decode(wanted)
    if want.dtype == object:
        strings = value.reshape(-1).tolist()
        return value.shape == want.shape and strings == want.reshape(-1).tolist() and {*map(type, strings)} <= {bytes}
    if value.dtype != want.dtype or value.shape != want.shape:
        return False
    near = TOLERANCE.get(want.dtype.name, 0.0)
    return bool(np.allclose(value, want, rtol=near, atol=near, equal_nan=True))


def test_every_program_is_recorded() -> None:
    assert RECORDED.keys() == PROGRAMS.keys()


REFUSED = [name for name in PROGRAMS if any("error" in way for way in (RECORDED[name], RECORDED[name].get("v2", {})))]
"""The programs that cannot be built in one of TensorFlow's ways."""


@pytest.mark.filterwarnings("ignore:.*only floats and complex numbers have gradients")
@every_case("name", REFUSED)
def test_a_program_that_is_refused_is_refused_as_recorded(name: str) -> None:
    check(name)


@pytest.mark.filterwarnings("ignore:.*only floats and complex numbers have gradients")
@every_case("name", [name for name in PROGRAMS if name not in REFUSED], parts=6, by_day=2)
def test_a_program_does_what_was_recorded(name: str) -> None:
    check(name)


def check(name: str) -> None:
    found = differences(PROGRAMS[name])
    reason = next((reason for reason, names in EXCEPTIONS.items() if name in names), None)
    if reason is None:
        assert not found, "\n".join([name, *found])
    else:
        assert found, f"{name} is no exception any more: {reason}"


def test_every_exception_is_a_program() -> None:
    names = [name for names in EXCEPTIONS.values() for name in names]
    assert len(set(names)) == len(names) and set(names) <= PROGRAMS.keys()
