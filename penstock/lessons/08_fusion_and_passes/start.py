"""Lesson 8: count the passes of a plan, and then make one of them do."""

import penstock as tf

x = tf.placeholder(tf.float32, ["samples"], name="x")
loudness = tf.sqrt(tf.square(x) + 1.0, name="loudness")
largest = tf.reduce_max(loudness, name="largest")
plain = tf.reduce_sum(loudness / largest, name="plain")

print(tf.Session(config=tf.SessionConfig(passes=())).plan(plain))
print(tf.Session().plan(plain))

# How many steps of each of these plans go through all samples?
counted = ...  # your turn: a tuple of two numbers, for the plan as it is written and for the plan of a session

fast = ...  # your turn: the same value as plain, with one such step
