"""What the debugger costs: opening a run, a step, going back, for a chain of 10,000 small steps and for a loop.

python -m benchmarks.debugger_steps

The steps add and multiply ten float32 numbers. Beside each stands the limit that the project has set itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter

import numpy as np

import penstock as tf

STEPS = 10_000
JUMPS = (9_999, 5_000, 37, 4_999, 9_998, 1, 7_777, 2_500)
SMALL = 64 << 10
"""Bytes: a memory that holds few states, so that going back runs more steps again."""


def chain() -> tuple[tf.Session, tf.Tensor, tf.Tensor]:
    """The session, the fed tensor and the last of 10,000 steps."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        y = x
        for i in range(STEPS):
            y = tf.add(y, 1.0) if i % 2 else tf.multiply(y, 1.0001)
    return tf.Session(graph=graph), x, y


def seconds_of(action: Callable[[], object]) -> float:
    """The time of one call."""
    start = perf_counter()
    action()
    return perf_counter() - start


def main() -> None:
    """Print the table."""
    session, x, y = chain()
    feed = {x: np.ones(10, np.float32)}
    session.trace(y, feed)  # plans the run as it is written
    traced = median(seconds_of(lambda: session.trace(y, feed)) for _ in range(3)) / STEPS
    opened = median(seconds_of(lambda: session.debug(y, feed)) for _ in range(3))
    dbg = session.debug(y, feed)
    stepped = seconds_of(lambda: dbg.step(STEPS)) / STEPS
    jumps = [seconds_of(partial(dbg.goto, time)) for time in JUMPS]
    dbg.goto(9_000)
    backs = [seconds_of(dbg.back) for _ in range(200)]
    small = session.debug(y, feed, memory=SMALL)
    small.step(STEPS)
    far = [seconds_of(partial(small.goto, time)) for time in JUMPS]
    rows = (
        ("open a run of 10,000 steps", opened, None),
        ("a step, its op included", stepped, 1e-3),
        ("the same step in a trace", traced, None),
        ("back one step, median", median(backs), None),
        ("back one step, slowest of 200", max(backs), 50e-3),
        ("to any of 10,000 steps, slowest", max(jumps), 50e-3),
        (f"the same with {SMALL >> 10} KiB for kept states", max(far), 50e-3),
    )
    for name, seconds, limit in rows:
        asked = "" if limit is None else f"  asked {limit * 1e3:g} ms"
        print(f"{name:<42} {seconds * 1e3:9.3f} ms{asked}")


if __name__ == "__main__":
    main()
