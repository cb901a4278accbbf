"""The graph of the play page: orders and fees as in the text, and how many orders are large is not known."""

import penstock as tf

orders = tf.placeholder(tf.float32, ["orders"], name="orders")
fees = tf.placeholder(tf.float32, ["orders"], name="fees")
bills = tf.add(orders, fees, name="bills")
large = tf.boolean_mask(orders, orders > 15.0, name="large")
dear = tf.boolean_mask(bills, bills > 20.0, name="dear")
both = tf.add(large, dear, name="both")

fetches = [bills, both]
feeds = {orders: [10.0, 20.0, 30.0], fees: [5.0, 12.0, 10.0]}
