# the-derivative-alone

import penstock as tf

x = tf.placeholder(tf.float32, ["n"], name="x")
w = tf.placeholder(tf.float32, ["n"], name="w")
t = tf.multiply(x, w, name="t")
s = tf.sin(t, name="s")
y = tf.multiply(s, t, name="y")
cost = tf.reduce_sum(y, name="cost")

d_y = tf.ones_like(y, name="d_y")  # a sum hands its gradient, 1, to each of its elements
d_t = d_y * s + tf.cos(t)
d_x = d_t * w
d_w = d_t * x

table = tf.placeholder(tf.float32, ["rows", 20], name="table")
weights = tf.placeholder(tf.float32, [20, 20], name="weights")


def layers(value, count):
    """A chain of layers."""
    for _ in range(count):
        value = tf.tanh(tf.matmul(value, weights))
    return value


plain = tf.gradients(layers(table, 16), table)[0]
four = tf.recompute_grad(lambda value: layers(value, 4))
frugal = tf.gradients(four(four(four(four(table)))), table)[0]

session = tf.Session()
print(session.run([d_t, d_x, d_w], {x: [1.0, 2.0], w: [0.5, 0.1]}))
feeds = {table: [[0.1] * 20] * 1000, weights: [[0.05] * 20] * 20}
print(session.memory(frugal, feeds).peak // 80_000, "tables")
