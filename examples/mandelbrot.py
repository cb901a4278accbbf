"""The Mandelbrot set: z -> z² + c until z is far away, for all points of the plane at once.

Each iteration moves the points that are still near and counts it. The loop ends early where no point is near any more.
With `import tensorflow.compat.v1 as tf` the program prints the same lines.
"""

from typing import Any

import numpy as np

import penstock.compat.v1 as tf

SHADES = " .:-=+*#%@"

graph = tf.Graph()
with graph.as_default():
    re = tf.placeholder(tf.float64, [None, None], name="re")
    im = tf.placeholder(tf.float64, [None, None], name="im")
    most = tf.placeholder(tf.int32, [], name="most")

    def near(x: Any, y: Any) -> Any:
        return x * x + y * y < 4.0

    def goes_on(i: Any, x: Any, y: Any, count: Any) -> Any:
        return tf.logical_and(i < most, tf.reduce_any(near(x, y)))

    def step(i: Any, x: Any, y: Any, count: Any) -> Any:
        inside = near(x, y)
        x, y = tf.where(inside, x * x - y * y + re, x), tf.where(inside, 2.0 * x * y + im, y)
        return i + 1, x, y, count + tf.cast(inside, tf.int32)

    zeros = tf.zeros_like(re)
    start = [0, zeros, zeros, tf.zeros_like(re, tf.int32)]
    iterations, _, _, counts = tf.while_loop(goes_on, step, start, name="mandelbrot")

with tf.Session(graph=graph) as session:
    for centre, width, limit in ((-0.7 + 0j, 3.0, 100), (2.5 + 2.5j, 1.0, 100)):
        columns = np.linspace(-0.5, 0.5, 63) * width + centre.real
        lines = np.linspace(-0.5, 0.5, 21) * width * 0.8 + centre.imag
        x, y = np.meshgrid(columns, lines)
        n, found = session.run([iterations, counts], {re: x, im: y, most: limit})
        print(f"{n} iterations, {np.count_nonzero(found == limit)} points inside, {found.sum()} moves")
        if n == limit:
            shade = (np.log(found) / np.log(limit) * (len(SHADES) - 1)).astype(int)
            print("\n".join("|" + "".join(SHADES[k] for k in line) + "|" for line in shade))
