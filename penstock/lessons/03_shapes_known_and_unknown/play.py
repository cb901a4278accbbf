"""The graph of the play page: marks of students, in pairs; nothing says that the groups are equally large."""

import penstock as tf

scores = tf.placeholder(tf.float32, ["students", 4], name="scores")
bonus = tf.placeholder(tf.float32, ["students"], name="bonus")
group = tf.placeholder(tf.int32, ["students"], name="group")

final = tf.add(tf.reduce_sum(scores, 1), bonus, name="final")
left, right = tf.dynamic_partition(final, group, 2, name="sides")
pairs = tf.divide(left + right, 2.0, name="pairs")

fetches = [pairs, final]
feeds = {
    scores: [[9.0, 7.0, 8.0, 5.0], [4.0, 6.0, 9.0, 7.0], [8.0, 8.0, 6.0, 9.0], [5.0, 9.0, 7.0, 6.0]],
    bonus: [1.0, 0.0, 2.0, 1.5],
    group: [0, 1, 1, 0],
}
