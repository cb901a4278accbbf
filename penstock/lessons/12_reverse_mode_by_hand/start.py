"""Lesson 12: a backward pass by hand, and one that keeps less."""

import penstock as tf

x = tf.placeholder(tf.float32, ["n"], name="x")
w = tf.placeholder(tf.float32, ["n"], name="w")
t = tf.multiply(x, w, name="t")
s = tf.sin(t, name="s")
y = tf.multiply(s, t, name="y")
cost = tf.reduce_sum(y, name="cost")

d_y = tf.ones_like(y, name="d_y")  # a sum hands its gradient, 1, to each of its elements
d_t = ...  # your turn: the gradient of t, from d_y, without tf.gradients
d_x = ...  # your turn: the gradient of x, from d_t
d_w = ...  # your turn: the gradient of w, from d_t

table = tf.placeholder(tf.float32, ["rows", 20], name="table")
weights = tf.placeholder(tf.float32, [20, 20], name="weights")


def layers(value, count):
    """A chain of layers."""
    for _ in range(count):
        value = tf.tanh(tf.matmul(value, weights))
    return value


plain = tf.gradients(layers(table, 16), table)[0]
frugal = ...  # your turn: the same gradient, with no more than 9 tables in memory

session = tf.Session()
print(session.run([d_t, d_x, d_w], {x: [1.0, 2.0], w: [0.5, 0.1]}))
feeds = {table: [[0.1] * 20] * 1000, weights: [[0.05] * 20] * 20}
print(session.memory(frugal, feeds).peak // 80_000, "tables")
