"""Ordinary networks beside TensorFlow: training steps and forward passes, and the first step of a process.

    python -m benchmarks.networks --peers peers [--rounds 3] [--threads 1] [--only residual] [--steps train]

Each program of `network_programs` runs in a process of each package, in turns. A number is the lower quartile of
a round, and the table has the median of rounds, the ratio too. First it is checked that the losses of four steps agree,
without dropout and from the same values. The first step is the process's, from its start, with an empty cache: CPU
seconds of all threads. With several threads the clock on the wall counts for steps.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import IO, Final

from .client import python_of
from .network_programs import NETWORKS

ROOT: Final = Path(__file__).resolve().parents[1]
WARM: Final = 60
"""Steps before any is timed, in as many seconds as `SETTLED` at least: code is compiled beside the first of them."""
SETTLED: Final = 6.0
TOGETHER: Final = 0.6
"""Seconds of steps in a round."""


class Engine:
    """A process that trains a network, or computes its answer.

    Attributes:
        first: the CPU and wall seconds of its first step, with all that came before.
    """

    def __init__(self, python: Path, package: str, network: str, step: str, threads: int, cache: str) -> None:
        one = {name: str(threads) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
        environment = os.environ | one | {"PENSTOCK_CACHE_DIR": cache, "STARTED": repr(time.time())}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [*program(python, package, network), "--step", step, "--threads", str(threads)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self.first: tuple[float, float] = self._answer()

    def _answer(self) -> tuple[float, float]:
        stream = self._process.stdout
        assert stream is not None
        while line := stream.readline():
            if line.startswith("["):
                answer: tuple[float, float] = json.loads(line)
                return answer
        raise RuntimeError("the process of a network ended before its answer")

    def steps(self, count: int) -> list[tuple[float, float]]:
        """The CPU and wall seconds of as many steps."""
        stream: IO[str] | None = self._process.stdin
        assert stream is not None
        stream.write(f"{count}\n")
        stream.flush()
        return self._answer()  # type: ignore[return-value]

    def seconds(self, clock: int) -> float:
        """The lower quartile of a round: of CPU time (0), or by the clock on the wall (1)."""
        once = self.steps(1)[0][1]
        times = sorted(step[clock] for step in self.steps(max(3, min(60, int(TOGETHER / once)))))
        return times[len(times) // 4]

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def program(python: Path, package: str, network: str) -> list[str]:
    """The command line of a network in a package."""
    return [str(python), "-W", "ignore", "-m", "benchmarks.network_programs", package, network]


def agree(network: str, pythons: dict[str, Path]) -> None:
    """Raise AssertionError unless both packages train the same network."""
    losses: list[list[float]] = []
    with tempfile.TemporaryDirectory() as folder:
        values = ["--values", str(Path(folder) / "values.npz"), "--losses", "4"]
        for package, python in pythons.items():
            command = [*program(python, package, network), *values]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=600)
            losses.append(json.loads(done.stdout.splitlines()[-1]))
    if not all(abs(a - b) <= 0.01 * abs(b) + 1e-4 for a, b in zip(*losses, strict=True)):
        raise AssertionError(f"{network}: the losses are {losses}")


def measured(network: str, step: str, pythons: dict[str, Path], threads: int, rounds: int) -> str:
    """A row of the table."""
    with tempfile.TemporaryDirectory() as cache:
        engines = {name: Engine(python, name, network, step, threads, cache) for name, python in pythons.items()}
        for engine in engines.values():
            until = time.monotonic() + SETTLED
            engine.steps(WARM)
            while time.monotonic() < until:
                engine.steps(5)
        clock = 0 if threads == 1 else 1
        times: dict[str, list[float]] = {package: [] for package in engines}
        for _ in range(rounds):
            for package, engine in engines.items():
                times[package].append(engine.seconds(clock))
        for engine in engines.values():
            engine.close()
    ratio = median(a / b for a, b in zip(*times.values(), strict=True))
    cells = [f"{median(each) * 1e3:.2f}" for each in times.values()] + [f"{ratio:.2f}"]
    cells += [f"{engine.first[0]:.2f}" for engine in engines.values()]
    return f"| {network}, {step} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--peers", type=Path, required=True, help="a venv that holds TensorFlow and tf-keras")
    cli.add_argument("--rounds", type=int, default=3)
    cli.add_argument("--threads", type=int, default=1)
    cli.add_argument("--steps", default="train,forward")
    cli.add_argument("--only", default="", help="a part of the names of networks")
    cli.add_argument("--unchecked", action="store_true", help="do not compare the losses first")
    chosen = cli.parse_args()
    pythons = {"penstock": Path(sys.executable), "tensorflow": python_of(chosen.peers)}
    print("| network | penstock (ms) | tensorflow (ms) | ratio | first step: penstock (s) | tensorflow (s) |")
    print("|---|--:|--:|--:|--:|--:|", flush=True)
    for network in NETWORKS:
        if chosen.only not in network:
            continue
        if not chosen.unchecked:
            agree(network, pythons)
        for step in chosen.steps.split(","):
            print(measured(network, step, pythons, chosen.threads, chosen.rounds), flush=True)


if __name__ == "__main__":
    main()
