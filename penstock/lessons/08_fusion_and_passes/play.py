"""The graph of the play page: the loudness of some samples, added up and compared with the largest."""

import penstock as tf

x = tf.placeholder(tf.float32, ["samples"], name="x")
loudness = tf.sqrt(tf.square(x) + 1.0, name="loudness")
largest = tf.reduce_max(loudness, name="largest")
fast = tf.divide(tf.reduce_sum(loudness, name="total"), largest, name="fast")

fetches = [fast]
feeds = {x: [0.5, -2.0, 3.0, 0.0, -1.5, 1.0]}
