"""From the start of a process to its first, 20th and 200th training step, with an empty cache, beside other packages.

    python -m benchmarks.first_steps --peers peers
    python -m benchmarks.first_steps --peers peers --ordinary --rounds 5

Each of the programs of `tf1_programs` runs in fresh processes, in turns, three times, and what is the same for JAX
(`jax_programs`), which starts at the same values and must end at the same loss. The table has medians: seconds, the CPU
time to the last step, of all threads, those that compile too, and the CPU time of a step at the end. With `--ordinary`
it is the programs of `ordinary_programs`, beside TensorFlow, and the table has the CPU time of each phase.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from .client import python_of
from .ordinary_programs import ORDINARY
from .tf1_programs import PROGRAMS, package

ROOT = Path(__file__).resolve().parents[1]
STEPS = 200


def run(python: Path, package: str, program: str, cache: str, module: str = "tf1_programs") -> dict[str, Any]:
    """The times of one process, and its last loss. For JAX `package` is the file that `write_start` wrote."""
    environment = os.environ | {"STARTED": repr(time.time()), "PENSTOCK_CACHE_DIR": cache, "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling the package's text is no part of a program's start
    arguments = [program, str(STEPS), package] if module == "jax_programs" else [package, program, str(STEPS)]
    command = [str(python), "-m", f"benchmarks.{module}", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def write_start(program: str, path: Path) -> None:
    """Write the first values of a program's variables, and what it is fed, for `jax_programs`."""
    tf = package("penstock")
    with tf.Graph().as_default(), tf.Session() as session:
        *_, feed = PROGRAMS[program](tf)
        variables = tf.trainable_variables()
        session.run(tf.global_variables_initializer())
        values = session.run(variables)
        feeds: list[Any] = []
        for placeholder, value in feed.items():
            if isinstance(placeholder, tf.SparseTensor):
                feeds += [np.asarray(value[0], np.int32), value[1]]
            else:
                feeds.append(np.asarray(value, np.int32 if placeholder.dtype.is_integer else np.float32))
    arrays = {f"value{i}": value for i, value in enumerate(values)} | {f"feed{i}": fed for i, fed in enumerate(feeds)}
    np.savez(path, **arrays)


def row(results: list[dict[str, Any]]) -> str:
    """Medians of the time of the 1st, the 20th and the 200th step, of the CPU time to the last, and of a step."""
    first, twentieth, last = (median(each["times"][i] for each in results) for i in (0, 19, STEPS - 1))
    cpu = median(each["cpu"][-1] for each in results)
    step = median((each["cpu"][-1] - each["cpu"][-51]) / 50 for each in results)
    return f"{first:.2f}, {twentieth:.2f}, {last:.2f} | {cpu:.2f} | {step * 1e3:.2f}"


def agree(program: str, losses: Sequence[float]) -> None:
    """Raise AssertionError unless all packages have trained the same network.

    The sums of the graph convolution are added in other orders; after 200 steps of Adam that is 1 % of its loss.
    """
    low, high = min(losses), max(losses)
    if not high - low <= 0.02 * abs(high):
        raise AssertionError(f"{program}: the losses after {STEPS} steps are {', '.join(map(repr, losses))}")


def phases(found: list[dict[str, Any]]) -> str:
    """Medians of the CPU ms of import, building, the first run, runs 2-20 and 21-200; seconds to the 20th step."""
    marks = (0, 1, 2, 3, 22, STEPS + 2)
    cpu = [[each["cpu"][b] - each["cpu"][a] for each in found] for a, b in pairwise(marks)]
    wall = median(each["wall"][22] for each in found)
    return f"{', '.join(f'{median(phase) * 1e3:.0f}' for phase in cpu)} | {wall:.2f}"


def print_ordinary(peers: Path, rounds: int, only: Sequence[str]) -> None:
    """Print the table of phases."""
    print("| program | penstock: import, build, 1st, to 20th, to 200th (CPU ms) | 20th (s) | tensorflow | 20th (s) |")
    print("|---|---|--:|---|--:|")
    for program in (name for name in ORDINARY if all(word in name for word in only)):
        ours: list[dict[str, Any]] = []
        theirs: list[dict[str, Any]] = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as cache:
                ours.append(run(Path(sys.executable), "penstock", program, cache, "ordinary_programs"))
            theirs.append(run(python_of(peers), "tensorflow", program, "", "ordinary_programs"))
        print(f"| {program} | {phases(ours)} | {phases(theirs)} |", flush=True)


def print_first_steps(peers: Path, rounds: int, only: Sequence[str]) -> None:
    """Print the table of the first steps beside both packages."""
    cells = "1st, 20th, 200th step (s) | CPU (s) | a step (ms)"
    print(f"| program | {' | '.join(f'{name}: {cells}' for name in ('penstock', 'tensorflow', 'jax'))} |")
    print(f"|---{'|---|--:|--:' * 3}|")
    for program in (name for name in PROGRAMS if all(word in name for word in only)):
        results: dict[str, list[dict[str, Any]]] = {"penstock": [], "tensorflow": [], "jax": []}
        with tempfile.TemporaryDirectory() as folder:
            start = Path(folder) / "start.npz"
            write_start(program, start)
            for _ in range(rounds):
                with tempfile.TemporaryDirectory() as cache:
                    results["penstock"].append(run(Path(sys.executable), "penstock", program, cache))
                results["tensorflow"].append(run(python_of(peers), "tensorflow", program, ""))
                results["jax"].append(run(python_of(peers), str(start), program, "", "jax_programs"))
        agree(program, [each["loss"] for several in results.values() for each in several])
        print(f"| {program} | {' | '.join(map(row, results.values()))} |", flush=True)


def main() -> None:
    """Print the table."""
    cli = argparse.ArgumentParser(description=__doc__)
    cli.add_argument("--peers", type=Path, required=True, help="a venv that holds TensorFlow")
    cli.add_argument("--rounds", type=int, default=3)
    cli.add_argument("--only", nargs="*", default=(), help="programs whose names contain all of these words")
    cli.add_argument("--ordinary", action="store_true", help="the programs of ordinary_programs, phase by phase")
    chosen = cli.parse_args()
    if chosen.ordinary:
        print_ordinary(chosen.peers, chosen.rounds, chosen.only)
        return
    print_first_steps(chosen.peers, chosen.rounds, chosen.only)


if __name__ == "__main__":
    main()
