"""Lesson 1: build two tensors, then run once."""

import penstock as tf

WEEK = [12.0, 15.5, 9.0, 21.0, 18.5, 17.0, 14.0]

# First half: build.
celsius = tf.placeholder(tf.float32, ["days"], name="celsius")
fahrenheit = ...  # your turn: celsius times 1.8, plus 32
warmest = ...  # your turn: the largest value of fahrenheit

# Second half: run.
session = tf.Session()
result = ...  # your turn: the values of fahrenheit and warmest for WEEK, from one run

print(result)
