"""Lesson 11: an account over some years, as a loop in the graph, and its derivative."""

import penstock as tf

deposit = tf.placeholder(tf.float32, [], name="deposit")
rate = tf.placeholder(tf.float32, [], name="rate")
years = tf.placeholder(tf.int32, [], name="years")

balance = ...  # your turn: 0 at first; in each of `years` years rate * balance is added, and then deposit
slope = ...  # your turn: the derivative of balance in rate
stacked = ...  # your turn: how many numbers a run of slope has on stacks if years is 12, a number

session = tf.Session(config=tf.SessionConfig(timeout_in_ms=5000))
print(session.run([balance, slope], {deposit: 100.0, rate: 0.05, years: 12}), stacked)
