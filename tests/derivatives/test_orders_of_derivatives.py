"""Which derivatives a call has, None or zeros or values, and those where its result is fed: as TensorFlow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import penstock.compat.v1 as tf

from ..golden_extra.derivative_orders_calls import INPUTS, expressions, observed
from ..helpers import every_case

RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden_extra" / "derivative_orders.json").read_text()
)
EXCEPTIONS: dict[str, str] = {
    "abs of complex": "TensorFlow divides by the absolute value that is fed; ours is a function of x alone",
}
"""Calls that differ, with the reason."""


def differences(name: str) -> list[str]:
    """What differs from the recorded call."""
    found, want = observed(tf, expressions()[name]), RECORDED[name]
    lines = []
    for each in INPUTS:
        ours, theirs = found["orders"][each], want["orders"][each]
        for order, (mine, its) in enumerate(zip(ours, theirs, strict=False), 1):
            if its == "refused":
                break
            if mine != its:
                lines.append(f"derivative {order} by {each}: {mine} instead of {its}")
        if each in want["fed"] and not np.allclose(found["fed"].get(each, np.nan), want["fed"][each], equal_nan=True):
            lines.append(f"by {each}, the result fed: {found['fed'].get(each)} instead of {want['fed'][each]}")
    return lines


@every_case("name", RECORDED, parts=2, by_day=1)
def test_a_call_has_the_derivatives_that_tensorflow_has(name: str) -> None:
    found = differences(name)
    if name in EXCEPTIONS:
        assert found, f"{name} is no exception any more"
    else:
        assert found == []


def test_every_call_is_recorded() -> None:
    assert set(expressions()) - set(RECORDED) == {"clip_by_average_norm"}  # TensorFlow takes float32 only
    assert set(EXCEPTIONS) <= set(RECORDED)
