"""Lesson 4: two runs of one graph, each as small as it can be."""

import penstock as tf

PRICES = [3.0, 20.0, 8.0]
COUNTS = [10.0, 2.0, 5.0]

prices = tf.placeholder(tf.float32, ["items"], name="prices")
counts = tf.placeholder(tf.float32, ["items"], name="counts")
rate = tf.placeholder(tf.float32, [], name="rate")

total = tf.reduce_sum(prices * counts, name="total")
tax = tf.multiply(total, rate, name="tax")
bill = tf.add(total, tax, name="bill")
dearest = tf.reduce_max(prices, name="dearest")
share = tf.divide(dearest, total, name="share")

session = tf.Session()

# The dearest price and the total, for PRICES and COUNTS.
today = ...  # your turn: one run that fetches both, and is fed what it needs

# The bill for a total of 1000, at a rate of 0.2.
what_if = ...  # your turn: one run of the same graph
