# fixed-is-all-or-nothing

import penstock as tf

x = tf.placeholder(tf.float32, ["places"], name="x")
height = tf.multiply(x, tf.sin(x), name="height")
target = tf.multiply(height, 0.5, name="target")
gap = tf.square(height - target, name="gap")

slope = tf.gradients(height, x)[0]
bend = tf.gradients(slope, x)[0]
pull = tf.gradients(gap, x, stop_gradients=height)[0]

session = tf.Session()
print(session.run([slope, bend, pull], {x: [0.0, 1.0, 2.0]}))
