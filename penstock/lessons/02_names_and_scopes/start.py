"""Lesson 2: one function, two scopes, and results that are fetched by name."""

import penstock as tf

HEIGHTS = [1.60, 1.70, 1.90]
WEIGHTS = [55.0, 70.0, 85.0]


def standardise(values, label):
    """Each value minus the mean, divided by the standard deviation: nodes in the scope `label`, result `scores`."""
    scores = ...  # your turn: write this function; tf.reduce_mean, tf.square and tf.sqrt may be of use
    return scores


height = tf.placeholder(tf.float32, ["people"], name="height")
weight = tf.placeholder(tf.float32, ["people"], name="weight")
first = standardise(height, "heights")
second = standardise(weight, "weights")

session = tf.Session()
result = ...  # your turn: both results for HEIGHTS and WEIGHTS from one run, fetched by their names

print(result)
