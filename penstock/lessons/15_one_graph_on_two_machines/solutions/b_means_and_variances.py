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
    mean_small, inside_small = tf.nn.moments(small, [0])
with tf.device(SOUTH):
    mean_large, inside_large = tf.nn.moments(large, [0])
    mean = 0.25 * mean_small + 0.75 * mean_large
    inside = 0.25 * inside_small + 0.75 * inside_large
    between = 0.25 * tf.square(mean_small - mean) + 0.75 * tf.square(mean_large - mean)
    frugal = inside + between

session = tf.Session()
session.run(tf.global_variables_initializer())
print(session.run([plain, frugal]), crossing)
print(plain.graph.partitions(frugal), plain.graph.partitions(frugal).waits)
