"""The graph of the play page: the one of the text, with the largest value."""

import penstock as tf

x = tf.placeholder(tf.float32, ["n"], name="x")
y = tf.add(tf.exp(-(x * x) / 2.0), 1.0, name="y")
scaled = tf.divide(y, tf.reduce_max(y, name="largest"), name="scaled")

fetches = [scaled]
feeds = {x: [0.5, -2.0, 3.0, 0.0, -1.5, 1.0]}
