"""The graph of the play page: the one of the text, whose value `u` is used twice."""

import penstock as tf

u = tf.placeholder(tf.float32, ["n"], name="u")
e = tf.exp(u, name="e")
top = tf.multiply(e, u, name="top")
d_top = tf.ones_like(top, name="d_top")
d_e = tf.multiply(d_top, u, name="d_e")
through_e = tf.multiply(d_e, e, name="through_e")
direct = tf.multiply(d_top, e, name="direct")
d_u = tf.add(direct, through_e, name="d_u")

fetches = [top, d_u]
feeds = {u: [1.5, 0.0, -1.0]}
