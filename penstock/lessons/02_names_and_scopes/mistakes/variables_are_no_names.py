# a-variable-names-a-node

import penstock as tf

HEIGHTS = [1.60, 1.70, 1.90]
WEIGHTS = [55.0, 70.0, 85.0]


def standardise(values, label):
    with tf.name_scope(label):
        centred = values - tf.reduce_mean(values)
        scores = centred / tf.sqrt(tf.reduce_mean(tf.square(centred)))
    return scores


height = tf.placeholder(tf.float32, ["people"], name="height")
weight = tf.placeholder(tf.float32, ["people"], name="weight")
first = standardise(height, "heights")
second = standardise(weight, "weights")

session = tf.Session()
result = session.run([first, second], {height: HEIGHTS, weight: WEIGHTS})
