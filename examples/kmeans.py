"""k-means: each point goes to its nearest centre, each centre to the mean of its points. No loop over the clusters."""

import numpy as np

import penstock as tf

POINTS, CLUSTERS, MOST_ROUNDS = 3000, 3, 50

rng = np.random.default_rng(7)
middles = np.array([[0, 0], [6, 0], [0, 6]], np.float32)
data = (middles[rng.integers(0, len(middles), POINTS)] + rng.normal(0, 1.2, (POINTS, 2))).astype(np.float32)

with tf.Graph().as_default() as graph:
    points = tf.placeholder(tf.float32, ["points", 2], name="points")
    centres = tf.placeholder(tf.float32, [CLUSTERS, 2], name="centres")
    with tf.name_scope("assign"):
        products = tf.matmul(points, centres, transpose_b=True, name="products")
        distances = tf.reduce_sum(tf.square(centres), 1) - 2.0 * products
        nearest = tf.argmin(distances, 1, name="nearest")

with graph.as_default(), tf.name_scope("update"):
    moved = tf.unsorted_segment_mean(points, nearest, CLUSTERS, name="moved")
    sizes = tf.unsorted_segment_sum(tf.ones_like(nearest), nearest, CLUSTERS, name="sizes")

print(nearest)
print(moved)

current = data[:CLUSTERS]
with tf.Session(graph=graph) as session:
    for number in range(1, MOST_ROUNDS + 1):
        before = current
        current, counts = session.run([moved, sizes], {points: data, centres: before})
        print("round", number, "sizes", counts)
        if np.allclose(current, before, atol=1e-4):
            break

for centre, count in zip(current, counts, strict=True):
    print(f"{count} points around ({centre[0]:.2f}, {centre[1]:.2f})")
