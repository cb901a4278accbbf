"""From the start of a process to its first, 20th and 200th training step, beside TensorFlow, with an empty cache.

    python -m benchmarks.first_steps --peers peers
    python -m benchmarks.first_steps --peers peers --ordinary --rounds 5

Each of the programs of `tf1_programs` runs in fresh processes, in turns, three times; the table has medians. With
`--ordinary` it is those of `ordinary_programs`, and the table has the CPU time of each phase, of all threads,
the one that compiles too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from .client import python_of
from .ordinary_programs import ORDINARY
from .tf1_programs import PROGRAMS

ROOT = Path(__file__).resolve().parents[1]
STEPS = 200


def run(python: Path, package: str, program: str, cache: str, module: str = "tf1_programs") -> dict[str, Any]:
    """The times of one process, and its last loss."""
    environment = os.environ | {"STARTED": repr(time.time()), "PENSTOCK_CACHE_DIR": cache, "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling the package's text is no part of a program's start
    command = [str(python), "-m", f"benchmarks.{module}", package, program, str(STEPS)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def row(times: list[list[float]]) -> str:
    """Medians of the 1st, the 20th and the 200th step, and of a step at the end."""
    first, twentieth, last = (median(each[i] for each in times) for i in (0, 19, STEPS - 1))
    step = median((each[-1] - each[-51]) / 50 for each in times)
    return f"{first:.2f}, {twentieth:.2f}, {last:.2f} | {step * 1e3:.2f} ms"


def phases(found: list[dict[str, Any]]) -> str:
    """Medians of the CPU ms of import, building, the first run, runs 2-20 and 21-200; seconds to the 20th step."""
    marks = (0, 1, 2, 3, 22, STEPS + 2)
    cpu = [[each["cpu"][b] - each["cpu"][a] for each in found] for a, b in pairwise(marks)]
    wall = median(each["wall"][22] for each in found)
    return f"{', '.join(f'{median(phase) * 1e3:.0f}' for phase in cpu)} | {wall:.2f}"


def print_ordinary(peers: Path, rounds: int) -> None:
    """Print the table of phases."""
    print("| program | penstock: import, build, 1st, to 20th, to 200th (CPU ms) | 20th (s) | tensorflow | 20th (s) |")
    print("|---|---|--:|---|--:|")
    for program in ORDINARY:
        ours: list[dict[str, Any]] = []
        theirs: list[dict[str, Any]] = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as cache:
                ours.append(run(Path(sys.executable), "penstock", program, cache, "ordinary_programs"))
            theirs.append(run(python_of(peers), "tensorflow", program, "", "ordinary_programs"))
        print(f"| {program} | {phases(ours)} | {phases(theirs)} |", flush=True)


def main() -> None:
    """Print the table."""
    cli = argparse.ArgumentParser(description=__doc__)
    cli.add_argument("--peers", type=Path, required=True, help="a venv that holds TensorFlow")
    cli.add_argument("--rounds", type=int, default=3)
    cli.add_argument("--ordinary", action="store_true", help="the programs of ordinary_programs, phase by phase")
    chosen = cli.parse_args()
    if chosen.ordinary:
        print_ordinary(chosen.peers, chosen.rounds)
        return
    print("| program | penstock: 1st, 20th, 200th step (s) | a step | tensorflow | a step |\n|---|---|--:|---|--:|")
    for program in PROGRAMS:
        ours: list[list[float]] = []
        theirs: list[list[float]] = []
        for _ in range(chosen.rounds):
            with tempfile.TemporaryDirectory() as cache:
                ours.append(run(Path(sys.executable), "penstock", program, cache)["times"])
            theirs.append(run(python_of(chosen.peers), "tensorflow", program, "")["times"])
        print(f"| {program} | {row(ours)} | {row(theirs)} |", flush=True)


if __name__ == "__main__":
    main()
