# a-call-computes

import numpy as np

import penstock as tf

WEEK = [12.0, 15.5, 9.0, 21.0, 18.5, 17.0, 14.0]

celsius = tf.placeholder(tf.float32, ["days"], name="celsius")
fahrenheit = np.array(WEEK) * 1.8 + 32
warmest = fahrenheit.max()

session = tf.Session()
result = [fahrenheit, warmest]
