"""The fuzz of nests: compiled at once, they give the bits of the ops' own kernels.

    python -m tests.fuzz.of_nests --count 5000 --seed-start 0

A program of `nest_programs` runs operation by operation and in other ways; the bits of all fetches are compared, but
for those of NaNs. It also counts how the groups of rows ran, because a group that is refused tests nothing.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any
from unittest.mock import patch

import numpy as np

import penstock as tf
from penstock.runtime.nest import row_group

from .nest_programs import NestProgram
from .of_groups import same_bits
from .seeds import seeds_of
from .ways import Way

REFERENCE = Way("operation by operation", tf.SessionConfig(passes=()), "off")
WAYS = (
    Way("compiled", tf.SessionConfig(), "now"),
    Way("compiled, three threads, small", tf.SessionConfig(threads=3), "now", small=True),
    Way("interpreted", tf.SessionConfig(), "off"),
    Way("interpreted, three threads, small", tf.SessionConfig(threads=3), "off", small=True),
    Way("compiled, only fused", tf.SessionConfig(passes=("fuse",), verify=True), "now", call="recorded"),
    Way("compiled, specialised", tf.SessionConfig(specialise_after=1), "now", rounds=3),
)


def ways_of(seed: int) -> tuple[Way, ...]:
    """The ways in which the program of a seed runs: compiled, and one of the others.

    Half of the programs with gradients run specialised: see `nest_programs`.
    """
    if NestProgram.has_gradients(seed) and seed % 4 < 2:
        return WAYS[0], WAYS[-1]
    return WAYS[0], WAYS[1 + seed % (len(WAYS) - 1)]


def results(program: NestProgram, way: Way, groups: Counter[str] | None = None) -> list[Any] | str:
    """The fetches of the last run with each feed, or how it failed; counts in `groups` how each group of rows ran."""
    made: list[row_group.RowGroup] = []

    def noted(group: row_group.RowGroup, *args: Any, **options: Any) -> None:
        made.append(group)
        init(group, *args, **options)

    init = row_group.RowGroup.__init__
    with (
        np.errstate(all="ignore"), way.settings(), patch.object(row_group.RowGroup, "__init__", noted),
        tf.Session(graph=program.graph, config=way.config) as session,
    ):  # fmt: skip
        try:
            found: list[Any] = []
            for feeds in (program.feeds, *([program.others] if program.others else [])):
                for number in range(1 + way.rounds):
                    metadata = tf.RunMetadata() if way.call == "recorded" else None
                    fill_free_memory()
                    last = session.run(program.fetches, feeds, run_metadata=metadata)
                    if number and not all(map(same_bits, map(np.asarray, last), found[-len(last) :])):
                        return f"run {number} gives other values than the one before"
                    found[len(found) - len(last) if number else len(found) :] = last
        except tf.errors.OpError as error:
            return type(error).__name__
        if groups is not None:
            groups.update(group.promotion for group in made if group.ran)
    return found


def fill_free_memory() -> None:
    """Fill small blocks that NumPy keeps for new arrays, so that results that nobody writes are found.

    Otherwise they often hold what they should: the results of the run before.
    """
    for size in range(1, 128):
        blocks = [np.full(8 * size, 0xDB, np.uint8) for _ in range(7)]
        del blocks


def complaint(program: NestProgram, ways: tuple[Way, ...], groups: Counter[str] | None = None) -> str | None:
    """What is wrong with a program; None if nothing is."""
    want = results(program, REFERENCE)
    for way in ways:
        got = results(program, way, groups if way.jit == "now" else None)
        if isinstance(got, str) or isinstance(want, str):
            if got != want:
                return f"{way.name}: {got if isinstance(got, str) else 'no error'}, not {want}"
            continue
        for tensor, x, y in zip([*program.fetches] * 2, got, want, strict=False):
            if not same_bits(np.asarray(x), np.asarray(y)):
                return f"{way.name}: {tensor.name} is {np.ravel(x)[:4]}, not {np.ravel(y)[:4]}"
    return None


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    failures, tried, groups = 0, 0, Counter[str]()
    for seed in seeds_of("tests.fuzz.of_nests", __doc__, arguments):
        tried += 1
        program = NestProgram(seed)
        try:
            found = complaint(program, ways_of(seed), groups)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if found is not None:
            failures += 1
            print(f"{program}\n    {found}\n", flush=True)
    for state, count in groups.most_common(12):
        print(f"{count:7} {state[:150]}")
    print(f"{tried} programs, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
