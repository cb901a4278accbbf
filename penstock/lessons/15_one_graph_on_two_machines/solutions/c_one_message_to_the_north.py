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
def told(table):
    """What is to be known of a table, as one vector."""
    return tf.stack([tf.reduce_sum(table), tf.reduce_sum(table * table)])


with tf.device(SOUTH):
    of_large = told(large)
with tf.device(NORTH):
    means = tf.add(told(small), of_large) / 4000.0
    frugal = means[1] - means[0] ** 2

session = tf.Session()
session.run(tf.global_variables_initializer())
print(session.run([plain, frugal]), crossing)
print(plain.graph.partitions(frugal), plain.graph.partitions(frugal).waits)
