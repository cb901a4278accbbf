import penstock as tf

HEIGHTS = [1.60, 1.70, 1.90]
WEIGHTS = [55.0, 70.0, 85.0]


def standardise(values, label):
    mean = tf.reduce_mean(values, name=f"{label}/mean")
    centred = tf.subtract(values, mean, name=f"{label}/centred")
    variance = tf.reduce_mean(tf.multiply(centred, centred, name=f"{label}/squares"), name=f"{label}/variance")
    return tf.divide(centred, tf.sqrt(variance, name=f"{label}/deviation"), name=f"{label}/scores")


height = tf.placeholder(tf.float32, ["people"], name="height")
weight = tf.placeholder(tf.float32, ["people"], name="weight")
first = standardise(height, "heights")
second = standardise(weight, "weights")

session = tf.Session()
result = session.run({"h": "heights/scores:0", "w": "weights/scores:0"}, {"height:0": HEIGHTS, "weight:0": WEIGHTS})
