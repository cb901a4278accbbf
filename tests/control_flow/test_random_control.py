"""Random programs of branches, loops, maps, scans, folds and TensorArrays do what Python loops on NumPy arrays do.

Their gradients have the same bits in every configuration. `python -m tests.fuzz.of_control` goes on with other seeds.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..fuzz.ways import ways_for
from ..helpers import nightly, slow
from .random_checks import complaint
from .random_control import control_program

SHARE = 40
"""Seeds of one run of the suite; more are run with `-m slow`."""


@pytest.mark.parametrize(
    "start", [0, *nightly(range(5, SHARE, 5)), *slow(range(SHARE, 180, 5))]
)
def test_programs_of_some_seeds(start: int) -> None:
    for seed in range(start, start + 5):
        program = control_program(seed)
        found = complaint(program, ways_for(seed)[: 1 + seed % 3])
        assert found is None, f"{found}\n{program}"


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_programs_of_any_seed(seed: int) -> None:
    program = control_program(seed)
    found = complaint(program, [])
    assert found is None, f"{found}\n{program}"


def test_a_seed_always_makes_the_same_program() -> None:
    first = [str(control_program(seed)) for seed in range(8)]
    assert [str(control_program(seed)) for seed in range(8)] == first
    assert len(set(first)) == 8


@pytest.mark.nightly
def test_programs_have_what_they_are_for() -> None:
    text = "\n".join(str(control_program(seed)) for seed in range(150))
    for name in ("cond", "case", "switch_case", "while_loop", "map_fn", "scan", "foldl", "foldr", "TensorArray",
                 "gradients", "dynamic_partition", "dynamic_stitch", "tensor_scatter_nd_update"):  # fmt: skip
        assert f"tf.{name}(" in text, name
    assert any(control_program(seed).middle for seed in range(50))
