import numpy as np

import penstock as tf

WEEK = np.array([12.0, 15.5, 9.0, 21.0, 18.5, 17.0, 14.0])

celsius = tf.placeholder(tf.float32, ["days"], name="celsius")
fahrenheit = 32 + 1.8 * celsius
warmest = tf.reduce_max(fahrenheit)
coldest = tf.reduce_min(fahrenheit)

session = tf.Session()
everything = session.run([fahrenheit, warmest, coldest], {celsius: WEEK})
result = everything[:2]
