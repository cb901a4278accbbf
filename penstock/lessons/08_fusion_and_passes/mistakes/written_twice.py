# equal-values-are-one

import penstock as tf

x = tf.placeholder(tf.float32, ["samples"], name="x")
loudness = tf.sqrt(tf.square(x) + 1.0, name="loudness")
largest = tf.reduce_max(loudness, name="largest")
plain = tf.reduce_sum(loudness / largest, name="plain")

print(tf.Session(config=tf.SessionConfig(passes=())).plan(plain))
print(tf.Session().plan(plain))

# How many steps of each of these plans go through all samples?
counted = (6, 2)

fast = tf.reduce_sum(loudness) / tf.reduce_max(tf.sqrt(x * x + 1.0))
