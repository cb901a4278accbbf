import penstock as tf

scores = tf.placeholder(tf.float32, ["students", 4], name="scores")
bonus = tf.placeholder(tf.float32, ["students"], name="bonus")
group = tf.placeholder(tf.int32, ["students"], name="group")


def in_pairs(left, right):
    for side in (left, right):
        side.set_shape(tf.TensorShape(["couples"]))
    return tf.reduce_mean(tf.stack([left, right]), 0)


final = tf.add(tf.reduce_sum(scores, 1), bonus, name="final")
left, right = tf.dynamic_partition(final, group, 2, name="sides")
pairs = in_pairs(left, right)

print(final.shape, pairs.shape)
