"""The seeds that the command line of a fuzz asks for."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator


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
