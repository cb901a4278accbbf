"""How near predictions are: `python -m benchmarks.cluster_prediction`.

Some thirty graphs on two workers of this machine: towers of products, elementwise chains, reductions, small operations,
with and without devices. For each the predicted time of a run there and here, the median of some runs, and their ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import penstock as tf

from .cluster_overhead import ON, TARGET, two_towers

Case = tuple[str, tf.Graph, Any, dict[Any, Any]]


def products(rows: int, width: int, layers: int, towers: int) -> Case:
    """Towers of products with tanh."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["rows", width])
        ends = []
        for i in range(towers):
            with tf.device(ON[i % 2]):
                h = x
                for _ in range(layers):
                    h = tf.tanh(tf.matmul(h, tf.constant(np.full([width, width], 0.01, np.float32))))
                ends.append(tf.reduce_sum(h))
        return f"products {rows}x{width} {layers} layers {towers} towers", graph, tf.add_n(ends), {x: (rows, width)}


def chains(size: int, length: int, towers: int) -> Case:
    """Elementwise chains, each on a worker, summed."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"])
        ends = []
        for i in range(towers):
            with tf.device(ON[i % 2]):
                h = x
                for k in range(length):
                    h = h * 1.01 + float(k)
                ends.append(tf.reduce_sum(tf.sqrt(tf.abs(h))))
        return f"chain of {length} on {size:,} {towers} towers", graph, tf.add_n(ends), {x: (size,)}


def small(length: int) -> Case:
    """Two towers of operations on four numbers."""
    graph, x, both = two_towers(length)
    return f"{length:,} small operations", graph, both, {x: (4,)}


def across(size: int, crossings: int) -> Case:
    """A value that goes from worker to worker."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"])
        h = x
        for i in range(crossings):
            with tf.device(ON[i % 2]):
                h = tf.reverse(h + 1.0, [True])
        return f"{size:,} elements cross {crossings} times", graph, tf.reduce_sum(h), {x: (size,)}


def cases() -> Iterator[Case]:
    """The graphs."""
    for rows, width in ((64, 256), (512, 256), (2000, 256), (512, 512), (1500, 512), (300, 1024)):
        for towers in (1, 2):
            yield products(rows, width, 4, towers)
    for size in (1_000, 100_000, 1_000_000):
        for length in (20, 200):
            for towers in (1, 2):
                yield chains(size, length, towers)
    for length in (2_000, 20_000, 100_000):
        yield small(length)
    for size in (1_000, 100_000, 1_000_000):
        for crossings in (2, 6):
            yield across(size, crossings)


def settled(call: Callable[[], Any]) -> float:
    """The median seconds of a call once groups are compiled."""
    times = []
    for turn in range(29):
        start = perf_counter()
        call()
        if turn >= 20:
            times.append(perf_counter() - start)
    return median(times)


def main() -> None:
    """Measure and print."""
    ratios: dict[str, list[float]] = {"there": [], "here": []}
    right = 0
    for name, graph, fetch, shapes in cases():
        feeds = {x: np.random.default_rng(0).random(shape, np.float32) for x, shape in shapes.items()}
        with tf.Session(TARGET, graph=graph) as session:
            call = session.make_callable(fetch, list(feeds))
            expected = session.explain(fetch, feeds).cluster
            measured = {"there": settled(partial(call, *feeds.values()))}
        with tf.Session(graph=graph, config=tf.SessionConfig(threads=1)) as session:
            measured["here"] = settled(partial(session.make_callable(fetch, list(feeds)), *feeds.values()))
        predicted = {"there": expected.seconds, "here": expected.local_seconds}
        words = [name.ljust(40)]
        for where, times in ratios.items():
            times.append(predicted[where] / measured[where])
            found, was = predicted[where] * 1e3, measured[where] * 1e3
            words.append(f"{where} {found:7.2f} ms, was {was:7.2f} ({times[-1]:.2f})")
        is_right = expected.pays == (measured["there"] < measured["here"])
        right += is_right
        print("  ".join(words), "" if is_right else " wrong choice", flush=True)
    for where, times in ratios.items():
        near = sum(1 / 1.5 <= ratio <= 1.5 for ratio in times)
        print(f"{where}: {near} of {len(times)} within 1.5x; within 2x {sum(0.5 <= r <= 2 for r in times)}")
    print(f"the verdict is right {right} times")


if __name__ == "__main__":
    main()
