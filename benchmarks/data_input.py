"""Data that flows in: `tf.data` and queues beside TensorFlow's, and a training step beside one that is fed.

    python -m benchmarks.data_input --peers peers --torch torch

Shuffled batches also come from a generator of a few lines and, with `--torch`, from torch's DataLoader. Each side
runs in a process of its own, in turns; figures are microseconds by the clock, the least of some repeats, the median
of the rounds. `--threads 1` pins both sides to one core.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from .client import python_of

ROOT = Path(__file__).resolve().parents[1]
SIDES = ("penstock", "tensorflow", "generator", "torch")


def least(call: Callable[[], object], count: int, repeats: int = 5) -> float:
    """Microseconds of a call: the least mean of some repeats."""
    for _ in range(max(5, count // 10)):
        call()
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(count):
            call()
        found.append((time.perf_counter() - start) / count)
    return min(found) * 1e6


def digits() -> tuple[Any, Any]:
    """Images and labels of MNIST's size."""
    rng = np.random.default_rng(0)
    return rng.random((60000, 784), np.float32), rng.integers(0, 10, 60000)


def elements(tf: Any, config: Any, build: Callable[[Any], Any], count: int) -> float:
    """Microseconds of a run that takes an element of a dataset of digits."""
    images, labels = digits()
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32, images.shape), tf.placeholder(tf.int64, labels.shape)
        iterator = build(tf.data.Dataset.from_tensor_slices((x, y))).make_initializable_iterator()
        first = iterator.get_next()
        target = first[0].op
        with tf.Session(config=config) as session:
            session.run(iterator.initializer, {x: images, y: labels})
            return least(lambda: session.run(target), count)


def training(tf: Any, config: Any, source: str) -> float:
    """Microseconds of a step of a softmax regression on batches of 100."""
    images, labels = digits()
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int64, [None])
        given: Any = (x, y)
        iterator = None
        if source != "fed":
            px, py = tf.placeholder(tf.float32, images.shape), tf.placeholder(tf.int64, labels.shape)
            dataset = tf.data.Dataset.from_tensor_slices((px, py)).repeat().batch(100)
            iterator = dataset.prefetch(1).make_initializable_iterator()
            given = iterator.get_next()
        w, b = tf.get_variable("w", [784, 10]), tf.get_variable("b", [10])
        logits = tf.matmul(given[0], w) + b
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=given[1], logits=logits))
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            if iterator is None:
                batches = [(images[i : i + 100], labels[i : i + 100]) for i in range(0, 60000, 100)]
                at = 0

                def fed() -> None:
                    nonlocal at
                    at = (at + 1) % len(batches)
                    session.run(step, {x: batches[at][0], y: batches[at][1]})

                return least(fed, 500)
            session.run(iterator.initializer, {px: images, py: labels})
            return least(lambda: session.run(step), 500)


def lines(tf: Any, config: Any) -> float:
    """Microseconds of a batch of 32 lines of comma-separated values, by map and batch."""
    texts = np.array([b"%d,%f,%f,word%d" % (i, i * 0.5, i / 3, i) for i in range(1000)], object)
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.from_tensor_slices(texts.astype(str)).repeat()
        defaults = [[0], [0.0], [0.0], [""]]
        dataset = dataset.map(lambda line: tuple(tf.decode_csv(line, defaults))).batch(32)
        element = dataset.make_one_shot_iterator().get_next()
        with tf.Session(config=config) as session:
            return least(lambda: session.run(element), 100)


def queue(tf: Any, config: Any) -> float:
    """Microseconds of putting 32 rows of 64 numbers in and taking them out."""
    with tf.Graph().as_default():
        rows = tf.placeholder(tf.float32, [32, 64])
        fifo = tf.FIFOQueue(100, tf.float32, shapes=[[64]])
        put, taken = fifo.enqueue_many([rows]), fifo.dequeue_many(32)
        values = np.ones((32, 64), np.float32)
        with tf.Session(config=config) as session:

            def both() -> None:
                session.run(put, {rows: values})
                session.run(taken)

            return least(both, 300)


def one_by_one(tf: Any, config: Any) -> float:
    """Microseconds of a batch of 32 by `tf.train.batch` of a producer's numbers."""
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(1000, shuffle=False, capacity=512).dequeue()
        batch = tf.train.batch([number], 32, capacity=256)
        with tf.Session(config=config) as session:
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            found = least(lambda: session.run(batch), 50)
            coordinator.request_stop()
            coordinator.join(threads)
            return found


def from_generator() -> float:
    """Microseconds of a shuffled batch of 100 digits by NumPy."""
    images, labels = digits()
    rng = np.random.default_rng(1)

    def batches() -> Iterator[tuple[Any, Any]]:
        while True:
            order = rng.permutation(len(images))
            for at in range(0, len(order), 100):
                rows = order[at : at + 100]
                yield images[rows], labels[rows]

    stream = batches()
    return least(lambda: next(stream), 300)


def from_loader() -> float:
    """Microseconds of a shuffled batch of 100 digits by torch's DataLoader, in its own thread."""
    torch = import_module("torch")
    data = import_module("torch.utils.data")
    images, labels = digits()
    dataset = data.TensorDataset(torch.from_numpy(images), torch.from_numpy(labels))
    loader = data.DataLoader(dataset, batch_size=100, shuffle=True)
    stream = chain.from_iterable(iter(lambda: loader, None))
    return least(lambda: next(stream), 60)


OTHERS: dict[tuple[str, str], Callable[[], float]] = {
    ("generator", "shuffle(10,000), repeat, batch(100)"): from_generator,
    ("torch", "shuffle(10,000), repeat, batch(100)"): from_loader,
}

CASES: dict[str, Callable[[Any, Any], float]] = {
    "repeat, batch(100)": lambda tf, config: elements(tf, config, lambda d: d.repeat().batch(100), 500),
    "shuffle(10,000), repeat, batch(100)": lambda tf, config: elements(
        tf, config, lambda d: d.shuffle(10000, seed=1).repeat().batch(100), 300
    ),
    "shuffle, map of arithmetic, batch(100)": lambda tf, config: elements(
        tf, config, lambda d: d.shuffle(10000, seed=1).repeat().map(lambda x, y: (x * 2 - 1, y)).batch(100), 100
    ),
    "training step, fed": lambda tf, config: training(tf, config, "fed"),
    "training step, prefetched": lambda tf, config: training(tf, config, "prefetched"),
    "decode_csv of a line, batch(32)": lines,
    "queue: enqueue_many and dequeue_many of 32": queue,
    "tf.train.batch of 32 numbers": one_by_one,
}


def run_side(side: str, case: str, path: str) -> None:
    """One case of one side, in a process of its own."""
    if (side, case) in OTHERS:
        Path(path).write_text(json.dumps(OTHERS[side, case]()))
        return
    if side == "penstock":
        tf: Any = import_module("penstock.compat.v1")
        config = None
    else:
        tf = import_module("tensorflow.compat.v1")
        tf.disable_v2_behavior()
        config = None
        if os.environ.get("BENCHMARK_THREADS") == "1":
            config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    Path(path).write_text(json.dumps(CASES[case](tf, config)))


def main() -> None:
    """The table."""
    if len(sys.argv) == 4 and sys.argv[1] in SIDES:
        run_side(*sys.argv[1:])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", default="peers", help="the environment with tensorflow")
    parser.add_argument("--torch", help="the environment with torch")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0, help="1 pins both sides to one core")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    pythons = {"penstock": sys.executable, "tensorflow": str(python_of(Path(options.peers))),
               "generator": sys.executable}  # fmt: skip
    if options.torch:
        pythons["torch"] = str(python_of(Path(options.torch)))
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    pin = ["taskset", "-c", "0"] if options.threads == 1 else []
    if options.threads == 1:
        environment["BENCHMARK_THREADS"] = "1"
    print("| | Penstock us | TensorFlow us | ratio | others us |\n|---|--:|--:|--:|---|")
    for case in CASES:
        if options.only not in case:
            continue
        sides = [side for side in pythons if side in SIDES[:2] or (side, case) in OTHERS]
        times: dict[str, list[float]] = {side: [] for side in sides}
        for _ in range(options.rounds):
            for side in sides:
                with tempfile.TemporaryDirectory() as folder:
                    path = f"{folder}/out"
                    command = [*pin, pythons[side], "-m", "benchmarks.data_input", side, case, path]
                    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
                    times[side].append(json.loads(Path(path).read_text()))
        ours, theirs = (median(times[side]) for side in SIDES[:2])
        more = ", ".join(f"{side} {median(times[side]):,.1f}" for side in sides[2:])
        print(f"| {case} | {ours:,.1f} | {theirs:,.1f} | {ours / theirs:.2f} | {more} |", flush=True)


if __name__ == "__main__":
    main()
