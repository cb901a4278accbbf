"""The graph of the play page: the one of the text, a way, its speed and its acceleration."""

import penstock as tf

t = tf.placeholder(tf.float32, ["times"], name="t")
way = tf.multiply(t, tf.exp(-t), name="way")
speed = tf.identity(tf.gradients(way, t)[0], name="speed")
acceleration = tf.identity(tf.gradients(speed, t)[0], name="acceleration")

fetches = [way, speed, acceleration]
feeds = {t: [0.0, 1.0, 2.0, 3.0]}
