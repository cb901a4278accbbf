"""Lesson 1: build two tensors, then run once."""

import penstock as tf

WEEK = [12.0, 15.5, 9.0, 21.0, 18.5, 17.0, 14.0]

# First half: build.
celsius = tf.placeholder(tf.float32, ["days"], name="celsius")
fahrenheit = celsius * 1.8 + 32.0
warmest = tf.reduce_max(fahrenheit)

# Second half: run.
session = tf.Session()
result = session.run([fahrenheit, warmest], {celsius: WEEK})

print(result)
