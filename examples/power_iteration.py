"""Power iteration: the largest eigenvalue of a matrix whose size is known in the run only.

The loop carries a vector, which it multiplies by the matrix until the estimate of the eigenvalue settles. The gradient
of the eigenvalue goes back through all iterations. With `import tensorflow.compat.v1 as tf` the program prints the same
lines.
"""

from typing import Any

import numpy as np

import penstock.compat.v1 as tf

graph = tf.Graph()
with graph.as_default():
    matrix = tf.placeholder(tf.float64, [None, None], name="matrix")

    def goes_on(count: Any, vector: Any, old: Any, new: Any) -> Any:
        return tf.abs(new - old) > 1e-13 * tf.abs(new)

    def step(count: Any, vector: Any, old: Any, new: Any) -> Any:
        product = tf.matmul(matrix, vector)
        unit = product / tf.sqrt(tf.reduce_sum(product**2))
        return count + 1, unit, new, tf.reduce_sum(unit * tf.matmul(matrix, unit))

    ones = tf.ones([tf.shape(matrix)[0], 1], tf.float64)
    zero, one = tf.constant(0.0, tf.float64), tf.constant(1.0, tf.float64)
    # The number of rows is open: without the invariant, the loop would be refused where a size is known to change.
    shapes = [tf.TensorShape([]), tf.TensorShape([None, 1]), tf.TensorShape([]), tf.TensorShape([])]
    count, vector, _, largest = tf.while_loop(goes_on, step, [0, ones, zero, one], shapes, name="power")
    slope = tf.gradients(largest, matrix)[0]

rng = np.random.default_rng(3)
with tf.Session(graph=graph) as session:
    for size in (2, 5, 9):
        given = rng.random((size, size))
        given += given.T  # symmetric, so that all eigenvalues are real
        n, value, direction, change = session.run([count, largest, vector, slope], {matrix: given})
        error = abs(value - np.linalg.eigvalsh(given)[-1])
        # The derivative of the eigenvalue is the outer product of the eigenvector with itself.
        apart = np.abs(change - direction @ direction.T).max()
        print(f"{size} rows: {value:.9f} after {n} steps, exact: {error < 1e-9}, its gradient too: {apart < 1e-5}")
