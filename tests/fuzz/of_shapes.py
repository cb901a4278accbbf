"""The fuzz of shapes: programs whose placeholders tell their shapes, a part of them, or nothing, fed in changing sizes.

    python -m tests.fuzz.of_shapes --count 10000 --seed-start 1000000

The programs are those of `tests.fuzz`. A session plans again for the shapes that its feeds have (here from the second
run with equal shapes on); every run must give what the reference or the plan for all shapes gives, to the bit.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import warnings
from collections import Counter
from dataclasses import replace
from typing import Literal

import numpy as np

from penstock.graph.model.identity_comparison import MistakeWarning

from .check import complaint, prepare
from .extension import Extension, extension_ops
from .programs import FuzzProgram, fuzz_program
from .ways import feed_way_for, specialised_ways

Told = Literal["given", "partial", "absent"]
_PLACEHOLDER = re.compile(r"tf\.placeholder\(('[a-z0-9]+'), \[(.*?)\]\)")


def with_less_told(program: FuzzProgram, told: Told, seed: int) -> FuzzProgram:
    """The program with placeholders that tell a part of their shapes, or nothing."""
    rng = np.random.default_rng([seed, 4])

    def less(found: re.Match[str]) -> str:
        dtype, dims = found.groups()
        if told == "absent":
            return f"tf.placeholder({dtype}, None)"
        sizes = [size if rng.random() < 0.5 else "None" for size in dims.split(", ")] if dims else []
        return f"tf.placeholder({dtype}, [{', '.join(sizes)}])"

    return replace(program, lines=[_PLACEHOLDER.sub(less, line) for line in program.lines])


def try_seed(seed: int, extension: Extension, told_counts: Counter[str]) -> list[str]:
    """What is wrong with the program of a seed, in each way."""
    program = fuzz_program(seed, extension)
    told: Told = ("absent", "partial", "given")[seed % 3]
    if told != "given":
        hidden = with_less_told(program, told, seed)
        try:
            hidden.made(extension)
            program = hidden
        except (ValueError, TypeError):  # a step that needs to know the shape while building
            told = "given"
    told_counts[told] += 1
    prepared = prepare(program, feed_way_for(seed), extension)
    wrong = []
    for way in specialised_ways(seed):
        what = complaint(prepared, way, extension)
        if what is not None:
            wrong.append(f"seed {seed}, {told}, {way.name}: {what}\n{program}")
    return wrong


def campaign(start: int, count: int, seconds: float = float("inf")) -> tuple[int, Counter[str], list[str]]:
    """Go through seeds: how many programs were tried, how much their placeholders told, and what is wrong."""
    begun = time.monotonic()
    told: Counter[str] = Counter()
    wrong: list[str] = []
    done = 0
    with warnings.catch_warnings(), extension_ops() as extension:
        warnings.simplefilter("ignore", MistakeWarning)
        for seed in range(start, start + count):
            if time.monotonic() - begun > seconds:
                break
            wrong += try_seed(seed, extension, told)
            done += 1
    return done, told, wrong


def main() -> int:
    """Run the command; 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.of_shapes", description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed-start", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long")
    chosen = parser.parse_args()
    done, told, wrong = campaign(chosen.seed_start, chosen.count, chosen.seconds)
    print("\n\n".join(wrong))
    print(f"{done} programs ({dict(told)}), {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
