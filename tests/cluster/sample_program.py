"""A program with something of everything, for comparisons of a cluster with one machine."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as tf

ON = ["/job:worker/task:0", "/job:worker/task:1"]


def sample_program() -> tuple[tf.Graph, tf.Tensor, dict[str, Any]]:
    """The graph, its placeholder, and what to fetch by name; "init" comes first, "train" and "count" change state."""
    graph = tf.Graph()
    out: dict[str, Any] = {}
    with graph.as_default():
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with tf.device(ON[0]):
            a = tf.exp(x) + 1.0
        with tf.device(ON[1]):
            b = tf.sqrt(a) * 2.0
        with tf.device(ON[0]):
            out["back again"] = c = b - a
        with tf.device(ON[1]):
            out["loop"] = tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, y * 1.5 + tf.reduce_sum(b)), [0, x])
        with tf.device(ON[0]):
            out["branch"] = tf.cond(tf.reduce_sum(b) > 3.0, lambda: b + 1.0, lambda: x)
            array = tf.TensorArray(tf.float32, size=3).write(0, b)
        array = array.write(1, c)
        with tf.device(ON[1]):
            far = tf.exp(c)
        out["values that cannot be sent"] = array.write(2, far).stack()
        out["function of the program"] = tf.py_func(lambda t: t * 2, [c], tf.float32) * 1.0 + b
        out["strings"] = text = tf.as_string(b)
        with tf.device(ON[1]):
            out["joined strings"] = tf.string_join([text, "é"])
        out["sizes of the run"] = tf.unique(tf.cast(b, tf.int32))
        with tf.device(ON[1]):
            v = tf.get_variable("v", [3], initializer=tf.random_normal_initializer(seed=3))
            w = tf.get_variable("w", [3, 3], initializer=tf.random_normal_initializer(seed=4))
        loss = tf.reduce_sum(tf.square(tf.matmul(w, tf.expand_dims(v, 1)) - tf.expand_dims(c, 1)))
        out["train"] = tf.train.AdamOptimizer(0.1).minimize(loss)
        out["loss"], out["variable"] = loss, v
        out["random"] = tf.nn.dropout(c, 0.5, seed=5)
        out["small floats"] = tf.cast(c, tf.bfloat16) + tf.cast(1, tf.bfloat16)
        out["constant"], out["feed"] = tf.constant([1, 2, 3]), x
        out["large constant"] = tf.constant(np.arange(1000, dtype=np.float32)) * tf.reduce_sum(b)
        out["partition"] = tf.dynamic_partition(b, tf.cast(a, tf.int32) % 2, 2)
        with tf.device(ON[0]):
            counter = tf.get_variable("counter", [], dtype=tf.int32, initializer=tf.zeros_initializer())
        with tf.control_dependencies([tf.assign_add(counter, 1)]):
            out["count"] = tf.identity(b)
        out["counter"] = counter
        init = tf.global_variables_initializer()
    return graph, x, {"init": init} | out


def is_same(one: Any, other: Any) -> bool:
    """Whether two results are equal to the bit."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(is_same(a, b) for a, b in zip(one, other, strict=True))
    if one is None or isinstance(one, str | bytes):
        return bool(one == other)
    a, b = np.asarray(one), np.asarray(other)
    alike = a.dtype == b.dtype and a.shape == b.shape
    return alike and (a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes())


def drawn_before_a_failure() -> tuple[tf.Graph, tf.Tensor, tf.Tensor, tf.Tensor]:
    """A graph whose worker 0 draws, and whose worker 1 fails after that where x is not 0 or 1: x, noise, what fails."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int32, [], name="x")
        with tf.device(ON[0]):
            noise = tf.random_normal([3], seed=1, name="noise")
        with tf.device(ON[1]):
            picked = tf.gather([1.0, 2.0], x + tf.cast(noise[0] * 0.0, tf.int32))
    return graph, x, noise, picked
