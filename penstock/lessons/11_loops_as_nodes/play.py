"""The graph of the play page: the power of the text, and its derivative."""

import penstock as tf

x = tf.placeholder(tf.float32, [], name="x")
n = tf.placeholder(tf.int32, [], name="n")
power, _ = tf.while_loop(lambda power, i: i < n, lambda power, i: (power * x, i + 1), [1.0, 0], name="power")
slope = tf.identity(tf.gradients(power, x)[0], name="slope")

fetches = [power, slope]
feeds = {x: 2.0, n: 5}
