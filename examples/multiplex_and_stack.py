"""The programs of PaddlePaddle's pages "multiplex" and "stack"."""

import penstock as tf

with tf.Session(graph=tf.Graph()) as session:
    # out[i] = inputs[index[i]][i]: row i comes from the input that index names.
    inputs = [
        tf.constant([[0, 0, 3, 4], [0, 1, 3, 4], [0, 2, 4, 4], [0, 3, 3, 4]]),
        tf.constant([[1, 0, 3, 4], [1, 1, 7, 8], [1, 2, 4, 2], [1, 3, 3, 4]]),
        tf.constant([[2, 0, 3, 4], [2, 1, 7, 8], [2, 2, 4, 2], [2, 3, 3, 4]]),
        tf.constant([[3, 0, 3, 4], [3, 1, 7, 8], [3, 2, 4, 2], [3, 3, 3, 4]]),
    ]
    print("multiplex of four tables:")
    print(tf.multiplex(inputs, [[3], [0], [1], [2]]).eval())

    image1, image2 = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[5.0, 6.0], [7.0, 8.0]])
    print("multiplex of two images:")
    print(tf.multiplex([image1, image2], [[1], [0]]).eval())

    x1, x2, x3 = tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]]), tf.constant([[5.0, 6.0]])
    for axis in (0, 1, -2):  # -2 counts from the end of the result's three dimensions: it is 1
        out = tf.stack([x1, x2, x3], axis=axis)
        print(f"stack along {axis} has shape {out.shape}:")
        print(out.eval())
