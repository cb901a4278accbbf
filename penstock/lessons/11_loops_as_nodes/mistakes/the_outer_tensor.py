# the-outer-name-changes

import penstock as tf

deposit = tf.placeholder(tf.float32, [], name="deposit")
rate = tf.placeholder(tf.float32, [], name="rate")
years = tf.placeholder(tf.int32, [], name="years")


start = tf.constant(0.0)
_, balance = tf.while_loop(
    lambda year, saved: year < years, lambda year, saved: (year + 1, start + rate * start + deposit), [0, start]
)
slope = tf.gradients(balance, rate)[0] if tf.gradients(balance, rate)[0] is not None else tf.zeros([])
stacked = 12

session = tf.Session(config=tf.SessionConfig(timeout_in_ms=1500))
print(session.run([balance, slope], {deposit: 100.0, rate: 0.05, years: 12}), stacked)
