"""Random classifiers by labels, which train a few steps; in some runs a label is wrong. The same text builds them in
TensorFlow, whose side this module is, too:

    python -m tests.fuzz.classifier_programs 0 300 out.npz
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as np

RUNS = 12
WRONG = {5: -1, 8: 0}
"""Runs in which the last label is less than 0, or so many more than the largest one."""
Results = dict[str, Any]


def results(tf: Any, invalid: type[Exception], seed: int) -> Results:
    """What the runs give, and the variables after them.

    Args:
        tf: `tensorflow.compat.v1` or `penstock.compat.v1`, in a graph of its own.
        invalid: its InvalidArgumentError.
        seed: the program.
    """
    rng = np.random.RandomState(seed)
    classes, rows = int(rng.choice([2, 3, 10, 17])), int(rng.choice([1, 4, 19]))
    is_sized = rng.rand() < 0.5
    width = int(rng.choice([1, 3, 8, 33]))
    x = tf.placeholder("float32", [rows if is_sized else None, width])
    fed, labels = _labels(tf, rng, rows if is_sized else None)
    logits = _network(tf, rng, x, width, classes)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    weighed = losses * tf.stop_gradient(tf.nn.sigmoid(losses))
    loss = tf.reduce_mean(losses) if rng.rand() < 0.6 else tf.reduce_sum(weighed)
    step = _optimizer(tf, rng).minimize(loss)
    right = tf.equal(tf.argmax(logits, 1), tf.cast(labels, "int64"))
    values: Results = {}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for run in range(RUNS):
            count = rows + (not is_sized and run > 8)
            feed = rng.randint(0, classes, [count, *fed.shape.as_list()[1:]]).astype(fed.dtype.as_numpy_dtype)
            if run in WRONG:
                feed.flat[-1] = WRONG[run] or classes
            feeds = {x: rng.randn(count, width).astype("f4"), fed: feed}
            try:
                fetched = session.run([loss, losses, right, step], feeds)[:3]
                values |= {f"{seed}/{run}/{name}": each for name, each in enumerate(fetched)}
            except invalid:
                values[f"{seed}/{run}"] = np.array("InvalidArgumentError")
        for number, value in enumerate(session.run(tf.trainable_variables())):
            values[f"{seed}/variable {number}"] = value
    return values


def _labels(tf: Any, rng: Any, rows: int | None) -> tuple[Any, Any]:
    """(placeholder, labels): itself, a view of it, or a cast."""
    form = int(rng.randint(4))
    fed = tf.placeholder(["int32", "int64"][rng.randint(2)], [rows, *([1], [2], [], [])[form]])
    forms = (lambda: tf.reshape(fed, [-1]), lambda: fed[:, 1], lambda: tf.cast(fed, "int64"), lambda: fed)
    return fed, forms[form]()


def _network(tf: Any, rng: Any, x: Any, width: int, classes: int) -> Any:
    layers = int(rng.randint(1, 4))
    activations = (tf.nn.relu, tf.tanh, tf.nn.softmax, lambda h: h * tf.reduce_mean(h, 1, keepdims=True))
    for layer in range(layers):
        wide = classes if layer == layers - 1 else int(rng.choice([2, 7, 16]))
        w = tf.Variable((rng.randn(width, wide) * 0.4).astype("f4"))
        x = tf.matmul(x, w) + tf.Variable(np.zeros(wide, "f4"))
        activation = activations[rng.randint(4)]
        x = x if layer == layers - 1 else activation(x)
        width = wide
    return x


def _optimizer(tf: Any, rng: Any) -> Any:
    """One; with Adam's usual epsilon a gradient that is nothing but rounding would move a variable by a whole step."""
    train = tf.train
    return [lambda: train.GradientDescentOptimizer(0.05), lambda: train.AdamOptimizer(0.01, epsilon=1e-3),
            lambda: train.MomentumOptimizer(0.02, 0.9)][rng.randint(3)]()  # fmt: skip


def main() -> None:
    """TensorFlow's side: write what it gives to a file."""
    tensorflow = import_module("tensorflow")
    first, count, path = sys.argv[1:]
    found: Results = {}
    for seed in range(int(first), int(first) + int(count)):
        with tensorflow.Graph().as_default():
            found |= results(tensorflow.compat.v1, tensorflow.errors.InvalidArgumentError, seed)
    np.savez(path, **found)


if __name__ == "__main__":
    main()
