"""Lesson 9: a slope, its own slope, and a slope with something held fixed."""

import penstock as tf

x = tf.placeholder(tf.float32, ["places"], name="x")
height = tf.multiply(x, tf.sin(x), name="height")
target = tf.multiply(height, 0.5, name="target")
gap = tf.square(height - target, name="gap")

slope = ...  # your turn: the derivative of height in x
bend = ...  # your turn: the derivative of slope in x
pull = ...  # your turn: the derivative of gap in x, where target counts as fixed

session = tf.Session()
print(session.run([slope, bend, pull], {x: [0.0, 1.0, 2.0]}))
