"""What does one engine's process measure? Prints one line of JSON.

    python -m benchmarks.worker ENGINE FAMILY N
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from .engines import ENGINES, Engine

FEED = np.arange(4, dtype=np.float32)


def build(engine: Engine, n: int) -> dict[str, float]:
    """Seconds and resident bytes per node of building a chain of n additions; then the first and the next run."""
    engine.build(10)(FEED)  # imports and caches warm
    gc.collect()
    memory, start = _resident(), perf_counter()
    run = engine.build(n)
    built = perf_counter()
    grown = _resident() - memory
    result = run(FEED)
    first = perf_counter()
    run(FEED)
    second = perf_counter()
    if not np.array_equal(result, FEED * (n + 1)):
        raise SystemExit(f"{engine.name}: wrong result {result}")
    return {
        "build us/node": (built - start) / n * 1e6,
        "bytes/node": grown / n,
        "plan + first run us/node": (first - built) / n * 1e6,
        "steady us/node": (second - first) / n * 1e6,
        "total s": first - start,
    }


def run(engine: Engine, n: int) -> dict[str, float]:
    """Microseconds of running one small addition, less the addition itself as NumPy does it; p25 of n runs."""
    call = engine.small()
    if not np.array_equal(call(FEED), FEED * 2):
        raise SystemExit(f"{engine.name}: wrong result")
    kernel = _quartile(lambda: np.add(FEED, FEED), n)
    whole = _quartile(lambda: call(FEED), n)
    return {"run us": whole * 1e6, "run us over its kernel": (whole - kernel) * 1e6}


def _quartile(call: Callable[[], Any], n: int) -> float:
    times = []
    for _ in range(n):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return statistics.quantiles(times, n=4)[0]


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main(argv: list[str]) -> int:
    """Measure and print."""
    name, family, n = argv
    try:
        engine = ENGINES[name]()
    except ImportError as error:
        print(json.dumps({"engine": name, "missing": str(error)}))
        return 0
    measured = {"build": build, "run": run}[family](engine, int(n))
    print(json.dumps({"engine": name, "version": engine.version, "measured": measured}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
