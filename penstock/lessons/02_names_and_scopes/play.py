"""The graph of the play page: the one of the text, some additions and two scopes."""

import penstock as tf

x = tf.placeholder(tf.float32, ["people"], name="x")
c = tf.add(x + 1.0 + 2.0, 3.0, name="last")
with tf.name_scope("tower"):
    low = tf.reduce_min(c, name="low")
    with tf.name_scope("inner"):
        high = tf.reduce_max(c, name="high")

fetches = [low, high]
feeds = {x: [10.0, 20.0, 30.0]}
