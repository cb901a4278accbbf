"""The graph of the play page: a week of temperatures."""

import penstock as tf

celsius = tf.placeholder(tf.float32, ["days"], name="celsius")
fahrenheit = tf.add(celsius * 1.8, 32.0, name="fahrenheit")
warmest = tf.reduce_max(fahrenheit, name="warmest")

fetches = [fahrenheit, warmest]
feeds = {celsius: [12.0, 15.5, 9.0, 21.0, 18.5, 17.0, 14.0]}
