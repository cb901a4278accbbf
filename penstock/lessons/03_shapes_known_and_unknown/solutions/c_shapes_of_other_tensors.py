import penstock as tf

group = tf.placeholder(tf.int32, ["students"], name="group")
scores = tf.placeholder(tf.float32, [group.shape[0], 4], name="scores")
bonus = tf.placeholder(tf.float32, group.shape, name="bonus")


def in_pairs(left, right):
    right.set_shape(["m"])
    left.set_shape([right.shape[0]])
    return tf.divide(tf.add_n([left, right]), 2.0, name="mean")


final = tf.add(tf.reduce_sum(scores, 1), bonus, name="final")
left, right = tf.dynamic_partition(final, group, 2, name="sides")
pairs = in_pairs(left, right)

print(final.shape, pairs.shape)
