"""k-means: each point goes to its nearest centre, each centre to the mean of its points. No loop over the clusters."""

import sys

import numpy as np

import penstock as tf

POINTS = int(sys.argv[1]) if sys.argv[1:2] and sys.argv[1].isdigit() else 3000
CLUSTERS, ROUNDS = 3, 10

rng = np.random.default_rng(7)
middles = np.array([[0, 0], [6, 0], [0, 6]], np.float32)
data = (middles[rng.integers(0, CLUSTERS, POINTS)] + rng.normal(0, 0.5, (POINTS, 2))).astype(np.float32)

with tf.Graph().as_default() as graph:
    points = tf.placeholder(tf.float32, ["points", 2], name="points")
    centres = tf.placeholder(tf.float32, [CLUSTERS, 2], name="centres")
    # |p - c|**2 without |p|**2, which is the same for every centre
    distances = tf.reduce_sum(tf.square(centres), 1) - 2.0 * tf.matmul(points, tf.transpose(centres))
    nearest = tf.argmin(distances, 1, name="nearest")
    moved = tf.unsorted_segment_mean(points, nearest, CLUSTERS, name="moved")
    sizes = tf.histogram_fixed_width(nearest, tf.constant([0, CLUSTERS], tf.int64), CLUSTERS, name="sizes")

print(nearest.shape, moved.shape)
current = data[np.argsort(data.sum(1))[[0, POINTS // 2, -1]]]
with tf.Session(graph=graph) as session:
    for _ in range(ROUNDS):
        current, counts = session.run([moved, sizes], {points: data, centres: current})
current = np.abs(current.round(0))
print("centres", current[np.lexsort(current.T)].tolist())
print("all points have a cluster:", int(counts.sum()) == POINTS)
