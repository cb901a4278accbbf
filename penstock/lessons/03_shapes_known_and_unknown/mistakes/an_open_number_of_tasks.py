# none-says-enough

import penstock as tf

scores = tf.placeholder(tf.float32, ["students", None], name="scores")
bonus = tf.placeholder(tf.float32, ["students"], name="bonus")
group = tf.placeholder(tf.int32, ["students"], name="group")


def in_pairs(left, right):
    left.set_shape(["pairs"])
    right.set_shape(["pairs"])
    return (left + right) / 2.0


final = tf.add(tf.reduce_sum(scores, 1), bonus, name="final")
left, right = tf.dynamic_partition(final, group, 2, name="sides")
pairs = in_pairs(left, right)

print(final.shape, pairs.shape)
