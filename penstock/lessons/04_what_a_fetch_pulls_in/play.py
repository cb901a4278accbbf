"""The graph of the play page: a bill, and two values beside it."""

import penstock as tf

prices = tf.placeholder(tf.float32, ["items"], name="prices")
counts = tf.placeholder(tf.float32, ["items"], name="counts")
rate = tf.placeholder(tf.float32, [], name="rate")

total = tf.reduce_sum(prices * counts, name="total")
tax = tf.multiply(total, rate, name="tax")
bill = tf.add(total, tax, name="bill")
dearest = tf.reduce_max(prices, name="dearest")
share = tf.divide(dearest, total, name="share")

fetches = [bill, share, dearest]
feeds = {prices: [3.0, 20.0, 8.0], counts: [10.0, 2.0, 5.0], rate: 0.2}
