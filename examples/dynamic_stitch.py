"""The programs of TensorFlow's page "tf.dynamic_stitch": merge by index, and work on a part of a tensor only."""

from typing import Any

import penstock as tf

with tf.Session(graph=tf.Graph()) as session:
    # merged[indices[m][i, ..., j], ...] = data[m][i, ..., j, ...]
    indices: list[Any] = [6, [4, 1], [[5, 2], [0, 3]]]
    data: list[Any] = [[61, 62], [[41, 42], [11, 12]], [[[51, 52], [21, 22]], [[1, 2], [31, 32]]]]
    merged = tf.dynamic_stitch(indices, data)
    # The page says [max(indices)] + constant; seven rows, 0 to 6, need max(indices) + 1.
    print("merged", merged.shape)
    print(merged.eval())

    # Apply a function (here: add 1) to the elements for which a condition holds (here: x != -1).
    x = tf.constant([0.1, -1.0, 5.2, 4.3, -1.0, 7.4])
    condition_mask = tf.not_equal(x, tf.constant(-1.0))
    partitioned_data = tf.dynamic_partition(x, tf.cast(condition_mask, tf.int32), 2)
    partitioned_data[1] = partitioned_data[1] + 1.0
    condition_indices = tf.dynamic_partition(tf.range(tf.shape(x)[0]), tf.cast(condition_mask, tf.int32), 2)
    x = tf.dynamic_stitch(condition_indices, partitioned_data)
    print("x", x.eval())
