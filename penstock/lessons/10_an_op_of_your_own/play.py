"""The graph of the play page: the cubes of the text and their growth, made of ops that a page computes."""

import penstock as tf

side = tf.placeholder(tf.float32, ["cubes"], name="side")
g = tf.placeholder(tf.float32, ["cubes"], name="g")
volume = tf.multiply(side * side, side, name="volume")
growth = tf.multiply(3.0 * side * side, g, name="growth")

fetches = [volume, growth]
feeds = {side: [1.0, 2.0, 10.0], g: [1.0, 1.0, 1.0]}
