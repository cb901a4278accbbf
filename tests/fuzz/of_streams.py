"""The fuzz of ops that go over rows with groups around them: one nest gives the bits of operation by operation.

    python -m tests.fuzz.of_streams --count 5000 --seed-start 0

A program of `stream_programs` runs operation by operation and in other ways, in which few elements are treated as many.
All fetches and all errors are compared. It also counts which nests ran, because one that is refused tests nothing.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

import penstock as tf
from penstock.runtime.kernels.loops import loop_cache, native_loops
from penstock.runtime.planning import joint_steps, stream_joints

from .of_groups import difference
from .seeds import seeds_of
from .stream_programs import StreamProgram
from .ways import Way

REFERENCE = Way("operation by operation", tf.SessionConfig(passes=()), "off")
WAYS = (
    Way("compiled", tf.SessionConfig(), "now"),
    Way("compiled, four threads, small", tf.SessionConfig(threads=4), "now", small=True),
    Way("compiled, only fused", tf.SessionConfig(passes=("fuse",), verify=True), "now"),
    Way("compiled, specialised", tf.SessionConfig(specialise_after=1, threads=1), "now"),
    Way("compiled, recorded", tf.SessionConfig(), "now", call="recorded"),
    Way("interpreted, checked", tf.SessionConfig(check=True), "off"),
)
FUSED = ("add_made", "add_runs_made", "scan_elements", "scan_rows", "take_made", "take_sums")
ROUNDS = 2
_LIMITS = ((stream_joints, "FEWEST_STREAMED"), (stream_joints, "FEWEST_READ"), (native_loops, "FEWEST"),
           (joint_steps, "FEWEST"))  # fmt: skip


@contextmanager
def as_large() -> Iterator[None]:
    """A `with` block in which few elements are worth a nest."""
    with ExitStack() as stack:
        for module, name in _LIMITS:
            stack.enter_context(patch.object(module, name, 1))
        yield


def ways_of(seed: int) -> tuple[Way, ...]:
    """The ways in which the program of a seed runs: compiled, and one of the others."""
    return WAYS[0], WAYS[1 + seed % (len(WAYS) - 1)]


def results(program: StreamProgram, way: Way) -> list[Any]:
    """For each run the fetches, or how it failed."""
    found: list[Any] = []
    with (
        np.errstate(all="ignore"), as_large(), way.settings(),
        tf.Session(graph=program.graph, config=way.config) as session,
    ):  # fmt: skip
        for feeds in program.runs:
            for _ in range(ROUNDS if way is not REFERENCE else 1):
                metadata = tf.RunMetadata() if way.call == "recorded" else None
                try:
                    one: Any = list(session.run(program.fetches, feeds, run_metadata=metadata))
                except tf.errors.OpError as error:
                    one = f"{type(error).__name__} {error.op.name if error.op is not None else ''}: {error.message}"
                found.append(one)
    return found


def complaint(program: StreamProgram, ways: tuple[Way, ...]) -> str | None:
    """What is wrong with a program; None if nothing is."""
    want = [each for each in results(program, REFERENCE) for _ in range(ROUNDS)]
    for way in ways:
        found = difference(results(program, way), want)
        if found is not None:
            return f"{way.name}: {found}"
    return None


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    failures, tried = 0, 0
    for seed in seeds_of("tests.fuzz.of_streams", __doc__, arguments):
        tried += 1
        program = StreamProgram(seed)
        try:
            found = complaint(program, ways_of(seed))
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if found is not None:
            failures += 1
            print(f"{program}\n    {found}\n", flush=True)
    for name, reasons in fused_uses().items():
        print(f"{name:15} {reasons}")
    print(f"{tried} programs, {failures} differ")
    return 1 if failures else 0


def fused_uses() -> Counter[str]:
    """How often each nest with groups in it was given out, and how many could not be compiled."""
    found: Counter[str] = Counter()
    for use in loop_cache.uses():
        if use.template in FUSED:
            found[use.template] += use.times
    for name, *_ in loop_cache.failures():
        if name in FUSED:
            found[f"{name} refused"] += 1
    return found


if __name__ == "__main__":
    sys.exit(main())
