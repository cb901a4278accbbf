"""The graph of the play page: the one of the text, visits are counted after they were read."""

import penstock as tf

visits = tf.Variable(0, name="visits")
one = tf.constant(1, name="one")
early = tf.identity(visits, name="early")
with tf.control_dependencies([early]):
    counted = visits.assign_add(one, name="counted")

fetches = [early, counted]
feeds = {}
