# a-run-gives-one-value

import numpy as np

import penstock as tf

WEEK = [12.0, 15.5, 9.0, 21.0, 18.5, 17.0, 14.0]

celsius = tf.placeholder(tf.float32, ["days"], name="celsius")
fahrenheit = celsius * 1.8 + 32
warmest = tf.reduce_max(fahrenheit)

session = tf.Session()
days = [session.run(fahrenheit, {celsius: [degrees]})[0] for degrees in WEEK]
result = [np.array(days), max(days)]
