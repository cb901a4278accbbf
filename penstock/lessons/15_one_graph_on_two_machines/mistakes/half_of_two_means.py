# the-mean-of-the-parts

import penstock as tf

NORTH, SOUTH = "/job:worker/task:0", "/job:worker/task:1"

with tf.device(NORTH):
    small = tf.Variable(tf.linspace(0.0, 2.0, 1000), name="small")
with tf.device(SOUTH):
    large = tf.Variable(tf.linspace(1.0, 5.0, 3000), name="large")

with tf.device(SOUTH):
    both = tf.concat(0, [small, large], name="both")
    distance = tf.subtract(both, tf.reduce_mean(both), name="distance")
    plain = tf.reduce_mean(tf.square(distance), name="plain")

crossing = 4000
with tf.device(NORTH):
    mean_small, squares_small = tf.reduce_mean(small), tf.reduce_mean(tf.square(small))
with tf.device(SOUTH):
    mean = (mean_small + tf.reduce_mean(large)) / 2.0
    frugal = (squares_small + tf.reduce_mean(tf.square(large))) / 2.0 - tf.square(mean)

session = tf.Session()
session.run(tf.global_variables_initializer())
print(session.run([plain, frugal]), crossing)
print(plain.graph.partitions(frugal), plain.graph.partitions(frugal).waits)
