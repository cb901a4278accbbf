"""What a run on a cluster costs besides its work: `python -m benchmarks.cluster_overhead`.

Two workers on this machine, one thread each. Per run of 1, 2, 4 and 8 partitions that alternate between the workers;
a chain of many small operations over two workers beside the same on one machine; a training step cut into two shards
beside one worker; two threads that train asynchronously beside one.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import penstock as tf

TARGET = "dask://local?workers=2&threads=1"
ON = ("/job:worker/task:0", "/job:worker/task:1")


def timed(work: Callable[[], Any], rounds: int) -> float:
    """The median time of some calls, in milliseconds."""
    for _ in range(3):
        work()
    times = []
    for _ in range(rounds):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return median(times) * 1e3


def alternating(partitions: int) -> float:
    """A run of some partitions of one operation, each on the other worker than the one before."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4])
        y = x
        for i in range(partitions):
            with tf.device(ON[i % 2]):
                y = tf.tanh(y)
        with tf.Session(TARGET, graph=graph) as session:
            call = session.make_callable(y, [x])
            return timed(lambda: call(np.ones(4, np.float32)), 200)


def two_towers(count: int) -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    """The graph, feed and fetch of so many operations on four numbers, in two towers on two workers."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4])
        ends = []
        for device in ON:
            with tf.device(device):
                y = x
                for _ in range(count // 4):
                    y = tf.tanh(y + 0.5)
                ends.append(y)
        return graph, x, ends[0] + ends[1]


def small_operations(count: int) -> tuple[float, float, float]:
    """Many small operations in two towers: one machine, two workers, and the seconds of the first run there."""
    graph, x, both = two_towers(count)
    fed = np.ones(4, np.float32)
    with tf.Session(graph=graph, config=tf.SessionConfig(threads=1)) as here, tf.Session(TARGET, graph=graph) as there:
        one = here.make_callable(both, [x])
        start = perf_counter()
        two = there.make_callable(both, [x])
        two(fed)
        first = perf_counter() - start
        return timed(lambda: one(fed), 20), timed(lambda: two(fed), 20), first


def training(width: int, rows: int) -> dict[str, float]:
    """A step of gradient descent of a network of two layers, by target."""
    rng = np.random.default_rng(0)
    found = {}
    for name, target, shards in (("1 worker", "dask://local?workers=1&threads=1", 1), ("2 workers", TARGET, 2)):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, ["batch", width])
            y = tf.placeholder(tf.int32, ["batch"])
            h = tf.layers.dense(tf.layers.dense(x, width, tf.nn.relu), width, tf.nn.relu)
            logits = tf.layers.dense(h, 10)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
            step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
            feeds = {x: rng.random((rows, width), np.float32), y: rng.integers(0, 10, rows)}
            with tf.Session(target, graph=graph, config=tf.SessionConfig(shard={"batch": shards})) as session:
                session.run(tf.global_variables_initializer())
                found[name] = timed(partial(session.run, step, feeds), 9)
    return found


def asynchronous_training(width: int, rows: int) -> dict[str, float]:
    """A step of a tower, by threads: two threads train two towers on two workers, each as fast as it can."""
    rng = np.random.default_rng(0)
    steps: list[tuple[Any, dict[Any, Any]]] = []
    with tf.Graph().as_default() as graph:
        for task in range(2):
            with tf.device(f"/job:worker/task:{task}"), tf.variable_scope("model", reuse=task > 0):
                x = tf.placeholder(tf.float32, [None, width])
                y = tf.placeholder(tf.int32, [None])
                h = x
                for layer in range(2):
                    h = tf.layers.dense(h, width, tf.nn.relu, name=f"layer_{layer}")
                logits = tf.layers.dense(h, 10, name="logits")
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
                step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
            steps.append((step, {x: rng.random((rows, width), np.float32), y: rng.integers(0, 10, rows)}))
        init = tf.global_variables_initializer()
    found = {}
    with tf.Session(TARGET, graph=graph, config=tf.SessionConfig(asynchronous=True)) as session:
        session.run(init)

        def train(task: int, count: int) -> None:
            for _ in range(count):
                session.run(*steps[task])

        for threads in (1, 2):
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(lambda task: train(task, 1), range(2)))
                start = perf_counter()
                list(pool.map(lambda task: train(task, 10), range(2)))
                found[f"{threads} thread{'s'[: threads - 1]}"] = (perf_counter() - start) * 50
    return found


def main() -> None:
    """Measure and print."""
    runs = {count: alternating(count) for count in (1, 2, 4, 8)}
    for count, time in runs.items():
        print(f"{count} partitions: {time:.2f} ms a run")
    print(f"each further partition: {(runs[8] - runs[2]) / 6:.2f} ms")
    for count in (2_000, 100_000):
        one, two, first = small_operations(count)
        print(f"{count:,} small operations: {one:.2f} ms here, {two:.2f} ms on two workers, first run {first:.1f} s")
    times = training(1024, 4096)
    words = ", ".join(f"{name} {time:.0f} ms" for name, time in times.items())
    print(f"training step, 4,096 rows, width 1,024: {words}, {times['1 worker'] / times['2 workers']:.2f}x")
    times = asynchronous_training(1024, 2048)
    words = ", ".join(f"{name} {time:.0f} ms" for name, time in times.items())
    print(f"asynchronous step, 2,048 rows, width 1,024: {words}, {times['1 thread'] / times['2 threads']:.2f}x")


if __name__ == "__main__":
    main()
