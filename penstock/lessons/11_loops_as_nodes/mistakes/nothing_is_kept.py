# only-the-last-is-kept

import penstock as tf

deposit = tf.placeholder(tf.float32, [], name="deposit")
rate = tf.placeholder(tf.float32, [], name="rate")
years = tf.placeholder(tf.int32, [], name="years")


_, balance = tf.while_loop(
    lambda year, saved: year < years, lambda year, saved: (year + 1, saved + rate * saved + deposit), [0, 0.0]
)
slope = tf.gradients(balance, rate)[0]
stacked = 1  # the balance

session = tf.Session(config=tf.SessionConfig(timeout_in_ms=1500))
print(session.run([balance, slope], {deposit: 100.0, rate: 0.05, years: 12}), stacked)
