# a-run-gives-one-value

import penstock as tf

WEEK = [12.0, 15.5, 9.0, 21.0, 18.5, 17.0, 14.0]

celsius = tf.placeholder(tf.float32, ["days"], name="celsius")
fahrenheit = celsius * 1.8 + 32
warmest = tf.reduce_max(fahrenheit)

session = tf.Session()
result = [session.run(fahrenheit, {celsius: WEEK}), session.run(warmest, {celsius: WEEK})]
