# either-way-round

import penstock as tf

x = tf.placeholder(tf.float32, ["places"], name="x")
height = tf.multiply(x, tf.sin(x), name="height")
target = tf.multiply(height, 0.5, name="target")
gap = tf.square(height - target, name="gap")

slope = tf.gradients(x, height)[0]
bend = tf.gradients(slope, x)[0]
pull = tf.gradients(gap, x, stop_gradients=[target])[0]

print(slope, bend, pull)
