"""The graph of the play page: a cost that is not a number."""

import penstock as tf

scores = tf.placeholder(tf.float32, ["rows", 3], name="scores")
truth = tf.placeholder(tf.int32, ["rows"], name="truth")
weights = tf.exp(scores, name="weights")
total = tf.reduce_sum(weights, 1, keepdims=True, name="total")
share = tf.divide(weights, total, name="share")
chosen = tf.reduce_sum(tf.multiply(share, tf.one_hot(truth, 3), name="masked"), 1, name="chosen")
logs = tf.log(chosen, name="logs")
cost = tf.negative(tf.reduce_mean(logs), name="cost")

fetches = [cost]
feeds = {scores: [[200.0, 0.0, -10.0], [1.0, 2.0, 3.0]], truth: [1, 2]}
