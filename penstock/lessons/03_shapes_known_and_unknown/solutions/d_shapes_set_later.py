import penstock as tf

scores = tf.placeholder(tf.float32, name="scores")
scores.set_shape(["students", 4])
bonus = tf.placeholder(tf.float32, [None], name="bonus")
bonus.set_shape(["students"])
group = tf.placeholder(tf.int32, ["students"], name="group")


def in_pairs(left, right):
    left.set_shape(["half"])
    right.set_shape(left.shape)
    half = tf.constant(0.5)
    return left * half + right * half


final = tf.add(tf.reduce_sum(scores, 1), bonus, name="final")
left, right = tf.dynamic_partition(final, group, 2, name="sides")
pairs = in_pairs(left, right)

print(final.shape, pairs.shape)
