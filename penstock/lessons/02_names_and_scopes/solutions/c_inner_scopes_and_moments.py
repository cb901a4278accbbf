import penstock as tf

HEIGHTS = [1.60, 1.70, 1.90]
WEIGHTS = [55.0, 70.0, 85.0]


def standardise(values, label):
    with tf.variable_scope(label):
        with tf.name_scope("statistics"):
            mean, variance = tf.nn.moments(values, [0])
        return tf.identity((values - mean) / tf.sqrt(variance), name="scores")


height = tf.placeholder(tf.float32, ["people"], name="height")
weight = tf.placeholder(tf.float32, ["people"], name="weight")
first = standardise(height, "heights")
second = standardise(weight, "weights")

session = tf.Session()
result = session.run(["heights/scores:0", "weights/scores:0"], {height: HEIGHTS, weight: WEIGHTS})
