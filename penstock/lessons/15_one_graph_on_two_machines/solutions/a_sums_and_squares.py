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

crossing = plain.graph.partitions(plain).crossing
with tf.device(NORTH):
    total, squares = tf.reduce_sum(small), tf.reduce_sum(tf.square(small))
with tf.device(SOUTH):
    mean = (total + tf.reduce_sum(large)) / 4000.0
    mean_of_squares = (squares + tf.reduce_sum(tf.square(large))) / 4000.0
    frugal = mean_of_squares - tf.square(mean)

session = tf.Session()
session.run(tf.global_variables_initializer())
print(session.run([plain, frugal]), crossing)
print(plain.graph.partitions(frugal), plain.graph.partitions(frugal).waits)
