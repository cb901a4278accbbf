"""The fuzz of state: random programs of variables against the sequential model, in the configurations of the fuzz.

    python -m tests.fuzz.of_state --count 5000 --seed-start 0

A program grows between runs of one session: reads and writes of all kinds under control dependencies, updates of an
optimizer, random numbers, partitions, fed intermediates. `tests.variables.sequential_programs` has the programs and
what they mean. A failing seed is tried again with fewer nodes and runs, and the smallest program is printed.

A third of the seeds has branches and loops that read and write variables, with the model of
`tests.control_flow.sequential_bodies`.
"""

from __future__ import annotations

import sys
from collections import Counter

from ..control_flow.test_sequential_bodies import check as check_bodies
from ..variables.sequential_programs import chooser, new_node, new_node_of_any_kind
from ..variables.test_sequential_model import check
from .seeds import seeds_of
from .ways import Way, ways_for

SIZES = ((1, 3, 1), (1, 6, 2), (2, 4, 2), (2, 8, 3), (4, 8, 3), (6, 12, 4))
"""Rounds, nodes added in a round and runs in a round, the smallest programs first."""


def complaint(seed: int, way: Way, size: tuple[int, int, int]) -> str | None:
    """What is wrong with the program of a seed in one way; None if it does what the model says."""
    rounds, nodes, runs = size
    try:
        if seed % 3 == 0:
            with way.settings():
                check_bodies(seed, way, depth=min(rounds, 3))
            return None
        check(chooser(seed), way, rounds, nodes, runs, new_node if seed % 4 == 0 else new_node_of_any_kind)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    ways, failures, tried = Counter[str](), 0, 0
    for seed in seeds_of("tests.fuzz.of_state", __doc__, arguments):
        tried += 1
        size = SIZES[4 + seed % 2]
        for way in ways_for(seed):
            ways[way.name] += 1
            if complaint(seed, way, size) is None:
                continue
            failures += 1
            smallest = next(found for s in (*SIZES, size) if (found := complaint(seed, way, s)) is not None)
            print(f"seed {seed}, {way.name}:\n{smallest}\n")
            break
    print(f"{tried} programs in {sum(ways.values())} runs of {len(ways)} configurations, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
