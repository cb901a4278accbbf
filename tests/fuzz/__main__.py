"""Go on with a campaign, or try the program of one seed and print it (`--seed 7`)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .campaign import Batch, campaign, run_seed
from .check import prepare
from .extension import extension_ops
from .programs import fuzz_program


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="programs to have tried in all, those of the state too")
    parser.add_argument("--state", type=Path, default=Path("fuzz.json"), help="the file of totals and failures")
    parser.add_argument("--seed-start", type=int, default=0, help="the first seed of a new state")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--seed", type=int, help="try the program of this seed alone and print it")
    chosen = parser.parse_args(arguments)
    if chosen.seed is not None:
        return one(chosen.seed)
    state = None
    for state in campaign(chosen.state, chosen.count, chosen.seed_start, chosen.seconds, chosen.jobs):
        rate = state.done / max(state.seconds, 1e-9)
        print(
            f"\r{state.done} programs, {rate:.0f} a second, {len(state.failures)} kinds of failures", end="", flush=True
        )
    print()
    if state is None:
        print("nothing left to do")
        return 0
    for failure in state.failures:
        first = failure["what"].splitlines()[0]
        print(f"seed {failure['seeds'][0]} ({failure['count']} times), {failure['way']}: {first}")
    return 1 if state.failures else 0


def one(seed: int) -> int:
    """Try one program; print it, and what is wrong."""
    batch = Batch()
    with extension_ops() as extension:
        program = fuzz_program(seed, extension)
        print(program)
        print("features:", dict(program.features))
        prepare(program, 0, extension)
        run_seed(seed, extension, batch)
    for found in batch.found:
        print(f"\n{found.way}: {found.what}\n{found.program}")
    return 1 if batch.found else 0


if __name__ == "__main__":
    sys.exit(main())
