"""What TensorFlow builds and runs without ranks or sizes builds and runs here too, with the values of known shapes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

from ..golden_extra.unknown_shape_calls import calls, values
from ..helpers import every_case

RECORDED: dict[str, list[str]] = json.loads(
    (Path(__file__).parents[1] / "golden_extra" / "unknown_shapes.json").read_text()
)


def complaint(text: str, way: str, want: list[Any]) -> str | None:
    """What is wrong with a call; None if it gives `want`, what it gives with static shapes."""
    try:
        found = values(tf, text, way)
    except (ValueError, TypeError, LookupError, tf.errors.OpError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    for mine, its in zip(found, want, strict=True):
        if np.shape(mine) != np.shape(its) or not same(mine, its):
            return f"{mine!r} instead of {its!r}"
    return None


def same(mine: Any, its: Any) -> bool:
    """Whether two values are equal, but for rounding."""
    if np.asarray(its).dtype.kind in "fc":
        return bool(np.allclose(mine, its, rtol=1e-12, atol=1e-12, equal_nan=True))
    return bool(np.array_equal(mine, its))


@every_case("text", RECORDED, parts=3, by_day=1)
def test_a_call_builds_and_runs_without_static_shapes(text: str) -> None:
    want = values(tf, text, "shapes")
    for way in RECORDED[text]:
        found = complaint(text, way, want)
        assert found is None, f"{way} unknown: {found}"


def test_every_call_is_recorded() -> None:
    assert set(calls()) - set(RECORDED) == {"tf.clip_by_average_norm(x, 0.5)"}  # TensorFlow takes float32 only


def test_a_number_of_parts_that_does_not_fit_is_an_error_of_the_run() -> None:
    x = tf.placeholder(tf.float32)
    for parts in (tf.unstack(x, 2, 1), tf.unstack(x, 2, 5), tf.split(x, [1, 1], 1), tf.split(x, [1, 1], 3)):
        with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
            session.run(parts, {x: np.zeros((2, 3), np.float32)})
