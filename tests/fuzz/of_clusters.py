"""The fuzz of clusters: random programs with random devices, on a cluster of two workers and on one machine.

    python -m tests.fuzz.of_clusters --count 1000 --seed-start 0

`placed_programs` has what must be equal. One cluster is shared by all programs.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings

from penstock.cluster.access.cluster_access import open_access
from penstock.graph.model.identity_comparison import MistakeWarning

from .extension import extension_ops
from .placed_programs import complaint


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.of_clusters", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many seeds")
    parser.add_argument("--seed-start", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long")
    chosen = parser.parse_args(arguments)
    failures = tried = 0
    access = open_access("dask://local?workers=2&threads=1&security=none", 60.0)
    try:
        access.client.wait_for_workers(2, timeout=120)
        target = "dask://" + str(access.client.scheduler.address).partition("://")[2]
        began = time.monotonic()
        with extension_ops() as extension, warnings.catch_warnings():
            warnings.simplefilter("ignore", MistakeWarning)
            for seed in range(chosen.seed_start, chosen.seed_start + chosen.count):
                if time.monotonic() - began > chosen.seconds:
                    break
                tried += 1
                try:
                    found = complaint(seed, extension, target)
                except Exception:
                    found = traceback.format_exc()
                if found is not None:
                    failures += 1
                    print(f"seed {seed}: {found}\n", flush=True)
    finally:
        access.close()
    print(f"{tried} programs, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
