# a-call-computes

import penstock as tf

WEEK = [12.0, 15.5, 9.0, 21.0, 18.5, 17.0, 14.0]

celsius = tf.placeholder(tf.float32, ["days"], name="celsius")
fahrenheit = celsius * 1.8 + 32

session = tf.Session()
warmest = max(session.run(fahrenheit, {celsius: WEEK}))
result = [session.run(fahrenheit, {celsius: WEEK}), warmest]
