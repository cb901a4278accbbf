"""Eleven training programs in the style of TensorFlow 1, which run with either package; `first_steps` times them.

    python -m benchmarks.tf1_programs penstock "line through 4 points" 200

runs one and prints, as JSON, the seconds since the time in the variable STARTED (or since the import) after each step,
the CPU seconds of the process, and the loss after the last.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

BEGAN: Final = float(os.environ.get("STARTED", 0)) or time.time()
STEPS, BATCH, FEATURES = 28, 64, 128  # of the LSTM
Fed = dict[Any, Any]
Program = Callable[[Any], tuple[Any, Any, Fed]]
"""(tf) -> train operation, loss, feed_dict."""


def line(tf: Any, sized: bool = True) -> tuple[Any, Any, Fed]:
    """y = slope * x + offset by gradient descent."""
    shape = [4] if sized else None
    x, y = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, shape)
    slope, offset = tf.Variable(0.3), tf.Variable(-0.3)
    loss = tf.reduce_sum(tf.square(slope * x + offset - y))
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    return train, loss, {x: [1.0, 2.0, 3.0, 4.0], y: [0.0, -1.0, -2.0, -3.0]}


def network(tf: Any, batch: int, optimizer: Any, sized: bool = True) -> tuple[Any, Any, Fed]:
    """784-128-10 with relu and softmax cross entropy."""
    rng = np.random.default_rng(0)
    x = tf.placeholder(tf.float32, [batch, 784] if sized else None)
    labels = tf.placeholder(tf.int64, [batch] if sized else None)
    w = tf.Variable(tf.random_normal([784, 128], stddev=0.05, seed=1))
    b = tf.Variable(tf.zeros([128]))
    v = tf.Variable(tf.random_normal([128, 10], stddev=0.05, seed=2))
    c = tf.Variable(tf.zeros([10]))
    logits = tf.matmul(tf.nn.relu(tf.matmul(x, w) + b), v) + c
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return optimizer.minimize(loss), loss, {x: rng.random((batch, 784), np.float32), labels: rng.integers(0, 10, batch)}


def words(tf: Any) -> tuple[Any, Any, Fed]:
    """The mean of 8 of 10,000 word vectors, classified by Adagrad, which updates the rows that were looked up."""
    rng = np.random.default_rng(0)
    ids, labels = tf.placeholder(tf.int32, [None, 8]), tf.placeholder(tf.int64, [None])
    vectors = tf.Variable(tf.random_uniform([10_000, 64], -0.5, 0.5, seed=1))
    v = tf.Variable(tf.random_normal([64, 5], stddev=0.1, seed=2))
    logits = tf.matmul(tf.reduce_mean(tf.nn.embedding_lookup(vectors, ids), 1), v)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    train = tf.train.AdagradOptimizer(0.1).minimize(loss)
    return train, loss, {ids: rng.integers(0, 10_000, (64, 8)), labels: rng.integers(0, 5, 64)}


def _gates(tf: Any, units: int, count: int, features: int) -> tuple[Any, Any]:
    w = tf.Variable(tf.random_normal([features + units, count * units], stddev=0.05, seed=1))
    return w, tf.Variable(tf.zeros([count * units]))


def gru(tf: Any, by_scan: bool) -> tuple[Any, Any, Fed]:
    """A GRU of 64 units over 50 steps of 32 rows."""
    steps, batch, units = 50, 32, 64
    x = tf.placeholder(tf.float32, [steps, batch, units])
    w, b = _gates(tf, units, 2, units)
    u, c = _gates(tf, units, 1, units)

    def cell(h: Any, row: Any) -> Any:
        reset, update = tf.split(tf.sigmoid(tf.matmul(tf.concat([row, h], 1), w) + b), 2, 1)
        new = tf.tanh(tf.matmul(tf.concat([row, reset * h], 1), u) + c)
        return update * h + (1.0 - update) * new

    start = tf.zeros([batch, units])
    if by_scan:
        states = tf.scan(cell, x, initializer=start)
    else:
        rows = tf.TensorArray(tf.float32, steps).unstack(x)

        def step(i: Any, h: Any, out: Any) -> Any:
            h = cell(h, rows.read(i))
            return i + 1, h, out.write(i, h)

        out = tf.TensorArray(tf.float32, steps)
        _, _, out = tf.while_loop(lambda i, *_: i < steps, step, [0, start, out])
        states = out.stack()
    loss = tf.reduce_mean(tf.square(states - 0.5))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return train, loss, {x: np.random.default_rng(0).random((steps, batch, units), np.float32)}


def lstm(tf: Any, by_scan: bool) -> tuple[Any, Any, Fed]:
    """An LSTM of 128 units over 28 steps of 64 rows."""
    x = tf.placeholder(tf.float32, [STEPS, BATCH, FEATURES])
    w, b = _gates(tf, FEATURES, 4, FEATURES)

    def cell(state: Any, row: Any) -> Any:
        h, c = state
        i, f, o, g = tf.split(tf.matmul(tf.concat([row, h], 1), w) + b, 4, 1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        return tf.sigmoid(o) * tf.tanh(c), c

    state = (tf.zeros([BATCH, FEATURES]), tf.zeros([BATCH, FEATURES]))
    if by_scan:
        h = tf.scan(cell, x, initializer=state)[0][-1]
    else:
        for row in tf.unstack(x):
            state = cell(state, row)
        h = state[0]
    loss = tf.reduce_mean(tf.square(h - 0.5))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return train, loss, {x: np.random.default_rng(0).random((STEPS, BATCH, FEATURES), np.float32)}


def _sparse(rng: Any, rows: int, columns: int, count: int) -> Any:
    """So many values at random places, in order, as what a sparse placeholder is fed."""
    places = np.unique(rng.integers(0, rows * columns, count))
    values = rng.random(len(places), np.float32)
    return np.stack([places // columns, places % columns], 1), values, (rows, columns)


def graph_convolution(tf: Any) -> tuple[Any, Any, Fed]:
    """Two layers of 16 and 7 on a graph of the size of Cora: 2,708 nodes, 1,433 features of which 1.3 % are there."""
    rng = np.random.default_rng(0)
    nodes, features, hidden, classes = 2708, 1433, 16, 7
    x, edges = tf.sparse_placeholder(tf.float32), tf.sparse_placeholder(tf.float32)
    labels = tf.placeholder(tf.int64, [None])
    w = tf.Variable(tf.random_uniform([features, hidden], -0.05, 0.05, seed=1))
    v = tf.Variable(tf.random_uniform([hidden, classes], -0.05, 0.05, seed=2))
    h = tf.nn.relu(tf.sparse_tensor_dense_matmul(edges, tf.sparse_tensor_dense_matmul(x, w)))
    logits = tf.sparse_tensor_dense_matmul(edges, tf.matmul(h, v))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    train = tf.train.AdamOptimizer(0.01).minimize(loss + 5e-4 * tf.nn.l2_loss(w))
    feed = {x: _sparse(rng, nodes, features, 49216), edges: _sparse(rng, nodes, nodes, 13264)}
    return train, loss, feed | {labels: rng.integers(0, classes, nodes)}


PROGRAMS: Final[dict[str, Program]] = {
    "line through 4 points": line,
    "line, shapes not given": lambda tf: line(tf, sized=False),
    "network 784-128-10, batch 32, gradient descent": lambda tf: network(
        tf, 32, tf.train.GradientDescentOptimizer(0.1)
    ),
    "network, batch 128, Adam": lambda tf: network(tf, 128, tf.train.AdamOptimizer(0.001)),
    "network, batch 128, Adam, shapes not given": lambda tf: network(tf, 128, tf.train.AdamOptimizer(0.001), False),
    "mean of 8 of 10,000 word vectors, Adagrad": words,
    "GRU of 64 units, 50 steps of 32 rows, by scan": lambda tf: gru(tf, by_scan=True),
    "GRU by while_loop and TensorArray": lambda tf: gru(tf, by_scan=False),
    "LSTM of 128 units, 28 steps of 64 rows, by scan": lambda tf: lstm(tf, by_scan=True),
    "LSTM, unrolled": lambda tf: lstm(tf, by_scan=False),
    "graph convolution of 2,708 nodes, Adam": graph_convolution,
}


def package(name: str) -> Any:
    """TensorFlow 1's names, of penstock or of tensorflow."""
    tf = importlib.import_module(f"{name}.compat.v1")
    if name == "tensorflow":
        tf.disable_v2_behavior()
    return tf


def main() -> None:
    """Run one program and print its times and its last loss."""
    name, program, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    tf = package(name)
    train, loss, feed = PROGRAMS[program](tf)
    times, cpu = [], []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            session.run(train, feed)
            times.append(time.time() - BEGAN)
            cpu.append(time.process_time())
        print(json.dumps({"times": times, "cpu": cpu, "loss": float(session.run(loss, feed))}))


if __name__ == "__main__":
    main()
