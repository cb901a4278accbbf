# the-next-scope-ends-the-last

import penstock as tf

HEIGHTS = [1.60, 1.70, 1.90]
WEIGHTS = [55.0, 70.0, 85.0]


def standardise(values):
    centred = values - tf.reduce_mean(values)
    return tf.divide(centred, tf.sqrt(tf.reduce_mean(tf.square(centred))), name="scores")


height = tf.placeholder(tf.float32, ["people"], name="height")
weight = tf.placeholder(tf.float32, ["people"], name="weight")
with tf.name_scope("heights"):
    first = standardise(height)
    with tf.name_scope("weights"):
        second = standardise(weight)

session = tf.Session()
result = session.run([first, second], {height: HEIGHTS, weight: WEIGHTS})
