"""Measurements that a process can make only once: building and planning, the first result, the peak of memory."""

from __future__ import annotations

import contextlib
import gc
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from .engine import Array, Engine
from .verify import difference

Probed = Callable[[Engine, float], dict[str, float]]
Program = Callable[..., Any]


class Wrong(Exception):
    """A result that NumPy contradicts."""


def check(engine: Engine, program: Program, inputs: Sequence[Array], result: Any) -> None:
    """Raise `Wrong` if NumPy does not agree."""
    from .engines.numpy_engine import Numpy

    oracle = Numpy()
    wanted = oracle.arrays(program(oracle, *inputs))
    found = difference(engine.arrays(result), wanted, 1e-4)
    if found:
        raise Wrong(found)


WARM = 0.3
"""Seconds of runs before a steady one is timed."""


def overhead(program: Program, inputs: Callable[[], list[Array]], n: int) -> Probed:
    """Build, first run, steady run and resident bytes, each per node, of a program of n nodes."""

    def measure(engine: Engine, _: float) -> dict[str, float]:
        operands = inputs()
        engine.build(lambda _, x, half: x * half + x, operands)()  # imports and caches warm
        gc.collect()
        memory, start = resident(), perf_counter()
        run = engine.build(program, operands)
        built = perf_counter()
        grown = resident() - memory
        result = run()
        first = perf_counter()
        check(engine, program, operands, result)
        warm = perf_counter() + WARM
        while perf_counter() < warm:  # engines that compile what is run often get the time to
            run()
        steady = min(_seconds(run) for _ in range(20))
        return {
            "build us/node": (built - start) / n * 1e6,
            "plan + first run us/node": (first - built) / n * 1e6,
            "steady ns/node": steady / n * 1e9,
            "built bytes/node": grown / n,
            "build to first result s": first - start,
        }

    return measure


def first_result(program: Program, n: int) -> Probed:
    """Milliseconds to the first result: from the moment the engine is imported, and from the start of its process."""

    def measure(engine: Engine, spawned: float) -> dict[str, float]:
        x = np.random.default_rng(5).random(n, np.float32)
        imported = perf_counter()
        result = engine.build(program, [x])()
        done = perf_counter()
        check(engine, program, [x], result)
        return {"after import ms": (done - imported) * 1e3, "fresh process ms": (done - spawned) * 1e3}

    return measure


def peak_memory(program: Program, n: int) -> Probed:
    """The resident peak of a run above what the process held before it had the input, beside input and output."""

    def measure(engine: Engine, _: float) -> dict[str, float]:
        small = np.ones(16, np.float32)
        for _i in range(3):
            engine.build(program, [small])()
        gc.collect()
        before = resident()
        x = np.random.default_rng(5).random(n, np.float32)
        forget_peak()
        result = engine.build(program, [x])()
        peak = resident_peak() - before
        check(engine, program, [x], result)
        return {"peak MB": peak / 1e6, "input + output MB": 2 * x.nbytes / 1e6, "ratio": peak / (2 * x.nbytes)}

    return measure


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def resident_peak() -> int:
    """The most there was since `forget_peak`."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    assert found is not None
    return int(found[1]) * 1024


def forget_peak() -> None:
    """Begin a new peak; where the system refuses, the peak is that of the whole process."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", "ascii")


def _seconds(run: Callable[[], Any]) -> float:
    start = perf_counter()
    run()
    return perf_counter() - start
