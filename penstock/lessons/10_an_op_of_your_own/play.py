"""The graph of the play page: a vector and its mirror image, and the derivative of a weighted sum of them."""

import penstock as tf

x = tf.placeholder(tf.float32, ["n"], name="x")
weights = tf.placeholder(tf.float32, ["twice"], name="weights")
both = tf.concat(0, [x, tf.reverse(x, [True])], name="both")
n = tf.size(x)
slope = tf.add(weights[:n], tf.reverse(weights[n:], [True]), name="slope")

fetches = [both, slope]
feeds = {x: [1.0, 2.0, 3.0], weights: [1.0, 0.0, 0.0, 0.5, 0.0, 4.0]}
