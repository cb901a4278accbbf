"""Which engine is how fast? One table, engines interleaved, each in a process of its own, median of the rounds.

    python -m benchmarks                               Penstock alone
    python -m benchmarks --install-peers ~/peers       a venv with tensorflow-cpu and jax
    python -m benchmarks --peers ~/peers               all side by side
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import venv
from pathlib import Path

from .engines import ENGINES

PEERS = ["numpy", "tensorflow-cpu", "jax"]
ROOT = Path(__file__).resolve().parent.parent
FAMILIES = {"run": [("run", 3000)], "build": [("build", 1_000), ("build", 10_000)], "large": [("build", 100_000)]}
TOO_SLOW = {("jax", 10_000): "minutes of compiling", ("jax", 100_000): "recursion and minutes of compiling"}


def main(argv: list[str] | None = None) -> int:
    """Parse, run the workers, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("families", nargs="*", help=f"any of {', '.join(FAMILIES)}; all by default")
    parser.add_argument("--peers", type=Path, help="a venv that holds the peers")
    parser.add_argument("--install-peers", type=Path, help="make that venv, and stop")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args(argv)
    if chosen.install_peers:
        venv.create(chosen.install_peers, with_pip=True)
        return subprocess.call([str(_python(chosen.install_peers)), "-m", "pip", "install", *PEERS])
    unknown = set(chosen.families) - set(FAMILIES)
    if unknown:
        parser.error(f"no such family: {', '.join(sorted(unknown))}")
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; "
          f"median of {chosen.rounds} interleaved rounds, one process each")  # fmt: skip
    for family in chosen.families or FAMILIES:
        for kind, n in FAMILIES[family]:
            _print_table(kind, n, chosen.rounds, chosen.peers)
    return 0


def _print_table(kind: str, n: int, rounds: int, peers: Path | None) -> None:
    samples: dict[str, list[dict[str, float]]] = {name: [] for name in ENGINES}
    notes: dict[str, str] = {}
    for _ in range(rounds):
        for name in ENGINES:
            if (name, n) in TOO_SLOW:
                notes[name] = "left out: " + TOO_SLOW[name, n]
            elif name not in notes:
                answer = _measure(name, kind, n, peers)
                if "missing" in answer:
                    notes[name] = "not installed; see --install-peers"
                else:
                    samples[name].append(answer["measured"])
    print(f"\n{kind}, n = {n}")
    for name, measured in samples.items():
        if measured:
            medians = {key: statistics.median(m[key] for m in measured) for key in measured[0]}
            print(f"  {name:<11}" + "  ".join(f"{key} {value:10.3f}" for key, value in medians.items()))
        else:
            print(f"  {name:<11}{notes.get(name, 'no answer')}")


def _measure(name: str, kind: str, n: int, peers: Path | None) -> dict[str, dict[str, float]]:
    python = sys.executable if name == "penstock" or peers is None else str(_python(peers))
    command = [python, "-m", "benchmarks.worker", name, kind, str(n)]
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "OMP_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **quiet}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} {kind} {n} failed:\n{done.stderr[-2000:]}")
    answer: dict[str, dict[str, float]] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def _python(folder: Path) -> Path:
    return folder / "bin" / "python"


if __name__ == "__main__":
    sys.exit(main())
