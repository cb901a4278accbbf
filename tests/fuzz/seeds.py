"""The seeds of a fuzz: those of a test, and those that a command line asks for."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator

import pytest


def in_three_shares(some: int, more: int, many: int, found: Iterable[int] = ()) -> pytest.MarkDecorator:
    """A parameter `seeds`: every run of the tests takes the first seeds, the nightly and the slow one what follows.

    Every run also takes those that have `found` a fault.
    """
    nightly, slow = pytest.param(range(some, more), marks=pytest.mark.nightly), range(more, many)
    shares = [[*range(some), *found], nightly, pytest.param(slow, marks=pytest.mark.slow)]
    return pytest.mark.parametrize("seeds", shares, ids=["some", "more", "many"])


def seeds_of(program: str, description: str | None, arguments: list[str] | None = None) -> Iterator[int]:
    """Yield `--count` seeds from `--seed-start` on, until `--seconds` are over.

    Args:
        program: the module of the fuzz.
        description: what `--help` says.
        arguments: the command line; None for that of the process.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    parser.add_argument("--count", type=int, default=1000, help="how many seeds")
    parser.add_argument("--seed-start", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long")
    chosen = parser.parse_args(arguments)
    began = time.monotonic()
    for seed in range(chosen.seed_start, chosen.seed_start + chosen.count):
        if time.monotonic() - began > chosen.seconds:
            return
        yield seed
