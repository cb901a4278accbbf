"""The fuzz of groups that overwrite variables: compiled programs give the bits of interpreted ones.

    python -m tests.fuzz.of_groups --count 5000 --seed-start 0

A program of `group_programs` runs interpreted, operation by operation, and then in other ways: compiled at once, on
several threads, without passes. All fetches and all variables after each run are compared. A program that fails is made
small and printed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

import penstock as tf

from .group_programs import Built, GroupProgram, random_program
from .ways import Way

REFERENCE = Way("operation by operation", tf.SessionConfig(passes=()), "off")
WAYS = (
    Way("compiled", tf.SessionConfig(), "now"),
    Way("compiled, four threads, small", tf.SessionConfig(threads=4), "now", small=True),
    Way("compiled, small", tf.SessionConfig(), "now", small=True),
    Way("compiled, four threads", tf.SessionConfig(threads=4), "now"),
    Way("compiled, no passes", tf.SessionConfig(passes=()), "now"),
    Way("compiled, only fused", tf.SessionConfig(passes=("fuse",)), "now"),
    Way("compiled, recorded", tf.SessionConfig(), "now", call="recorded"),
    Way("interpreted", tf.SessionConfig(), "off"),
    Way("interpreted, four threads, small", tf.SessionConfig(threads=4), "off", small=True),
)  # fmt: skip
Array = np.ndarray[Any, Any]


def ways_of(seed: int) -> tuple[Way, ...]:
    """The ways in which the program of a seed runs: compiled, and one of the others."""
    return (WAYS[0], WAYS[1 + seed % (len(WAYS) - 1)])


def results(program: GroupProgram, way: Way) -> list[list[Array] | str]:
    """For each run the fetches and then the variables, or how it failed."""
    found: list[list[Array] | str] = []
    with np.errstate(all="ignore"):
        built = Built(program)
    with np.errstate(all="ignore"), way.settings(), tf.Session(graph=built.graph, config=way.config) as session:
        session.run(built.initializer)
        for run in program.runs:
            fetches = [built.elements[place] for place in run]
            metadata = tf.RunMetadata() if way.call == "recorded" else None
            try:
                made = session.run(fetches, run_metadata=metadata)
            except tf.errors.OpError as error:
                found.append(type(error).__name__)
                return found
            found.append([*[value for value in made if value is not None], *session.run(built.variables)])
    return found


def difference(got: list[list[Array] | str], want: list[list[Array] | str]) -> str | None:
    """The first difference of two lists of results; None if all bits are the same, but for those of NaNs."""
    if len(got) != len(want):
        return f"{len(got)} runs, not {len(want)}"
    for number, (a, b) in enumerate(zip(got, want, strict=True)):
        if isinstance(a, str) or isinstance(b, str):
            if a is not b and a != b:
                return f"run {number} gives {a}, not {b}"
            continue
        for place, (x, y) in enumerate(zip(a, b, strict=True)):
            if not same_bits(np.asarray(x), np.asarray(y)):
                return f"run {number}, value {place}: {np.ravel(x)[:3]}, not {np.ravel(y)[:3]}"
    return None


def same_bits(x: Array, y: Array) -> bool:
    """Whether two arrays are equal to the last bit, the sign of zeros too; NaN is NaN."""
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    if x.tobytes() == y.tobytes():
        return True
    if x.dtype.kind == "c":
        return same_bits(x.real.copy(), y.real.copy()) and same_bits(x.imag.copy(), y.imag.copy())
    known = ~(np.isnan(x) & np.isnan(y)) if x.dtype.kind not in "biu" else np.ones(x.shape, bool)
    return x[known].tobytes() == y[known].tobytes()


def complaint(program: GroupProgram, way: Way) -> str | None:
    """What is wrong with a program in one way; None if nothing is."""
    try:
        return difference(results(program, way), results(program, REFERENCE))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def shrunk(program: GroupProgram, way: Way) -> GroupProgram:
    """A smaller program that fails in that way too: fewer runs, fewer fetches, fewer nodes."""
    for stop in range(1, len(program.runs) + 1):
        smaller = replace(program, runs=program.runs[:stop])
        if complaint(smaller, way) is not None:
            program = smaller
            break
    for number in range(len(program.runs)):
        for place in program.runs[number]:
            runs = list(program.runs)
            runs[number] = tuple([p for p in runs[number] if p != place])
            smaller = replace(program, runs=tuple(runs))
            if runs[number] and complaint(smaller, way) is not None:
                program = smaller
    for stop in range(max(p for run in program.runs for p in run) + 1, len(program.nodes)):
        smaller = replace(program, nodes=program.nodes[:stop])
        if complaint(smaller, way) is not None:
            return smaller
    return program


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.of_groups", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many seeds")
    parser.add_argument("--seed-start", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long")
    parser.add_argument("--most", type=int, default=20, help="end after so many failures")
    chosen = parser.parse_args(arguments)
    began, ways, failures, tried = time.monotonic(), Counter[str](), 0, 0
    for seed in range(chosen.seed_start, chosen.seed_start + chosen.count):
        if time.monotonic() - began > chosen.seconds or failures >= chosen.most:
            break
        tried += 1
        program = random_program(seed)
        for way in ways_of(seed):
            ways[way.name] += 1
            if complaint(program, way) is not None:
                failures += 1
                small = shrunk(program, way)
                print(f"{way.name}: {complaint(small, way)}\n{small}\n", flush=True)
                break
    print(f"{tried} programs in {sum(ways.values())} runs of {len(ways)} ways, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
