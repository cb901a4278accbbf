"""The programs of TensorFlow's page "Tensor Transformations", in the page's order and with the page's numbers.

The page writes `op(...) ==> value`. Here each line is built, run and printed in that form. Where the page has a slip
(a bracket, a shape, an index one too far), the corrected program stands, with a comment.
"""

from typing import Any

import penstock as tf


def show(text: str, tensor: tf.Tensor) -> None:
    """Print `text ==> value`, the value on as few lines as it needs."""
    value: Any = tensor.eval()
    lines = str(value).splitlines()
    lead = f"{text} ==> "
    print(lead + ("\n" + " " * len(lead)).join(lines))


with tf.Session(graph=tf.Graph()) as session:
    print("# Casting")
    show("string_to_number", tf.string_to_number(["1.5", "-2", "3e2"]))
    show("to_double", tf.to_double([1, 2]))
    show("to_float", tf.to_float([1, 2]))
    show("to_bfloat16", tf.to_bfloat16([1.0, 2.0]))
    show("to_int32", tf.to_int32([1.8, 2.2]))
    show("to_int64", tf.to_int64([1.8, 2.2]))
    a = tf.constant([1.8, 2.2])
    show("cast(a, int32)", tf.cast(a, tf.int32))

    print("\n# Shapes and shaping")
    t = tf.constant([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]]])
    show("shape(t)", tf.shape(t))
    show("size(t)", tf.size(t))
    show("rank(t)", tf.rank(t))
    show("reshape(t, [3, 3])", tf.reshape([1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 3]))
    # The page says that this t has shape [2, 2]; it has shape [2, 2, 2].
    show("reshape(t, [2, 4])", tf.reshape([[[1, 1], [2, 2]], [[3, 3], [4, 4]]], [2, 4]))
    t = tf.constant([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]], [[5, 5, 5], [6, 6, 6]]])
    show("reshape(t, [-1])", tf.reshape(t, [-1]))
    ones = tf.ones([1, 2, 1, 3, 1, 1])
    show("shape(squeeze(t))", tf.shape(tf.squeeze(ones)))
    show("shape(squeeze(t, [2, 4]))", tf.shape(tf.squeeze(ones, [2, 4])))
    two = tf.constant([7, 8])
    for dim in (0, 1, -1):
        show(f"shape(expand_dims(t, {dim}))", tf.shape(tf.expand_dims(two, dim)))
    cube = tf.zeros([2, 3, 5])
    for dim in (0, 2, 3):
        show(f"shape(expand_dims(t2, {dim}))", tf.shape(tf.expand_dims(cube, dim)))

    print("\n# Slicing and joining")
    show("slice(t, [1, 0, 0], [1, 1, 3])", tf.slice(t, [1, 0, 0], [1, 1, 3]))
    show("slice(t, [1, 0, 0], [1, 2, 3])", tf.slice(t, [1, 0, 0], [1, 2, 3]))
    show("slice(t, [1, 0, 0], [2, 1, 3])", tf.slice(t, [1, 0, 0], [2, 1, 3]))
    split0, split1, split2 = tf.split(1, 3, tf.zeros([5, 30]))
    show("shape(split0)", tf.shape(split0))
    show("tile([a b c d], [2])", tf.tile(["a", "b", "c", "d"], [2]))
    # The picture on the page belongs to these paddings, not to those in its text.
    show("pad(t, [[2, 1], [1, 2]])", tf.pad([[1, 1], [2, 2]], [[2, 1], [1, 2]]))
    t1, t2 = tf.constant([[1, 2, 3], [4, 5, 6]]), tf.constant([[7, 8, 9], [10, 11, 12]])
    show("concat(0, [t1, t2])", tf.concat(0, [t1, t2]))
    show("concat(1, [t1, t2])", tf.concat(1, [t1, t2]))
    show("shape(concat(0, [t3, t4]))", tf.shape(tf.concat(0, [t1, t2])))
    show("shape(concat(1, [t3, t4]))", tf.shape(tf.concat(1, [t1, t2])))
    show("pack([x, y, z])", tf.pack([[1, 4], [2, 5], [3, 6]]))
    for i, row in enumerate(tf.unpack(t1)):
        show(f"unpack(t1)[{i}]", row)

    # Each of the four rows is turned round up to its own length; what lies past it is copied.
    rows = tf.reshape(tf.range(0, 32), [4, 8])
    show("reverse_sequence(rows, [7, 2, 3, 5], 1)", tf.reverse_sequence(rows, [7, 2, 3, 5], 1))
    t = tf.reshape(tf.range(0, 24), [1, 2, 3, 4])
    for dims in ([False, False, False, True], [False, True, False, False], [False, False, True, False]):
        show(f"reverse(t, {dims})", tf.reverse(t, dims))

    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    show("transpose(x)", tf.transpose(x))
    show("transpose(x, perm=[1, 0])", tf.transpose(x, perm=[1, 0]))  # the page's [0, 1] would change nothing
    b = tf.constant([[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]])
    show("transpose(b, perm=[0, 2, 1])", tf.transpose(b, perm=[0, 2, 1]))
    show("gather(t1, [1, 0, 1])", tf.gather(t1, [1, 0, 1]))
    for i, part in enumerate(tf.dynamic_partition([10, 20], 1, 2)):
        show(f"dynamic_partition([10, 20], 1, 2)[{i}]", part)
    for i, part in enumerate(tf.dynamic_partition([10, 20, 30, 40, 50], [0, 0, 1, 1, 0], 2)):
        show(f"dynamic_partition([10, 20, 30, 40, 50], [0, 0, 1, 1, 0], 2)[{i}]", part)
    indices: list[Any] = [6, [4, 1], [[5, 2], [0, 3]]]
    data: list[Any] = [[61, 62], [[41, 42], [11, 12]], [[[51, 52], [21, 22]], [[1, 2], [31, 32]]]]
    show("dynamic_stitch(indices, data)", tf.dynamic_stitch(indices, data))
