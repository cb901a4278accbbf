"""The graph of the play page: two tables of one column, and a number from each."""

import penstock as tf

column = tf.placeholder(tf.float32, ["n", 1], name="column")
near = tf.matmul(column, column, transpose_b=True, name="near")
far = tf.matmul(column - 1.0, column, transpose_b=True, name="far")
highest = tf.reduce_max(near, name="highest")
lowest = tf.reduce_min(far, name="lowest")
spread = tf.subtract(highest, lowest, name="spread")

fetches = [spread]
feeds = {column: [[1.0], [2.0], [-0.5], [0.25]]}
