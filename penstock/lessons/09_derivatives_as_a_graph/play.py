"""The graph of the play page: a height, its slope and the slope of that."""

import penstock as tf

x = tf.placeholder(tf.float32, ["places"], name="x")
height = tf.multiply(x, tf.sin(x), name="height")
slope = tf.identity(tf.gradients(height, x)[0], name="slope")
bend = tf.identity(tf.gradients(slope, x)[0], name="bend")

fetches = [height, slope, bend]
feeds = {x: [0.0, 1.0, 2.0, 3.0]}
