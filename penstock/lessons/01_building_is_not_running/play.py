"""The graph of the play page: the one of the text, prices with a tax."""

import penstock as tf

price = tf.placeholder(tf.float32, ["items"], name="price")
with_tax = tf.multiply(price, 1.2, name="with_tax")
total = tf.reduce_sum(with_tax, name="total")

fetches = [with_tax, total]
feeds = {price: [10.0, 20.0, 5.0]}
