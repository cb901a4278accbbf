"""The graph of the play page: one function in two scopes."""

import penstock as tf


def standardise(values, label):
    with tf.name_scope(label):
        centred = tf.subtract(values, tf.reduce_mean(values, name="mean"), name="centred")
        deviation = tf.sqrt(tf.reduce_mean(tf.square(centred), name="variance"), name="deviation")
        return tf.divide(centred, deviation, name="scores")


height = tf.placeholder(tf.float32, ["people"], name="height")
weight = tf.placeholder(tf.float32, ["people"], name="weight")

fetches = [standardise(height, "heights"), standardise(weight, "weights")]
feeds = {height: [1.60, 1.70, 1.90], weight: [55.0, 70.0, 85.0]}
