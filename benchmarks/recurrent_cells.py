"""A training step of `dynamic_rnn` with Adam, beside TensorFlow's loops of the same cell and JAX's scan.

    python -m benchmarks.recurrent_cells --peers peers

Each side runs in processes of its own on one core, in turns. The figures are the CPU time of a step once it is steady,
the lower quartile of 60, and the seconds from the start of the process to its 200th step, by the clock and of CPU. Each
side has its bytecode: a process before the first round writes it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from .client import python_of

ROOT = Path(__file__).resolve().parents[1]
SIZES = {"LSTM": (28, 64, 28, 128), "GRU": (50, 32, 64, 64)}
"""Steps, rows, features, units."""
CASES = ("LSTM", "LSTM with lengths", "GRU", "GRU with lengths")
SIDES = ("penstock", "tensorflow v1", "tensorflow v2", "jax")
CLASSES, RATE = 10, 1e-3


def data(cell: str) -> tuple[Any, Any, Any]:
    """Inputs [rows, steps, features], one-hot labels, lengths."""
    steps, rows, features, _ = SIZES[cell]
    rng = np.random.default_rng(0)
    labels = np.eye(CLASSES, dtype=np.float32)[rng.integers(0, CLASSES, rows)]
    return rng.standard_normal((rows, steps, features), np.float32), labels, rng.integers(steps // 2, steps + 1, rows)


def of_penstock(cell: str, with_lengths: bool) -> Callable[[], object]:
    """A step by `tf.nn.dynamic_rnn`; placeholders leave the number of rows open."""
    import penstock.compat.v1 as tf

    steps, _, features, units = SIZES[cell]
    cells: Any = tf.nn.rnn_cell
    rnn_cell = cells.BasicLSTMCell(units) if cell == "LSTM" else cells.GRUCell(units)
    x = tf.placeholder(tf.float32, [None, steps, features])
    lengths = tf.placeholder(tf.int32, [None])
    _, state = tf.nn.dynamic_rnn(rnn_cell, x, sequence_length=lengths if with_lengths else None, dtype=tf.float32)
    return _trained(tf, cell, x, lengths if with_lengths else None, state.h if cell == "LSTM" else state)


def of_tensorflow(cell: str, with_lengths: bool) -> Callable[[], object]:
    """A step by `tf.while_loop` over a TensorArray, as `dynamic_rnn` of TensorFlow 1 is written."""
    tf = import_module("tensorflow.compat.v1")
    tf.disable_eager_execution()
    if sys.argv[1].endswith("v1"):
        tf.disable_control_flow_v2()
    steps, rows, features, units = SIZES[cell]
    x = tf.placeholder(tf.float32, [rows, steps, features])
    lengths = tf.placeholder(tf.int32, [None])
    width = 4 if cell == "LSTM" else 2
    kernel = tf.get_variable("kernel", [features + units, width * units])
    bias = tf.get_variable("bias", [width * units], initializer=tf.ones_initializer())
    other = tf.get_variable("other", [features + units, units]) if cell == "GRU" else None
    array = tf.TensorArray(tf.float32, steps).unstack(tf.transpose(x, [1, 0, 2]))

    def body(t: Any, h: Any, c: Any) -> Any:
        row = array.read(t)
        gates = tf.nn.bias_add(tf.matmul(tf.concat([row, h], 1), kernel), bias)
        if cell == "LSTM":
            i, j, f, o = tf.split(gates, 4, 1)
            new_c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
            new_h = tf.tanh(new_c) * tf.sigmoid(o)
        else:
            r, u = tf.split(tf.sigmoid(gates), 2, 1)
            new_c = c
            new_h = u * h + (1 - u) * tf.tanh(tf.matmul(tf.concat([row, r * h], 1), other))
        if with_lengths:
            ended = t >= lengths
            new_h, new_c = tf.where(ended, h, new_h), tf.where(ended, c, new_c)
        return t + 1, new_h, new_c

    zeros = tf.zeros([rows, units])
    state = tf.while_loop(lambda t, h, c: t < steps, body, [0, zeros, zeros])[1]
    return _trained(tf, cell, x, lengths if with_lengths else None, state)


def _trained(tf: Any, cell: str, x: Any, lengths: Any, state: Any) -> Callable[[], object]:
    units = SIZES[cell][3]
    labels = tf.placeholder(tf.float32, [None, CLASSES])
    weights = tf.get_variable("weights", [units, CLASSES])
    loss = tf.reduce_mean(
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=tf.matmul(state, weights))
    )
    step = tf.train.AdamOptimizer(RATE).minimize(loss)
    threads = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    session = tf.Session(config=threads)
    session.run(tf.global_variables_initializer())
    rows, targets, ends = data(cell)
    feeds = {x: rows, labels: targets, **({} if lengths is None else {lengths: ends})}
    return lambda: session.run(step, feeds)


def of_jax(cell: str, with_lengths: bool) -> Callable[[], object]:
    """A step by `jax.lax.scan`, compiled as one function."""
    jax, jnp = import_module("jax"), import_module("jax.numpy")
    _, rows, features, units = SIZES[cell]
    rng = np.random.default_rng(1)
    width = 4 if cell == "LSTM" else 2
    shapes = {"kernel": (features + units, width * units), "bias": (width * units,), "weights": (units, CLASSES),
              "other": (features + units, units)}  # fmt: skip
    values = {name: jnp.asarray(rng.standard_normal(shape, np.float32) * 0.1) for name, shape in shapes.items()}
    x, labels, lengths = (jnp.asarray(each) for each in data(cell))
    times = jnp.arange(x.shape[1])

    def loss(p: Any) -> Any:
        def body(state: Any, given: Any) -> Any:
            (h, c), (row, t) = state, given
            gates = jnp.concatenate([row, h], 1) @ p["kernel"] + p["bias"]
            if cell == "LSTM":
                i, j, f, o = jnp.split(gates, 4, 1)
                new_c = c * jax.nn.sigmoid(f + 1.0) + jax.nn.sigmoid(i) * jnp.tanh(j)
                new_h = jnp.tanh(new_c) * jax.nn.sigmoid(o)
            else:
                r, u = jnp.split(jax.nn.sigmoid(gates), 2, 1)
                new_c = c
                new_h = u * h + (1 - u) * jnp.tanh(jnp.concatenate([row, r * h], 1) @ p["other"])
            if with_lengths:
                ended = (t >= lengths)[:, None]
                new_h, new_c = jnp.where(ended, h, new_h), jnp.where(ended, c, new_c)
            return (new_h, new_c), None

        zeros = jnp.zeros((rows, units))
        (h, _), _ = jax.lax.scan(body, (zeros, zeros), (x.transpose(1, 0, 2), times))
        return -jnp.mean(jnp.sum(labels * jax.nn.log_softmax(h @ p["weights"]), 1))

    def step(p: Any, m: Any, v: Any, n: Any) -> Any:
        gradient = jax.grad(loss)(p)
        m = jax.tree.map(lambda a, g: 0.9 * a + 0.1 * g, m, gradient)
        v = jax.tree.map(lambda a, g: 0.999 * a + 0.001 * g * g, v, gradient)
        rate = RATE * jnp.sqrt(1 - 0.999**n) / (1 - 0.9**n)
        return jax.tree.map(lambda a, b, c: a - rate * b / (jnp.sqrt(c) + 1e-8), p, m, v), m, v, n + 1

    compiled = jax.jit(step)
    zeros = jax.tree.map(jnp.zeros_like, values)
    held = [(values, zeros, jax.tree.map(jnp.zeros_like, values), 1.0)]

    def run() -> None:
        held[0] = jax.block_until_ready(compiled(*held[0]))

    return run


def child(side: str, case: str) -> dict[str, float]:
    """The figures of one process."""
    cell, _, lengths = case.partition(" ")
    makers = {"penstock": of_penstock, "jax": of_jax}
    step = makers.get(side, of_tensorflow)(cell, bool(lengths))
    for _ in range(140):
        step()
    times = []
    for _ in range(60):
        before = time.process_time()
        step()
        times.append(time.process_time() - before)
    end, cpu = time.time(), time.process_time()
    return {"ms": sorted(times)[15] * 1e3, "s": end - float(os.environ["STARTED"]), "cpu": cpu}


def run(python: Path, side: str, case: str, cache: str) -> dict[str, float]:
    """The figures of a side for a case, from a process of its own on one core."""
    flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    environment = os.environ | {
        "STARTED": repr(time.time()), "PENSTOCK_CACHE_DIR": cache, "TF_CPP_MIN_LOG_LEVEL": "3", "XLA_FLAGS": flags,
        "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
    }  # fmt: skip
    command = ["taskset", "-c", "0", str(python), "-m", "benchmarks.recurrent_cells", side, case]
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling the package's text is no part of a program's start
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _python(side: str, peers: Path) -> Path:
    return Path(sys.executable) if side == "penstock" else python_of(peers)


def main() -> None:
    """Print the table, or as a child the figures of one side."""
    if len(sys.argv) == 3 and sys.argv[1] in SIDES:
        print(json.dumps(child(sys.argv[1], sys.argv[2])))
        return
    cli = argparse.ArgumentParser(description=__doc__)
    cli.add_argument("--peers", type=Path, required=True, help="a venv that holds TensorFlow and JAX")
    cli.add_argument("--rounds", type=int, default=3)
    chosen = cli.parse_args()
    print("| | " + " | ".join(f"{side}: ms a step; s to step 200; CPU s" for side in SIDES) + " |")
    print("|---" * (len(SIDES) + 1) + "|")
    for side in SIDES:
        with tempfile.TemporaryDirectory() as cache:
            run(_python(side, chosen.peers), side, CASES[0], cache)
    for case in CASES:
        figures: dict[str, list[dict[str, float]]] = {side: [] for side in SIDES}
        for _ in range(chosen.rounds):
            for side in SIDES:
                with tempfile.TemporaryDirectory() as cache:
                    figures[side].append(run(_python(side, chosen.peers), side, case, cache))
        cells = [
            "; ".join(f"{median(each[what] for each in rounds):.2f}" for what in ("ms", "s", "cpu"))
            for rounds in figures.values()
        ]
        print(f"| {case} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
