"""The memory of the gradients of a chain of n layers, without and with `tf.recompute_grad` around sqrt(n) segments.

python -m benchmarks.gradient_memory

A layer is tanh(x w) of 256 x 256 float32. Planned is the peak of the plan's own memory plan; measured is the growth of
the resident memory of a fresh process in its first run, and the time is that of its second run.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from time import perf_counter

import numpy as np

import penstock as tf

from .probes import forget_peak, resident, resident_peak

WIDTH = 256
LAYERS = (64, 128, 256, 512, 1024)
COLUMNS = 46
"""Characters of the longest bar."""


@dataclass(frozen=True, slots=True)
class Point:
    """The gradients of one chain.

    Args:
        planned, measured: bytes.
        seconds: the time of a run.
    """

    planned: int
    measured: int
    seconds: float


def chain(x: tf.Tensor, w: tf.Tensor, layers: int, segments: int) -> tf.Tensor:
    """`layers` layers; `segments` of them are recomputed, as equal as can be, and 0 keeps everything."""

    def several(count: int) -> object:
        def apply(t: tf.Tensor) -> tf.Tensor:
            for _ in range(count):
                t = tf.tanh(tf.matmul(t, w))
            return t

        return apply if not segments else tf.recompute_grad(apply)

    ends = [layers * part // max(segments, 1) for part in range(max(segments, 1) + 1)]
    for start, end in itertools.pairwise(ends):
        x = several(end - start)(x)  # type: ignore[operator]  # recompute_grad gives any callable
    return x


def measure(layers: int, segments: int, width: int = WIDTH) -> Point:
    """The point of this process, which should be fresh."""
    rng = np.random.default_rng(5)
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, w = (tf.placeholder(tf.float32, [width, width], name=name) for name in "xw")
        slopes = tf.gradients(chain(x, w, layers, segments), [x, w])
        planned = session.memory(slopes).peak
        feeds = {t: rng.normal(0, width**-0.5, [width, width]).astype(np.float32) for t in (x, w)}
        session.run(tf.tanh(tf.matmul(x, w)), feeds)  # loads what every process loads once
        forget_peak()
        before = resident()
        session.run(slopes, feeds)
        measured = resident_peak() - before
        start = perf_counter()
        session.run(slopes, feeds)
        return Point(planned, measured, perf_counter() - start)


def in_fresh_process(layers: int, segments: int) -> Point:
    """The same, of a process of its own."""
    command = [sys.executable, "-m", "benchmarks.gradient_memory", str(layers), str(segments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    return Point(*json.loads(done.stdout))


def table(points: Sequence[tuple[int, Point, Point]]) -> list[str]:
    """The figures as a table, then both curves as bars of the planned bytes."""
    head = ("layers", "kept: planned", "measured", "recomputed: planned", "measured", "saved", "time")
    lines = [f"| {' | '.join(head)} |", "|--:|--:|--:|--:|--:|--:|--:|"]
    for layers, kept, saved in points:
        bytes_ = (kept.planned, kept.measured, saved.planned, saved.measured)
        cells = [str(layers), *(f"{count / 1e6:.1f} MB" for count in bytes_), f"{kept.planned / saved.planned:.1f}x",
                 f"{saved.seconds / kept.seconds:.2f}x"]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    longest = max(kept.planned for _, kept, _ in points)
    lines.append("")
    for layers, *both in points:
        for word, point in zip(("kept", "recomputed"), both, strict=True):
            bar = "#" * max(1, round(point.planned / longest * COLUMNS))
            lines.append(f"    {layers:5} {word:10} {bar} {point.planned / 1e6:.1f}")
    return lines


def main(arguments: Sequence[str]) -> None:
    """Print one point as JSON, or measure all and print the table."""
    if arguments:
        point = measure(*map(int, arguments))
        print(json.dumps([point.planned, point.measured, point.seconds]))
        return
    points = [(n, in_fresh_process(n, 0), in_fresh_process(n, isqrt(n))) for n in LAYERS]
    print("\n".join(table(points)))


if __name__ == "__main__":
    main(sys.argv[1:])
