"""k-means, as programs for TensorFlow 0.x wrote it: points find the nearest centre, centres move to their points."""

import numpy as np
import tensorflow as tf

K, POINTS, STEPS = 3, 300, 8
random = np.random.RandomState(0)
data = np.concatenate([random.randn(POINTS // K, 2) + centre for centre in ([0, 0], [6, 2], [1, 7])])
data = random.permutation(data).astype(np.float32)

points = tf.constant(data)
centroids = tf.Variable(data[:K])
assignments = tf.Variable(tf.zeros([POINTS], dtype=tf.int64))

expanded_points = tf.expand_dims(points, 0)
expanded_centroids = tf.expand_dims(centroids, 1)
distances = tf.reduce_sum(tf.square(tf.sub(expanded_points, expanded_centroids)), 2)
nearest = tf.argmin(distances, 0)
inertia = tf.reduce_sum(tf.reduce_min(distances, 0))

totals = tf.unsorted_segment_sum(points, nearest, K)
counts = tf.unsorted_segment_sum(tf.ones([POINTS, 1]), nearest, K)
update = tf.group(tf.assign(centroids, tf.div(totals, counts)), tf.assign(assignments, nearest))

sess = tf.Session()
sess.run(tf.initialize_all_variables())
for step in range(STEPS):
    loss, _ = sess.run([inertia, update])
    print("step %d inertia %.4f" % (step, loss))
print("sizes", np.bincount(sess.run(assignments), minlength=K))
sess.close()
