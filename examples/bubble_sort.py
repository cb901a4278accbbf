"""A bubble sort with TensorArrays, a loop in a loop and a branch in it; a gradient finds its way back.

A pass reads the numbers from one TensorArray and writes them into another, as an element is written once. It carries
the largest number so far along. A sort moves numbers and does not change them: the gradient of the sorted numbers,
weighted by their places, says at which place each number ended up. With `import tensorflow.compat.v1 as tf` the program
prints the same lines.
"""

from typing import Any

import penstock.compat.v1 as tf

graph = tf.Graph()
with graph.as_default():
    numbers = tf.placeholder(tf.float64, [None], name="numbers")
    count = tf.size(numbers)

    def one_pass(before: Any, swaps: Any, again: Any) -> Any:
        """All numbers, the larger of two neighbours behind the other; whether any two changed places."""
        source = tf.TensorArray(tf.float64, count).unstack(before)
        sink = tf.TensorArray(tf.float64, count)

        def compared(j: Any, held: Any, sink: Any, swaps: Any) -> Any:
            number = source.read(j)
            wrong = held > number
            smaller, held = tf.cond(wrong, lambda: (number, held), lambda: (held, number))
            return j + 1, held, sink.write(j - 1, smaller), swaps + tf.cast(wrong, tf.int32)

        start = [tf.constant(1), source.read(0), sink, swaps]
        _, held, sink, after = tf.while_loop(lambda j, *_: j < count, compared, start, name="pass")
        numbers_now = sink.write(count - 1, held).stack()
        numbers_now.set_shape([None])
        return numbers_now, after, after > swaps

    start = [numbers, tf.constant(0), tf.constant(True)]
    ordered, swaps, _ = tf.while_loop(lambda now, swaps, again: again, one_pass, start, name="bubble_sort")
    places = tf.gradients(ordered, numbers, grad_ys=tf.cast(tf.range(count), tf.float64))[0]

with tf.Session(graph=graph) as session:
    for given in ([3.0, 1.0, 2.0], [5.0, 4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0], [2.5, -1.0, 2.5, 0.0, 7.0, -3.5]):
        found, to, moved = session.run([ordered, places, swaps], {numbers: given})
        print(f"{found.tolist()} after {moved} swaps; each went to {to.astype(int).tolist()}")
