"""Three pages to play with: rows that are sent to two groups and come back, a loop, a variable that is trained.

Each page computes in the browser. Click a cell, type a number, and watch what follows change.
"""

from collections.abc import Mapping
from typing import Any

import penstock as tf


def partition_work_stitch() -> tf.Graph:
    """Rows with label 0 are scaled, the others negated; then all are back at their places."""
    graph = tf.Graph()
    with graph.as_default():
        rows = tf.placeholder(tf.float32, [6, 2], name="rows")
        labels = tf.placeholder(tf.int32, [6], name="labels")
        low, high = tf.dynamic_partition(rows, labels, 2, name="parts")
        places = tf.dynamic_partition(tf.range(6), labels, 2, name="places")
        work = [tf.multiply(low, 10.0, name="scaled"), tf.negative(high, name="negated")]
        tf.dynamic_stitch(places, work, name="back")
    return graph


def square_root() -> tf.Graph:
    """Newton's method in a loop of six iterations, and a branch that asks for the size of the root."""
    graph = tf.Graph()
    with graph.as_default():
        number = tf.placeholder(tf.float32, [], name="number")

        def better(i: tf.Tensor, guess: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return i + 1, (guess + number / guess) / 2.0

        _, root = tf.while_loop(lambda i, guess: i < 6, better, [tf.constant(0), number], name="newton")
        tf.cond(root > 1.0, lambda: 1.0 / root, lambda: root, name="at_most_one")
    return graph


def line_through_points() -> tf.Graph:
    """A line that gradient steps fit to four points: "Run again" makes the next step."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant([1.0, 2.0, 3.0, 4.0], name="x")
        y = tf.constant([3.0, 5.0, 7.0, 9.0], name="y")
        slope, shift = tf.Variable(0.0, name="slope"), tf.Variable(0.0, name="shift")
        line = tf.add(slope * x, shift, name="line")
        loss = tf.reduce_mean(tf.square(line - y), name="loss")
        tf.train.GradientDescentOptimizer(0.05).minimize(loss, name="step")
    return graph


rows = [[0.0, 0.5], [1.0, 1.5], [2.0, 2.5], [3.0, 3.5], [4.0, 4.5], [5.0, 5.5]]
Page = tuple[str, tf.Graph, Mapping[str, Any], str | list[str]]
pages: list[Page] = [
    ("play_partition.html", partition_work_stitch(), {"rows:0": rows, "labels:0": [0, 1, 0, 1, 1, 0]}, "back:0"),
    ("play_loop.html", square_root(), {"number:0": 2.0}, ["newton:1", "at_most_one:0"]),
    ("play_training.html", line_through_points(), {}, ["loss:0", "step"]),
]
for name, graph, feeds, fetches in pages:
    path = graph.export(name, play=True, feeds=feeds, fetches=fetches)
    print(path.name, "is below 400 kB:", path.stat().st_size < 400_000)
