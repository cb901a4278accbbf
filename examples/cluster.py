"""One program, here and on a cluster: only the target of the session changes.

It starts two workers of its own on this machine, as `dask://local` does, compares a graph with devices, and trains a
small network with the batch cut into two shards. With a real cluster the target is "dask://host:8786".
"""

from typing import Any

import numpy as np

import penstock as tf

CLUSTER = "dask://local?workers=2&threads=1"


def towers() -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    """Two halves of a computation on two workers; what joins them goes where it costs least."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with tf.device("/job:worker/task:0"):
            one = tf.exp(x) + 1.0
        with tf.device("/job:worker/task:1"):
            other = tf.sqrt(x * x + 1.0)
        return graph, x, tf.add(one, other, name="both")


def train(target: str) -> tuple[list[float], Any]:
    """The losses of some steps, and the weights; each step cuts its batch into two shards."""
    rng = np.random.default_rng(0)
    rows = rng.random((64, 3), np.float32)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 3], name="x")
        y = tf.placeholder(tf.float32, ["batch", 1], name="y")
        w = tf.get_variable("w", initializer=tf.zeros([3, 1]))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y), name="loss")
        step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        feeds = {x: rows, y: rows @ np.array([[1.0], [-2.0], [0.5]], np.float32)}
        with tf.Session(target, graph=graph, config=tf.SessionConfig(shard={"batch": 2})) as session:
            session.run(tf.global_variables_initializer())
            losses = [float(session.run([loss, step], feeds)[0]) for _ in range(200)]
            return losses, session.run(w)


graph, x, both = towers()
values = np.linspace(-2.0, 2.0, 5, dtype=np.float32)
with tf.Session("", graph=graph) as here, tf.Session(CLUSTER, graph=graph) as there:
    print("equal results:", np.array_equal(here.run(both, {x: values}), there.run(both, {x: values})))
    forecast = there.explain(both, {x: values}).cluster
    print("partitions:", [f"worker {each.place}" for each in forecast.partitions])
    print("for five numbers it pays:", forecast.pays)

losses_here, weights_here = train("")
losses_there, weights_there = train(CLUSTER)
print("losses equal to the bit:", losses_here == losses_there)
print("weights:", weights_there.ravel().round(2))
