"""Lesson 13: a training step with a slot, by hand."""

import penstock as tf

x = tf.placeholder(tf.float32, ["rows", 2], name="x")
y = tf.placeholder(tf.float32, ["rows"], name="y")
w = tf.Variable([0.0, 0.0], name="w")
loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y), name="loss")

speed = ...  # your turn: the slot, with zeros at first
step = ...  # your turn: one step: speed = 0.9 * speed + gradient, and then w = w - 0.05 * speed
kept = ...  # your turn: how many numbers there are in all variables that Adam adds, a number

session = tf.Session()
session.run(tf.global_variables_initializer())
for _ in range(5):
    now, _ = session.run([loss, step], {x: [[1.0, 2.0], [2.0, 1.0]], y: [1.0, 2.0]})
    print(now)
print(kept)
