"""The graph of the play page: the one of the text, a sum of two small tables that are on two machines."""

import penstock as tf

with tf.device("/job:worker/task:0"):
    cold = tf.Variable([0.0, 1.0, 2.0], name="cold")
with tf.device("/job:worker/task:1"):
    warm = tf.Variable([1.0, 2.0, 3.0, 4.0, 5.0], name="warm")
    total = tf.add(tf.reduce_sum(cold, name="of_cold"), tf.reduce_sum(warm, name="of_warm"), name="total")

fetches = [total]
feeds = {}
