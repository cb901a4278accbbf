"""Lesson 3: shapes that say what is known, and no more."""

import penstock as tf

scores = ...  # your turn: a float32 placeholder, a row for each student and a column for each of the 4 tasks
bonus = ...  # your turn: a float32 placeholder, one number for each student
group = tf.placeholder(tf.int32, ["students"], name="group")


def in_pairs(left, right):
    """The mean of each pair: the first of `left` with the first of `right`, and so on."""
    mean = ...  # your turn: write this function, and say in it that both have one size
    return mean


final = tf.add(tf.reduce_sum(scores, 1), bonus, name="final")
left, right = tf.dynamic_partition(final, group, 2, name="sides")
pairs = in_pairs(left, right)

print(final.shape, pairs.shape)
