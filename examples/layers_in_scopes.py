"""A network of three layers, and a picture that shows what its author wants to be looked at.

Scopes are boxes in every picture. `show=` says of a scope whether it is one box, open, or not there at all; `hide=`
leaves nodes out of one picture by pattern. The graph is the same whatever the picture shows.
"""

import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np

import penstock as tf

SIZES = (4, 8, 8, 3)
rng = np.random.default_rng(7)


def dense(x: tf.Tensor, inputs: int, outputs: int) -> tuple[tf.Tensor, tf.Tensor]:
    """x @ kernel + bias, and what large kernels cost."""
    kernel = tf.constant(rng.normal(0.0, inputs**-0.5, (inputs, outputs)).astype(np.float32), name="kernel")
    bias = tf.constant(np.zeros(outputs, np.float32), name="bias")
    with tf.name_scope("Regularizer"):
        cost = tf.reduce_sum(tf.square(kernel), name="cost")
    return tf.add(tf.matmul(x, kernel), bias, name="sums"), cost


with tf.Graph().as_default() as graph:
    flowers = tf.placeholder(tf.float32, ["flowers", SIZES[0]], name="flowers")
    x, costs = flowers, []
    for number, (inputs, outputs) in enumerate(pairwise(SIZES)):
        last = number == len(SIZES) - 2
        with tf.name_scope(f"layer_{number}", show="open" if last else "collapsed"):
            sums, cost = dense(x, inputs, outputs)
            x = sums if last else tf.relu(sums, name="relu")
            costs.append(cost)
    chances = tf.softmax(x, name="chances")
    species = tf.argmax(chances, 1, name="species")
    with tf.name_scope("checks", show="hidden"):
        sums_to_one = tf.reduce_all(tf.abs(tf.reduce_sum(chances, 1) - 1.0) < 1e-5, name="sums_to_one")
    loss = tf.add_n(costs, name="loss")

with tempfile.TemporaryDirectory() as folder:
    picture = graph.export(Path(folder) / "layers.txt", fetches=species, hide=["*/Regularizer", "loss"])
    print(picture.read_text("utf-8"))

with tf.Session(graph=graph) as session:
    print("species", session.run(species, {flowers: [[5.1, 3.5, 1.4, 0.2], [6.7, 3.0, 5.2, 2.3]]}))
    print("checks", session.run(sums_to_one, {flowers: rng.normal(size=(100, 4)).astype(np.float32)}))
