"""Newton's method: a while_loop whose body asks for a derivative of what it computes.

The loop ends when a step is small, or after 50 iterations. Its result has a gradient too: how the root moves with the
number that is given. The numbers are those of TensorFlow: with `import tensorflow.compat.v1 as tf` the program prints
the same lines.
"""

from typing import Any

import penstock.compat.v1 as tf

graph = tf.Graph()
with graph.as_default():
    number = tf.placeholder(tf.float64, [], name="number")

    def value_at(x: Any) -> Any:
        """The function whose root is looked for: x³ - 2x - number."""
        return x**3 - 2.0 * x - number

    def goes_on(count: Any, x: Any, step: Any) -> Any:
        return tf.abs(step) > 1e-10

    def newton(count: Any, x: Any, step: Any) -> Any:
        value = value_at(x)
        slope = tf.gradients(value, x)[0]
        step = value / slope
        return count + 1, x - step, step

    start = (tf.constant(0), tf.constant(3.0, tf.float64), tf.constant(1.0, tf.float64))
    count, root, _ = tf.while_loop(goes_on, newton, start, maximum_iterations=50, name="newton")
    moves = tf.gradients(root, number)[0]

with tf.Session(graph=graph) as session:
    for given in (5.0, 21.0, -0.5, 1000.0):
        n, x, slope = session.run([count, root, moves], {number: given})
        # The root moves by 1 / f'(x), as the rule for implicit functions says.
        print(f"{given:7.1f}: root {x:.9f} after {n} steps, moves by {slope:.6f} = {1 / (3 * x**2 - 2):.6f}")
