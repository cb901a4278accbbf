"""Debuggers walked at random through random programs: see `of_debugging`."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from .debugged_programs import debugged_program
from .debugger_walks import complaint
from .extension import extension_ops


def _check(seeds: Sequence[int]) -> None:
    with extension_ops() as extension:
        for seed in seeds:
            program = debugged_program(seed, extension)
            found = complaint(program, seed)
            assert found is None, f"seed {seed}: {found}\n{program.text}"


GRADIENTS = (636, 11560, 11711)  # of loops that are fed in the middle
ARRAYS = (7001491, 7104861)  # that passes turn into stacks of their loops


@pytest.mark.parametrize(
    "seeds",
    [
        (0, GRADIENTS[1], ARRAYS[0]),
        pytest.param((GRADIENTS[0], *GRADIENTS[2:], *ARRAYS[1:], *range(1, 10)), marks=pytest.mark.nightly),
    ],
)
def test_a_walk_through_random_programs_sees_the_values_of_a_run(seeds: Sequence[int]) -> None:
    _check(seeds)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1500, 50))
def test_a_walk_through_more_random_programs_sees_the_values_of_a_run(first: int) -> None:
    _check(range(first, first + 50))
