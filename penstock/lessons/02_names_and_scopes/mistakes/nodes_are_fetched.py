# a-node-is-its-result

import penstock as tf

HEIGHTS = [1.60, 1.70, 1.90]
WEIGHTS = [55.0, 70.0, 85.0]


def standardise(values, label):
    with tf.name_scope(label):
        centred = values - tf.reduce_mean(values)
        deviation = tf.sqrt(tf.reduce_mean(tf.square(centred)))
        return tf.divide(centred, deviation, name="scores")


height = tf.placeholder(tf.float32, ["people"], name="height")
weight = tf.placeholder(tf.float32, ["people"], name="weight")
first = standardise(height, "heights")
second = standardise(weight, "weights")

session = tf.Session()
result = session.run(["heights/scores", "weights/scores"], {height: HEIGHTS, weight: WEIGHTS})
