# a-call-computes

import penstock as tf

WEEK = [12.0, 15.5, 9.0, 21.0, 18.5, 17.0, 14.0]

celsius = tf.placeholder(tf.float32, ["days"], name="celsius")
session = tf.Session()
fahrenheit = session.run(celsius * 1.8 + 32, {celsius: WEEK})
warmest = session.run(tf.reduce_max(fahrenheit))

result = [fahrenheit, warmest]
