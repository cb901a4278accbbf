"""The graph of the play page: the loss of the exercise, and a step without a slot."""

import penstock as tf

x = tf.placeholder(tf.float32, ["rows", 2], name="x")
y = tf.placeholder(tf.float32, ["rows"], name="y")
w = tf.Variable([0.0, 0.0], name="w")
loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y), name="loss")
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)

fetches = [loss, train]
feeds = {x: [[1.0, 2.0], [2.0, 1.0]], y: [1.0, 2.0]}
