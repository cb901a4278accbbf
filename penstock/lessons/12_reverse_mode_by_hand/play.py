"""The graph of the play page: a backward pass by hand."""

import penstock as tf

x = tf.placeholder(tf.float32, ["n"], name="x")
w = tf.placeholder(tf.float32, ["n"], name="w")
t = tf.multiply(x, w, name="t")
s = tf.sin(t, name="s")
y = tf.multiply(s, t, name="y")
cost = tf.reduce_sum(y, name="cost")

d_y = tf.ones_like(y, name="d_y")
direct = tf.multiply(d_y, s, name="direct")
through_s = tf.multiply(d_y * t, tf.cos(t), name="through_s")
d_t = tf.add(direct, through_s, name="d_t")
d_x = tf.multiply(d_t, w, name="d_x")
d_w = tf.multiply(d_t, x, name="d_w")

fetches = [cost, d_t, d_x, d_w]
feeds = {x: [1.0, 2.0, 3.0], w: [0.5, 0.1, -0.4]}
