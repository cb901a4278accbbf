"""The fuzz of the debugger: random programs, walked through at random.

    python -m tests.fuzz.of_debugging --count 5000 --seed-start 0

`debugged_programs` has the programs, `debugger_walks` what must hold. A failing program is printed with the walk.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback

from .debugged_programs import KINDS, debugged_program
from .debugger_walks import complaint
from .extension import extension_ops


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.of_debugging", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many seeds")
    parser.add_argument("--seed-start", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long")
    parser.add_argument("--kind", choices=KINDS, help="programs of one kind only")
    chosen = parser.parse_args(arguments)
    began, failures, tried = time.monotonic(), 0, 0
    with extension_ops() as extension:
        for seed in range(chosen.seed_start, chosen.seed_start + chosen.count):
            if chosen.kind not in (None, KINDS[seed % len(KINDS)]):
                continue
            if time.monotonic() - began > chosen.seconds:
                break
            tried += 1
            program = debugged_program(seed, extension)
            try:
                found = complaint(program, seed)
            except Exception:
                found = traceback.format_exc()
            if found is not None:
                failures += 1
                print(f"seed {seed}: {found}\n{program.text}\n", flush=True)
    print(f"{tried} programs, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
