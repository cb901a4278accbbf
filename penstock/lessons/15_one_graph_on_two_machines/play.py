"""The graph of the play page: the variance of two small tables that are on two machines."""

import penstock as tf

with tf.device("/job:worker/task:0"):
    small = tf.Variable([0.0, 1.0, 2.0], name="small")
    total = tf.reduce_sum(small, name="total")
    squares = tf.reduce_sum(tf.square(small), name="squares")
with tf.device("/job:worker/task:1"):
    large = tf.Variable([1.0, 2.0, 3.0, 4.0, 5.0], name="large")
    mean = tf.divide(total + tf.reduce_sum(large), 8.0, name="mean")
    mean_of_squares = tf.divide(squares + tf.reduce_sum(tf.square(large)), 8.0, name="mean_of_squares")
    variance = tf.subtract(mean_of_squares, tf.square(mean), name="variance")

fetches = [variance]
feeds = {}
