"""The fuzz of movement around groups: joint steps and compiled code give the bits of operation by operation.

    python -m tests.fuzz.of_moves --count 3000 --seed-start 0

A program of `move_programs` runs interpreted, operation by operation, and then in other ways, in which arrays of a few
elements are treated as large ones. All fetches and all errors are compared. A program that fails is printed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np

import penstock as tf
from penstock.runtime.kernels.loops import native_loops
from penstock.runtime.passes import moves_first
from penstock.runtime.planning import joint_steps

from .move_programs import Built, MoveProgram, random_program
from .of_groups import difference
from .ways import Way

REFERENCE = Way("operation by operation", tf.SessionConfig(passes=()), "off")
WAYS = (
    Way("compiled, small", tf.SessionConfig(), "now", small=True),
    Way("compiled", tf.SessionConfig(), "now"),
    Way("compiled, four threads, small", tf.SessionConfig(threads=4), "now", small=True),
    Way("compiled, only fused, small", tf.SessionConfig(passes=("fuse",)), "now", small=True),
    Way("compiled, one thread, specialised", tf.SessionConfig(threads=1, specialise_after=1, verify=True), "now"),
    Way("compiled, recorded, small", tf.SessionConfig(), "now", small=True, call="recorded"),
    Way("interpreted, small", tf.SessionConfig(verify=True), "off", small=True),
    Way("interpreted, four threads, small", tf.SessionConfig(threads=4), "off", small=True),
    Way("interpreted, checked", tf.SessionConfig(check=True), "off"),
    Way("compiled, no arena", tf.SessionConfig(arena=False), "now"),
)
ROUNDS = 3
"""How often each run is made: the later ones have code, native blocks and plans for their shapes."""
Array = np.ndarray[Any, Any]


_LIMITS = (
    (joint_steps, "FEWEST"), (joint_steps, "FEWEST_TAKEN"), (joint_steps, "SHORTEST"), (moves_first, "FEWEST"),
    (native_loops, "FEWEST"),
)  # fmt: skip


@contextmanager
def as_large() -> Iterator[None]:
    """A `with` block in which every join is worth a joint call, and few elements are worth a compiled loop."""
    with ExitStack() as stack:
        for module, name in _LIMITS:
            stack.enter_context(patch.object(module, name, 1))
        yield


def ways_of(seed: int) -> tuple[Way, ...]:
    """The ways in which the program of a seed runs: compiled, and one of the others."""
    return WAYS[0], WAYS[1 + seed % (len(WAYS) - 1)]


def results(program: MoveProgram, way: Way) -> list[list[Array] | str]:
    """For each run the fetches, or how it failed."""
    found: list[list[Array] | str] = []
    with np.errstate(all="ignore"), as_large(), way.settings():
        built = Built(program)
        with tf.Session(graph=built.graph, config=way.config) as session:
            for run in program.runs:
                fetches, feeds = [built.values[place] for place in run.fetches], built.feeds_of(run)
                kept = {tensor: array.copy() for tensor, array in feeds.items()}
                for _ in range(ROUNDS if way is not REFERENCE else 1):
                    metadata = tf.RunMetadata() if way.call == "recorded" else None
                    try:
                        one: list[Array] | str = list(session.run(fetches, feeds, run_metadata=metadata))
                    except tf.errors.OpError as error:
                        one = f"{type(error).__name__} {error.op.name if error.op is not None else ''}"
                    if any(feeds[tensor].tobytes() != array.tobytes() for tensor, array in kept.items()):
                        one = "a feed was changed"
                    found.append(one)
    return found


def complaint(program: MoveProgram, way: Way) -> str | None:
    """What is wrong with a program in one way; None if nothing is."""
    try:
        want = results(program, REFERENCE)
        return difference(results(program, way), [each for each in want for _ in range(ROUNDS)])
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def shrunk(program: MoveProgram, way: Way) -> MoveProgram:
    """A smaller program that fails in that way too: fewer runs, fewer fetches, fewer nodes."""
    for run in program.runs:
        smaller = replace(program, runs=(run,))
        if complaint(smaller, way) is not None:
            program = smaller
            break
    for number, run in enumerate(program.runs):
        for place in run.fetches:
            fewer = tuple([p for p in program.runs[number].fetches if p != place])
            runs = list(program.runs)
            runs[number] = replace(run, fetches=fewer)
            smaller = replace(program, runs=tuple(runs))
            if fewer and complaint(smaller, way) is not None:
                program = smaller
    for stop in range(1, len(program.nodes)):
        if stop + program.feeds <= max(p for run in program.runs for p in (*run.fetches, *run.fed)):
            continue
        smaller = replace(program, nodes=program.nodes[:stop])
        if complaint(smaller, way) is not None:
            return smaller
    return program


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.of_moves", description=__doc__)
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
