"""`parse_example` of 40 features in batches of 128, beside TensorFlow on one thread.

    python -m benchmarks.parsed_examples --peers peers

Each side runs in processes of its own, in turns. A figure is the lower quartile of the time of a call, over all rounds.
Both sides parse the same bytes, which the first process writes.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .client import python_of

ROOT = Path(__file__).resolve().parents[1]
ROWS, FEATURES, ROUNDS, CALLS, WARM = 128, 40, 5, 150, 60
KINDS = ("fixed", "var")
DTYPES = ("string", "int64", "float32", "float32")
"""A quarter of the features are strings, a quarter ints, half of them floats."""


def batch(kind: str) -> list[bytes]:
    """Serialised examples: four values a feature, one string; or none to four."""
    import penstock as tf

    rng = random.Random(0)
    texts = []
    for _ in range(ROWS):
        example = tf.train.Example()
        for number in range(FEATURES):
            feature = example.features.feature[f"feature_{number:02d}"]
            dtype, count = DTYPES[number % 4], rng.randrange(5) if kind == "var" else 4
            if dtype == "string":
                count = count if kind == "var" else 1
                feature.bytes_list.value.extend([b"word%d" % rng.randrange(1000) for _ in range(count)])
            elif dtype == "int64":
                feature.int64_list.value.extend([rng.randrange(10**6) for _ in range(count)])
            else:
                feature.float_list.value.extend([rng.random() for _ in range(count)])
        texts.append(example.SerializeToString())
    return texts


def parser(tf: Any, kind: str, session: Any) -> Callable[[Any], object]:
    """A function that parses a batch."""
    wanted = {
        f"feature_{number:02d}": tf.VarLenFeature(DTYPES[number % 4])
        if kind == "var"
        else tf.FixedLenFeature([] if number % 4 == 0 else [4], DTYPES[number % 4])
        for number in range(FEATURES)
    }
    texts = tf.placeholder(tf.string, [None])
    parsed = tf.parse_example(texts, wanted).values()
    fetches = [part for each in parsed for part in ([each.indices, each.values, each.dense_shape]
                                                    if kind == "var" else [each])]  # fmt: skip
    return session.make_callable(fetches, [texts])  # type: ignore[no-any-return]


def work(side: str, path: str) -> None:
    """Measure one side, and print the times of its calls as JSON."""
    batches = pickle.loads(Path(path).read_bytes())
    if side == "tensorflow":
        tf = import_module("tensorflow.compat.v1")
        tf.disable_eager_execution()
        session = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1))
    else:
        tf = import_module("penstock.compat.v1")
        session = tf.Session()
    times: dict[str, list[float]] = {}
    for kind in KINDS:
        parse, texts = parser(tf, kind, session), np.array(batches[kind], object)
        for _ in range(WARM):
            parse(texts)
        time.sleep(0.5)  # what is compiled in the background becomes ready
        parse(texts)
        times[kind] = []
        for _ in range(CALLS):
            start = time.perf_counter()
            parse(texts)
            times[kind].append(time.perf_counter() - start)
    print(json.dumps(times))


def main() -> None:
    """Run both sides in turns and print a table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--peers", help="the venv with tensorflow")
    arguments.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.work:
        work(*given.work)
        return
    sides = {"penstock": sys.executable} | ({"tensorflow": str(python_of(Path(given.peers)))} if given.peers else {})
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(pickle.dumps({kind: batch(kind) for kind in KINDS}))
        times: dict[tuple[str, str], list[float]] = {(side, kind): [] for side in sides for kind in KINDS}
        environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
        for _ in range(ROUNDS):
            for side, python in sides.items():
                command = [python, "-m", "benchmarks.parsed_examples", "--work", side, file.name]
                done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
                for kind, more in json.loads(done.stdout.splitlines()[-1]).items():
                    times[side, kind] += more
    print(f"| {ROWS} examples of {FEATURES} features | " + " | ".join(sides) + " |")
    print("|---" * (len(sides) + 1) + "|")
    for kind in KINDS:
        cells = [f"{np.quantile(times[side, kind], 0.25) * 1e6:.0f} us" for side in sides]
        name = "fixed length" if kind == "fixed" else "any length (sparse)"
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
