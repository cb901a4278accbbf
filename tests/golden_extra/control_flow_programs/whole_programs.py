"""Whole programs: numerical methods, recurrent networks, a search, a sort; those of `examples/` too."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import grid, ph, program


@program
def newtons_method(tf: Any) -> Any:
    x = ph(tf, "float64", [])

    def step(i: Any, y: Any) -> Any:
        value = y**3 - 2.0 * y - x
        return i + 1, y - value / tf.gradients(value, y)[0]

    error = lambda i, y: tf.abs(y**3 - 2.0 * y - x) > 1e-12
    out = tf.while_loop(error, step, [0, tf.constant(2.0, tf.float64)], maximum_iterations=50)
    return list(out), {x: 5.0}, {x: 100.0}


@program
def power_iteration(tf: Any) -> Any:
    a = ph(tf, "float64", [None, None])

    def step(i: Any, v: Any, old: Any, new: Any) -> Any:
        w = tf.matmul(a, v)
        w = w / tf.sqrt(tf.reduce_sum(w * w))
        return i + 1, w, new, tf.reduce_sum(w * tf.matmul(a, w))

    start = tf.ones([tf.shape(a)[0], 1], tf.float64)
    going = lambda i, v, old, new: tf.abs(new - old) > 1e-10
    shapes = [tf.TensorShape([]), tf.TensorShape([None, 1]), tf.TensorShape([]), tf.TensorShape([])]
    zero = tf.constant(0.0, tf.float64)
    i, _, _, value = tf.while_loop(going, step, [0, start, zero, zero + 1.0], shapes)
    return [i, value], {a: [[2, 1, 0], [1, 3, 1], [0, 1, 4]]}, {a: [[5]]}


@program
def mandelbrot(tf: Any) -> Any:
    re, im = ph(tf, "float64", [None, None]), ph(tf, "float64", [None, None])

    def step(i: Any, x: Any, y: Any, count: Any) -> Any:
        inside = x * x + y * y < 4.0
        return (
            i + 1,
            tf.where(inside, x * x - y * y + re, x),
            tf.where(inside, 2.0 * x * y + im, y),
            count + tf.cast(inside, tf.int32),
        )

    zero = tf.zeros_like(re)
    out = tf.while_loop(lambda i, *_: i < 30, step, [0, zero, zero, tf.zeros_like(re, tf.int32)])
    x, y = np.meshgrid(np.linspace(-2, 0.5, 10), np.linspace(-1.2, 1.2, 8))
    return [out[3]], {re: x, im: y}


@program
def lstm_as_a_loop(tf: Any) -> Any:
    x, w, b = ph(tf, "float32", [28, 2, 3]), ph(tf, "float32", [7, 16]), ph(tf, "float32", [16])

    def step(t: Any, h: Any, c: Any) -> Any:
        i, j, f, o = tf.split(tf.matmul(tf.concat([x[t], h], 1), w) + b, 4, 1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        return t + 1, tf.tanh(c) * tf.sigmoid(o), c

    _, h, c = tf.while_loop(lambda t, *_: t < 28, step, [0, tf.zeros([2, 4]), tf.zeros([2, 4])])
    loss = tf.reduce_sum(h * h)
    feeds = {x: grid(28, 2, 3) / 2, w: grid(7, 16) / 4, b: grid(16) / 4}
    return [h, c, loss, *tf.gradients(loss, [w, b, x])], feeds


@program
def lstm_as_a_scan(tf: Any) -> Any:
    x, w = ph(tf, "float32", [None, 2, 3]), ph(tf, "float32", [7, 16])

    def step(state: Any, xt: Any) -> Any:
        h, c = state
        i, j, f, o = tf.split(tf.matmul(tf.concat([xt, h], 1), w), 4, 1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        return tf.tanh(c) * tf.sigmoid(o), c

    h, _ = tf.scan(step, x, (tf.zeros([2, 4]), tf.zeros([2, 4])))
    return [h[-1], *tf.gradients(h, [w, x])], {x: grid(5, 2, 3) / 2, w: grid(7, 16) / 4}


@program
def an_rnn_over_a_tensor_array_of_unknown_length(tf: Any) -> Any:
    x, w, lengths = ph(tf, "float32", [None, None, 2]), ph(tf, "float32", [4, 2]), ph(tf, "int32", [None])
    time = tf.shape(x)[0]
    inputs = tf.TensorArray(tf.float32, time).unstack(x)

    def step(t: Any, h: Any, out: Any) -> Any:
        new = tf.tanh(tf.matmul(tf.concat([inputs.read(t), h], 1), w))
        new = tf.where(t < lengths, new, h)
        return t + 1, new, out.write(t, new)

    start = tf.zeros([tf.shape(x)[1], 2])
    shapes = [tf.TensorShape([]), tf.TensorShape([None, 2]), tf.TensorShape(None)]
    _, h, out = tf.while_loop(lambda t, *_: t < time, step, [0, start, tf.TensorArray(tf.float32, time)], shapes)
    weights = {w: [[0.5, -1], [1, 0.25], [-0.5, 0.5], [0.25, 1]]}
    return [h, out.stack(), *tf.gradients(h, [w, x])], {x: grid(4, 3, 2), lengths: [4, 1, 2], **weights}, {
        x: grid(1, 2, 2), lengths: [1, 0], **weights}  # fmt: skip


@program
def collatz_of_each_row(tf: Any) -> Any:
    k = ph(tf, "int64", [None])
    one = lambda n: tf.while_loop(
        lambda n, s: n > 1,
        lambda n, s: (tf.where(tf.equal(n % 2, 0), n // 2, 3 * n + 1), s + 1),
        [n, tf.zeros([], tf.int64)],
    )[1]
    return [tf.map_fn(one, k)], {k: [1, 7, 27, 97]}, {k: np.zeros(0)}


@program
def a_beam_of_one(tf: Any) -> Any:
    table, length = ph(tf, "float32", [4, 4]), ph(tf, "int32", [])

    def step(t: Any, token: Any, out: Any) -> Any:
        best = tf.argmax(tf.gather(table, token), 0, output_type=tf.int32)
        return t + 1, best, out.write(t, best)

    array = tf.TensorArray(tf.int32, 0, dynamic_size=True, element_shape=[])
    t, _, out = tf.while_loop(lambda t, token, _: (t < length) & tf.not_equal(token, 3), step, [0, 0, array])
    return [t, out.stack()], {table: np.roll(np.eye(4), 1, 1), length: 10}, {table: np.eye(4), length: 5}, {
        table: np.eye(4), length: 0}  # fmt: skip


@program
def euler_steps_until_a_time(tf: Any) -> Any:
    h, x = ph(tf, "float64", []), ph(tf, "float64", [2])
    step = lambda t, y: (t + h, y + h * tf.stack([y[1], -tf.sin(y[0])]))
    t, y = tf.while_loop(lambda t, y: t < 1.0, step, [tf.constant(0.0, tf.float64), x])
    return [t, y, *tf.gradients(y, [x, h])], {h: 0.125, x: [1, 0]}, {h: 2.0, x: [1, 0]}


@program
def k_means_until_nothing_changes(tf: Any) -> Any:
    points, start = ph(tf, "float64", [None, 2]), ph(tf, "float64", [2, 2])

    def step(i: Any, centres: Any, _: Any) -> Any:
        nearest = tf.argmin(tf.reduce_sum((points[:, None] - centres) ** 2, 2), 1)
        parts = tf.dynamic_partition(points, tf.cast(nearest, tf.int32), 2)
        return i + 1, tf.stack([tf.reduce_mean(p, 0) for p in parts]), centres

    going = lambda i, new, old: tf.reduce_any(tf.not_equal(new, old))
    i, centres, _ = tf.while_loop(going, step, [0, start, start - 1.0], maximum_iterations=20)
    return [i, centres], {points: [[0, 0], [0, 1], [5, 5], [6, 5], [1, 0]], start: [[0, 0], [1, 0]]}
