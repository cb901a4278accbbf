"""The programs of TensorFlow's page "tf.tensor_scatter_nd_update": a changed copy of a tensor.

The page is written for a mode in which calls compute at once. Here a call builds a node; `.eval()` asks for its value.
"""

import penstock as tf

with tf.Session(graph=tf.Graph()) as session:
    print("four elements of a vector:")
    indices = tf.constant([[1], [3], [4], [7]])
    updates = tf.constant([9, 10, 11, 12])
    print(tf.tensor_scatter_nd_update([0, 0, 0, 0, 0, 0, 0, 0], indices, updates).eval())

    print("two elements of a matrix:")
    tensor = tf.constant([[1, 1], [1, 1], [1, 1]])
    print(tf.tensor_scatter_nd_update(tensor, [[0, 1], [2, 0]], [5, 10]).eval())

    print("two rows of a matrix:")
    tensor = tf.zeros([6, 3], dtype=tf.int32)
    indices = tf.constant([[2], [4]])
    num_updates, index_depth = indices.shape.as_list()
    assert index_depth is not None
    outer_shape, inner_shape = tensor.shape[:index_depth], tensor.shape[index_depth:]  # the page swaps them once
    updates = tf.constant([[1, 2, 3], [4, 5, 6]])
    assert updates.shape == tf.TensorShape([num_updates]) + inner_shape
    print("outer", outer_shape, "inner", inner_shape)
    print(tf.tensor_scatter_nd_update(tensor, indices, updates).eval())

    batch_size, time, width, height, channels = 13, 11, 7, 5, 3
    video_batch = tf.zeros([batch_size, time, width, height, channels])
    new_clips = tf.ones([2, time, width, height, channels])
    changed = tf.tensor_scatter_nd_update(video_batch, [[0], [1]], new_clips)
    print("two clips, pixels changed:", tf.reduce_sum(changed).eval(), "in", changed.shape)

    new_images = tf.ones([3, width, height, channels])
    changed = tf.tensor_scatter_nd_update(video_batch, [[0, 0], [1, 0], [2, 0]], new_images)
    print("three frames, pixels changed:", tf.reduce_sum(changed).eval(), "in", changed.shape)

    print("an X, by indices of shape [2, 5, 2]:")
    tensor = tf.zeros([5, 5])
    indices = tf.constant([
        [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4]],
        [[0, 4], [1, 3], [2, 2], [3, 1], [4, 0]],
    ])  # fmt: skip
    # tf.ones where the page has a list of ints: its tensor is float32.
    index_depth = indices.shape.as_list()[-1]
    assert tensor.shape.ndims == index_depth
    print(tf.tensor_scatter_nd_update(tensor, indices, tf.ones([2, 5])).eval())

    print("what the page wishes for, and what it says instead:")
    try:
        tensor[0] = updates
    except TypeError as error:
        print(error)
