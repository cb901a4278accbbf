"""The graph of the play page: an account over some years, and its derivative."""

import penstock as tf

deposit = tf.placeholder(tf.float32, [], name="deposit")
rate = tf.placeholder(tf.float32, [], name="rate")
years = tf.placeholder(tf.int32, [], name="years")
_, balance = tf.while_loop(
    lambda year, saved: year < years,
    lambda year, saved: (year + 1, saved + rate * saved + deposit),
    [0, 0.0],
    name="saving",
)
slope = tf.identity(tf.gradients(balance, rate)[0], name="slope")

fetches = [balance, slope]
feeds = {deposit: 100.0, rate: 0.05, years: 4}
