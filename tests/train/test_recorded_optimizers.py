"""Optimizers and moving averages do what TensorFlow was recorded doing in 100 steps."""

import numpy as np
import pytest

import penstock as tf
import penstock.compat.v1 as v1

from ..golden_cases import Json
from ..golden_extra.optimizer_cases import AVERAGES, CALLS, STEPS, averages, train
from ..helpers import every_case, nightly, one_of_each
from .recorded import TOLERANCE, cases_of, distance, session_of

FEW_STEPS = 10
"""Every run takes so many steps, the nightly one all that were recorded."""
BY_DAY, AT_NIGHT = one_of_each(cases_of("CALLS"))


@every_case("place, dtype, expect", BY_DAY, parts=2)
@pytest.mark.parametrize("steps", [FEW_STEPS, *nightly([STEPS])])
def test_an_optimizer_takes_the_steps_that_tensorflow_took(place: int, dtype: str, expect: Json, steps: int) -> None:
    compare_steps(place, dtype, expect, steps)


@pytest.mark.nightly
@every_case("place, dtype, expect", AT_NIGHT, parts=2)
def test_it_takes_them_in_the_other_dtypes(place: int, dtype: str, expect: Json) -> None:
    compare_steps(place, dtype, expect, STEPS)


def compare_steps(place: int, dtype: str, expect: Json, steps: int) -> None:
    found = train(v1, CALLS[place], dtype, session_of, steps)
    assert found["global_step"] == steps and expect["global_step"] == STEPS
    for label in ("update", "slots", "variables", "own"):
        assert found[label] == expect[label], label
    for label in ("at", "own_at"):
        recorded_steps = {step: arrays for step, arrays in expect[label].items() if int(step) <= steps}
        assert recorded_steps
        for step, arrays in recorded_steps.items():
            for got, recorded in zip(found[label][step], arrays, strict=True):
                # Adam's powers are float32, whatever it trains.
                limit = TOLERANCE["float32"] if got.dtype == np.float32 else TOLERANCE[dtype]
                assert distance(got, recorded) < limit, f"step {step}"


@every_case("place, dtype, expect", cases_of("AVERAGES"))
def test_averages_are_those_that_tensorflow_computed(place: int, dtype: str, expect: Json) -> None:
    found = averages(v1, AVERAGES[place], dtype, session_of)
    for label in ("update", "variables", "averaged", "average_name", "restored"):
        assert found[label] == expect[label], label
    for step, arrays in expect["at"].items():
        for got, recorded in zip(found["at"][step], arrays, strict=True):
            assert distance(got, recorded) < TOLERANCE[dtype], f"step {step}"


def test_every_recorded_optimizer_is_there_from_both_namespaces() -> None:
    assert v1.train is tf.train
    assert all(hasattr(tf.train, f"{call.optimizer}Optimizer") for call in CALLS)
